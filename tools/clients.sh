#!/usr/bin/env bash
# The clients against the real program: ours for Python and TypeScript, mem0's own as its package ships it, LangGraph's behaviours, and
# Rotel, a collector of traces.
# Packages are installed outside the checkout, once.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
. "$root/tools/served.sh"
cd "$root"

checks=0
# counted WORDS FILE: adds the number that stands with these words in what a runner printed.
counted() {
    local found
    found=$(sed -n "$1" "$2" | tail -n 1)
    checks=$((checks + ${found:?no count was told}))
}

python3 tools/generate_clients.py --check
checks=$((checks + 2))
(cd tools && python3 -B -m unittest test_openapi_drift) 2>&1 | tee /dev/stderr | grep -q '^OK$'
python3 tools/openapi_drift.py
checks=$((checks + 5))

bin=$(python_with python httpx==0.28.1 langgraph-checkpoint==4.3.2 mem0ai==2.2.1 mypy==2.4.1 opentelemetry-proto==1.45.2 \
    pytest==9.2.0 'rotel==0.0.1a15; python_version < "3.14" and sys_platform == "linux"')
serve
(cd clients/python && "$bin/mypy" --cache-dir "$data/mypy")
checks=$((checks + 1))
export PYTHONPATH="$root/clients/python/src" PYTHONDONTWRITEBYTECODE=1 MEM0_DIR="$data/mem0" TESTIMONY_PROGRAM="$program"
"$bin/python" -m pytest -q -p no:cacheprovider clients/python/tests clients/mem0 clients/traces | tee "$data/pytest"
counted 's/^\([0-9]*\) passed.*/\1/p' "$data/pytest"

# Compiled beside the packages it needs, so that the checkout stays clean.
mkdir -p "$home/typescript"
rm -rf "$home/typescript/src" "$home/typescript/tests" "$home/typescript/build"
cp -r clients/typescript/{package.json,tsconfig.json,tsconfig.test.json,src,tests} "$home/typescript/"
(
    cd "$home/typescript"
    npm install --silent --no-audit --no-fund
    TESTIMONY_DOCUMENT="$root/docs/reference/openapi.json" npm test --silent
) | tee "$data/node"
counted 's/^. pass \([0-9]*\)$/\1/p' "$data/node"

printf 'clients: %s checks passed\n' "$checks"
