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
aside=$(mktemp -d)
declare -A beside_of=() began_beside=()
# What still runs beside ends with this.
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$log" "$summary" "$aside"' EXIT

# count NAME SECONDS LOG: keeps the last line of a log that counts tests.
count() {
    local name=$1 took=$2 log=$3
    # Without nextest each test program counts by itself; they are added up.
    if grep -q '^test result:' "$log"; then
        awk -v name="$name" -v took="$took" '
            /^test result:/ { passed += $4; failed += $6; ignored += $8 }
            END { printf "%-10s %4d s  test result: ok. %d passed; %d failed; %d ignored\n", name, took, passed, failed, ignored }
        ' "$log" >>"$summary"
    else
        local counted
        counted=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E "Summary \[|^(tidy|play|power|clients|portal|mcp-clients|schemathesis): " | sed 's/^ *//' || true)
        counted=${counted:-ok}
        printf '%-10s %4d s  %s\n' "$name" "$took" "${counted//$'\n'/$'\n'                   }" >>"$summary"
    fi
}

# step NAME COMMAND...: runs it, shows what it says, and stops everything when it fails.
step() {
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if ! "$@" 2>&1 | tee "$log"; then
        printf '\n== %s failed\n' "$name"
        exit 1
    fi
    count "$name" "$((SECONDS - began))" "$log"
}

# beside NAME COMMAND...: begins it while other steps go on, for what mostly waits; what it says is shown by `join NAME`, which
# stops everything when it failed.
beside() {
    local name=$1
    shift
    printf '\n== %s, beside what follows\n' "$name"
    began_beside[$name]=$SECONDS
    "$@" >"$aside/$name" 2>&1 &
    beside_of[$name]=$!
}

join() {
    local name=$1
    [ -n "${beside_of[$name]:-}" ] || return 0
    printf '\n== %s\n' "$name"
    if ! wait "${beside_of[$name]}"; then
        cat "$aside/$name"
        printf '\n== %s failed\n' "$name"
        exit 1
    fi
    cat "$aside/$name"
    count "$name" "$((SECONDS - began_beside[$name]))" "$aside/$name"
}

# all_here PROGRAM...: whether each of them can be run.
all_here() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || return 1
    done
}

# What Cargo builds for its own tests is what everything else runs.
built="${CARGO_TARGET_DIR:-$root/target}/debug"

step format cargo fmt --all --check
# Always the whole workspace: of a part alone Cargo would compile the same libraries again, with fewer features.
cargo build --workspace --bin xtask --quiet
step tidy "$built/xtask" tidy
step clippy cargo clippy --workspace --all-targets --quiet -- -D warnings
# Tests of the embedding model fail without it. It is fetched once a machine, and kept outside the checkout.
step model tools/model.sh
if [ "$only_fast" = no ]; then
    cargo build --workspace --bins --quiet
    # The power is cut under the program of the proofs. The machine is emulated, and mostly starts up and waits.
    if all_here qemu-system-x86_64 busybox mkfs.ext4 strip; then
        if kernel=$(tools/power-pull/kernel.sh); then
            beside power tools/power-pull/pull.py --program "$built/power-writer" --kernel-root "$kernel" --pulls 20 --control 6
        else
            echo "power: no kernel could be fetched, so no power was cut" | tee -a "$summary"
        fi
    else
        echo "power: qemu-system-x86, busybox-static, e2fsprogs or binutils is not here, so no power was cut" | tee -a "$summary"
    fi
fi
if [ "$only_fast" = no ]; then
    # Clients nobody here wrote, schemathesis, and a browser ask the program. They mostly wait for it, so they do so beside the tests.
    if all_here python3 node npm && python3 -m venv --help >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ]; then
        beside outside tools/outside.sh
    else
        echo "outside: python3 with venv, node from 20 on, or npm is not here, so no client of others asked" | tee -a "$summary"
    fi
fi
if cargo nextest --version >/dev/null 2>&1; then
    step tests cargo nextest run --workspace --profile fast
    step doctests cargo test --workspace --doc --quiet
    if [ "$only_fast" = no ]; then
        all_here faketime || echo "clock: faketime is not here, so no clock was turned under the program" | tee -a "$summary"
        unshare --mount losetup --find >/dev/null 2>&1 \
            || echo "troubled: no device can be mounted here, so no file system was brought into trouble" | tee -a "$summary"
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
        cargo build --workspace --example propose_smollm2 --quiet
        step smollm2 tools/smollm2.sh "$built/examples/propose_smollm2" --sample 6
    else
        echo "smollm2: python3 with pip is not here, so no real model was asked for proposals" | tee -a "$summary"
    fi
    step pages "$built/xtask" play "$built" README.md docs/guides/*.md
    join power
    join outside
fi

printf '\n== summary\n'
cat "$summary"
# One line over all runners, since the last of them may have had nothing to run. A failure ended the script above.
awk '
    match($0, /[0-9]+ (checks )?passed/) { passed += substr($0, RSTART, RLENGTH) }
    END { printf "\n%d passed, 0 failed\n", passed }
' "$summary"
