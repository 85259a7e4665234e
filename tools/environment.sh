# What every step needs in its environment. Sourced, by sh or bash; changes nothing outside its process.

# Rust as rustup installs it, where the shell does not know of it yet.
case ":$PATH:" in
    *":${CARGO_HOME:-$HOME/.cargo}/bin:"*) ;;
    *) PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin" ;;
esac
export PATH

# The oldest Rust that builds this, and the one tools/setup.sh installs where that is missing.
rust_needed=1.95
rust_installed=1.95.0

# Whether the cargo that would run is new enough. Asking must not make rustup fetch one unannounced.
rust_is_new_enough() {
    found=$(RUSTUP_AUTO_INSTALL=0 cargo --version 2>/dev/null | cut -d ' ' -f 2) || return 1
    [ -n "$found" ] && [ "$(printf '%s\n%s\n' "$rust_needed" "$found" | sort -V | head -n 1)" = "$rust_needed" ]
}

# Where the person's own default is older, use the one installed beside it; the default stays what it is.
if ! rust_is_new_enough; then
    RUSTUP_TOOLCHAIN=$rust_installed
    export RUSTUP_TOOLCHAIN
fi

# A faster linker, where there is one that this compiler can use.
if [ -z "${RUSTFLAGS+set}" ] && command -v mold >/dev/null 2>&1; then
    probe=$(mktemp)
    if echo 'int main(void) { return 0; }' | cc -fuse-ld=mold -x c - -o "$probe" 2>/dev/null; then
        RUSTFLAGS="-Clink-arg=-fuse-ld=mold"
        export RUSTFLAGS
    fi
    rm -f "$probe"
fi
