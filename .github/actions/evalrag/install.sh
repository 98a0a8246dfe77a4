#!/usr/bin/env bash
# Install what $GATE_INSTALL names, word by word, into the Python that the workflow set up.
set -euo pipefail

words=()
read -r -d '' -a words <<<"$GATE_INSTALL" || true
if [ "${#words[@]}" -eq 0 ]; then
  echo "::error title=evalrag::the input \`install\` is empty: name what pip should install"
  exit 2
fi
python -m pip install --quiet --disable-pip-version-check "${words[@]}"
evalrag --version
