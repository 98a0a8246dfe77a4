"""Break the pure core on purpose, one small change at a time, and see whether a test notices.

    python -m tests.benchmarks.mutation                   the sample of the report
    python -m tests.benchmarks.mutation --only regression/cells --core 999

A mutant is a module of `evalrag/{regression,metrics,evidence}` with one operator, constant, return
value or statement changed. It is put into a copy of the repository and the fast tests of these
three packages are run over it; one that no test notices is a survivor, and is printed. With --laws
a survivor is then shown to the laws and oracles too, which are slower. The sample of a module is
always the same.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
PACKAGES = ("regression", "metrics", "evidence")
FAST = tuple(f"tests/{package}" for package in PACKAGES)
SLOW = ("tests/laws", "tests/oracles")
SECONDS = 60
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
UNSEEN = ("annotation", "returns", "type_params")
"""Fields of a node that change nothing when they change."""


class Mutant(NamedTuple):
    """One change: the how-manieth node of its module, and the how-manieth change of that node."""

    module: str
    node: int
    variant: int
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line}: {self.change}"


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that can matter, in order of the source."""
    for name, value in ast.iter_fields(tree):
        if name in UNSEEN:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _says_only(child):
                continue
            yield child
            yield from nodes(child)


def _says_only(node: ast.AST) -> bool:
    """A docstring, or an import."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Import | ast.ImportFrom)


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """The node, changed in each way there is."""
    match node:
        case ast.Compare(left, ops, comparators):
            for place, op in enumerate(ops):
                other = COMPARISONS[type(op)]()
                yield ast.Compare(left, [*ops[:place], other, *ops[place + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield values[0]
            yield values[-1]
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.UnaryOp(ast.USub(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)) | ast.Constant(float(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.If(test, body, orelse) | ast.While(test, body, orelse):
            yield type(node)(ast.Constant(False), body, orelse)
            if isinstance(node, ast.If):
                yield ast.If(ast.Constant(True), body, orelse)
        case ast.comprehension(target, among, ifs, is_async) if ifs:
            yield ast.comprehension(target, among, ifs[1:], is_async)
        case ast.Return(value) if not (value is None or _is_none(value)):
            yield ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Raise() | ast.Continue():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module."""
    found = []
    for place, node in enumerate(nodes(ast.parse(source))):
        for number, changed in enumerate(variants(node)):
            line = getattr(node, "lineno", 0)
            change = f"{_short(node)}  ->  {_short(changed)}"
            found.append(Mutant(module, place, number, line, change))
    return found


def _short(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        return " ".join(f"if {ast.unparse(test)}" for test in node.ifs) or "no if"
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())[:110]


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return self.new
        self.generic_visit(node)
        return node


def mutated(mutant: Mutant, source: str) -> str:
    """The source of the module with that change."""
    tree = ast.parse(source)
    node = list(nodes(tree))[mutant.node]
    new = list(variants(node))[mutant.variant]
    return ast.unparse(ast.fix_missing_locations(_Put(node, new).visit(tree)))


class Copy:
    """A copy of the repository in which mutants live."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("evalrag", "tests", "configs", "datasets"):
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, folder / name, ignore=skipped)
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(REPOSITORY / name, folder / name)

    def path(self, module: str) -> Path:
        return self.folder / "evalrag" / f"{module}.py"

    def passes(self, tests: Sequence[str]) -> bool:
        """Run tests in a child that has pytest imported already, and nothing of evalrag."""
        child = os.fork()
        if child == 0:
            _test(self.folder, tests)
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status == 0
            time.sleep(0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def survives(self, mutant: Mutant, tests: Sequence[str]) -> bool:
        """Every test passes over the mutant."""
        path = self.path(mutant.module)
        source = path.read_text(encoding="utf-8")
        path.write_text(mutated(mutant, source), encoding="utf-8")
        try:
            return self.passes(tests)
        finally:
            path.write_text(source, encoding="utf-8")


def _test(folder: Path, tests: Sequence[str]) -> None:
    code = 1
    try:
        import pytest

        os.chdir(folder)
        sys.path[:] = [str(folder), *(p for p in sys.path if p and Path(p) != REPOSITORY)]
        sys.dont_write_bytecode = True
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        code = int(pytest.main([*OPTIONS, *tests]))
        import evalrag

        if not Path(evalrag.__file__).is_relative_to(folder):
            code = 1  # then every mutant is "killed", and the control below says why
    finally:
        os._exit(code)


def sample(copy: Copy, core: int, other: int, only: str, seed: int) -> Iterator[Mutant]:
    """The mutants to try: so many of each module, by a seed of its own."""
    for package in PACKAGES:
        for path in sorted((copy.folder / "evalrag" / package).glob("*.py")):
            module = f"{package}/{path.stem}"
            if not module.startswith(only):
                continue
            found = mutants(module, path.read_text(encoding="utf-8"))
            wanted = min(len(found), core if package == "regression" else other)
            chosen = random.Random(f"{seed} {module}").sample(found, wanted)
            yield from sorted(chosen, key=lambda mutant: (mutant.node, mutant.variant))


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    import hypothesis
    import pydantic
    import pytest

    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--core", type=int, default=8, help="mutants a module of regression")
    parser.add_argument("--other", type=int, default=4, help="mutants a module of the others")
    parser.add_argument("--only", default="", help="modules that start so: regression/cells")
    parser.add_argument("--laws", action="store_true", help="show survivors to the laws too")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    say(
        f"python {sys.version.split()[0]}, pytest {pytest.__version__}, "
        f"hypothesis {hypothesis.__version__}, pydantic {pydantic.__version__}"
    )
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "copy")
        if not copy.passes(FAST):
            say("the tests fail without any mutant: nothing can be said")
            return 2
        score: dict[str, list[int]] = {}
        for mutant in sample(copy, asked.core, asked.other, asked.only, asked.seed):
            killed, late, tried = score.setdefault(mutant.module, [0, 0, 0])
            survives = copy.survives(mutant, FAST)
            later = survives and asked.laws and not copy.survives(mutant, SLOW)
            score[mutant.module] = [killed + (not survives), late + later, tried + 1]
            if survives:
                say(f"{'laws' if later else 'SURVIVES'}  {mutant}")
    for module, (killed, late, tried) in score.items():
        say(f"{module:40} {killed:3} of {tried:3} killed, {late} more by laws and oracles")
    for package in PACKAGES:
        rows = [row for module, row in score.items() if module.startswith(package)]
        killed, late, tried = (
            (sum(column) for column in zip(*rows, strict=True)) if rows else [0] * 3
        )
        if tried:
            share = f"{killed / tried:.1%} by fast tests, {(killed + late) / tried:.1%} with laws"
            say(f"{package:12} {tried} mutants: {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
