#!/usr/bin/env bash
# Calls to GitHub, for comment.sh and issue.sh. None of them decides how the job ends.
: "${here:?the folder of these scripts}"

api() { # METHOD PATH [curl's options]; the token is on no command line
  local method=$1 path=$2
  shift 2
  printf 'Authorization: Bearer %s\nAccept: application/vnd.github+json\nX-GitHub-Api-Version: 2022-11-28\n' "$GITHUB_TOKEN" |
    curl --silent --show-error --fail --max-time 30 --request "$method" --header @- "$@" "$GITHUB_API_URL/$path"
}

ours() { # PATH with its query: the number of the entry that an earlier run wrote, or nothing
  local path=$1 page text found
  for page in 1 2 3 4 5 6 7 8 9 10; do
    text=$(api GET "$path&per_page=100&page=$page") || return 1
    found=$(python "$here/report.py" ours "$GATE_NAME" <<<"$text") || return 1
    if [ -n "$found" ] || [ "$(python "$here/report.py" length <<<"$text")" -lt 100 ]; then
      printf '%s' "$found"
      return
    fi
  done
}

gave_up() { # what was not done, and the permission that it takes
  printf '::warning title=evalrag::%s; the job needs the permission %s\n' "$1" "$2"
  exit 0
}
