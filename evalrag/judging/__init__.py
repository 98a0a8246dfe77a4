"""Pure half of a judge: tasks, rules, verdicts, and the scores that follow from them."""
