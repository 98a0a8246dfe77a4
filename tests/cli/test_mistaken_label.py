"""A label with a mistake in it is read before it is accepted."""

from tests.workspace import BOT, ROWS, Workspace

QUOTE = "The delivery charge is 5 euros."
LABELLED = {
    **ROWS[3],
    "gold": [{"doc": "delivery@2", "quote": QUOTE}],
    "superseded": [],
    "kind": "happy-path",
}
REST = [row for row in ROWS if row["id"] != "s1"]
MISTAKEN = {**LABELLED, "gold": [{"doc": "delivery@2", "quote": QUOTE.replace("5", "5.50")}]}


def said(text: str) -> str:
    return " ".join(text.split())


def test_a_mistake_in_a_quote_stands_first_and_is_shown_before_it_is_accepted(
    shop: Workspace,
) -> None:
    shop.rows([*REST, LABELLED])
    shop.accepted()
    shop.rows([*REST, MISTAKEN])

    done = shop.evalrag("run", "plan.yaml")
    markdown = shop.evalrag("gate", "--format", "markdown").out
    diff = shop.evalrag("diff", "latest").out

    assert done.code == 0, done
    assert "Fails under its new labels: 1 of 6 rows" in done.out
    assert "s1 happy-path retrieval fail" in done.out
    assert "1 row fails under its new labels, which no gate sees: s1" in said(done.out)
    assert "next: evalrag show 0002 s1\n" in done.out
    assert "baseline accept" not in done.out
    told = (
        "row s1 passed in the baseline by its old labels, and what is stored there fails by the "
        "new ones, so that no gate sees what the row lost: read it, and correct the labels if "
        "they are wrong"
    )
    assert told in said(done.out)
    assert "### Fails under its new labels: 1 of 6 rows" in markdown
    assert "## ⚠️ passed, but a row fails under its new labels: shop" in markdown, "no plain pass"
    assert "Fails under its new labels: 1 of 6 rows" in diff


def test_where_the_plan_says_fail_on_loosened_the_row_is_what_to_look_at(shop: Workspace) -> None:
    shop.plan(fail_on_loosened=True)
    shop.rows([*REST, LABELLED])
    shop.accepted()
    shop.rows([*REST, MISTAKEN])

    done = shop.evalrag("run", "plan.yaml")

    assert (done.code, "next: evalrag show 0002 s1\n" in done.out) == (1, True), done


def test_a_label_that_was_corrected_can_be_accepted_as_before(shop: Workspace) -> None:
    shop.rows([*REST, MISTAKEN])
    shop.accepted()
    shop.rows([*REST, LABELLED])

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 0, done
    assert "under its new labels" not in done.out
    assert "no gate sees" not in done.out
    assert 'next: evalrag baseline accept 0002 --reason "..."' in done.out


def test_a_row_that_passes_by_its_new_labels_has_lost_nothing(shop: Workspace) -> None:
    shop.accepted()
    shop.rows([row | {"gold": ["other#0"]} if row["id"] == "h2" else row for row in ROWS])
    shop.write("bot.py", BOT.replace('["wrap#0"],', '["other#0", "wrap#0"],'))

    done = shop.evalrag("run", "plan.yaml", "--row", "h2")

    assert done.code == 0, done
    assert "1 fixed" in done.out
    assert "no gate sees" not in done.out
