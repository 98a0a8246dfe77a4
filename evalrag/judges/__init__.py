"""The half of a judge that calls."""
