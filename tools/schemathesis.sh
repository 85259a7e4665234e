#!/usr/bin/env bash
# Somebody else's judgement of the HTTP interface: schemathesis reads /openapi.json and asks a real server what the document allows
# and what it forbids, with every check it has.
#
#   tools/schemathesis.sh          a fixed seed, under two minutes
#   tools/schemathesis.sh SEED N   another seed, and N examples of each operation
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
. "$root/tools/served.sh"
cd "$root"

bin=$(python_with schemathesis schemathesis==4.32.5)
serve
seed=${1:-20261130} examples=${2:-12}
# Run where nothing is left behind: it keeps a database of examples.
(cd "$data" && "$bin/schemathesis" --config-file "$root/tools/schemathesis.toml" run "$TESTIMONY_URL/openapi.json" \
    --header "Authorization: Bearer $TESTIMONY_KEY" --checks all --phases examples,coverage,fuzzing,stateful \
    --seed "$seed" --max-examples "$examples" --no-color) | tee "$data/told"
if grep -q '"code":"internal"\|panicked' "$data/log"; then
    cat "$data/log" >&2
    exit 1
fi
generated=$(sed -n 's/^ *\([0-9]*\) generated, .*/\1/p' "$data/told" | head -n 1)
printf 'schemathesis: %s checks passed\n' "${generated:?no count was told}"
