"""What an attempt cost, as far as the pipeline says it."""

import pytest

from evalrag.schema.trace import Trace, known_cost


@pytest.mark.parametrize(
    ("trace", "cost"),
    [
        pytest.param({}, None, id="nothing said"),
        pytest.param({"usage": {"input_tokens": 3}}, None, id="tokens alone"),
        pytest.param({"usage": {"cost": 0.0}}, 0.0, id="free is known"),
        pytest.param(
            {
                "usage": {"cost": 0.25},
                "probe_costs": {
                    "oracle_context": {"usage": {"cost": 0.5}},
                    "no_context": {"usage": {"cost": 8.0}, "kept": True},
                    "standalone_question": {"seconds": 1.0},
                },
            },
            0.75,
            id="probes count, unless an earlier run paid",
        ),
    ],
)
def test_an_attempt_costs_what_its_calls_cost(trace: Trace, cost: float | None) -> None:
    assert known_cost(trace) == cost
