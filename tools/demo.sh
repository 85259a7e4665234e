#!/usr/bin/env bash
# The product in two minutes: builds it, remembers a bundled conversation and two chat exports, asks, and shows the words
# behind each answer. Everything goes to ./demo-data; run it again and nothing is remembered twice.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
cd "$root"

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# show COMMAND...: the command as a person would type it, then what it prints. Refused and not found are answers too.
show() {
    local code=0 word
    printf '\n\033[36m$ testimony'
    for word in "$@"; do
        case "$word" in
            *\ *) printf ' "%s"' "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\033[0m\n'
    "$testimony" --data demo-data "$@" || code=$?
    if [ "$code" -gt 1 ]; then
        exit "$code"
    fi
}

# first KEY COMMAND...: the first id under KEY in the command's JSON.
first() {
    local key=$1
    shift
    "$testimony" --data demo-data --json "$@" | grep -oE "\"$key\": ?\"[a-z]{2}_[0-9a-z]+\"" | head -n 1 | cut -d '"' -f 4
}

title "Building (a few minutes the first time)"
cargo build --release -p testimony
testimony="${CARGO_TARGET_DIR:-$root/target}/release/testimony"

title "The model that finds by meaning (fetched once; everything works without it too)"
tools/model.sh "$testimony" || echo "it could not be fetched; recall goes by words only"

title "1. A conversation is observed; some proposals are admitted, some refused"
show observe data/demo/conversation.jsonl

title "2. Two exports, as the tools wrote them, are imported"
show import auto data/import-chat/slack/slack-export-viewer-testarchive.zip
show import auto data/import-chat/chatgpt/chatgpt-export-parser-example.json

title "3. Questions"
show recall "when can meetings start?"
show recall "penicillin"
show recall "headcount of Acme"
show recall --grain evidence "genetic algorithm" --limit 2

title "4. The receipt: the exact words behind an answer"
show why "$(first id recall "when can meetings start?")"

title "5. What held in March, before the correction"
show state --valid-at 2026-03-10T12:00:00Z

title "6. Two documents disagree, and both are shown"
show disputes

title "7. What one turn of a conversation may see"
show turn "Find a time for a meeting with Marko about Alpha"

title "8. What forgetting the correction would do (nothing is forgotten yet)"
show forget --dry-run "$(first id recall "when can meetings start?")"

title "Try next"
cat <<EOF
  alias testimony='$testimony --data $root/demo-data'
  testimony remember "I prefer short answers"
  testimony recall "how should answers be?"
  testimony import auto YOUR-CHATGPT-EXPORT.zip      # --help names every format
  testimony forget ID                                # without --dry-run: really gone
  testimony verify
  testimony --help

Remove what the demo wrote: rm -r demo-data
EOF
