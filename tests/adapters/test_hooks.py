"""A hook is asked by the names of its parameters, and what does not fit is said before the run."""

from pathlib import Path
from typing import Any

import pytest

from evalrag.errors import PluginError
from tests.adapters.plans import asked, build, retriever


def texts(trace: Any) -> list[str]:
    return [passage["text"] for passage in trace["candidates"]]


@pytest.mark.parametrize(
    ("code", "use", "settings", "said"),
    [
        pytest.param(
            "def retrieve(question): return [question]",
            "bot:retrieve",
            {},
            "what?",
            id="a function",
        ),
        pytest.param(
            "def retrieve(top_k, question, row_id, repeat, history):\n"
            "    return [f'{top_k} {question} {row_id} {repeat} {history}']",
            "bot:retrieve",
            {},
            "20 what? r0 0 [{'role': 'user', 'content': 'hello'}]",
            id="everything, in any order",
        ),
        pytest.param(
            "def retrieve(question, *, index): return [index]",
            "bot:retrieve",
            {"index": "prod"},
            "prod",
            id="a key of with",
        ),
        pytest.param(
            "def retrieve(question, other=3): return [str(other)]",
            "bot:retrieve",
            {},
            "3",
            id="a default of its own",
        ),
        pytest.param(
            "def retrieve(question, /, top_k): return [f'{question}{top_k}']",
            "bot:retrieve",
            {},
            "what?20",
            id="by position alone",
        ),
        pytest.param(
            "def retrieve(question, *args, **given): return [f'{args} {given}']",
            "bot:retrieve",
            {"index": "prod"},
            "() {'index': 'prod'}",
            id="the rest of with goes to keywords",
        ),
        pytest.param(
            "class Bot:\n"
            "    def __init__(self, index): self.index = index\n"
            "    def retrieve(self, question): return [self.index]",
            "bot:Bot",
            {"index": "prod"},
            "prod",
            id="a class is made with its settings",
        ),
        pytest.param(
            "class Bot:\n    def __call__(self, question): return [question]",
            "bot:Bot",
            {},
            "what?",
            id="an object that can be called",
        ),
        pytest.param(
            "def build(index):\n    return lambda question: [index]",
            "bot:build",
            {"index": "prod"},
            "prod",
            id="a function that makes the hook",
        ),
        pytest.param(
            "class Bot:\n    def retrieve(self, question): return [question]\nbot = Bot()",
            "bot:bot",
            {},
            "what?",
            id="an object of the module",
        ),
        pytest.param(
            "from functools import partial\n"
            "def search(question, top_k, index): return [f'{top_k} {index}']\n"
            "retrieve = partial(search, top_k=3, index='prod')",
            "bot:retrieve",
            {},
            "3 prod",
            id="what a partial fixed stays",
        ),
        pytest.param(
            "from functools import wraps\n"
            "def logged(f):\n"
            "    @wraps(f)\n"
            "    def inner(*args, **given): return f(*args, **given)\n"
            "    return inner\n"
            "@logged\n"
            "def retrieve(question, top_k): return [f'{question}{top_k}']",
            "bot:retrieve",
            {},
            "what?20",
            id="a decorated function",
        ),
        pytest.param(
            "async def retrieve(question): return [question]",
            "bot:retrieve",
            {},
            "what?",
            id="async",
        ),
        pytest.param(
            "class Bot:\n    async def __call__(self, question): return [question]",
            "bot:Bot",
            {},
            "what?",
            id="an object with an async call",
        ),
        pytest.param(
            "from functools import partial\n"
            "async def search(question, index): return [index]\n"
            "retrieve = partial(search, index='prod')",
            "bot:retrieve",
            {},
            "prod",
            id="a partial of an async function",
        ),
        pytest.param(
            "async def search(question): return [question]\n"
            "def retrieve(question): return search(question)",
            "bot:retrieve",
            {},
            "what?",
            id="a plain function that returns an awaitable",
        ),
        pytest.param(
            "def retrieve(question):\n    yield question\n    yield 'more'",
            "bot:retrieve",
            {},
            "what?",
            id="a generator",
        ),
        pytest.param(
            "async def retrieve(question):\n    yield question",
            "bot:retrieve",
            {},
            "what?",
            id="an async generator",
        ),
    ],
)
def test_a_hook_gets_what_it_names(
    tmp_path: Path, code: str, use: str, settings: dict[str, Any], said: str
) -> None:
    (trace,) = asked(retriever(code, tmp_path, use=use, settings=settings))

    assert "error" not in trace, trace.get("error")
    assert texts(trace)[0] == said


@pytest.mark.parametrize(
    ("code", "use", "settings", "message", "hint"),
    [
        pytest.param(
            "def retrieve(question, quesiton): ...",
            "bot:retrieve",
            {},
            "bot:retrieve: it has the parameter 'quesiton', which nobody gives; did you mean "
            "'question'?",
            "a retrieve hook may ask for question, top_k, history, row_id, repeat",
            id="a parameter that nobody knows",
        ),
        pytest.param(
            "def retrieve(question, passages): ...",
            "bot:retrieve",
            {},
            "the parameter 'passages', which nobody gives",
            "a retrieve hook may ask for",
            id="passages belong to a generator",
        ),
        pytest.param(
            "def retrieve(question, index): ...",
            "bot:retrieve",
            {"indx": "prod"},
            "the parameter 'index', which nobody gives; did you mean 'indx'?",
            "",
            id="a key that was spelt otherwise",
        ),
        pytest.param(
            "def retrieve(question, index='a'): ...",
            "bot:retrieve",
            {"indx": "prod"},
            "with of bot:retrieve: unknown key 'indx'; did you mean 'index'?",
            "it takes index",
            id="a key that the hook does not take",
        ),
        pytest.param(
            "def retrieve(question, top_k): ...",
            "bot:retrieve",
            {"top_k": 3},
            "'top_k' is given by evalrag at every call",
            "set pipeline.top_k",
            id="a key that evalrag gives",
        ),
        pytest.param(
            "class Bot:\n    def __init__(self, index): ...\n    def retrieve(self, question): ...",
            "bot:Bot",
            {"indx": 1},
            "unknown key 'indx'; did you mean 'index'?",
            "it takes index",
            id="a key that the class does not take",
        ),
        pytest.param(
            "class Bot:\n    def __init__(self, index): ...\n    def retrieve(self, question): ...",
            "bot:Bot",
            {},
            "bot:Bot: `with` lacks 'index'",
            "no parameter `question`",
            id="a key that the class needs",
        ),
        pytest.param(
            "class Bot:\n    def generate(self, question): ...",
            "bot:Bot",
            {},
            "bot:Bot gives a Bot, which has no 'retrieve' and cannot be called",
            "it has generate",
            id="an object of another stage",
        ),
        pytest.param(
            "def build(): raise RuntimeError('no index')",
            "bot:build",
            {},
            "making it raised RuntimeError: no index (bot.py:1)",
            "no parameter `question`",
            id="a factory that raises",
        ),
        pytest.param(
            "def build(): raise SystemExit(2)",
            "bot:build",
            {},
            "making it raised SystemExit: 2",
            "",
            id="a factory that exits",
        ),
        pytest.param(
            "async def build(): ...", "bot:build", {}, "is async", "plain function", id="async"
        ),
        pytest.param(
            "class Bot:\n    def retrieve(self, question): ...",
            "bot:Bot.retrieve",
            {},
            "the parameter 'self'",
            "name the class",
            id="a method without its object",
        ),
        pytest.param("retrieve = 3", "bot:retrieve", {}, "gives a int", "", id="a number"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_runs(
    tmp_path: Path, code: str, use: str, settings: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(PluginError) as error:
        retriever(code, tmp_path, use=use, settings=settings)

    assert message in error.value.message
    assert hint in error.value.hint


def test_no_secret_stands_in_what_a_factory_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "my-secret-value")
    code = "import os\ndef build(): raise RuntimeError(os.environ['BOT_TOKEN'])"

    with pytest.raises(PluginError, match=r"RuntimeError: \[redacted\] \(bot.py:2\)"):
        retriever(code, tmp_path, use="bot:build")


def test_what_modules_and_factories_print_does_not_reach_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "print('imported')\ndef build():\n    print('made')\n    return lambda question: []"

    retriever(code, tmp_path, use="bot:build")

    assert capsys.readouterr() == ("", "imported\nmade\n")


def test_a_rewriter_makes_the_query_and_the_generator_is_asked_what_was_typed(
    tmp_path: Path,
) -> None:
    code = """
        def rewrite(question, history):
            return f"{history[0]['content']} {question}"
        def retrieve(question):
            return [question]
        def generate(question, passages):
            return f"{question}: {passages[0]['text']}"
    """
    stages = {"rewriter": {"use": "bot:rewrite"}, "retriever": {"use": "bot:retrieve"}}
    pipeline = {**stages, "generator": {"use": "bot:generate"}}

    (trace,) = asked(build(tmp_path, pipeline, code=code))

    assert trace["query"] == "hello what?"
    assert trace["candidates"] == [{"text": "hello what?"}]
    assert trace["answer"] == "what?: hello what?"
    assert set(trace["seconds"]) == {"rewrite", "retrieval", "generation"}


def test_a_generator_cannot_change_what_was_retrieved(tmp_path: Path) -> None:
    code = """
        def retrieve(question):
            return [{"id": "a", "text": "t", "metadata": {"v": 1}}]
        def generate(question, passages):
            passages[0]["text"] = "other"
            passages[0]["metadata"]["v"] = 2
            passages.clear()
            return "x"
    """
    pipeline = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}

    (trace,) = asked(build(tmp_path, pipeline, code=code))

    assert trace["context"] == [{"id": "a", "text": "t", "metadata": {"v": 1}}]
