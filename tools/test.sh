#!/usr/bin/env bash
# Every check and test, the fast ones first: tools/test.sh [fast]
#
# One profile and one set of features, so that what one step compiled serves the next. The runners' own last lines are
# shown again at the end.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
cd "$root"

only_fast=no
case "${1:-}" in
    fast) only_fast=yes ;;
    "") ;;
    *) echo "usage: tools/test.sh [fast]" >&2; exit 2 ;;
esac

log=$(mktemp)
summary=$(mktemp)
trap 'rm -f "$log" "$summary"' EXIT

# step NAME COMMAND...: runs it, and keeps its last line that counts tests.
step() {
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if ! "$@" 2>&1 | tee "$log"; then
        printf '\n== %s failed\n' "$name"
        exit 1
    fi
    # Without nextest each test program counts by itself; they are added up.
    if grep -q '^test result:' "$log"; then
        awk -v name="$name" -v took="$((SECONDS - began))" '
            /^test result:/ { passed += $4; failed += $6; ignored += $8 }
            END { printf "%-10s %4d s  test result: ok. %d passed; %d failed; %d ignored\n", name, took, passed, failed, ignored }
        ' "$log" >>"$summary"
    else
        local counted
        counted=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E 'Summary \[|^tidy:|^play:|^power:' | sed 's/^ *//' || true)
        counted=${counted:-ok}
        printf '%-10s %4d s  %s\n' "$name" "$((SECONDS - began))" "${counted//$'\n'/$'\n'                   }" >>"$summary"
    fi
}

# all_here PROGRAM...: whether each of them can be run.
all_here() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || return 1
    done
}

step format cargo fmt --all --check
step tidy cargo run --quiet -p xtask -- tidy
step clippy cargo clippy --workspace --all-targets --quiet -- -D warnings
# Tests of the embedding model fail without it. It is fetched once a machine, and kept outside the checkout.
step model tools/model.sh
if cargo nextest --version >/dev/null 2>&1; then
    step tests cargo nextest run --workspace --profile fast
    step doctests cargo test --workspace --doc --quiet
    if [ "$only_fast" = no ]; then
        step slow cargo nextest run --workspace --profile slow --no-tests pass
    fi
else
    # Installing nextest takes longer than it saves, so it is only used where it is.
    if [ "$only_fast" = yes ]; then
        step tests cargo test --workspace --lib --bins --tests --quiet -- --skip slow
    else
        step tests cargo test --workspace --lib --bins --tests --quiet
    fi
    step doctests cargo test --workspace --doc --quiet
fi
if [ "$only_fast" = no ]; then
    # A real small model proposes, and nothing that its message does not carry may enter. Its server comes from a Python package.
    if python3 -m pip --version >/dev/null 2>&1; then
        step smollm2 tools/smollm2.sh cargo run --quiet -p engine --example propose_smollm2 -- --sample 6
    else
        echo "smollm2: python3 with pip is not here, so no real model was asked for proposals" | tee -a "$summary"
    fi
    # Cargo built the program for its own tests; what the pages show is played with that.
    built="${CARGO_TARGET_DIR:-$root/target}/debug"
    [ -x "$built/testimony" ] || cargo build --workspace --bins --quiet
    # The power is cut under the program that the tests built.
    if all_here qemu-system-x86_64 busybox mkfs.ext4 strip; then
        if kernel=$(tools/power-pull/kernel.sh); then
            step power tools/power-pull/pull.py --program "$built/power-writer" --kernel-root "$kernel" --pulls 20 --control 6
        else
            echo "power: no kernel could be fetched, so no power was cut" | tee -a "$summary"
        fi
    else
        echo "power: qemu-system-x86, busybox-static, e2fsprogs or binutils is not here, so no power was cut" | tee -a "$summary"
    fi
    step pages cargo run --quiet -p xtask -- play "$built" README.md docs/guides/*.md
fi

printf '\n== summary\n'
cat "$summary"
# One line over all runners, since the last of them may have had nothing to run. A failure ended the script above.
awk '
    match($0, /[0-9]+ passed/) { passed += substr($0, RSTART, RLENGTH) }
    END { printf "\n%d passed, 0 failed\n", passed }
' "$summary"
