import asyncio
import inspect
import json
import keyword
from pathlib import Path

import httpx
import pytest
from testimony_memory import AsyncClient, Client, NotFound, Overloaded, Problem, Unreachable
from testimony_memory._call import Call, pause, request

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/reference/openapi.json"


def test_a_memory_lives_from_first_words_to_receipt_and_end(client, subject):
    kept = client.remember("I am allergic to walnuts")
    assert kept["counts"]["admitted"] >= 1
    (item, *_) = client.recall("walnuts", limit=1)["items"]
    why = client.why(item["id"])
    assert why["claims"][0]["quote"] == "I am allergic to walnuts"
    turn = client.turn("What must not be in the cake? I have an allergy.")
    assert client.replay(turn["turn"])["identical"]
    corrected = client.correct(item["id"], "I am allergic to hazelnuts")
    assert corrected["corrected"] == item["id"]
    assert "hazelnuts" in json.dumps(client.list(kind="all")["items"])
    assert client.history(item["fact"])["fact"]["id"] == item["fact"]
    assert client.whoami()["subject"] == subject
    foreseen = client.forget(ids=[item["id"]], dry_run=True)
    assert foreseen["dry_run"] and foreseen["list"]
    forgotten = client.forget(ids=[item["id"]])
    assert forgotten["residue"] == 0
    assert client.check_receipt(forgotten["receipt"])["ok"]
    with pytest.raises(NotFound):
        client.why(item["id"])


def test_a_refusal_says_code_and_hint(client):
    with pytest.raises(Problem) as refused:
        client.forget()
    assert (refused.value.status, refused.value.code) == (422, "bad_input")
    assert "everything" in (refused.value.hint or "")
    with pytest.raises(Problem) as refused:
        Client(client.url, "testimony_nothing").profile()
    assert (refused.value.status, refused.value.code) == (401, "no_valid_key")
    with pytest.raises(NotFound):
        client.why("ve_nothing")


def test_a_write_sent_twice_is_done_once(client):
    first = client.remember("The spare key hangs in the shed", idempotency_key="spare")
    again = client.remember("The spare key hangs in the shed", idempotency_key="spare")
    assert again["evidence"] == first["evidence"] and again["watermark"] == first["watermark"]
    message = {"source": {"kind": "chat", "ref": "one"}, "author": "owner", "text": "I live in Rijeka."}
    assert client.observe([message], idempotency_key="a")["observed"][0]["duplicate"] is False
    assert client.observe([message], idempotency_key="a")["observed"][0]["duplicate"] is True


def test_pages_are_walked_to_their_end(client):
    source = {"kind": "chat", "ref": "pages"}
    client.observe([{"source": source, "author": "owner", "text": f"Note number {n}."} for n in range(25)])
    texts = [message["text"] for message in client.every_messages(source="chat:pages", limit=10)]
    assert texts == [f"Note number {n}." for n in reversed(range(25))]
    assert client.messages(limit=10)["truncated"]


def test_subjects_with_any_letters_are_apart(client, subject):
    other = f"{subject} Čačak 東京 100%"
    client.remember("Mine is the blue bicycle")
    client.remember("Mine is the red bicycle", subject=other)
    (item,) = client.recall("bicycle", subject=other)["items"]
    assert "red" in item["text"]
    with pytest.raises(NotFound):
        client.why(item["id"])


def test_the_other_client_does_the_same_without_blocking(subject):
    async def talk():
        async with AsyncClient(subject=subject) as client:
            await asyncio.gather(*(client.remember(f"Shelf {n} holds the atlas of year {1900 + n}") for n in range(8)))
            entries = [item async for item in client.every_list(limit=3)]
            with pytest.raises(NotFound):
                await client.why("ve_nothing")
            return entries, await client.recall("atlas")

    entries, recalled = asyncio.run(talk())
    assert len(entries) == 8 and recalled["items"]


def test_every_operation_has_a_method_in_both_clients():
    document = json.loads(DOCUMENT.read_text())
    told = [told for methods in document["paths"].values() for told in methods.values()]
    assert len(told) > 30
    for operation in told:
        name = operation["operationId"] + ("_" if keyword.iskeyword(operation["operationId"]) else "")
        at_once = "application/json" in operation["responses"]["200"]["content"]
        one, other = getattr(Client, name), getattr(AsyncClient, name)
        assert inspect.iscoroutinefunction(other) is at_once and not inspect.iscoroutinefunction(one)
        assert inspect.signature(one).parameters == inspect.signature(other).parameters, name


def test_a_memory_moves_to_another_piece_by_piece(client, subject):
    source = {"kind": "chat", "ref": "moving"}
    messages = [{"source": source, "author": "owner", "text": f"Box {n} holds the plates."} for n in range(40)]
    told = list(client.import_(messages))
    assert told[-1]["done"] == told[-1]["taken"]["messages"] == 40 and not any("taken" in piece for piece in told[:-1])
    lines = list(client.export())
    assert sorted(line["text"] for line in lines) == sorted(message["text"] for message in messages)

    async def move():
        async with AsyncClient(subject=f"{subject} moved") as other:
            taken = [piece async for piece in other.import_(lines)][-1]["taken"]
            return taken, [line async for line in other.export()]

    taken, again = asyncio.run(move())
    assert taken["messages"] == 40 and [line["text"] for line in again] == [line["text"] for line in lines]
    with pytest.raises(Problem) as refused:
        list(Client(client.url, "testimony_nothing").export())
    assert refused.value.code == "no_valid_key"


class Script:
    """A server that answers one thing after the other, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def __call__(self, asked):
        self.asked.append(asked)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **named):
        return Client("http://server", "testimony_x", transport=httpx.MockTransport(self), **named)


def refusal(status, code, **headers):
    told = {"code": code, "detail": "no", "status": status}
    return httpx.Response(status, json=told, headers={name.replace("_", "-"): value for name, value in headers.items()})


DONE = httpx.Response(200, json={"evidence": "ev_1"})


def test_a_call_that_found_no_room_is_sent_again_with_the_same_key(monkeypatch):
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    script = Script(
        refusal(429, "too_many_calls", retry_after="3"), refusal(503, "deadline"), httpx.ConnectError("gone"), DONE
    )
    assert script.client().remember("I like tea") == {"evidence": "ev_1"}
    keys = {asked.headers["idempotency-key"] for asked in script.asked}
    assert len(script.asked) == 4 and len(keys) == 1 and len(keys.pop()) == 32
    assert 3.0 <= slept[0] < 3.2 and slept[1] > 0.2


def test_a_call_that_may_be_done_and_has_no_key_is_not_sent_again(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for answer, error in [(refusal(503, "deadline"), Overloaded), (httpx.ReadTimeout("late"), Unreachable)]:
        script = Script(answer)
        with pytest.raises(error):
            script.client().correct("ve_1", "I like coffee")
        assert len(script.asked) == 1
    script = Script(refusal(503, "overloaded"), DONE)
    script.client().correct("ve_1", "I like coffee")
    assert len(script.asked) == 2


def test_repeating_ends(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    script = Script(*[refusal(503, "overloaded", retry_after="1")] * 3)
    with pytest.raises(Overloaded) as refused:
        script.client(repetitions=2).profile()
    assert refused.value.retry_after == 1.0 and len(script.asked) == 3


class CutOff(httpx.SyncByteStream):
    """An answer that breaks off after its first piece."""

    def __iter__(self):
        yield b'{"text": "one"}\n'
        raise httpx.RemoteProtocolError("cut off")


def test_pieces_that_break_off_are_no_whole_answer_and_not_asked_for_again():
    script = Script(httpx.Response(200, stream=CutOff()))
    pieces = script.client().export()
    assert next(pieces) == {"text": "one"}
    with pytest.raises(Unreachable):
        next(pieces)
    assert len(script.asked) == 1
    # A proxy may end an answer in good order where the server broke off.
    pieces = Script(httpx.Response(200, text='{"text": "one"}\n{"te')).client().export()
    assert next(pieces) == {"text": "one"}
    with pytest.raises(Unreachable):
        next(pieces)
    late = {"status": 503, "code": "deadline", "detail": "no time", "hint": "ask for less"}
    pieces = Script(httpx.Response(200, text=f'{{"text": "one"}}\n{json.dumps({"refused": late})}\n')).client().export()
    assert next(pieces) == {"text": "one"}
    with pytest.raises(Problem) as refused:
        next(pieces)
    assert (refused.value.status, refused.value.code, refused.value.hint) == (503, "deadline", "ask for less")


def test_what_is_no_answer_of_the_server_is_told_apart():
    with pytest.raises(Unreachable):
        Script(httpx.Response(502, text="<html>bad gateway</html>")).client().profile()


def test_a_request_is_written_as_the_interface_says():
    call = Call("GET", "/v1/facts/{id}", {"id": "fa/ä"}, {"world": True, "limit": None}, subject="Ana Anić", of_subject=True)
    sent = request(call, "http://server/", "k", "other")
    assert sent.url == "http://server/v1/facts/fa%2F%C3%A4"
    assert sent.query == {"world": "true"} and sent.content is None
    assert sent.headers["testimony-subject"] == "Ana%20Ani%C4%87"
    assert "idempotency-key" not in sent.headers
    assert pause(0, 90.0) == 30.0


def test_a_client_does_not_show_its_key():
    assert "testimony_x" not in repr(Script().client())
