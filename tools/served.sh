# What scripts that ask a real server share. Sourced by bash, with `root` set.

# Where packages of others are installed: outside the checkout, found again by a later run.
home="${TESTIMONY_CLIENTS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/testimony-clients}"

# The program that cargo built.
program="${CARGO_TARGET_DIR:-$root/target}/debug/testimony"

# python_with NAME PACKAGE...: a Python of its own with these packages, made once; says where its programs are.
python_with() {
    local place="$home/$1" wanted
    shift
    wanted=$(printf '%s\n' "$@" | sort)
    if [ "$(cat "$place/wanted" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$place"
        mkdir -p "$home"
        "${PYTHON:-python3}" -m venv "$place" >&2
        "$place/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
        printf '%s\n' "$wanted" >"$place/wanted"
    fi
    printf '%s\n' "$place/bin"
}

# serve: starts the program on a new directory with a key that may do everything, and sets TESTIMONY_URL and TESTIMONY_KEY.
# Whatever the script ends with, the server is ended and the directory taken away.
serve() {
    [ -x "$program" ] || cargo build --workspace --bin testimony --quiet
    data=$(mktemp -d)
    trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$data"' EXIT
    TESTIMONY_KEY=$("$program" --data "$data/memory" access create tester --all-subjects \
        --scope read --scope write --scope forget --scope admin --scope service 2>/dev/null)
    TESTIMONY_LOG=warn "$program" --data "$data/memory" serve --listen 127.0.0.1:0 >"$data/address" 2>"$data/log" &
    server=$!
    for _ in $(seq 100); do
        [ -s "$data/address" ] && break
        kill -0 "$server" 2>/dev/null || { cat "$data/log" >&2; exit 1; }
        sleep 0.1
    done
    TESTIMONY_URL=$(cat "$data/address")
    export TESTIMONY_URL TESTIMONY_KEY
}
