"""What the pipeline was, in the parts that a change can be laid to."""

from pathlib import Path
from typing import Any

import pytest

from evalrag.adapters.fingerprint import file_digest
from evalrag.errors import PlanError
from evalrag.schema.run import PipelinePrint
from tests.adapters.plans import lines, print_of

CODE = """
    def retrieve(question, index="a", api_key=""): return []
    def generate(question, style="", model=""): return ""
    def answer(question): return {"context": [], "answer": ""}
"""
STAGED: dict[str, Any] = {
    "retriever": {"use": "bot:retrieve", "with": {"index": "a"}},
    "generator": {"use": "bot:generate", "with": {"style": "short"}, "model": "m-1"},
    "context_k": 5,
}


def printed(folder: Path, pipeline: dict[str, Any], code: str = CODE, **more: Any) -> PipelinePrint:
    return print_of(folder, pipeline, code=code, **more)


def changed(one: PipelinePrint, other: PipelinePrint) -> set[str]:
    parts = ("window", "index", "prompt", "model", "other", "digest")
    return {part for part in parts if getattr(one, part) != getattr(other, part)}


def stage(name: str, **entry: Any) -> dict[str, Any]:
    return {**STAGED, name: {**STAGED[name], **entry}}


@pytest.mark.parametrize(
    ("other", "part"),
    [
        pytest.param({**STAGED, "context_k": 6}, "window", id="window"),
        pytest.param({**STAGED, "top_k": 6}, "window", id="top_k"),
        pytest.param(stage("retriever", **{"with": {"index": "b"}}), "index", id="index"),
        pytest.param(stage("retriever", model="embed-2"), "index", id="embedding"),
        pytest.param(stage("generator", **{"with": {"style": "long"}}), "prompt", id="prompt"),
        pytest.param(stage("generator", model="m-2"), "model", id="model"),
        pytest.param(
            stage("generator", model=None, **{"with": {"style": "short", "model": "m-3"}}),
            "model",
            id="a model under with",
        ),
    ],
)
def test_a_change_is_laid_to_its_part(tmp_path: Path, other: dict[str, Any], part: str) -> None:
    before, after = printed(tmp_path, STAGED), printed(tmp_path, other)

    assert changed(before, after) == {part, "digest"}


def test_the_version_is_for_show(tmp_path: Path) -> None:
    before = printed(tmp_path, {**STAGED, "version": "1"})
    after = printed(tmp_path, {**STAGED, "version": "2"})

    assert not changed(before, after)
    assert "version" not in before.shown


def test_a_value_from_the_environment_counts_and_is_shown_by_its_name(tmp_path: Path) -> None:
    pipeline = stage("retriever", **{"with": {"index": "${INDEX}"}})
    before = printed(tmp_path, pipeline, environ={"INDEX": "index-one"})
    after = printed(tmp_path, pipeline, environ={"INDEX": "index-two"})

    assert changed(before, after) == {"index", "digest"}
    assert before.shown["retriever"] == {"use": "bot:retrieve", "with": {"index": "${INDEX}"}}
    assert "index-one" not in before.model_dump_json()


def test_a_secret_does_not_count(tmp_path: Path) -> None:
    pipeline = stage("retriever", **{"with": {"api_key": "${THE_KEY}"}})
    before = printed(tmp_path, pipeline, environ={"THE_KEY": "sk-abcdef"})
    after = printed(tmp_path, pipeline, environ={"THE_KEY": "sk-ghijkl"})

    assert not changed(before, after)


def test_watched_files_are_the_prompts(tmp_path: Path) -> None:
    (tmp_path / "prompts" / "deep").mkdir(parents=True)
    (tmp_path / "prompts" / "deep" / "system.txt").write_text("Be kind.")
    pipeline = {**STAGED, "watch": ["prompts/**"]}
    before = printed(tmp_path, pipeline)
    (tmp_path / "prompts" / "deep" / "system.txt").write_text("Be brief.")

    assert changed(before, printed(tmp_path, pipeline)) == {"prompt", "digest"}


def test_the_retrievers_own_file_is_the_indexs(tmp_path: Path) -> None:
    pipeline = {"retriever": STAGED["retriever"], "context_k": 5, "watch": ["*.py"]}
    before = printed(tmp_path, pipeline)
    after = printed(tmp_path, pipeline, code=CODE + "\n    # changed\n")

    assert changed(before, after) == {"index", "digest"}


def test_a_file_of_two_stages_is_neithers(tmp_path: Path) -> None:
    pipeline = {**STAGED, "watch": ["*.py"]}
    before = printed(tmp_path, pipeline)
    after = printed(tmp_path, pipeline, code=CODE + "\n    # changed\n")

    assert changed(before, after) == {"other", "digest"}


def test_code_is_unknown_until_it_is_watched(tmp_path: Path) -> None:
    assert printed(tmp_path, STAGED).unknown == (
        "code of bot:retrieve (list its files under pipeline.watch)",
        "code of bot:generate (list its files under pipeline.watch)",
    )
    assert printed(tmp_path, {**STAGED, "watch": ["bot.py"]}).unknown == ()


def test_a_pattern_without_files_is_a_problem_of_the_plan(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as error:
        printed(tmp_path, {**STAGED, "watch": ["bot.py", "prompt/**"]})

    (problem,) = error.value.problems
    assert "'prompt/**' matches no file" in problem.message
    assert (problem.line, problem.field) == (1, "pipeline.watch[1]")


def test_the_corpus_and_a_built_ins_file_count_by_content(tmp_path: Path) -> None:
    record = {"id": "a", "text": "30 days"}
    lines(tmp_path / "one.jsonl", [record])
    lines(tmp_path / "same.jsonl", [record])
    lines(tmp_path / "two.jsonl", [{**record, "text": "60 days"}])

    def of(name: str, corpus: str) -> PipelinePrint:
        use = {"use": "bm25", "with": {"path": name}}
        return printed(tmp_path, {"retriever": use}, corpus={"path": corpus})

    assert not changed(of("one.jsonl", "one.jsonl"), of("same.jsonl", "same.jsonl"))
    assert changed(of("one.jsonl", "one.jsonl"), of("two.jsonl", "one.jsonl")) == {
        "index",
        "digest",
    }
    assert changed(of("one.jsonl", "one.jsonl"), of("one.jsonl", "two.jsonl")) == {
        "index",
        "digest",
    }


def test_a_retriever_alone_has_no_prompt_and_no_model(tmp_path: Path) -> None:
    found = printed(tmp_path, {"retriever": STAGED["retriever"]})

    assert (found.prompt, found.model, found.other) == ("none", "none", "none")


def test_of_one_hook_little_is_known(tmp_path: Path) -> None:
    found = printed(tmp_path, {"use": "bot:answer"})

    assert (found.index, found.prompt, found.model) == ("unknown",) * 3
    assert len(found.unknown) == 4


@pytest.mark.parametrize(
    ("said", "part"),
    [
        pytest.param("{'index': value}", "index", id="a part"),
        pytest.param("{'anything': value}", "other", id="anything"),
    ],
)
def test_an_adapter_may_say_what_it_is(tmp_path: Path, said: str, part: str) -> None:
    code = f"""
        from pathlib import Path
        class Bot:
            def answer(self, question): ...
            def fingerprint(self):
                value = Path(__file__).with_name("built.txt").read_text()
                return {said}
    """
    (tmp_path / "built.txt").write_text("monday")
    before = printed(tmp_path, {"use": "bot:Bot"}, code=code)
    (tmp_path / "built.txt").write_text("tuesday")
    after = printed(tmp_path, {"use": "bot:Bot"}, code=code)

    assert changed(before, after) == {part, "digest"}


@pytest.mark.parametrize("said", ["1 / 0", "object()", "float('nan')"])
def test_a_fingerprint_that_fails_is_unknown(tmp_path: Path, said: str) -> None:
    code = f"""
        class Bot:
            def retrieve(self, question): ...
            def fingerprint(self): return {said}
    """
    found = printed(tmp_path, {"retriever": {"use": "bot:Bot"}}, code=code)

    assert "fingerprint() of bot:Bot, which failed" in found.unknown


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", True),
        (b"a" * (1 << 20) + b"\nb", b"a" * ((1 << 20) - 1) + b"a\r\nb", True),
        (b"a\rb", b"a\nb", False),
        (b"\0a\nb", b"\0a\r\nb", False),
        (b"", b"\n", False),
    ],
    ids=["text", "at the end of a piece", "a lone return", "data", "empty"],
)
def test_line_ends_of_a_text_file_are_no_change_of_it(
    tmp_path: Path, one: bytes, other: bytes, alike: bool
) -> None:
    first, second = tmp_path / "one", tmp_path / "other"
    first.write_bytes(one)
    second.write_bytes(other)

    assert (file_digest(first) == file_digest(second)) is alike


@pytest.mark.parametrize("model", ["none", "None"])
def test_a_pipeline_without_a_model_says_so(tmp_path: Path, model: str) -> None:
    pipeline = {
        "retriever": {"use": "bot:find"},
        "generator": {"use": "bot:answer", "model": model},
        "watch": ["bot.py"],
    }
    code = "def find(question):\n    return []\n\n\ndef answer(question):\n    return 'x'\n"

    found = printed(tmp_path, pipeline, code=code)

    assert (found.model, found.unknown) == ("none", ())
