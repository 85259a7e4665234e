"""Reads what a client was told, takes out what differs from run to run, and holds it to the kept session.

    python compare.py SESSION NAME < TOLD
    UPDATE=1 python compare.py SESSION NAME < TOLD     writes the session instead
"""

import difflib
import json
import os
import re
import sys

ID = re.compile(r"\b(ev|cl|fa|ve|so|tu)_[0-9a-z]{26}\b")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
# Where the specification changed a number, both mean the same.
NO_SUCH_RESOURCE = {-32002: "no such resource", -32602: "no such resource"}


def without_what_differs(value, seen):
    if isinstance(value, dict):
        return {key: without_what_differs(one, seen) for key, one in sorted(value.items()) if one is not None}
    if isinstance(value, list):
        return [without_what_differs(one, seen) for one in value]
    # One language has whole numbers apart from others, the other has not.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value

    def number(found):
        kind = found.group(1)
        return seen.setdefault(found.group(0), f"{kind}_{sum(one.startswith(kind) for one in seen.values()) + 1}")

    return HASH.sub("HASH", ID.sub(number, value))


def main():
    session, name = sys.argv[1:]
    told = json.load(sys.stdin)
    for step in told:
        if "read" in step and "error" in step:
            step["error"] = NO_SUCH_RESOURCE.get(step["error"], step["error"])
    text = json.dumps(without_what_differs(told, {}), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE") == "1":
        with open(session, "w", encoding="utf-8") as file:
            file.write(text)
    with open(session, encoding="utf-8") as file:
        kept = file.read()
    if text != kept:
        sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), session, name))
        sys.exit(f"error: {name} was told something else than the kept session")
    print(f"{name}: {len(told)} steps as kept")


main()
