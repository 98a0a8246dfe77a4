"""Runs, journals and baselines on disk."""
