#!/usr/bin/env bash
# One open issue while the plan does not pass: opened, updated, and closed by the run that passes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=github.sh
. "$here/github.sh"

if [ -n "$(python "$here/report.py" any-pull-request)" ]; then
  echo "::notice title=evalrag::no issue: a pull request has its own check"
  exit 0
fi
issues=repos/$GITHUB_REPOSITORY/issues
known=$(ours "$issues?state=open&sort=updated") || gave_up "the issues could not be read" "issues: write"
body=$GATE_REPORTS/.issue.json
python "$here/report.py" issue "$GATE_REPORTS" "$GATE_NAME" "$GATE_CODE" "$known" >"$body"
trap 'rm -f "$body"' EXIT

if [ -n "$known" ]; then
  api PATCH "$issues/$known" --data-binary "@$body" >/dev/null ||
    gave_up "the issue could not be updated" "issues: write"
elif [ "$GATE_CODE" != 0 ]; then
  api POST "$issues" --data-binary "@$body" >/dev/null ||
    gave_up "no issue could be opened" "issues: write"
fi
