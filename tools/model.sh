#!/bin/sh
# Fetches the embedding model where it is not yet: tools/model.sh [COMMAND...]
#
# COMMAND is a built `testimony`; without one it is built. The pack goes to TESTIMONY_MODELS_DIR, or to the platform's place for this
# program's data, outside the checkout, so that it is fetched once a machine.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
cd "$root"

if [ "$#" -eq 0 ]; then
    set -- cargo run --quiet -p testimony --
fi
if "$@" --json model verify >/dev/null 2>&1; then
    exit 0
fi
echo "fetching the embedding model, about 91 MB, once" >&2
"$@" model pull >&2
