#!/usr/bin/env bash
# Has the real program spoken to by clients that nobody here wrote: the official SDKs of MCP in TypeScript and in Python, over standard
# input and over HTTP, in an older revision with a handshake and in the newest without one. Each plays the same steps, and what it is
# told is compared with tools/mcp-clients/session.json.
#
#   tools/mcp-clients.sh            plays and compares
#   UPDATE=1 tools/mcp-clients.sh   writes the session anew, from the first client
#
# Node 18 or newer with npm, and Python 3.10 or newer, are needed. The SDKs are fetched once, by pinned versions, into
# MCP_CLIENTS_HOME (default: the user's cache). TESTIMONY is the program (default: target/debug/testimony, built when it is not there).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
here="$root/tools/mcp-clients"
home="${MCP_CLIENTS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/testimony-mcp-clients}"
program="${TESTIMONY:-${CARGO_TARGET_DIR:-$root/target}/debug/testimony}"

if [ ! -x "$program" ]; then
    "$root/tools/with.sh" cargo build --quiet --workspace --package testimony --bin testimony
fi
if [ ! -e "$home/ready-1" ]; then
    mkdir -p "$home"
    echo "fetching the SDKs, once" >&2
    npm install --silent --no-fund --no-audit --prefix "$home" @modelcontextprotocol/sdk@1.32.2
    python3 -m venv "$home/python"
    "$home/python/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
    touch "$home/ready-1"
fi

work=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap clean_up EXIT

# Modules are found from where a file lies.
cp "$here/client.mjs" "$home/client.mjs"
export TESTIMONY_MODELS_DIR="$work/none"
now=2026-11-30T12:00:00Z
checks=0

# as NAME COMMAND...: plays the steps with a client and compares.
as() {
    local name=$1
    shift
    "$@" > "$work/told.json"
    "$home/python/bin/python" "$here/compare.py" "$here/session.json" "$name" < "$work/told.json"
    unset UPDATE
    checks=$((checks + 1))
}

# http NAME COMMAND...: the same with a server of its own; the address and the key are added.
http() {
    local name=$1 data="$work/$1" key address
    shift
    key=$("$program" --data "$data" --json access create owner --scope read --scope write --scope forget \
        | python3 -c 'import json, sys; print(json.load(sys.stdin)["key"])')
    # That of the server before would lead to nobody.
    rm -f "$work/address"
    TESTIMONY_LOG=trace "$program" --data "$data" --now "$now" serve --listen 127.0.0.1:0 > "$work/address" 2> "$work/log" &
    server=$!
    for _ in $(seq 100); do
        if [ -s "$work/address" ]; then break; fi
        sleep 0.1
    done
    address=$(cat "$work/address")
    as "$name" "$@" http "$address/mcp" "$key"
    kill "$server"
    wait "$server"
    server=
    # The words of the session are in no line of the log, however much it tells.
    if ! grep -q serving "$work/log"; then
        echo "error: the log is empty" >&2
        exit 1
    fi
    if grep -i -e zagreb -e bicycle -e "$key" "$work/log"; then
        echo "error: the log tells what was said" >&2
        exit 1
    fi
    checks=$((checks + 1))
}

stdio() {
    local name=$1
    shift
    as "$name" "$@" stdio "$program" --data "$work/$name" --now "$now" mcp
}

steps="$here/steps.json"
python="$home/python/bin/python"
stdio typescript-stdio node "$home/client.mjs" "$steps"
http typescript-http node "$home/client.mjs" "$steps"
stdio python-stdio-legacy "$python" "$here/client.py" "$steps" legacy
http python-http-legacy "$python" "$here/client.py" "$steps" legacy
stdio python-stdio-2026-07-28 "$python" "$here/client.py" "$steps" auto
http python-http-2026-07-28 "$python" "$here/client.py" "$steps" auto
echo "mcp-clients: $checks checks passed"
