"""The part of SARIF 2.1.0 that evalrag writes, as a closed schema in our own words.

From the tables of the standard (sections 3.13 to 3.58): names, types, what is required, and the
words that an enumeration allows. Closed, so that a misspelt property fails.
"""

from typing import Any


def closed(required: str = "", **properties: Any) -> dict[str, Any]:
    """An object of these properties and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def many(items: Any, least: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, **more}


TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = closed("text", text=TEXT)
BAG = {
    "type": "object",
    "properties": {"tags": many(TEXT, uniqueItems=True)},
    "additionalProperties": True,
}
ARTIFACT = {
    "type": "object",
    "properties": {
        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~:/?@!$&'()*+,;=%-]+$"},
        "uriBaseId": {"const": "%SRCROOT%"},
    },
    "required": ["uri"],
    "additionalProperties": False,
}
LOCATION = closed(
    "physicalLocation",
    physicalLocation=closed(
        "artifactLocation region",
        artifactLocation=ARTIFACT,
        region=closed("startLine", startLine={"type": "integer", "minimum": 1}),
    ),
    logicalLocations=many(closed("name", name=TEXT, kind=TEXT), 1),
)
RULE = closed(
    "id shortDescription fullDescription help",
    id=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=closed("level", level=LEVEL),
    properties=BAG,
)
RESULT = closed(
    "ruleId ruleIndex level message locations partialFingerprints",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=many(LOCATION, 1, maxItems=1),
    partialFingerprints={"type": "object", "minProperties": 1, "additionalProperties": TEXT},
    suppressions=many(
        closed(
            "kind",
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification=TEXT,
        ),
        uniqueItems=True,
    ),
    properties=BAG,
)
RUN = closed(
    "tool results",
    tool=closed(
        "driver",
        driver=closed("name", name=TEXT, version=TEXT, rules=many(RULE, uniqueItems=True)),
    ),
    automationDetails=closed("id", id={"type": "string", "pattern": "/$"}),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={
        "type": "object",
        "additionalProperties": closed(uri={"type": "string"}, description=MESSAGE),
    },
    invocations=many(
        closed(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            exitCode={"type": "integer"},
            toolExecutionNotifications=many(closed("message", level=LEVEL, message=MESSAGE)),
        )
    ),
    results=many(RESULT),
    properties=BAG,
)
LOG = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **closed(
        "version runs",
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs=many(RUN, 1),
    ),
}
