"""Reference pages of judges: how one is set up, what is held against it, and what is kept."""

import inspect

from evalrag.judges import guarded
from evalrag.judges.settings import ModelSettings, OpenAISettings
from evalrag.judging import guard
from evalrag.loading.shape import fields_of
from evalrag.reporters.listed import listed, whole
from evalrag.schema.plan import JudgePlan
from evalrag.stores import verdict_cache

_JUDGE = """
Who judges the answers of a plan. Without `judge` it is `offline`.

  judge: {{use: openai, with: {{model: NAME-AND-DATE}}, votes: 1}}

`use` is offline (rules: no key, no network), openai (or any server of its protocol, by base_url),
anthropic, an installed plug-in, or package.module:attribute, which has name, offers, fingerprint()
and async ask(task).

Beside `use` and `with`:
{plan}

`with` of openai and of anthropic:
{both}

`with` of openai alone:
{openai}

The key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment, or from the variable
that api_key_env names: never from the plan. A server on this machine needs none.

rubric is a text file of your own ("cites the version of the policy"): it is sent with every call,
behind our own words, and what it says is part of the fingerprint. It changes no label's meaning nor
the reply's form, and the guard checks what follows from it like everything else.

A verdict that could not be had is unresolved, with its reason: never a pass. One repair is asked
for where a reply cannot be read. calls.jsonl of a run holds what each call said and cost.

See also: evalrag explain guard, evalrag explain cache, evalrag judge --help.
"""

_GUARD = """
{checks}

A verdict in doubt is asked for once more, and the doubt is named in the request. If the second
verdict stands no better, the claim is UNRESOLVED with the code `guard`. A figure of the answer that
no claim speaks of is asked about in the same way. What was doubted is counted in the report's head,
and `evalrag show RUN ROW` prints it. The version of the checks is part of the judge's fingerprint.
"""

_CACHE = """
{kept}

A verdict is found again under the judge's fingerprint (model, settings, prompts, rubric, guard,
votes), everything that was sent, and the number of the repeat. Errors and what is unresolved are
never kept. `--no-cache` asks for all again, and keeps what it hears.

Next: evalrag cache stats, evalrag cache clear.
"""


def judge_pages() -> dict[str, str]:
    """Text by name; `judge` and `judges` are one page."""
    judge = _JUDGE.format(
        plan=whole(JudgePlan, without=("use", "with", "model")),
        both=listed(ModelSettings),
        openai=listed(OpenAISettings, without=fields_of(ModelSettings)),
    )
    return {
        "judge": judge,
        "judges": judge,
        "guard": _GUARD.format(checks=f"{inspect.getdoc(guard)}\n\n{inspect.getdoc(guarded)}"),
        "cache": _CACHE.format(kept=inspect.getdoc(verdict_cache)),
    }
