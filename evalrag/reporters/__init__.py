"""One format a file; data in, text out."""
