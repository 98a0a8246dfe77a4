"""`evalrag explain http` and `command`: every setting is on the page, and its examples are good."""

from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from pydantic import BaseModel

from evalrag.adapters import command, http
from evalrag.adapters.build import build_pipeline
from evalrag.reporters.pages import pages
from tests.adapters.plans import IDS, load


@pytest.mark.parametrize(
    ("name", "settings"), [("http", http.Settings), ("command", command.Settings)]
)
def test_a_page_names_every_setting(name: str, settings: type[BaseModel]) -> None:
    page = pages()[name]
    assert page.group == "adapter"
    for setting in settings.model_fields:
        assert f"\n  {setting} (" in page.text


def test_the_plan_on_the_page_of_http_can_be_built(tmp_path: Path) -> None:
    text = pages()["http"].text
    example = dedent("    " + text.split("\n    ", 1)[1].split("\n\n")[0])
    generator = yaml.safe_load(example)["generator"]
    (reply,) = [line for line in text.splitlines() if line.strip().startswith("reply: {cand")]
    url = generator["with"]["url"]
    retriever = {"use": "http", "with": {"url": url, **yaml.safe_load(reply)}}
    plan = {"retriever": retriever, "generator": generator}
    build_pipeline(load(tmp_path, plan, environ={"BOT_TOKEN": "abcdef"}), IDS).close()
