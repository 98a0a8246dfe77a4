"""The docstring of a measure is its reference page: it is whole, and its example runs."""

import doctest
import importlib
import pkgutil
import sys
from types import ModuleType

import pytest

import evalrag.evidence
import evalrag.metrics
from evalrag.metrics.measure import Measure
from evalrag.metrics.table import MEASURES

MODULES = [
    importlib.import_module(info.name)
    for package in (evalrag.evidence, evalrag.metrics)
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_example_runs(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))
def test_a_page_says_what_goes_in_what_comes_out_which_way_is_better_and_where_from(
    measure: Measure,
) -> None:
    page = measure.function.__doc__ or ""
    for section in ("Args:", "Returns:", "Source:", ">>> "):
        assert section in page, section
    assert "better" in page
    assert measure.summary.endswith(".")
    assert sys.modules[measure.function.__module__].__name__.endswith(f".{measure.name}")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_stay_small(module: ModuleType) -> None:
    with open(module.__file__ or "", encoding="utf-8") as source:
        assert len(source.readlines()) < 300
