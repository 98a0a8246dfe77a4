#!/usr/bin/env bash
# Run the plan, write its reports, and hand on how it ended. Failing is left to the last step.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case $GATE_NAME in
  '' | .* | *[!A-Za-z0-9._-]*)
    echo "::error title=evalrag::the input \`name\` takes letters, digits, dot, dash and underscore"
    exit 2
    ;;
esac
reports=$RUNNER_TEMP/evalrag/$GATE_NAME
rm -rf "$reports"
mkdir -p "$reports"

words=()
read -r -d '' -a words <<<"$GATE_ARGS" || true
while IFS= read -r name; do
  words+=(--output "$reports/$name")
done < <(python "$here/report.py" files)
form=$(python "$here/report.py" form)

# Rows and answers are other people's text: between these two lines none of it is a command.
halt=$(python -c 'import secrets; print(secrets.token_hex(16))')
printf '::stop-commands::%s\n' "$halt"
set +e
evalrag run "${words[@]}" --format "$form" -- "$GATE_PLAN" 2>&1 >"$reports/stdout" | tee "$reports/log.txt"
code=${PIPESTATUS[0]}
set -e
if [ -f "$reports/report.txt" ]; then
  cat "$reports/report.txt"
fi
printf '\n::%s::\n' "$halt"

if [ "$form" = github ]; then
  cat "$reports/stdout" # annotations, escaped by evalrag
fi
rm "$reports/stdout"
python "$here/report.py" annotate "$reports" "$form"
python "$here/report.py" outputs "$reports" "$code" >>"$GITHUB_OUTPUT"
python "$here/report.py" summary "$reports" >>"$GITHUB_STEP_SUMMARY"
