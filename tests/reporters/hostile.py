"""Text that is out to be more than text: in a terminal, in XML, in HTML, to a runner."""

HOSTILE: dict[str, str] = {
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)></td></table>",
    "HTML comment": "<!-- evalrag:plan --> --> <!--",
    "attribute's end": '" onmouseover="alert(1)" x=\'y\' `z`',
    "entities": "&lt;b&gt; &#64;x &amp;amp; &commat;x",
    "CDATA's end": "]]><failure/><![CDATA[ <?x ?> <!DOCTYPE x>",
    "workflow command": "::set-output name=x::y",
    "workflow command in the older form": "##[set-output name=x;]y",
    "workflow command in codes": "%0A::error::x %25 %0D%0A",
    "workflow commands, further lines": "a\n::add-mask::b\r\n  ::stop::c\u2028::error::d",
    "commands of other servers": "##teamcity[x] ##vso[task.setvariable variable=x]y",
    "colours": "\x1b[31mred\x1b[0m",
    "title and link of a terminal": "\x1b]0;title\x07\x1b]8;;http://x.example\x1b\\a\x1b]8;;\x1b\\",
    "sequences of one byte": "\x9b31mred\x9d0;title\x9c",
    "backspaces and returns": "failed\b\b\b\b\b\bpassed\rpassed",
    "reading direction": "abc\u202egnp.exe\u202c \u2066x\u2069 \u061c",
    "no width": "pay\u200bload\u200d\ufeff\u2060",
    "a word of 1 MB": "x" * 1_000_000,
    "link of a script": "[a](javascript:alert(1)) <javascript:alert(1)> ![b](javascript:x)",
    "addresses": "https://x.example/a?b=c www.x.example a@x.example <http://x.example>",
    "names, numbers, signs": "@everyone #1 GH-2 a/b#3 :smile:",
    "Markdown table": "| a | b |\n|---|---|\n| c | d |",
    "Markdown": "# head\n- item\n> quote `code` **bold** ~~gone~~ $a$ $b$ [^1]\n\n    code",
    "JSON": '"},{"a":1} \\" \\u0041',
    "lone surrogates": "a\ud800b\udfff",
    "null": "a\x00b",
    "no characters": "a\ufffe\uffff\U0001ffff",
    "templates": "{{7*7}} {0} ${HOME} %(x)s {% x %} #{x}",
    "shell": "$(reboot) `reboot` '; reboot #",
    "CSV": "=1+1 @SUM(A1) +1 -1",
}

OBEYED = (
    *map(chr, [*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)]),
    *("\u061c", "\u200b", "\u200d", "\u2028", "\u202c", "\u202e", "\u2060", "\u2066", "\u2069"),
    "\ufeff",
)
"""What no report may hold: a terminal obeys it, or an eye does."""
