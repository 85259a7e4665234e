#!/bin/sh
# Runs a command as the Makefile would: tools/with.sh cargo build
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
cd "$root"
exec "$@"
