#!/bin/sh
# Installs what is missing to build, and nothing else:
# - a C compiler (SQLite is compiled in) and the tools to fetch Rust, with apt-get, as root or through sudo;
# - Rust, with rustup, into the home directory, where cargo is absent or too old. PATH and the default stay as they are.
# Says what it is about to do. On a machine that has everything it does nothing and says nothing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"

say() { printf '%s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

missing=""
command -v cc >/dev/null 2>&1 || missing="$missing build-essential"
if ! rust_is_new_enough && ! command -v rustup >/dev/null 2>&1; then
    command -v curl >/dev/null 2>&1 || missing="$missing curl"
    [ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
fi

if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        say "error: not found:$missing"
        say "hint: this system has no apt-get; install a C compiler and curl its own way, then try again"
        exit 1
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
        say "error: not found:$missing"
        say "hint: run as root: apt-get install$missing"
        exit 1
    fi
    say "installing with apt-get:$missing"
    as_root apt-get update -qq || say "the package lists could not be fetched; trying with those at hand"
    # shellcheck disable=SC2086 # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
fi

if ! rust_is_new_enough; then
    say "Rust $rust_needed or newer is needed; found: $(env -u RUSTUP_TOOLCHAIN RUSTUP_AUTO_INSTALL=0 cargo --version 2>/dev/null || echo none)"
    if command -v rustup >/dev/null 2>&1; then
        say "installing Rust $rust_installed beside it with rustup; your default toolchain stays as it is"
        rustup toolchain install "$rust_installed" --profile minimal --component rustfmt --component clippy
    else
        say "installing Rust $rust_installed with the installer of https://rustup.rs into ${CARGO_HOME:-$HOME/.cargo}; PATH is not changed"
        installer=$(mktemp)
        curl --proto '=https' --tlsv1.2 -fsS https://sh.rustup.rs -o "$installer" || {
            say "error: the installer of https://rustup.rs could not be fetched"
            say "hint: install Rust $rust_needed or newer any other way, then try again"
            exit 1
        }
        env -u RUSTUP_TOOLCHAIN sh "$installer" -y --no-modify-path --profile minimal \
            --default-toolchain "$rust_installed" --component rustfmt --component clippy
        rm -f "$installer"
    fi
    if ! rust_is_new_enough; then
        say "error: Rust $rust_needed is still not found"
        say "hint: see https://rustup.rs, then try again"
        exit 1
    fi
fi
