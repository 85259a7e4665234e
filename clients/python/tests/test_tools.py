import asyncio
import json

from testimony_memory import AsyncClient
from testimony_memory.tools import adispatch, anthropic_tools, dispatch, names, openai_tools


def test_both_formats_tell_the_same_tools():
    openai, anthropic = openai_tools(), anthropic_tools()
    assert [tool["function"]["name"] for tool in openai] == [tool["name"] for tool in anthropic] == names()
    for one, other in zip(openai, anthropic, strict=True):
        assert one["type"] == "function"
        assert one["function"]["parameters"] == other["input_schema"]
        assert set(other["input_schema"]["required"]) <= set(other["input_schema"]["properties"])


def test_a_model_remembers_recalls_and_forgets(client):
    kept = json.loads(dispatch(client, "remember", '{"text": "I never eat pork", "kind": "preference"}'))
    assert kept["counts"]["admitted"] >= 1
    recalled = json.loads(dispatch(client, "recall", {"query": "pork", "limit": 3}))
    memory = recalled["items"][0]["id"]
    assert json.loads(dispatch(client, "why", {"id": memory}))["claims"]
    corrected = json.loads(dispatch(client, "correct", {"id": memory, "text": "I never eat beef"}))
    assert corrected["counts"]["admitted"] >= 1
    forgotten = json.loads(dispatch(client, "forget", {"ids": [memory]}))
    assert forgotten["residue"] == 0


def test_what_goes_wrong_is_told_to_the_model(client):
    def code(name, arguments):
        return json.loads(dispatch(client, name, arguments))["code"]

    assert code("close", "{}") == "bad_arguments"
    assert code("create_key", {"name": "x", "scopes": ["memory:admin"]}) == "bad_arguments"
    assert code("forget", {"everything": True}) == "bad_arguments"
    assert code("recall", "no json") == "bad_arguments"
    assert code("recall", "[]") == "bad_arguments"
    assert code("remember", {}) == "bad_arguments"
    assert code("why", {"id": "ve_nothing"}) == "not_found"


def test_a_model_is_answered_without_blocking(subject):
    async def talk():
        async with AsyncClient(subject=subject) as client:
            return await adispatch(client, "recall", {"query": "tea"}), await adispatch(client, "why", {})

    recalled, refused = asyncio.run(talk())
    assert json.loads(recalled)["items"] == [] and json.loads(refused)["code"] == "bad_arguments"
