"""A plan that generates no answers, over chunk ids: the plainest run there is."""

from tests.workspace import ROWS, Workspace


def test_it_runs_is_accepted_and_names_a_rival_that_is_taken_out(shop: Workspace) -> None:
    shop.plan(pipeline={"generator": None})
    shop.accepted()
    assert shop.evalrag("run", "plan.yaml").code == 0

    shop.rows([{**ROWS[0], "gold": ["returns#0"], "near_miss": ["wrap#0"]}, *ROWS[1:]])
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "a rival")
    shop.rows(ROWS)
    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.code == 0
    assert [line.partition(":")[0] for line in done.json["diff"]["loosened"]] == ["row h1"]
