#!/usr/bin/env bash
# Fuzzes one target, or keeps of its corpus what reaches something of its own.
#
#   tools/fuzz/fuzz.sh run TARGET SECONDS    from the repository's samples and the kept corpus; what breaks is in fuzz/artifacts/;
#                                            ends earlier once it has run 10 million inputs
#   tools/fuzz/fuzz.sh keep TARGET           the fewest and smallest inputs that reach all that was reached, to fuzz/corpus/
#   tools/fuzz/fuzz.sh targets               their names
#
# Needs cargo-fuzz (`cargo install cargo-fuzz`) and a C++ compiler; the stable compiler will do, since no sanitizer is asked for.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/environment.sh"
cd "$root/fuzz"

work="${FUZZ_WORK:-$root/target/fuzz}"
# What one input may cost: memory, and bytes of input. One that takes longer than a second is written to fuzz/artifacts/ as a
# slow unit, one that takes ten ends the run; on a busy machine the first may be chance.
limits=(-rss_limit_mb=256 -max_len=4096 -report_slow_units=1 -timeout=10)

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

case "${1:-}" in
    targets)
        for program in fuzz_targets/*.rs; do basename "$program" .rs; done
        ;;
    run)
        [ $# = 3 ] || usage
        python3 "$root/tools/fuzz/seed.py" "$work/seeds"
        mkdir -p "$work/corpus/$2" "$work/seeds/$2" "corpus/$2"
        exec cargo fuzz run -s none --target-dir "$work/built" "$2" "$work/corpus/$2" "corpus/$2" "$work/seeds/$2" \
            -- "${limits[@]}" -max_total_time="$3" -runs=10000000 -print_final_stats=1
        ;;
    keep)
        [ $# = 2 ] || usage
        kept=$(mktemp -d)
        trap 'rm -rf "$kept"' EXIT
        # Smallest first, so that of two inputs which reach the same the smaller stays.
        cargo fuzz run -s none --target-dir "$work/built" "$2" "$kept" "$work/corpus/$2" "corpus/$2" "$work/seeds/$2" \
            -- "${limits[@]}" -merge=1
        rm -rf "corpus/$2"
        mkdir -p "corpus/$2"
        cp "$kept"/* "corpus/$2/"
        ;;
    *) usage ;;
esac
