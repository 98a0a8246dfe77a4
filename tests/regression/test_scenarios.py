"""Small stories over stored runs, with the exit code, the rows and the gates each must have."""

import pytest

from evalrag.schema.row import Row
from evalrag.schema.run import Selection
from evalrag.schema.words import Outcome
from tests.builders import (
    OTHER_JUDGE,
    Run,
    as_mapping,
    changed,
    decide,
    failed_gates,
    gate_of,
    good,
    good_run,
    named,
    result,
    row,
    run,
    scoring,
    trace,
    verdicts,
)

EVIDENCE, INVENTED, OLD = (
    "evidence is retrieved",
    "nothing is invented",
    "superseded passages stay out",
)
RIVALS, ANSWERED = "rivals stay below the evidence", "answerable rows are answered"
CONTRADICTIONS, FAITHFUL = "no new contradictions", "answers stay faithful"
FACTS, FORBIDDEN = "facts stay supported", "nothing forbidden is retrieved"
RIGHT = "right answers stay right"

ROWS = [
    row("h1"),
    row("h2"),
    row("n1", "near-miss"),
    row("n2", "near-miss"),
    row("m1", "multi-hop"),
    row("m2", "multi-hop"),
    row("s1", "stale-policy"),
    row("s2", "stale-policy"),
    row("u1", "unanswerable"),
    row("u2", "unanswerable"),
    row("u3", "unanswerable", unanswerable_because="false-premise"),
]
BASE = good_run(ROWS)
ANSWER = "An answer."


def after(**attempts: object) -> Run:
    return run(ROWS, changed(BASE, ROWS, **attempts))


def test_a_nothing_changed() -> None:
    verdict = decide(after(), BASE)

    assert verdict.exit_code == 0
    assert failed_gates(verdict) == []


def test_b_an_old_page_stands_first_with_the_gold_still_in_the_window() -> None:
    seen = trace(["s1-old", "s1-gold"], "x-1", answer=ANSWER)

    verdict = decide(after(s1=(seen, verdicts())), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [RIVALS]
    assert named(verdict, RIVALS) == ["s1"]


def test_c_the_sibling_stands_first() -> None:
    seen = trace(["n1-sibling", "n1-gold"], answer=ANSWER)

    verdict = decide(after(n1=(seen, verdicts())), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [RIVALS]
    assert named(verdict, RIVALS) == ["n1"]


def test_d_one_half_of_a_pair_leaves_the_window() -> None:
    seen = trace(["m1-gold", "x-1", "x-2"], "m1-gold2", answer=ANSWER)

    verdict = decide(after(m1=(seen, verdicts())), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [EVIDENCE]
    assert named(verdict, EVIDENCE) == ["m1"]


def test_e_the_bot_refuses_everything() -> None:
    declined = {
        golden.id: (good(golden)[0] | {"answer": "I cannot find that."}, verdicts("DECLINED"))
        for golden in ROWS
    }

    verdict = decide(after(**declined), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [ANSWERED]
    assert set(named(verdict, ANSWERED)) == {g.id for g in ROWS if g.answerable}


def test_f_the_bot_answers_what_it_cannot_know() -> None:
    invented = (trace(["x-1"], answer=ANSWER), verdicts())

    verdict = decide(after(u1=invented, u2=invented, u3=invented), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [INVENTED, ANSWERED]
    assert named(verdict, INVENTED) == ["u1", "u2", "u3"]
    assert named(verdict, ANSWERED) == ["u1", "u2", "u3"]


def test_g_a_proven_contradiction() -> None:
    wrong = (good(ROWS[0])[0], verdicts("ANSWERED", "CONTRADICTED"))

    verdict = decide(after(h1=wrong), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [CONTRADICTIONS, FAITHFUL]
    assert named(verdict, CONTRADICTIONS) == ["h1"]


def test_h_the_judge_cannot_decide() -> None:
    unsure = (good(ROWS[0])[0], verdicts("ANSWERED", "UNRESOLVED"))

    verdict = decide(after(h1=unsure), BASE)

    assert verdict.exit_code == 0
    assert {c.id: c.change.value for c in verdict.diff.changes}["h1"] == "lost"
    assert "1 row was judged before and is not now: h1" in verdict.head
    assert gate_of(verdict, CONTRADICTIONS).hidden == 1


def test_i_a_wider_window_without_a_new_rival() -> None:
    wide = {
        golden.id: (
            trace(
                [p["id"] for p in good(golden)[0]["candidates"]], answer=good(golden)[0]["answer"]
            ),
            good(golden)[1],
        )
        for golden in ROWS
    }

    assert decide(after(**wide), BASE).exit_code == 0


def test_j_old_versions_leave_the_index_and_near_miss_pages_move_up() -> None:
    rows = [
        *ROWS[:6],
        row("s1", "stale-policy", near_miss=["s1-sibling"]),
        row("s2", "stale-policy", near_miss=["s2-sibling"]),
        *ROWS[8:],
    ]
    before = good_run(rows)
    repaired = {
        name: (trace([f"{name}-gold", f"{name}-sibling", "x-1"], answer=ANSWER), verdicts())
        for name in ("s1", "s2")
    }

    assert decide(run(rows, changed(before, rows, **repaired)), before).exit_code == 0


def test_k_a_row_is_deleted() -> None:
    rows = [golden for golden in ROWS if golden.id != "n2"]

    verdict = decide(run(rows, [r for r in BASE[1] if r.id != "n2"]), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [EVIDENCE, RIVALS, ANSWERED, CONTRADICTIONS, FAITHFUL]
    assert named(verdict, EVIDENCE) == ["n2"]
    assert "row n2 was removed" in verdict.diff.loosened


def test_l_a_label_is_edited() -> None:
    rows = [row("h1", gold=["h1-gold", "x-1"]), *ROWS[1:]]
    attempts = {golden.id: good(golden)[0] for golden in ROWS}
    seen = (trace(["h1-gold", "x-1"], answer=ANSWER), verdicts())
    attempts["h1"] = seen[0]
    before = run(ROWS, changed(BASE, ROWS, h1=seen), id="0001")
    now = run(rows, [result(rows[0], seen), *before[1][1:]])

    verdict = decide(
        now,
        before,
        rows={golden.id: golden for golden in rows},
        digests=as_mapping(rows),
        traces=lambda name: [attempts[name]],
    )

    assert verdict.exit_code == 0
    assert any("1 row is relabelled: h1" in note for note in verdict.head)
    assert {c.id: c.change.value for c in verdict.diff.changes}["h1"] == "relabelled"


def errored() -> tuple[object, None]:
    return {"candidates": [], "context": [], "error": "boom", "error_stage": "retrieval"}, None


def test_m_every_row_raises() -> None:
    verdict = decide(after(**{golden.id: errored() for golden in ROWS}), BASE)

    assert verdict.exit_code == 3
    assert set(verdict.errored) == {golden.id for golden in ROWS}


def test_n_one_row_raises() -> None:
    verdict = decide(after(h1=errored()), BASE)

    assert verdict.exit_code == 3
    assert verdict.errored == ("h1",)
    assert named(verdict, EVIDENCE, "undecided") == ["h1"]


def test_o_no_baseline_and_nothing_absolute_failed() -> None:
    assert decide(after()).exit_code == 4


def test_p_no_baseline_and_an_invention() -> None:
    verdict = decide(after(u1=(trace(["x-1"], answer=ANSWER), verdicts())))

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [INVENTED]
    assert named(verdict, INVENTED) == ["u1"]


def test_q_a_selection_leaves_the_other_gates_not_evaluated() -> None:
    chosen = [golden for golden in ROWS if golden.kind == "near-miss"]
    results = [r for r in BASE[1] if r.kind == "near-miss"]

    verdict = decide(
        run(ROWS, results, chosen=chosen, selection=Selection(kind=("near-miss",))), BASE
    )

    assert verdict.exit_code == 0
    status = {gate.name: gate.status.value for gate in verdict.gates}
    assert status[RIVALS] == "passed"
    assert status[INVENTED] == status[OLD] == "not evaluated"


def test_r_another_judge() -> None:
    other = {
        golden.id: (
            good(golden)[0],
            verdicts("ANSWERED" if golden.answerable else "DECLINED", judge="other"),
        )
        for golden in ROWS
    }

    verdict = decide(run(ROWS, changed(BASE, ROWS, **other), judge=OTHER_JUDGE), BASE)

    assert verdict.exit_code == 3
    assert gate_of(verdict, CONTRADICTIONS).status.value == "undecided"
    assert gate_of(verdict, ANSWERED).status.value == "passed"
    assert any("rescore" in command for command in verdict.next)


def test_s_undecided_before_and_a_contradiction_is_proven_now() -> None:
    before = run(
        ROWS,
        changed(BASE, ROWS, h1=(good(ROWS[0])[0], verdicts("ANSWERED", "UNRESOLVED"))),
        id="0001",
    )
    wrong = (good(ROWS[0])[0], verdicts("ANSWERED", "CONTRADICTED"))

    verdict = decide(after(h1=wrong), before)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [CONTRADICTIONS, FAITHFUL]
    assert {c.id: c.change.value for c in verdict.diff.changes}["h1"] == "now failing"


def test_t_the_evidence_is_gone_and_the_bot_rightly_declines() -> None:
    seen = trace(["x-1"], answer="I cannot find that.")

    verdict = decide(after(h1=(seen, verdicts("DECLINED"))), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [EVIDENCE]
    assert named(verdict, EVIDENCE) == ["h1"]


def test_u_a_plan_that_only_retrieves() -> None:
    before = good_run(ROWS, generates=False, judge=None)
    now = good_run(ROWS, generates=False, judge=None, id="0002")

    verdict = decide(now, before)

    assert verdict.exit_code == 0
    missing = [FACTS, INVENTED, FORBIDDEN, ANSWERED, CONTRADICTIONS, FAITHFUL, RIGHT]
    assert [gate.name for gate in verdict.missing_gates] == missing
    assert sum("default gate not installed" in line for line in verdict.head) == 5


def test_v_a_dataset_of_happy_rows_alone() -> None:
    rows = [golden for golden in ROWS if golden.kind == "happy-path"]

    verdict = decide(good_run(rows, id="0002"), good_run(rows))

    assert verdict.exit_code == 0
    assert [gate.name for gate in verdict.missing_gates] == [
        FACTS,
        INVENTED,
        OLD,
        RIVALS,
        FORBIDDEN,
        RIGHT,
    ]


def test_w_one_bad_attempt_of_three_is_flaky_and_passes() -> None:
    bad = (trace(["n1-sibling", "n1-gold"], answer=ANSWER), verdicts())
    fine = good(ROWS[2])

    verdict = decide(after(n1=[fine, bad, fine]), BASE)

    assert verdict.exit_code == 0
    assert verdict.flaky == ("n1",)


def test_x_a_new_row_with_a_proven_contradiction() -> None:
    new = row("h9")
    wrong = result(new, (good(new)[0], verdicts("ANSWERED", "CONTRADICTED")))

    verdict = decide(run([*ROWS, new], [*BASE[1], wrong]), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == [CONTRADICTIONS]
    assert named(verdict, CONTRADICTIONS) == ["h9"]


def test_y_a_false_premise_is_corrected() -> None:
    corrected = (trace(["x-1"], answer="There is no such stipend."), verdicts("CORRECTS"))

    assert decide(after(u3=corrected), BASE).exit_code == 0


def test_z_the_right_answer_beside_the_old_page() -> None:
    from tests.builders import claims

    beside = (good(ROWS[6])[0], verdicts(claims=claims("SUPPORTED", conflict=(2,))))

    verdict = decide(after(s1=beside), BASE)

    assert verdict.exit_code == 0
    assert verdict.warnings["conflicting-sources"] == ("s1",)


@pytest.mark.parametrize("golden", ROWS, ids=lambda golden: golden.id)
def test_every_row_of_the_baseline_passes(golden: Row) -> None:
    assert result(golden, good(golden), how=scoring()).outcome is Outcome.PASS


WIDER = {"expect": ["ANSWERED", "QUALIFIED", "DECLINED"]}
FULL = {
    "superseded": ["s1-old", "s1-older"],
    "near_miss": ["s1-sibling"],
    "forbidden": ["x-9"],
    "reference_facts": ["30 days."],
    "reference_answer": "30 days.",
    "answer_contains": ["An answer"],
    "answer_excludes": ["14 days"],
}


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        pytest.param({}, 0, id="nothing"),
        pytest.param({"note": "read twice"}, 0, id="a note"),
        pytest.param({"superseded": ["zzz", "s1-older"]}, 1, id="a rival is pointed at nothing"),
        pytest.param({"superseded": ["s1-old"]}, 1, id="a rival is taken out"),
        pytest.param({"near_miss": []}, 1, id="a sibling is taken out"),
        pytest.param({"forbidden": []}, 1, id="nothing is forbidden any more"),
        pytest.param({"reference_facts": []}, 1, id="a fact is taken out"),
        pytest.param({"answer_contains": []}, 1, id="a check is taken out"),
        pytest.param({"answer_excludes": ["15 days"]}, 1, id="a check looks for something else"),
        pytest.param(WIDER, 1, id="a decline is right too"),
        pytest.param({"gold": [{"any_of": ["s1-gold", "s1-old2"]}]}, 1, id="gold is one of two"),
        pytest.param({"near_miss": ["s1-sibling", "more"]}, 0, id="a rival more"),
        pytest.param({"answer_contains": ["An answer", "answer"]}, 0, id="a check more"),
    ],
)
def test_al_a_label_that_asks_for_less_is_loosened_by_the_name_of_its_row(
    change: dict[str, object], lines: int
) -> None:
    before = row("s1", "stale-policy", **FULL)
    after_ = row("s1", "stale-policy", **(FULL | change))
    base = run([before], [result(before, good(before))], id="0001")
    traces = {"s1": [good(before)[0]]}
    now = run([after_], [result(after_, good(before))])

    verdict = decide(
        now, base, rows={"s1": after_}, traces=traces.get, digests=as_mapping([after_])
    )

    said = [line for line in verdict.diff.loosened if line.startswith("row s1: ")]
    assert len(said) == lines
    strict = run([after_], now[1], fail_on_loosened=True)
    code = decide(
        strict, base, rows={"s1": after_}, traces=traces.get, digests=as_mapping([after_])
    ).exit_code
    assert (code == 1) is bool(lines)


def test_gold_of_a_row_without_other_labels_that_asks_for_less_is_loosened() -> None:
    two = row("h1", gold=["h1-gold", "h1-more"])
    base = run([two], [result(two, good(two))], id="0001")
    for less in (row("h1"), row("h1", gold=["h1-gold", {"any_of": ["h1-more", "x"]}])):
        verdict = decide(
            run([less], [result(less, good(two))]),
            base,
            rows={"h1": less},
            traces={"h1": [good(two)[0]]}.get,
            digests=as_mapping([less]),
        )
        assert [line for line in verdict.diff.loosened if line.startswith("row h1: ")]
