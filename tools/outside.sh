#!/usr/bin/env bash
# Everything that asks the program from outside, one after another: our clients and those of others, schemathesis, a browser.
# What each needs is installed outside the checkout. The program is the one that cargo built last.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
cd "$root"

TESTIMONY="${CARGO_TARGET_DIR:-$root/target}/debug/testimony"
export TESTIMONY

tools/clients.sh
tools/mcp-clients.sh
tools/schemathesis.sh
tools/portal.sh
