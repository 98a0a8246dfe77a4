"""Pure: golden evidence held against passages."""
