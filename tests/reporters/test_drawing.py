"""How text reports are drawn."""

import pytest

from evalrag.reporters.drawing import command_line, draw, hanging, title


@pytest.mark.parametrize("color", [True, False])
def test_a_command_to_type_stands_on_one_line_however_narrow_the_terminal(color: bool) -> None:
    command = "evalrag judge decide 0006 " + "a-long-row-id " * 10 + '--reason "..."'

    drawn = draw([title("Before"), command_line(command)], width=40, color=color)

    assert command in drawn


def test_everything_else_is_wrapped() -> None:
    from rich.text import Text

    drawn = draw([Text("word " * 30), hanging("- ", Text("word " * 30))], width=40, color=False)

    assert max(map(len, drawn.splitlines())) <= 40
