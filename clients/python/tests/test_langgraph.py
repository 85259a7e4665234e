"""LangGraph ships no conformance tests for stores (its package of that kind is about checkpoints), so its documented behaviours stand
here one by one; what its own in-memory store does is asked of both."""

import asyncio

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from testimony_memory import AsyncClient, Client
from testimony_memory.langgraph import TestimonyStore


@pytest.fixture(params=["testimony", "reference"])
def store(request, client):
    return TestimonyStore(client) if request.param == "testimony" else InMemoryStore()


def test_put_then_get(store):
    store.put(("users", "ana"), "tea", {"text": "likes tea", "count": 2, "deep": {"a": [1, None, True]}})
    item = store.get(("users", "ana"), "tea")
    assert item.value == {"text": "likes tea", "count": 2, "deep": {"a": [1, None, True]}}
    assert (item.key, item.namespace) == ("tea", ("users", "ana"))
    assert item.created_at.tzinfo is not None and item.created_at <= item.updated_at


def test_what_is_not_there_is_none(store):
    assert store.get(("nowhere",), "nothing") is None
    store.put(("users",), "a", {"x": 1})
    assert store.get(("users",), "b") is None
    assert store.get(("users", "a"), "a") is None


def test_put_again_replaces(store):
    store.put(("a",), "k", {"x": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"y": 2})
    second = store.get(("a",), "k")
    assert second.value == {"y": 2} and second.updated_at > first.updated_at
    assert [item.value for item in store.search(("a",))] == [{"y": 2}]


def test_creation_time_stays(client):
    store = TestimonyStore(client)
    store.put(("a",), "k", {"x": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"x": 2})
    assert store.get(("a",), "k").created_at == first.created_at


def test_delete_and_put_the_same_again(store):
    store.put(("a",), "k", {"x": 1})
    store.put(("a",), "k", {"x": 2})
    store.put(("a",), "other", {"x": 3})
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    assert store.get(("a",), "other").value == {"x": 3}
    store.delete(("a",), "k")
    store.delete(("never",), "k")
    store.put(("a",), "k", {"x": 2})
    assert store.get(("a",), "k").value == {"x": 2}


def test_a_deleted_value_is_in_no_message(client):
    store = TestimonyStore(client)
    store.put(("a",), "k", {"word": "walrus"})
    store.put(("a",), "k", {"word": "walrus again"})
    store.delete(("a",), "k")
    assert not [one for one in client.every_messages() if "walrus" in one["text"]]


def test_search_by_prefix_filter_limit_and_offset(store):
    for number in range(12):
        store.put(("docs", "even" if number % 2 == 0 else "odd"), str(number), {"n": number, "kind": "x" if number < 6 else "y"})
    store.put(("other",), "0", {"n": 0, "kind": "x"})

    def numbers(prefix, **named):
        return sorted(item.value["n"] for item in store.search(prefix, limit=100, **named))

    assert numbers(("docs",)) == list(range(12))
    assert numbers(("docs", "odd")) == [1, 3, 5, 7, 9, 11]
    assert numbers(()) == sorted([*range(12), 0])
    assert numbers(("do",)) == []
    assert numbers(("docs",), filter={"kind": "x"}) == [0, 1, 2, 3, 4, 5]
    assert numbers(("docs",), filter={"n": {"$gt": 9}}) == [10, 11]
    assert numbers(("docs",), filter={"n": {"$gte": 9, "$lt": 11}}) == [9, 10]
    assert numbers(("docs",), filter={"n": {"$lte": 1}}) == [0, 1]
    assert numbers(("docs",), filter={"kind": {"$ne": "x"}, "n": {"$eq": 7}}) == [7]
    with pytest.raises(ValueError):
        store.search(("docs",), filter={"n": {"$like": 1}})
    assert len(store.search(("docs",))) == 10
    pages = [store.search(("docs",), limit=5, offset=offset) for offset in (0, 5, 10)]
    assert [len(page) for page in pages] == [5, 5, 2]
    assert len({item.key for page in pages for item in page}) == 12


def test_nested_filters(store):
    store.put(("d",), "a", {"meta": {"lang": "hr", "n": 3}, "tags": ["x", "y"]})
    assert store.search(("d",), filter={"meta": {"lang": "hr"}})
    assert not store.search(("d",), filter={"meta": {"lang": "en"}})
    assert store.search(("d",), filter={"meta": {"n": {"$gt": 2}}})
    assert store.search(("d",), filter={"tags": ["x", "y"]})
    assert not store.search(("d",), filter={"tags": ["x"]})


def test_search_in_words(client):
    store = TestimonyStore(client)
    store.put(("m",), "tea", {"text": "Ana drinks green tea in the morning"})
    store.put(("m",), "car", {"text": "The car is in the garage"})
    (best, *_) = store.search(("m",), query="green tea")
    assert best.key == "tea" and 0 < best.score <= 1
    assert [item.key for item in store.search(("m",), query="garage")] == ["car"]
    assert store.search(("elsewhere",), query="tea") == []


def test_namespaces_are_listed(store):
    for namespace in [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f")]:
        store.put(namespace, "k", {"x": 1})
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a",), suffix=("i",)) == [("a", "b", "d", "i")]
    assert store.list_namespaces(limit=2, offset=1) == [("a", "b", "d", "e"), ("a", "b", "d", "i")]
    assert store.list_namespaces(prefix=("z",)) == []


def test_a_batch_answers_in_order(store):
    store.put(("b",), "old", {"x": 0})
    done = store.batch(
        [
            PutOp(("b",), "new", {"x": 1}),
            GetOp(("b",), "new"),
            GetOp(("b",), "old"),
            PutOp(("b",), "old", None),
            PutOp(("b",), "new", {"x": 2}),
            SearchOp(("b",), limit=5),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("b",)),)),
        ]
    )
    assert done[0] is None and done[3] is None and done[4] is None
    assert done[1] is None, "reads see the state before the batch"
    assert done[2].value == {"x": 0}
    assert [item.key for item in done[5]] == ["old"] and done[6] == [("b",)]
    assert store.get(("b",), "new").value == {"x": 2} and store.get(("b",), "old") is None
    with pytest.raises(ValueError):
        store.batch(["no operation"])


def test_bad_namespaces_are_refused(store):
    for namespace in [(), ("",), ("a.b",), ("langgraph",)]:
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {"x": 1})


def test_there_is_no_time_to_live(store):
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"x": 1}, ttl=5)


@pytest.mark.parametrize("with_thread", [True, False])
def test_the_same_without_blocking(client, subject, with_thread):
    async def talk():
        async with AsyncClient(subject=subject) as other:
            store = TestimonyStore(client) if with_thread else TestimonyStore(async_client=other)
            await asyncio.gather(*(store.aput(("n",), str(n), {"n": n}) for n in range(5)))
            item = await store.aget(("n",), "3")
            found = await store.asearch(("n",), filter={"n": {"$gte": 3}})
            words = await store.asearch(("n",), query="n")
            spaces = await store.alist_namespaces()
            await store.adelete(("n",), "3")
            gone = await store.aget(("n",), "3")
            assert isinstance(words, list)
            if not with_thread:
                with pytest.raises(RuntimeError):
                    store.get(("n",), "4")
            return item.value, sorted(one.value["n"] for one in found), spaces, gone

    assert asyncio.run(talk()) == ({"n": 3}, [3, 4], [("n",)], None)


def test_a_label_may_name_the_subject(subject):
    with Client() as client:
        store = TestimonyStore(client, subject_label=1)
        ana, bo = f"{subject} ana", f"{subject} bo"
        store.put(("memories", ana), "k", {"whose": "ana"})
        store.put(("memories", bo), "k", {"whose": "bo"})
        assert store.get(("memories", ana), "k").value == {"whose": "ana"}
        assert [item.value for item in store.search(("memories", bo))] == [{"whose": "bo"}]
        assert client.whoami(subject=ana)["subject"] == ana
        assert [one["author"] for one in client.every_messages(subject=ana)] == ["external"]
        with pytest.raises(ValueError):
            store.search(("memories",))
