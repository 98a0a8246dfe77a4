"""Frozen types: the vocabulary that every layer shares."""
