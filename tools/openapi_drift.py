#!/usr/bin/env python3
"""Says what a change of the OpenAPI document breaks for those who use the interface; exit code 1 if anything.

    tools/openapi_drift.py OLD NEW     compare two files
    tools/openapi_drift.py             compare the checkout's document with that of the commit it branched off

Of a request, breaking is: an operation, parameter or field that is gone, one that must newly be given, a type or a choice that is no
longer taken, a bound that is narrower. Of an answer: a field that is gone or may newly be absent, a type that may newly come, a success
that is gone; a refusal or a 304 that never comes harms nobody. A key's scope that is newly needed breaks, too. Where the version's
first or second number differs, breaks are told and allowed.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = "docs/reference/openapi.json"


class Comparison:
    """Two documents and the breaks found between them."""

    def __init__(self, old, new):
        self.old, self.new, self.breaks, self.seen = old, new, [], set()

    def found(self, place, what):
        self.breaks.append(f"{place}: {what}")

    def run(self):
        for path, methods in self.old["paths"].items():
            for method, old in methods.items():
                place = f"{method.upper()} {path}"
                new = self.new["paths"].get(path, {}).get(method)
                if new is None:
                    self.found(place, "is gone")
                else:
                    self.operation(place, old, new)
        return self.breaks

    def operation(self, place, old, new):
        if old.get("operationId") != new.get("operationId"):
            self.found(place, f"`{old.get('operationId')}` is now called `{new.get('operationId')}`")
        if old.get("security") != new.get("security"):
            self.found(place, f"needs {new.get('security')} instead of {old.get('security')}")
        before, after = self.parameters(self.old, old), self.parameters(self.new, new)
        for name, parameter in before.items():
            if name not in after:
                self.found(place, f"parameter `{name[1]}` is gone")
                continue
            self.request(f"{place} `{name[1]}`", parameter["schema"], after[name]["schema"])
        for name, parameter in after.items():
            was_needed = before.get(name, {}).get("required", False)
            if parameter.get("required") and not was_needed:
                self.found(place, f"parameter `{name[1]}` is newly needed")
        old_body, new_body = old.get("requestBody"), new.get("requestBody")
        if old_body and not new_body:
            self.found(place, "takes no body any more")
        if new_body:
            if new_body.get("required") and not (old_body or {}).get("required"):
                self.found(place, "newly needs a body")
            if old_body:
                self.request(f"{place} body", content(old_body), content(new_body))
        for status, answer in old["responses"].items():
            if status not in new["responses"]:
                if status.startswith("2"):
                    self.found(place, f"does not answer {status} any more")
            elif content(answer) is not None:
                told = content(new["responses"][status])
                if told is None:
                    self.found(place, f"answers {status} without content")
                else:
                    self.answer(f"{place} answer", content(answer), told)

    @staticmethod
    def parameters(document, operation):
        resolved = (resolve(document, parameter) for parameter in operation.get("parameters", []))
        return {(parameter["in"], parameter["name"]): parameter for parameter in resolved}

    def once(self, place, old, new):
        """Whether a pair of named schemas is met for the first time: they may hold themselves."""
        names = (place.rsplit(" ", 1)[-1], old.get("$ref"), new.get("$ref"))
        if names[1] is None and names[2] is None:
            return True
        is_new = names[1:] not in self.seen
        self.seen.add(names[1:])
        return is_new

    def request(self, place, old, new):
        if not isinstance(old, dict) or not isinstance(new, dict) or not self.once(place, old, new):
            return
        old, new = resolve(self.old, old), resolve(self.new, new)
        for kind in sorted(types(self.old, old) - types(self.new, new)):
            self.found(place, f"takes no {kind} any more")
        if (choices := enum(self.new, new)) is not None:
            before = enum(self.old, old)
            if before is None:
                self.found(place, f"takes only {sorted(choices)}")
            else:
                for gone in sorted(before - choices):
                    self.found(place, f"does not take {gone} any more")
        for bound, narrower in BOUNDS.items():
            if bound in new and (bound not in old or narrower(old[bound], new[bound])):
                self.found(place, f"`{bound}` is {new[bound]} instead of {old.get(bound, 'none')}")
        if new.get("pattern") != old.get("pattern") and "pattern" in new:
            self.found(place, f"must be written as {new['pattern']}")
        for name, field in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                self.found(place, f"field `{name}` is gone")
            else:
                self.request(f"{place} `{name}`", field, new["properties"][name])
        for name in new.get("required", []):
            if name not in old.get("required", []):
                self.found(place, f"field `{name}` is newly needed")
        if "items" in old and "items" in new:
            self.request(f"{place} items", old["items"], new["items"])

    def answer(self, place, old, new):
        if not isinstance(old, dict) or not isinstance(new, dict) or not self.once(place, old, new):
            return
        old, new = resolve(self.old, old), resolve(self.new, new)
        if old_types := types(self.old, old):
            for kind in sorted((types(self.new, new) or {"anything"}) - old_types):
                self.found(place, f"may newly be {kind}")
        for name, field in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                self.found(place, f"field `{name}` is gone")
                continue
            if name in old.get("required", []) and name not in new.get("required", []):
                self.found(place, f"field `{name}` may newly be absent")
            self.answer(f"{place} `{name}`", field, new["properties"][name])
        if "items" in old and "items" in new:
            self.answer(f"{place} items", old["items"], new["items"])


BOUNDS = {
    "minimum": lambda old, new: new > old,
    "minLength": lambda old, new: new > old,
    "minItems": lambda old, new: new > old,
    "maximum": lambda old, new: new < old,
    "maxLength": lambda old, new: new < old,
    "maxItems": lambda old, new: new < old,
}


def content(told):
    return next(iter(told.get("content", {}).values()), {}).get("schema")


def resolve(document, schema):
    while "$ref" in schema:
        place = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        schema = place
    return schema


def alternatives(document, schema):
    for union in ("anyOf", "oneOf"):
        for part in schema.get(union, []):
            yield resolve(document, part)


def types(document, schema):
    """The types a schema lets through; none where it says nothing of them."""
    found = schema.get("type", [])
    found = set(found if isinstance(found, list) else [found])
    for part in alternatives(document, schema):
        found |= types(document, part)
    return found


def enum(document, schema):
    """The choices a schema leaves, as JSON; `None` where it leaves all."""
    if "enum" in schema:
        return {json.dumps(value) for value in schema["enum"]}
    if "const" in schema:
        return {json.dumps(schema["const"])}
    parts = [enum(document, part) for part in alternatives(document, schema)]
    if not parts or None in parts:
        return None
    return set().union(*parts)


def breaks(old, new):
    """What of `new` breaks those who use `old`."""
    return Comparison(old, new).run()


def is_new_version(old, new):
    number = lambda document: document["info"]["version"].split(".")[:2]
    return number(old) != number(new)


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def base_document():
    """The document of the commit this branch began at; of the commit before, where it is no branch."""
    head = (git("rev-parse", "HEAD") or "").strip()
    for branch in ("origin/main", "main"):
        base = (git("merge-base", "HEAD", branch) or "").strip()
        if base and base != head:
            break
    else:
        base = "HEAD~"
    return base, git("show", f"{base}:{DOCUMENT}")


def main(arguments):
    if len(arguments) == 2:
        old, new = (json.loads(Path(path).read_text()) for path in arguments)
        since = arguments[0]
    elif not arguments:
        since, told = base_document()
        if told is None:
            print(f"drift: {since} has no {DOCUMENT}, so there is nothing to break")
            return 0
        old, new = json.loads(told), json.loads((ROOT / DOCUMENT).read_text())
    else:
        print(__doc__, file=sys.stderr)
        return 2
    found = breaks(old, new)
    for one in found:
        print(one)
    allowed = is_new_version(old, new)
    print(f"drift: {len(found)} breaking changes since {since}" + (", allowed by the new version" if found and allowed else ""))
    return 1 if found and not allowed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
