"""evalrag run inside this process, so that thousands of damaged files can be tried."""

from typer.testing import CliRunner

from evalrag.cli.main import app
from evalrag.errors import EvalragError


def evalrag(*arguments: str) -> int:
    """The exit code of a command that ends as it should, or with an error of ours."""
    result = CliRunner().invoke(app, arguments)
    error = result.exception
    if isinstance(error, EvalragError):
        assert error.exit_code in (2, 4)
        assert str(error)
        return error.exit_code
    if error is not None and not isinstance(error, SystemExit):
        raise error
    result.stdout.encode()
    assert result.exit_code in (0, 1, 2, 3, 4)
    return result.exit_code
