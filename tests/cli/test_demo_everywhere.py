"""The demo's rows through every way of connecting a retriever: the same passages, so nothing moves.

All retrievers rank by one function over the same chunks. What an adapter lost or changed on the way
(an id, a document's name, a version, a span, the order) would move a row.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from tests.command import call, environment

ROOT = Path(__file__).parents[2]

RANKED = """
    from pathlib import Path
    from evalrag.adapters.bm25 import Bm25
    from evalrag.adapters.chunks import chunked
    from evalrag.loading.corpus import read_corpus

    FILE = Path(__file__).parents[1] / "datasets/demo/corpus.jsonl"
    PAGES = read_corpus(FILE, fields={}, where={"status": "current"}, shown="corpus")
    INDEX = Bm25(chunk for page in PAGES for chunk in chunked(page, 1200))

    def ranked(question):
        found = INDEX.retrieve(question, 20)
        return [(p["id"], p["doc"], p["text"], p["metadata"], p["span"], p["score"]) for p in found]
"""


@dataclass(frozen=True)
class Way:
    """One way to connect the retriever: the module beside the plan, and the plan's entry."""

    module: str
    code: str
    use: str
    settings: Mapping[str, Any]
    needs: str = "evalrag"
    serves: bool = False
    """The module is a server of its own, which prints its port."""


WAYS = {
    "a function": Way(
        "by_function",
        """
        from ranked import ranked

        NAMES = ("id", "doc", "text", "metadata", "span", "score")

        def retrieve(question):
            return [dict(zip(NAMES, parts)) for parts in ranked(question)]
        """,
        "by_function:retrieve",
        {},
    ),
    "langchain": Way(
        "by_langchain",
        """
        from langchain_core.documents import Document
        from langchain_core.retrievers import BaseRetriever
        from ranked import ranked

        class Ranked(BaseRetriever):
            def _get_relevant_documents(self, query):
                return [
                    Document(id=id, page_content=text, metadata={
                        "page": metadata, "source": doc, "start_index": span[0], "score": score})
                    for id, doc, text, metadata, span, score in ranked(query)
                ]

        retriever = Ranked()
        """,
        "langchain",
        {
            "object": "by_langchain:retriever",
            "passages": {"metadata": "metadata.page", "score": "metadata.score"},
        },
        needs="langchain_core",
    ),
    "llamaindex": Way(
        "by_llamaindex",
        """
        from llama_index.core.retrievers import BaseRetriever
        from llama_index.core.schema import (
            NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode)
        from ranked import ranked

        class Ranked(BaseRetriever):
            def _retrieve(self, query_bundle):
                return [
                    NodeWithScore(score=score, node=TextNode(
                        id_=id, text=text, metadata=metadata,
                        start_char_idx=span[0], end_char_idx=span[1],
                        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)}))
                    for id, doc, text, metadata, span, score in ranked(query_bundle.query_str)
                ]

        retriever = Ranked()
        """,
        "llamaindex",
        {"object": "by_llamaindex:retriever"},
        needs="llama_index",
    ),
    "haystack": Way(
        "by_haystack",
        """
        from haystack import Document, Pipeline, component
        from ranked import ranked

        @component
        class Ranked:
            @component.output_types(documents=list[Document])
            def run(self, query: str):
                return {"documents": [
                    Document(id=id, content=text, score=score, meta={
                        "page": metadata, "source_id": doc, "split_idx_start": span[0]})
                    for id, doc, text, metadata, span, score in ranked(query)
                ]}

        pipeline = Pipeline()
        pipeline.add_component("retriever", Ranked())
        """,
        "haystack",
        {
            "object": "by_haystack:pipeline",
            "inputs": {"retriever.query": "question"},
            "outputs": {"candidates": "retriever.documents"},
            "passages": {"metadata": "meta.page"},
        },
        needs="haystack",
    ),
    "a child process": Way(
        "by_command",
        """
        import json, sys
        from ranked import ranked

        NAMES = ("id", "doc", "text", "metadata", "span", "score")

        for line in sys.stdin:
            asked = json.loads(line)
            found = [dict(zip(NAMES, parts)) for parts in ranked(asked["question"])]
            print(json.dumps({"row_id": asked["row_id"], "candidates": found}), flush=True)
        """,
        "command",
        {"command": [sys.executable, "by_command.py"]},
    ),
    "http": Way(
        "by_http",
        """
        import json
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from ranked import ranked

        class Search(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                hits = [
                    {"_id": id, "page": doc, "body": text, "meta": metadata, "at": span, "s": score}
                    for id, doc, text, metadata, span, score in ranked(asked["q"])
                ]
                body = json.dumps({"hits": hits}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Search)
        print(server.server_port, flush=True)
        server.serve_forever()
        """,
        "http",
        {
            "url": "${SEARCH_URL}",
            "body": {"q": "{question}"},
            "reply": {
                "candidates": "$.hits[*]",
                "passage": {
                    "id": "$._id",
                    "doc": "$.page",
                    "text": "$.body",
                    "metadata": "$.meta",
                    "span": "$.at",
                    "score": "$.s",
                },
            },
        },
        serves=True,
    ),
}
"""Name -> how. Whatever gives the passages of `ranked` belongs here."""

Stored = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with its own embedded retriever, run once as run 0001."""
    folder = tmp_path_factory.mktemp("shop")
    for name in ("configs", "datasets"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "configs/ranked.py").write_text(dedent(RANKED), encoding="utf-8")
    assert call(folder, "run", "configs/demo.yaml").code == 0
    return folder


def through(shop: Path, way: Way) -> str:
    """Run the demo that way; the run's name."""
    (shop / f"configs/{way.module}.py").write_text(dedent(way.code), encoding="utf-8")
    plan = yaml.safe_load((shop / "configs/demo.yaml").read_text(encoding="utf-8"))
    plan["pipeline"]["retriever"] = {"use": way.use, "with": dict(way.settings)}
    file = shop / f"configs/{way.module}.yaml"
    file.write_text(json.dumps(plan), encoding="utf-8")
    with served(shop, way) as address:
        done = call(shop, "run", str(file), env=environment(SEARCH_URL=address), timeout=120)
    assert done.code == 0, done
    return max(path.name for path in (shop / ".evalrag/runs").iterdir() if path.name.isdigit())


@contextmanager
def served(shop: Path, way: Way) -> Iterator[str]:
    """The address of the way's own server while a run asks it; nothing for one that has none."""
    if not way.serves:
        yield ""
        return
    command = [sys.executable, f"{way.module}.py"]
    server = subprocess.Popen(command, cwd=shop / "configs", stdout=subprocess.PIPE, text=True)
    with server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/search"
        finally:
            server.terminate()


def stored(shop: Path, run: str) -> Stored:
    lines = (shop / f".evalrag/runs/{run}/traces.jsonl").read_text(encoding="utf-8").splitlines()
    return {trace["id"]: trace for trace in map(json.loads, lines)}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_the_demo_does_not_move(shop: Path, way: Way) -> None:
    if importlib.util.find_spec(way.needs) is None:
        pytest.skip(f"{way.needs} is not installed; it is part of the extra 'dev'")
    run = through(shop, way)

    said = call(shop, "diff", "0001", run, "--format", "json").json["diff"]
    assert len(said["changes"]) == 56
    for change in said["changes"]:
        assert change["relation"] == "same", change
        assert change["moved"] == [], change
        assert change["before"] == change["after"], change
        assert all(stage.startswith("still") for stage in change["stages"].values()), change

    # Equal to the first run's in every part, so that no two of these runs can differ either.
    before, after = stored(shop, "0001"), stored(shop, run)
    for name, trace in before.items():
        for part in ("candidates", "context", "answer", "citations"):
            assert after[name].get(part) == trace.get(part), (name, part)
