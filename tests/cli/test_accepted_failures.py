"""A green run says which rows fail in it because somebody accepted that they do."""

from tests.workspace import BOT, Workspace

BROKEN = BOT.replace(
    '"What is the delivery charge?": ["delivery@2#0", "delivery@1#0"]',
    '"What is the delivery charge?": ["delivery@1#0"]',
)
LINE = "1 row fails as accepted on 2026-11-30 (all is fine): s1"


def said(text: str) -> str:
    return " ".join(text.split())


def test_a_broken_run_that_was_accepted_is_no_spotless_green(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BROKEN)
    assert shop.evalrag("run", "plan.yaml").code == 1
    shop.evalrag("baseline", "accept", "--reason", "all is fine")

    run = shop.evalrag("run", "plan.yaml", "--full")
    json = shop.evalrag("gate", "--format", "json")
    another = shop.evalrag("gate", "--baseline", ".evalrag/runs/0002")

    assert (run.code, "s1" in run.out) == (0, True), run
    assert LINE in said(run.out.partition("Know first")[2])
    assert LINE in json.json["background"]
    assert "as accepted" not in another.out  # a run was never accepted


def test_a_run_without_accepted_failures_has_no_such_line(shop: Workspace) -> None:
    shop.accepted()
    green = shop.evalrag("run", "plan.yaml")
    shop.write("bot.py", BROKEN)
    red = shop.evalrag("run", "plan.yaml")

    assert (green.code, red.code) == (0, 1)
    assert "as accepted" not in green.out + red.out
