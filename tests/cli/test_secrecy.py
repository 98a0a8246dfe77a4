"""Secrets come from the environment, and stand in no run, no report and no error (SPEC 10)."""

from tests.workspace import BOT, ROWS, Workspace

KEY = 'sk-"very"\\secret-1234'


def test_a_secret_reaches_no_file_and_no_line_of_output(shop: Workspace) -> None:
    shop.write(
        "bot.py",
        BOT.replace("def retrieve(question, top_k):", "def retrieve(question, top_k, key):")
        .replace(
            'return {"id": name, "doc": name.split("#")[0], "text": TEXTS[name]}',
            "import os\n        key = os.environ['SHOP_KEY']\n"
            '        return {"id": name, "doc": "d", "text": TEXTS[name] + key,'
            ' "metadata": {key: [key]}}',
        )
        .replace(
            "first = FIRST.get(question, [])",
            "first = FIRST.get(question, [])\n"
            "        if 'rugby' in question: raise RuntimeError('bad key ' + key)",
        ),
    )
    gate = {"name": "g ${SHOP_KEY}", "metric": "context_recall", "must": "not_drop"}
    retriever = {"use": "bot:retrieve", "with": {"key": "${SHOP_KEY}"}}
    shop.plan(pipeline={"retriever": retriever}, gates=[gate])
    said = []

    for command in (
        "run plan.yaml -o out.json -o out.txt",
        "baseline accept latest --reason ok",
        "run plan.yaml --format json",
        "show latest h1",
        "diff latest",
        "check plan.yaml",
        "rescore latest",
    ):
        done = shop.evalrag(*command.split(), SHOP_KEY=KEY)
        assert done.code in (0, 3, 4), done
        said.append(done.out + done.err)
    waiver = {"row": KEY, "gate": "${SHOP_KEY}", "until": "2030-01-01", "reason": "x"}
    shop.plan(pipeline={"retriever": retriever}, gates=[gate], waivers=[waiver])
    said.append(shop.evalrag("run", "plan.yaml", SHOP_KEY=KEY).err)
    shop.plan(pipeline={"retriever": retriever | {"use": "bot:${SHOP_KEY}"}})
    said.append(shop.evalrag("run", "plan.yaml", SHOP_KEY=KEY).err)
    shop.plan(pipeline={"retriever": retriever})
    shop.rows([ROWS[0] | {"id": f"a {KEY}"}])
    by_id = shop.evalrag("run", "plan.yaml", SHOP_KEY=KEY)
    said.append(by_id.err)

    assert (by_id.code, "the id of row 1 holds the value of a secret" in by_id.err) == (2, True)
    assert "bad key [redacted]" in (shop.path / ".evalrag/runs/0001/rows.jsonl").read_text()
    assert [text for text in said if "secret-1234" in text] == []
    stored = [p for place in (".evalrag", "baseline") for p in (shop.path / place).rglob("*")]
    stored += [shop.path / "out.json", shop.path / "out.txt"]
    for path in stored:
        assert path.is_dir() or b"secret-1234" not in path.read_bytes(), path


def test_what_a_plan_reads_for_a_path_or_a_name_is_no_secret(shop: Workspace) -> None:
    (shop.path / "golden.jsonl").rename(shop.path / "delivery.jsonl")
    shop.plan(dataset={"path": "${WHERE}.jsonl"})

    shop.evalrag("run", "plan.yaml", WHERE="delivery")

    assert "days from delivery" in shop.evalrag("show", "latest", "h1").out
