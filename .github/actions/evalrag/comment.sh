#!/usr/bin/env bash
# One comment in the pull request: made by the first run, updated by the later ones.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=github.sh
. "$here/github.sh"

number=$(python "$here/report.py" pull-request)
if [ -z "$number" ]; then
  echo "::notice title=evalrag::no comment: this is no pull request from a branch of this repository"
  exit 0
fi
body=$GATE_REPORTS/.comment.json
python "$here/report.py" body "$GATE_REPORTS" "$GATE_NAME" >"$body"
trap 'rm -f "$body"' EXIT

comments=repos/$GITHUB_REPOSITORY/issues/$number/comments
known=$(ours "$comments?sort=created") || gave_up "the comments could not be read" "pull-requests: write"
if [ -n "$known" ]; then
  api PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" --data-binary "@$body" >/dev/null ||
    gave_up "the comment could not be updated" "pull-requests: write"
else
  api POST "$comments" --data-binary "@$body" >/dev/null ||
    gave_up "no comment could be written" "pull-requests: write"
fi
