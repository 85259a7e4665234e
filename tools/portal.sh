#!/usr/bin/env bash
# The portal in headless Chromium: every page in both languages and colour schemes under axe, by keyboard only, without a script.
#
#   tools/portal.sh [SHOTS]
#
# SHOTS is a folder for screenshots at 1280 and 390 pixels (default: PORTAL_SHOTS, else none are taken). The program is the one that
# cargo built last, or is built now. What Node needs lies in PORTAL_HOME (default: the user's cache), which a later run finds. The
# browser is the one that PORTAL_CHROMIUM names, else one of the system, else Playwright's own, else Debian's package.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/environment.sh"
shots="${1:-${PORTAL_SHOTS:-}}"
[ -z "$shots" ] || shots=$(realpath -m "$shots")
cd "$root"

home="${PORTAL_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/testimony-portal}"

for program in node npm; do
    if ! command -v "$program" >/dev/null; then
        echo "error: \`$program\` is needed to drive a browser" >&2
        echo "hint: apt-get install nodejs npm" >&2
        exit 1
    fi
done

mkdir -p "$home"
if ! cmp -s tools/portal/package-lock.json "$home/package-lock.json" || [ ! -d "$home/node_modules" ]; then
    cp tools/portal/package.json tools/portal/package-lock.json "$home/"
    (cd "$home" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error)
fi
cp tools/portal/check.mjs "$home/"

if [ -z "${PORTAL_CHROMIUM:-}" ]; then
    for browser in chromium chromium-browser google-chrome; do
        if command -v "$browser" >/dev/null; then
            PORTAL_CHROMIUM=$(command -v "$browser")
            break
        fi
    done
fi
if [ -z "${PORTAL_CHROMIUM:-}" ] && ! (cd "$home" && npx playwright install chromium >/dev/null 2>&1); then
    if [ "$(id -u)" != 0 ]; then
        echo "error: no Chromium is here, and none could be fetched" >&2
        echo "hint: apt-get install chromium" >&2
        exit 1
    fi
    apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
    PORTAL_CHROMIUM=$(command -v chromium)
fi
export PORTAL_CHROMIUM="${PORTAL_CHROMIUM:-}"

built="${CARGO_TARGET_DIR:-$root/target}/debug/testimony"
[ -x "$built" ] || cargo build --workspace --bin testimony --quiet

node "$home/check.mjs" "$built" "$root/data/demo/conversation.jsonl" ${shots:+"$shots"}
