"""Files to schema; every problem with file, line, column and field."""
