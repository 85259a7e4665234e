"""mem0's own Python client, as its package ships it, against the server: what `docs/guides/mem0.md` promises, call by call."""

import asyncio
import os
import uuid

import httpx
import pytest

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import AsyncMemoryClient, MemoryClient  # noqa: E402
from mem0.exceptions import MemoryError as Mem0Error  # noqa: E402

HOST = os.environ["TESTIMONY_URL"] + "/mem0"
KEY = os.environ["TESTIMONY_KEY"]


@pytest.fixture
def client():
    return MemoryClient(api_key=KEY, host=HOST)


@pytest.fixture
def user():
    return f"mem0 {uuid.uuid4().hex}"


def words(answer):
    return [memory["memory"] for memory in answer["results"]]


def test_the_round_trip(client, user):
    added = client.add("I like green tea in the morning", user_id=user, infer=False, metadata={"category": "drinks"})
    (memory,) = added["results"]
    assert (memory["event"], memory["memory"]) == ("ADD", "I like green tea in the morning")
    assert added["counts"]["received"] == added["counts"]["admitted"] == 1
    found = client.search("tea", filters={"user_id": user})
    assert words(found) == ["I like green tea in the morning"] and 0 < found["results"][0]["score"] <= 1
    got = client.get(memory["id"])
    assert (got["memory"], got["metadata"], got["user_id"]) == (memory["memory"], {"category": "drinks"}, user)
    updated = client.update(memory["id"], text="I like black tea in the morning")
    assert (updated["event"], updated["memory"]) == ("UPDATE", "I like black tea in the morning")
    again = client.get(memory["id"])
    assert (again["id"], again["memory"]) == (memory["id"], "I like black tea in the morning")
    assert again["metadata"] == {"category": "drinks"} and again["created_at"] == got["created_at"]
    assert words(client.get_all(filters={"user_id": user})) == ["I like black tea in the morning"]
    history = [(step["event"], step["old_memory"], step["new_memory"]) for step in client.history(memory["id"])]
    green, black = "I like green tea in the morning", "I like black tea in the morning"
    assert history == [("ADD", None, green), ("UPDATE", green, black)]
    deleted = client.delete(memory["id"])
    assert deleted["message"] == "Memory deleted successfully!" and deleted["residue"] == 0
    for gone in (client.get, client.history, client.delete):
        with pytest.raises(Mem0Error) as refused:
            gone(memory["id"])
        assert refused.value.debug_info["status_code"] == 404
    assert words(client.search("tea", filters={"user_id": user})) == []


def test_facts_are_inferred_and_only_from_the_user(client, user):
    added = client.add(
        [
            {"role": "system", "content": "You are a travel agent."},
            {"role": "user", "content": "My name is Ana. I live in Zagreb."},
            {"role": "assistant", "content": "I live in Paris."},
        ],
        user_id=user,
        agent_id="travel",
        run_id="trip",
        metadata={"channel": "phone"},
    )
    assert sorted(words(added)) == ["home city: Zagreb", "name: Ana"]
    assert {(one["agent_id"], one["run_id"]) for one in added["results"]} == {("travel", "trip")}
    assert [one["code"] for one in added["refused"]] == ["not_testimony"]
    assert added["degraded"], "no model read it, and the answer says so"
    moved = client.add("I moved to Split.", user_id=user)
    assert [(one["event"], one["memory"]) for one in moved["results"]] == [("UPDATE", "home city: Split")]
    everything = words(client.get_all(filters={"user_id": user}))
    assert "home city: Split" in everything and not [one for one in everything if "Paris" in one or "Zagreb" in one]
    kept = client.add([{"role": "assistant", "content": "I like tea"}], user_id=user, infer=False)
    assert kept["results"] == [] and kept["refused"][0]["code"] == "not_the_owner"


def test_filters(client, user):
    for text, category, weight in [("Tea is in the left cupboard", "kitchen", 1), ("Tea is paid by Bo", "money", 2)]:
        client.add(text, user_id=user, agent_id=f"agent {category}", infer=False, metadata={"category": category, "weight": weight})

    def found(*filters):
        of_user = {"AND": [{"user_id": user}, *filters]}
        searched = sorted(words(client.search("tea", filters=of_user)))
        assert searched == sorted(words(client.get_all(filters=of_user)))
        return ["left" in one for one in searched]

    assert found() == [True, False]
    assert found({"metadata": {"category": "kitchen"}}) == [True]
    assert found({"category": {"in": ["money", "none"]}}) == [False]
    assert found({"weight": {"gte": 2}}) == [False]
    assert found({"NOT": [{"category": "money"}]}) == [True]
    assert found({"OR": [{"weight": 1}, {"category": {"icontains": "MON"}}]}) == [True, False]
    assert found({"agent_id": "agent kitchen"}) == [True]
    assert found({"agent_id": "*"}) == [True, False]
    assert found({"run_id": "*"}) == []
    assert found({"created_at": {"gt": "2020-01-01"}}) == [True, False]
    assert found({"created_at": {"lt": "2020-01-01"}}) == []
    for bad in ({"weight": {"like": 1}}, {"user_id": "somebody else"}, {"user_id": "*"}):
        with pytest.raises(Mem0Error) as refused:
            found(bad)
        assert refused.value.debug_info["status_code"] == 422


def test_pages(client, user):
    for number in range(7):
        client.add(f"Box {number} stands in row {number}", user_id=user, infer=False)
    first = client.get_all(filters={"user_id": user}, page=1, page_size=3)
    last = client.get_all(filters={"user_id": user}, page=3, page_size=3)
    assert (first["count"], len(first["results"]), first["previous"]) == (7, 3, None) and first["next"]
    assert (len(last["results"]), last["next"]) == (1, None)


def test_deleting_all_needs_a_name_and_spares_others(client, user):
    other = f"{user} other"
    client.add("I have a blue bicycle", user_id=user, infer=False)
    client.add("I have a red bicycle", user_id=user, agent_id="garage", infer=False)
    client.add("I have a green bicycle", user_id=other, infer=False)
    for nobody in ({}, {"user_id": ""}, {"user_id": "*"}, {"app_id": "shop"}):
        with pytest.raises(Mem0Error) as refused:
            client.delete_all(**nobody)
        assert refused.value.debug_info["status_code"] == 422
    assert len(client.get_all(filters={"user_id": user})["results"]) == 2
    client.delete_all(user_id=user, agent_id="garage")
    client.delete_all(user_id=user, agent_id="nobody")
    assert words(client.get_all(filters={"user_id": user})) == ["I have a blue bicycle"]
    assert client.delete_all(filters={"user_id": user})["message"] == "Memories deleted successfully!"
    assert words(client.get_all(filters={"user_id": user})) == []
    assert words(client.get_all(filters={"user_id": other})) == ["I have a green bicycle"]


def test_batches_and_users(client, user):
    ids = [client.add(f"Tool {n} is borrowed", user_id=user, infer=False)["results"][0]["id"] for n in range(3)]
    client.batch_update([{"memory_id": ids[0], "text": "Tool 0 is back"}, {"memory_id": ids[1], "text": "Tool 1 is back"}])
    assert client.get(ids[1])["memory"] == "Tool 1 is back"
    client.batch_delete([{"memory_id": ids[0]}, {"memory_id": ids[2]}])
    assert words(client.get_all(filters={"user_id": user})) == ["Tool 1 is back"]
    assert user in [one["name"] for one in client.users()["results"] if one["type"] == "user"]
    client.delete_users(user_id=user)
    assert user not in [one["name"] for one in client.users()["results"]]


def test_what_is_not_here_is_refused_by_name(client, user):
    memory = client.add("I play the cello", user_id=user, infer=False)["results"][0]["id"]
    for unsupported in ({"metadata": {"a": 1}}, {"expiration_date": "2030-01-01"}, {"timestamp": 1}):
        with pytest.raises(Mem0Error) as refused:
            client.update(memory, **unsupported)
        assert next(iter(unsupported)) in str(refused.value)
    with pytest.raises(Mem0Error):
        client.add("I play chess", user_id=user, expiration_date="2030-01-01")
    told = client.search("cello", filters={"user_id": user}, rerank=True)
    assert any("rerank" in notice for notice in told["notices"])
    for unknown in ("ve_nothing", f"{memory}x", "nonsense"):
        with pytest.raises(Mem0Error) as refused:
            client.get(unknown)
        assert refused.value.debug_info["status_code"] == 404


def test_a_wrong_key_opens_nothing():
    with pytest.raises(ValueError, match="no key that opens anything"):
        MemoryClient(api_key="m0-nothing", host=HOST)


def test_the_client_that_does_not_block(user):
    async def talk():
        async with AsyncMemoryClient(api_key=KEY, host=HOST) as client:
            added = await client.add("I collect stamps", user_id=user, infer=False)
            found = await client.search("stamps", filters={"user_id": user})
            await client.delete(added["results"][0]["id"])
            return words(found), words(await client.get_all(filters={"user_id": user}))

    assert asyncio.run(talk()) == (["I collect stamps"], [])


def key_for(scopes, subjects):
    """A key of its own, made over the HTTP interface."""
    made = httpx.post(
        f"{os.environ['TESTIMONY_URL']}/v1/keys",
        headers={"authorization": f"Bearer {KEY}"},
        json={"name": "mem0 test", "scopes": scopes, "subjects": subjects},
    )
    return made.json()["key"]


def test_keys_are_for_their_users_and_for_what_they_allow(client, user):
    memory = client.add("I keep bees", user_id=user, infer=False)["results"][0]["id"]
    stranger = MemoryClient(api_key=key_for(["memory:read", "memory:write", "memory:forget"], [f"{user} stranger"]), host=HOST)
    never = memory.replace(memory[3:9], "000000", 1)

    def told(call, named):
        with pytest.raises(Mem0Error) as refused:
            call(named)
        return refused.value.debug_info["status_code"], str(refused.value).replace(named.split(".")[0], "ID")

    for call in (stranger.get, stranger.history, stranger.delete, lambda one: stranger.update(one, text="I keep wasps")):
        assert told(call, memory) == told(call, never) and told(call, memory)[0] == 404
    for call in (
        lambda: stranger.search("bees", filters={"user_id": user}),
        lambda: stranger.get_all(filters={"user_id": user}),
        lambda: stranger.add("I keep wasps", user_id=user),
        lambda: stranger.delete_all(user_id=user),
    ):
        with pytest.raises(Mem0Error) as refused:
            call()
        assert refused.value.debug_info["status_code"] == 403
    assert user not in [one["name"] for one in stranger.users()["results"]]
    reader = MemoryClient(api_key=key_for(["memory:read"], [user]), host=HOST)
    assert reader.get(memory)["memory"] == "I keep bees"
    for call in (lambda: reader.add("I keep wasps"), lambda: reader.delete(memory), lambda: reader.delete_all(user_id=user)):
        with pytest.raises(Mem0Error) as refused:
            call()
        assert refused.value.debug_info["status_code"] == 403
    assert client.get(memory)["memory"] == "I keep bees"
