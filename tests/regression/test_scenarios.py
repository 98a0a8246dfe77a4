"""What the ten default gates and the exit code say of small stories, one entry of a table each.

`stories.py` has the shop over which they are played. Ids `a` to `ap` are those of the issue's
table; a suffix marks a sibling of one.
"""

import json
from pathlib import Path

import pytest

from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from evalrag.schema.verdict import Verdict
from tests.builders import gate_of, row
from tests.judges.scripted import body_of, fenced, honest, named
from tests.provider.said import Asked, Refused, Said, Script
from tests.regression.stories import (
    ANSWERABLE,
    ASKED,
    DECLINE,
    DOWN,
    PARAPHRASE,
    TEXTS,
    WRONG,
    Story,
    answers,
    at,
    best,
    chunks,
    golden,
    page,
    shelves,
    verdict_of,
)

EVIDENCE, RIVALS, OLD = (
    "evidence is retrieved",
    "rivals stay below the evidence",
    "superseded passages stay out",
)
INVENTED, ANSWERED = "nothing is invented", "answerable rows are answered"
CONTRADICTIONS, FAITHFUL = "no new contradictions", "answers stay faithful"
FACTS, FORBIDDEN = "facts stay supported", "nothing forbidden is retrieved"
RIGHT = "right answers stay right"
EVERY_ROW = (EVIDENCE, RIVALS, ANSWERED, CONTRADICTIONS, FAITHFUL)

# --- what an entry says beside gates and exit code ---


def change(verdict: Verdict, name: str) -> str:
    return next(one.change.value for one in verdict.diff.changes if one.id == name)


def relation(verdict: Verdict, name: str) -> str:
    return next(one.relation.value for one in verdict.diff.changes if one.id == name)


def statuses(verdict: Verdict) -> dict[str, str]:
    return {gate.name: gate.status.value for gate in verdict.gates}


def not_installed(verdict: Verdict) -> set[str]:
    return {gate.name for gate in verdict.missing_gates}


def eased(verdict: Verdict) -> str:
    return "\n".join(verdict.diff.loosened)


# --- what a model's server says ---


def down_on(*answers: str) -> Script:
    """500 wherever one of these answers is asked about."""

    def script(asked: Asked) -> Said:
        if any(answer in asked.user for answer in answers):
            return Said(error=Refused(500, "The server had an error."))
        return honest(asked)

    return script


def mislabelled(word: str) -> Script:
    """An honest reply, but that the claim with this word has a label outside the list."""

    def script(asked: Asked) -> Said:
        body = body_of(asked)
        for sentence in body.get("sentences", ()):
            for claim in sentence["claims"]:
                if word in claim["claim"]:
                    claim["label"] = "MOSTLY"
        given = dict(enumerate(named(fenced(asked.user), "claim c"), 1))
        for number, claim in enumerate(body.get("claims", ()), 1):
            if word in given.get(number, ""):
                claim["label"] = "MOSTLY"
        return Said(text=json.dumps(body))

    return script


# --- the table ---

WIDE = {name: at(name, " ".join((*best(name)[0], shelves(3, 4)))) for name in ASKED}
WIDER = {name: at(name, " ".join((*best(name)[0], shelves(3, 9)))) for name in ASKED}
OLD_FIRST = at("s1", "s1-old s1-gold x-1")
TWO_CLAIMS = f"{WRONG} Parcels leave the store on Mondays."
WITH_SIBLINGS = {"s1": {"near_miss": ["s1-sibling"]}, "s2": {"near_miss": ["s2-sibling"]}}
REWORDED = {
    "h1": "You have about a month to send things back.",
    "h2": "Having a present wrapped sets you back four coins of the euro area.",
    "h3": "Paying by the two big card schemes works.",
    "h4": "You find our main building in Portugal's capital.",
    "h5": "Somebody picks up from early in the morning.",
    "n1": "Things bought from partners come back in about a fortnight.",
    "n2": "On Team, a couple of dozen people can join.",
    "n3": "Keep boxes bound for Norway at about a score of kilos.",
    "n4": "Going gold sets you back a little every year.",
    "m1": "Express goods start in northern Portugal and are there by the day after tomorrow.",
    "m2": "Finance puts its name to them and the money goes back where it came from.",
    "m3": "Our carpets go through the drum, at a lukewarm setting.",
    "s1": "Having it brought to you sets you back a fiver.",
    "s2": "You are covered for three years.",
    "s3": "Up to a dozen boxes can stay with us.",
}
QUOTE = "The delivery charge is 5 euros. It is due for each parcel that is sent within the country."
LEFT, RIGHT_HALF = QUOTE[:50], QUOTE[50:]


def version(number: int, name: str, text: str) -> Passage:
    return {"id": name, "doc": "charges", "text": text, "metadata": {"version": str(number)}}


OLD_PAGE = version(1, "v1-a", TEXTS["s1-old"])
QUOTED = {
    "s1": {
        "gold": [{"doc": "charges", "metadata": {"version": "2"}, "quote": QUOTE}],
        "superseded": [{"doc": "charges", "metadata": {"version": "1"}}],
    }
}
CHILD: Passage = {"id": "returns-c1", "doc": "returns", "text": "Returns are free of charge."}
OWN_CHILD: Passage = {"id": "returns-c2", "doc": "returns", "text": TEXTS["h1-gold"]}
PARENT: Passage = {
    "id": "returns",
    "doc": "returns",
    "text": f"{CHILD['text']} {OWN_CHILD['text']}",
}

FOREIGN: Passage = {"id": "f-1", "doc": "f", "text": "Salaries.", "metadata": {"tenant": "other"}}
WAIVED = {"row": "s1", "gate": RIVALS, "until": "2026-12-31", "reason": "a page is being rewritten"}

JUDGED_ROWS = "h1 h4 n1 s1"
FEW = f"{JUDGED_ROWS} u1"
"""Rows of the stories in which a server is asked about each."""

# fmt: off
STORIES = [
    Story("a", "nothing", 0,
        also=lambda v: all(set(counts) == {"pass"} for counts in v.outcomes.values())),
    Story("b", "an old page stands first on s1, window of fixed size, gold still in it", 1,
        {RIVALS: "s1"}, now={"s1": OLD_FIRST}),
    Story("c", "the sibling stands first on n1", 1, {RIVALS: "n1"},
        now={"n1": at("n1", "n1-sibling n1-gold x-1")}),
    Story("d", "one half of m1 leaves the window", 1, {EVIDENCE: "m1"},
        now={"m1": at("m1", "m1-gold x-1 x-2", answer=TEXTS["m1-gold"], more="m1-gold2")}),
    Story("e", "the bot refuses everything", 1, {ANSWERED: ANSWERABLE},
        now=answers(**dict.fromkeys(ASKED, DECLINE))),
    Story("f", "the bot answers u1 to u3 from a neighbouring passage, faithfully", 1,
        {INVENTED: "u1 u2 u3", ANSWERED: "u1 u2 u3"},
        now=answers(**{name: TEXTS[f"{name}-near"] for name in ("u1", "u2", "u3")})),
    Story("g", "the answer on h1 contradicts its context, and the judge proves it", 1,
        {CONTRADICTIONS: "h1", FAITHFUL: "h1"}, now=answers(h1=WRONG)),
    Story("h", "the same, and the judge cannot decide", 0, now=answers(h1=PARAPHRASE),
        also=lambda v: (
            change(v, "h1") == "lost"
            and gate_of(v, CONTRADICTIONS).hidden == 1
            and any("judged before" in note and "h1" in note for note in v.head)
        )),
    Story("i", "window 5 to 10, no new rival in it", 0,
        settings={"reading": Reading(top_k=20, context_k=5)},
        settings_now={"reading": Reading(top_k=20, context_k=10)}, before=WIDE, now=WIDER),
    Story("j", "old versions leave the index; near-miss pages move up", 0, rows=WITH_SIBLINGS,
        before={name: at(name, f"{name}-gold {name}-old x-1") for name in WITH_SIBLINGS},
        now={name: at(name, f"{name}-gold {name}-sibling x-1") for name in WITH_SIBLINGS}),
    Story("k", "a row deleted", 1, dict.fromkeys(EVERY_ROW, "n2"), relabelled={"n2": None},
        also=lambda v: "n2" in eased(v)),
    Story("l", "a label edited", 0, relabelled={"h1": golden("h1", gold=["h1-gold", "x-1"])},
        also=lambda v: (
            change(v, "h1") == "relabelled" and any("relabelled: h1" in note for note in v.head)
        )),
    Story("m", "every row raises", 3,
        dict.fromkeys((EVIDENCE, RIVALS, CONTRADICTIONS, FAITHFUL), ANSWERABLE)
        | {INVENTED: "u1 u2 u3", OLD: "s1 s2 s3", ANSWERED: " ".join(ASKED)},
        shell=True, now=dict.fromkeys(ASKED, DOWN), also=lambda v: set(v.errored) == set(ASKED)),
    Story("n", "one happy row raises", 3, dict.fromkeys(EVERY_ROW, "h1"), shell=True,
        now={"h1": DOWN}, also=lambda v: v.errored == ("h1",)),
    Story("o", "no baseline, nothing absolute failed", 4, shell=True, baseline=False),
    Story("p", "no baseline, and an invention on u1", 1, {INVENTED: "u1"}, shell=True,
        baseline=False, now=answers(u1=TEXTS["u1-near"])),
    Story("q", "--kind near-miss, nothing changed", 0, shell=True, arguments="--kind near-miss",
        also=lambda v: (
            statuses(v)[RIVALS] == "passed"
            and statuses(v)[INVENTED] == statuses(v)[OLD] == "not evaluated"
        )),
    Story("r", "another judge", 3, {CONTRADICTIONS: JUDGED_ROWS, FAITHFUL: JUDGED_ROWS}, rows=FEW,
        model=honest, other_judge=True,
        also=lambda v: any("rescore" in command for command in v.next)),
    Story("s", "h1 was unresolved in the baseline; now a contradiction is proven", 1,
        {CONTRADICTIONS: "h1", FAITHFUL: "h1"}, before=answers(h1=PARAPHRASE),
        now=answers(h1=WRONG), also=lambda v: change(v, "h1") == "now failing"),
    Story("t", "h1's evidence is no longer retrieved, and the bot rightly declines", 1,
        {EVIDENCE: "h1"}, now={"h1": at("h1", "x-1 x-2 x-3", answer=DECLINE)}),
    Story("u", "retrieval-only plan, nothing changed", 0,
        settings={"generates": False, "judge": None},
        also=lambda v: (
            {INVENTED, ANSWERED, CONTRADICTIONS, FAITHFUL, RIGHT} <= not_installed(v)
            and all(any(gate in note for note in v.head) for gate in (INVENTED, ANSWERED))
        )),
    Story("v", "a dataset of happy rows alone, nothing changed", 0, rows="h1 h2 h3 h4 h5",
        also=lambda v: (
            not_installed(v) == {FACTS, INVENTED, OLD, RIVALS, FORBIDDEN, RIGHT}
            and all(gate.unguarded for gate in v.missing_gates)
        )),
    Story("w", "three repeats, one of them bad on n1", 0, settings={"repeats": 3},
        now={"n1": [at("n1"), at("n1", "n1-sibling n1-gold x-1"), at("n1")]},
        also=lambda v: v.flaky == ("n1",)),
    Story("x", "a new row with a proven contradiction", 1, {CONTRADICTIONS: "h9"},
        relabelled={"h9": row("h9", question=ASKED["h1"], gold=["h1-gold"])},
        now={"h9": at("h1", answer=WRONG)}),
    Story("y", "u3 (false premise) is corrected", 0, now=answers(u3="There is no such stipend.")),
    Story("z", "the right answer on s1 beside the old page that says otherwise", 0,
        also=lambda v: "s1" in v.warnings.get("conflicting-sources", ())),
    Story("aa", "the answer on s1 says the old page's figure, which answer_excludes names", 1,
        {RIGHT: "s1"}, rows={"s1": {"answer_excludes": ["3 euros"]}},
        now=answers(s1=TEXTS["s1-old"])),
    Story("ab", "n1 is answered with the sibling's sentence", 1, {RIGHT: "n1"},
        rows={"n1": {"answer_contains": ["10 working days"]}},
        now=answers(n1=TEXTS["n1-sibling"])),
    *(
        # "not sure" is a hedge, and what is hedged an answer; "do not know" is a decline
        Story(name, f"u1 is answered {answer!r}", 1, dict.fromkeys(gates, "u1"),
            now=answers(u1=answer))
        for name, answer, gates in (
            ("ac", "I'm not sure, but I think it is 10%.", (INVENTED, ANSWERED)),
            ("ac-know", "I do not know, but I think it is 10%.", (INVENTED,)),
            ("ac-colon", "I do not have information about that: it is 10%.", (INVENTED,)),
            ("ac-brackets", "I do not have information about that (it is 10%).", (INVENTED,)),
            ("ac-which", "I do not know the student discount, which is 10%.", (INVENTED,)),
        )
    ),
    Story("ad", "u1 is answered with an unrelated passage and a hedge", 1,
        {INVENTED: "u1", ANSWERED: "u1"},
        now=answers(u1=f"{TEXTS['x-1']} However, I am not certain about this.")),
    Story("ae", "right answers get a greeting, a Yes, a link to the source, a mark, a sign-off",
        0,
        now=answers(
            h1=f"Hello! {TEXTS['h1-gold']}",
            h2=f"Yes. {TEXTS['h2-gold']} Best regards, your shop team",
            h3=f"{TEXTS['h3-gold']} [1]",
            h4=f"{TEXTS['h4-gold']} See [our offices](https://shop.example/offices).",
            s1=f"Hi there! {TEXTS['s1-gold']} [1] Kind regards",
        )),
    Story("af", "u1 is declined in other words, with a pointer behind", 0,
        now=answers(
            u1="Sorry, I couldn't find anything about that. You can find more in our help center.",
            u2="Unfortunately I have no information on this. You can find more in our help center.",
        )),
    Story("ag", "the judge answers 500 on every row whose answer changed", 3,
        {CONTRADICTIONS: "h1 h4", FAITHFUL: "h1 h4"},
        rows=FEW, model=down_on(REWORDED["h1"], REWORDED["h4"]),
        now=answers(h1=REWORDED["h1"], h4=REWORDED["h4"])),
    Story("ah", "one label of a reply is outside the list, another claim of it is contradicted",
        1, {CONTRADICTIONS: "h1", FAITHFUL: "h1"}, rows=FEW, model=mislabelled("Mondays"),
        now=answers(h1=TWO_CLAIMS)),
    Story("ai", "chunks twice as large: gold once cut in two is whole, same old page beside it",
        0, rows=QUOTED,
        before={
            "s1": chunks(
                TEXTS["s1-gold"], version(2, "a", LEFT), version(2, "b", RIGHT_HALF), OLD_PAGE
            )
        },
        now={"s1": chunks(TEXTS["s1-gold"], version(2, "ab", QUOTE), OLD_PAGE)},
        also=lambda v: change(v, "s1") in ("improved", "still passing")),
    Story("aj", "the pipeline hands over the parent document, candidates are its children", 0,
        rows={"h1": {"gold": [{"doc": "returns", "quote": TEXTS["h1-gold"]}]}},
        before={"h1": chunks(TEXTS["h1-gold"], OWN_CHILD)},
        now={"h1": chunks(TEXTS["h1-gold"], PARENT, candidates=[CHILD])},
        also=lambda v: change(v, "h1") == "still passing"),
    Story("ak", "all 15 answers reworded, no row has an answer check, offline judge", 0,
        rows=ANSWERABLE, now=answers(**REWORDED),
        also=lambda v: (v.answers, len(v.unjudged)) == (15, 15)),
    *(
        Story(name, "superseded of s1 is pointed at nothing while the old page climbs", code,
            relabelled={"s1": golden("s1", superseded=["no-such-page"])}, now={"s1": OLD_FIRST},
            settings_now={"fail_on_loosened": code == 1}, also=lambda v: "s1" in eased(v))
        for name, code in {"al": 0, "al-fail-on-loosened": 1}.items()
    ),
    Story("am", "a forbidden passage is candidate 20 of 20 on h1", 1, {FORBIDDEN: "h1"},
        rows={"h1": {"forbidden": ["x-99"]}}, before={"h1": at("h1", more=shelves(3, 19))},
        now={"h1": at("h1", more=f"{shelves(3, 18)} x-99")}),
    Story("an", "old hop 2 before new hop 2, hop 1 first", 1, {RIVALS: "m1"},
        rows={"m1": {"superseded": ["m1-old2"]}},
        before={"m1": at("m1", "m1-gold m1-gold2 m1-old2")},
        now={"m1": at("m1", "m1-gold m1-old2 m1-gold2")}),
    Story("ao", "an id is renamed, nothing else", 0,
        relabelled={"h2": golden("h2").model_copy(update={"id": "h2-wrapping"})},
        now={"h2-wrapping": at("h2")},
        also=lambda v: relation(v, "h2-wrapping") == "renamed" and not v.diff.loosened),
    Story("ap", "a person decided a fact of h1 as STATED; then context_k changes", 0, shell=True,
        rows={"h1": {"reference_facts": ["Buyers have about a month to change their minds."]}},
        decided="h1 --fact 1 --label STATED", plan_now={"pipeline": {"context_k": 5}},
        also=lambda v: change(v, "h1") == "still passing" and v.stages["answer"]["pass"] == 1),
    # siblings of these
    *(
        Story(f"ac-{use}", "ac, by a model judge", 1, {INVENTED: "u1"},
            now=answers(u1="I do not know, but I think it is 10%."), model=honest, use=use,
            rows=FEW)
        for use in ("openai", "anthropic")
    ),
    *(
        Story(f"ad-{name}", "ad with another hedge", 1, {INVENTED: "u1", ANSWERED: "u1"},
            now=answers(u1=answer))
        for name, answer in {
            "before": f"As far as I can tell, {TEXTS['x-1']}",
            "behind": f"{TEXTS['u1-near']} I believe that is right, but please check.",
        }.items()
    ),
    Story("aa-unchecked", "aa on a row without an answer check: faithful to the old page", 0,
        now=answers(s1=TEXTS["s1-old"]), also=lambda v: "s1" in v.warnings["conflicting-sources"]),
    Story("b+c", "the old page on s1 was first and is not, the sibling on n1 is", 1,
        {RIVALS: "n1"}, before={"s1": OLD_FIRST}, now={"n1": at("n1", "n1-sibling n1-gold x-1")},
        also=lambda v: change(v, "s1") == "fixed" and change(v, "n1") == "broke"),
    Story("b-enters", "an old page comes into the window of s1, behind the gold", 1, {OLD: "s1"},
        before={"s1": at("s1", "s1-gold x-1 x-2")}, now={"s1": at("s1", "s1-gold s1-old x-1")}),
    Story("d-facts", "another page, which says otherwise, stands for the one that holds a fact", 1,
        {FACTS: "h1", RIGHT: "h1"},
        rows={"h1": {"gold": [], "reference_facts": [TEXTS["h1-gold"]]}},
        now={"h1": at("h1", "h1-other x-1 x-2", answer=WRONG)}),
    Story("b-waived", "b, waived", 0, now={"s1": OLD_FIRST}, settings_now={"waivers": [WAIVED]},
        also=lambda v: "s1" in eased(v) and gate_of(v, RIVALS).waived == 1),
    Story("b+ag", "b, and the judge is down on h1", 1, {RIVALS: "s1"},
        rows=FEW, model=down_on(REWORDED["h1"]),
        now={"s1": OLD_FIRST, **answers(h1=REWORDED["h1"])}),
    Story("c-renamed", "a row gets another id, and its sibling climbs", 1, {RIVALS: "n9"},
        relabelled={"n1": golden("n1").model_copy(update={"id": "n9"})},
        now={"n9": at("n1", "n1-sibling n1-gold x-1")}),
    Story("k-retired", "a row deleted, and retired by name", 0, relabelled={"n2": None},
        settings_now={"retired": [{"row": "n2", "reason": "no Team plan any more"}]},
        also=lambda v: "n2" in eased(v)),
    Story("w-majority", "three repeats, two of them bad on n1", 1, {RIVALS: "n1"},
        settings={"repeats": 3},
        now={"n1": [at("n1"), *[at("n1", "n1-sibling n1-gold x-1")] * 2]},
        also=lambda v: v.flaky == ("n1",)),
    Story("am-metadata", "am on an unanswerable row, by metadata alone", 1, {FORBIDDEN: "u2"},
        rows={"u2": {"forbidden": [{"metadata": {"tenant": "other"}}]}},
        now={"u2": chunks(DECLINE, page("x-1"), candidates=[page("x-1"), FOREIGN])}),
]
# fmt: on


def gates_and_rows(verdict: Verdict, status: str) -> dict[str, set[str]]:
    """The gates of this status, and the rows that each names for it."""
    return {
        gate.name: {one.id for one in gate.rows if one.status == status}
        for gate in verdict.gates
        if gate.status == status
    }


def test_the_table_has_every_scenario() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    wanted = {*letters, *(f"a{letter}" for letter in letters[: letters.index("p") + 1])}
    assert wanted <= {story.id for story in STORIES}


@pytest.mark.parametrize(
    "story",
    [pytest.param(story, id=story.id) for story in STORIES],
)
def test_scenario(story: Story, tmp_path: Path) -> None:
    verdict = verdict_of(story, tmp_path)

    expected = {gate: set(rows.split()) for gate, rows in story.by.items()}
    failed, open_ = gates_and_rows(verdict, "failed"), gates_and_rows(verdict, "undecided")
    assert (verdict.exit_code, failed) == (story.exit, expected if story.exit == 1 else {})
    if story.exit in (0, 3):
        assert open_ == expected
    assert story.also is None or story.also(verdict)
