#!/usr/bin/env python3
"""Writes inputs to begin fuzzing with, made from the repository's own tables and samples: seed.py FOLDER

One folder a target. What the fuzzer kept of them, and of what it made of them, is in `fuzz/corpus/`.
"""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A longer input is slower and tells no more.
BYTES_MAX = 4_096
# Between the texts of one input.
NEXT = b"\xff"
VALUE_TYPES = ["text", "number", "time_of_day", "date", "instant", "entity", "boolean"]


class Seeds:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def add(self, target, *texts, choices=()):
        content = bytes(choices) + NEXT.join(text.encode() if isinstance(text, str) else text for text in texts)
        if len(content) <= BYTES_MAX:
            folder = self.folder / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def rows(path):
    for line in (ROOT / path).read_text().splitlines():
        if line and not line.startswith("#"):
            yield [field.replace("\\n", "\n") for field in line.split("\t")]


def written(seeds):
    target = {"dates": "dates", "dates-unanchored": "dates", "times": "times", "numbers": "numbers", "names": "names", "spans": "dates"}
    for kind, text, *_ in rows("crates/ledger/tests/written-find.tsv"):
        seeds.add(target[kind], text)
    for kind, value, quotes, *_ in rows("crates/ledger/tests/written-ground.tsv"):
        seeds.add("values", value, *quotes.split("|"), choices=[VALUE_TYPES.index(kind)])
    for kind, value, *_ in rows("crates/ledger/tests/written-read.tsv"):
        seeds.add("values", value, choices=[VALUE_TYPES.index(kind)])
        seeds.add("input", value)


def statements(seeds):
    predicates = [line.split('"')[1] for line in (ROOT / "policy/predicates.toml").read_text().splitlines() if line.startswith("name = ")]
    for _, _, entity, predicate, value, op, quote, text in list(rows("data/owner-statements/statements.tsv"))[1:]:
        seeds.add("gate", text, quote, value, entity, choices=[4 if op == "retract" else 0, predicates.index(predicate)])
        seeds.add("quote", text, quote, choices=[0, 0])
        for target in ["rules", "dates", "times", "numbers", "names"]:
            seeds.add(target, text)
        proposal = {"entity": entity, "predicate": predicate, "value": value, "quote": quote, "confidence": 0.9, "op": op}
        seeds.add("model_reply", json.dumps([proposal | {"message": 1}]), choices=[0])
        message = {"source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "event_time": "2026-03-01T10:00:00Z", "text": text}
        line = json.dumps(message | {"proposals": [proposal]}, ensure_ascii=False)
        seeds.add("observe", f"{line}\n{text}")
        seeds.add("export", f"{line}\n{json.dumps(message, ensure_ascii=False)}")
    for _, _, _, text in list(rows("data/owner-statements/not-statements.tsv"))[1:]:
        for target in ["rules", "regions", "packet"]:
            seeds.add(target, text)
        seeds.add("gate", text, text, text, "self", choices=[0, 0])
    document = {"source": {"kind": "document", "ref": "d1", "lineage": "document:d0", "mode": "living"}, "author": "external"}
    said = {"entity": "acme", "predicate": "headcount", "value": 250, "quote": "Acme has 250 employees", "confidence": 1}
    for target in ["observe", "export"]:
        lines = [json.dumps(document | {"text": f"Acme has {count} employees.", "proposals": [said | {"value": count, "quote": f"Acme has {count} employees"}]}) for count in [100, 250]]
        seeds.add(target, "\n".join(lines) + "\nAcme?")
    for line in (ROOT / "data/demo/conversation.jsonl").read_text().splitlines():
        for target in ["observe", "export"]:
            seeds.add(target, line)


def foreign(seeds):
    for text in [
        "See what she wrote:\n\n> I live in Split\n> and work at Acme\n\nI do not.",
        "---------- Forwarded message ----------\nFrom: Ana <ana@example.org>\nSubject: Hello\n\nI live in Split.",
        "```\nlet x = 1;\n```\nI like `tea`.",
        "Ana said: \"I live in Split\".",
        "On Mon, 2 Mar 2026 at 10:00, Ana wrote:\n> hello",
        "Transcript:\nAna: I live in Split\nMarko: so do I",
    ]:
        for target in ["regions", "rules"]:
            seeds.add(target, text)
        seeds.add("gate", text, "I live in Split", "Split", "self", choices=[0, 4])
    for line in (ROOT / "data/security/secret-cases.jsonl").read_text().splitlines()[::4]:
        for text in json.loads(line).values():
            if isinstance(text, str) and len(text) > 8:
                seeds.add("secret", text)
    for reply in ["You live in Zagreb [M3].", "Two things [M1, M4] and one (M2).", "```\nrow[M1]\n```\nsaid [M2]", "both [M1 and M2], oba (M3 i M4)"]:
        seeds.add("packet", reply, "Where do I live?", "user \u00b7 home city: Zagreb", "user \u00b7 likes: tea")
    for reply in ["```json\n[{\"predicate\": \"likes\"}]\n```", "{'entity': 'self', 'value': True,}", "[{\"quote\": \"I like", "I found nothing.", "{\"proposals\": [{\"quotes\": [\"a\", \"b\"], \"confidence\": \"90%\"}]}"]:
        seeds.add("model_reply", reply, choices=[1])


def typed(seeds):
    for text in ["2026-03-01T09:30:00+01:00", "2026-03-01T09:30:00+01:00[Europe/Zagreb]", "2026-03-01", "2026-03", "0001-01-01T00:00:00Z", "+02:00", "-0330", "Europe/Zagreb", "turn/3", "ev_00000000000000000000000000", "Ana Kovac\u030c"]:
        seeds.add("input", text)
    for place, path in enumerate(["policy/predicates.toml", "policy/admission/1.toml", "policy/recall/1.toml"]):
        text = (ROOT / path).read_text()
        seeds.add("policies", text[:BYTES_MAX // 2], choices=[place])
        for table in text.split("\n\n"):
            seeds.add("policies", table, choices=[place])
    seeds.add("policies", "[tiers.fast]\nvendor = \"ollama\"\nmodel = \"qwen\"\n", choices=[3])


def exports(seeds):
    suffixes = [".json", ".jsonl", ".txt", ".sql", ".md", "conversations.json", "result.json", ".zip"]
    for folder in ["data/import-chat", "data/import-agent-sessions"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".json", ".jsonl", ".txt", ".sql", ".md"} and path.is_file():
                name = suffixes.index(path.suffix)
                content = path.read_bytes()
                # With 0 for the format, it is recognised by the content.
                seeds.add("importers", content, choices=[0, name])
                seeds.add("importers", content[:BYTES_MAX // 2], choices=[0, name])
    chat = b"12/31/21, 22:01 - Ana: hello\n12/31/21, 22:02 - Marko: see you\n"
    for number in range(12):
        seeds.add("importers", chat, choices=[number, 2])


def requests(seeds):
    message = {"source": {"kind": "note", "ref": "a"}, "author": "owner", "text": "I like green tea."}
    bodies = [
        ("POST", "/v1/evidence", {"messages": [message]}),
        ("POST", "/v1/imports", {"messages": [message, message]}),
        ("POST", "/v1/entries", {"text": "I like green tea."}),
        ("POST", "/v1/recall", {"query": "where do I live?", "limit": 3, "valid_at": "2026-03-01T09:30:00+01:00[Europe/Zagreb]"}),
        ("POST", "/v1/turns", {"message": "where do I live?", "hints": {"topic": "home"}}),
        ("POST", "/v1/erasures", {"source": "note:a", "dry_run": True}),
        ("POST", "/v1/erasures/lift", {"everything": True}),
        ("POST", "/v1/policies/comparisons", {"from": "turn/1", "to": "turn/3"}),
        ("GET", "/v1/facts?limit=1&believed_at=2026-11-30", None),
        ("GET", "/v1/timeline?limit=2", None),
        ("GET", "/v1/receipts/ev_00000000000000000000000000", None),
        ("GET", "/v1/export", None),
        ("GET", "/docs", None),
        ("DELETE", "/v1/keys/key_a", None),
    ]
    for method, path, body in bodies:
        text = "" if body is None else json.dumps(body)
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n"
        seeds.add("http", f"{head}connection: close\r\n\r\n{text}")
        seeds.add("http", f"{head}idempotency-key: once\r\naccept: text/event-stream\r\norigin: http://localhost\r\nconnection: close\r\n\r\n{text}")
    for cursor in ["", "AAAA", "a" * 60, "é", "W10", "AAAAAAAAAAAAAAAAAAAAAFsiZmFjdHMiLCIyMDI2LTExLTMwIiwidmVfIl0"]:
        seeds.add("cursor", cursor)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    seeds = Seeds(sys.argv[1])
    for add in [written, statements, foreign, typed, exports, requests]:
        add(seeds)


if __name__ == "__main__":
    main()
