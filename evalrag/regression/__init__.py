"""Pure: outcomes, diagnosis, comparison, gates, verdict."""
