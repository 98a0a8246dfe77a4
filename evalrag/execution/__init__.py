"""Observing and scoring: the only place that calls the user's code."""
