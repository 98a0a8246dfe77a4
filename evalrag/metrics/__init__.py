"""Pure: one retrieval measure a file; its docstring is its reference page."""
