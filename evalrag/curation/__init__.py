"""Pure: the care of a dataset and of the plan that runs it."""
