"""A gate in the words of a plan."""

from typing import Any

import yaml

from evalrag.schema.gate import Gate, Rule


def written(gate: Gate) -> str:
    """The gate on one line of YAML, without what it has by default."""
    said = gate.model_dump(mode="json", exclude_defaults=True)
    rules = [_rule(rule) for rule in gate.must]
    said["must"] = rules if len(rules) > 1 else rules[0]
    text: str = yaml.safe_dump(
        said, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return text.strip()


def _rule(rule: Rule) -> Any:
    if rule.value is None:
        return rule.must
    return {rule.must: int(rule.value) if rule.value.is_integer() else rule.value}
