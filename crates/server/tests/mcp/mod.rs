//! MCP, asked by the client of the library that speaks it, in this process.

mod http;
mod isolation;
mod stdio;
mod support;

use rmcp::model::{CacheScope, CallToolResult, ErrorCode, ReadResourceRequestParams, ResourceContents};
use rmcp::service::ServiceError;
use serde_json::{Value as Json, json};
use server::access::Caller;
use server::mcp::tool::Tools;
use server::mcp::{DATA, Face};
use server::verb::AnyVerb;
use server::verbs::evidence::Observe;
use support::{Client, House, ask, client, of, subject, text};

/// What a model is told of every tool is read by a reviewer when it changes.
#[tokio::test]
async fn the_tools_are_those_that_were_reviewed() {
    for (name, memory_server) in [("tools", false), ("tools-memory-server", true)] {
        let house = House { memory_server, ..House::default() };
        let client = house.client("ana").await;
        let listed = client.list_tools(None).await.expect("a list");
        assert_eq!(listed.cache_scope, Some(CacheScope::Private));
        let most = if memory_server { 9 } else { 8 };
        assert_eq!(listed.tools.len(), most);
        insta::assert_json_snapshot!(name, listed.tools);
    }
}

#[tokio::test]
async fn a_message_is_remembered_found_explained_corrected_and_forgotten() {
    let client = House::default().client("ana").await;
    let message = "I moved to Zagreb in May. Should I buy a bicycle?";
    let proposals = json!([
        {"entity": "self", "predicate": "home_city", "value": "Zagreb", "quote": "I moved to Zagreb in May."},
        {"entity": "self", "predicate": "note", "value": "buy a bicycle", "quote": "Should I buy a bicycle?"},
        {"entity": "self", "predicate": "employer", "value": "Acme", "quote": "I work at Acme."},
    ]);
    let kept = done(ask(&client, "remember", json!({"text": message, "proposals": proposals})).await);
    assert_eq!(kept["counts"]["received"], 3, "{kept}");
    assert_eq!(kept["counts"]["admitted"], 1, "{kept}");
    let codes: Vec<_> = kept["refused"].as_array().expect("a list").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["not_asserted", "quote_not_found"], "{kept}");
    let version = kept["admitted"][0]["version"].as_str().expect("an id").to_owned();
    done(ask(&client, "remember", json!({"text": "Answer me briefly.", "kind": "preference"})).await);

    let recalled = ask(&client, "recall", json!({"query": "Where do I live?"})).await;
    assert!(text(&recalled).starts_with(DATA), "{}", text(&recalled));
    assert_eq!(done(recalled)["items"][0]["id"], *version);

    let turn = ask(&client, "turn", json!({"message": "Find a flat for me in the city where I live"})).await;
    assert!(text(&turn).contains("Zagreb"), "{}", text(&turn));
    let turned = done(turn);
    assert!(turned["packet"]["text"].as_str().expect("a packet").contains("Zagreb"), "{turned}");

    let why = done(ask(&client, "why", json!({"id": version})).await);
    assert_eq!(why["claims"][0]["quote"], "I moved to Zagreb in May.");

    let found = ask(&client, "search", json!({"query": "Zagreb"})).await;
    // Clients that know this tool read its text as JSON.
    assert_eq!(serde_json::from_str::<Json>(&text(&found)).expect("JSON"), *structured(&found));
    let found = done(found);
    let results = found["results"].as_array().expect("a list");
    let ids: Vec<_> = results.iter().map(|hit| hit["id"].as_str().expect("an id")).collect();
    assert!(ids.contains(&&*version) && ids.iter().any(|id| id.starts_with("ev_")), "{found}");
    for id in ids {
        let fetched = done(ask(&client, "fetch", json!({"id": id})).await);
        let told = fetched["text"].as_str().expect("a text");
        assert!(told.starts_with(DATA) && told.contains("Zagreb"), "{fetched}");
    }

    let corrected = done(ask(&client, "correct", json!({"id": version, "text": "I live in Split."})).await);
    let now = done(ask(&client, "recall", json!({"query": "Split"})).await);
    assert!(now.to_string().contains("Split"), "{corrected} {now}");

    let evidence = kept["evidence"].as_str().expect("an id");
    let would = done(ask(&client, "forget", json!({"ids": [evidence], "dry_run": true})).await);
    assert_eq!(would["dry_run"], true);
    assert!(!structured(&ask(&client, "why", json!({"id": evidence})).await)["evidence"].is_null());
    let gone = done(ask(&client, "forget", json!({"ids": [evidence]})).await);
    assert_eq!(gone["residue"], 0, "{gone}");
    let refused = ask(&client, "why", json!({"id": evidence})).await;
    assert_eq!(refused.is_error, Some(true));
    assert_eq!(structured(&refused)["code"], "not_found");
}

#[tokio::test]
async fn a_refusal_is_a_result_and_an_unknown_tool_an_error() {
    let client = House::default().client("ana").await;
    for (tool, arguments, code) in [
        ("why", json!({"id": "ve_00000000000000000000000000"}), "not_found"),
        ("why", json!({}), "bad_request"),
        ("recall", json!({"query": "a", "limit": "many"}), "bad_request"),
        ("recall", json!({"query": "a", "nonsense": 1}), "bad_request"),
        ("remember", json!({"text": "I live here.", "kind": "fact", "proposals": []}), "bad_request"),
        ("forget", json!({"ids": []}), "bad_request"),
        ("forget", json!({"everything": true}), "bad_request"),
    ] {
        let refused = ask(&client, tool, arguments.clone()).await;
        assert_eq!(refused.is_error, Some(true), "{tool} {arguments}: {refused:?}");
        assert_eq!(structured(&refused)["code"], code, "{tool} {arguments}: {refused:?}");
        assert!(structured(&refused)["detail"].is_string());
    }
    let error = client.call_tool(of("forget_everything", json!({}))).await.expect_err("no such tool");
    let ServiceError::McpError(error) = error else { panic!("{error:?}") };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn resources_are_read_and_marked_as_one_persons() {
    let client = House::default().client("ana").await;
    done(ask(&client, "remember", json!({"text": "I am allergic to peanuts."})).await);
    let listed = client.list_all_resources().await.expect("a list");
    assert_eq!(
        listed.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(),
        ["testimony://profile", "testimony://beliefs"]
    );
    let profile = read(&client, "testimony://profile").await;
    assert!(profile["text"].as_str().expect("a text").contains("peanuts"), "{profile}");
    let beliefs = read(&client, "testimony://beliefs").await;
    assert_eq!(beliefs["items"], json!([]));
    assert!(beliefs["notices"][0].as_str().expect("a notice").contains("compiled"), "{beliefs}");
    let found = done(ask(&client, "search", json!({"query": "peanuts"})).await);
    let receipt = read(&client, found["results"][0]["url"].as_str().expect("an address")).await;
    assert!(receipt.to_string().contains("allergic to peanuts"), "{receipt}");
    for nowhere in ["testimony://nothing", "testimony://receipts/ve_00000000000000000000000000"] {
        let error = client.read_resource(ReadResourceRequestParams::new(nowhere)).await.expect_err(nowhere);
        assert!(matches!(error, ServiceError::McpError(_)), "{error:?}");
    }
}

async fn read(client: &Client, address: &str) -> Json {
    let read = client.read_resource(ReadResourceRequestParams::new(address)).await.expect("a resource");
    assert_eq!((read.cache_scope, read.ttl_ms), (Some(CacheScope::Private), Some(0)));
    let [ResourceContents::TextResourceContents { text, .. }] = read.contents.as_slice() else {
        panic!("{read:?}")
    };
    serde_json::from_str(text).expect("JSON")
}

#[tokio::test]
async fn the_memory_servers_tools_keep_a_graph_of_notes() {
    let house = House { memory_server: true, ..House::default() };
    let client = house.client("ana").await;
    let entities = json!({"entities": [
        {"name": "John Smith", "entityType": "person", "observations": ["Speaks fluent Spanish", "Likes tea?"]},
        {"name": "Acme", "entityType": "organisation", "observations": ["Makes anvils"]},
        {"name": "Nobody", "entityType": "person", "observations": []},
    ]});
    let kept = done(ask(&client, "create_entities", entities).await);
    assert_eq!(kept["entities"][0]["observations"], json!(["Speaks fluent Spanish", "Likes tea?"]), "{kept}");
    assert!(kept["notices"].to_string().contains("`nobody` has no observations"), "{kept}");
    let relation = json!({"from": "John Smith", "to": "Acme", "relationType": "works_at"});
    let related = done(ask(&client, "create_relations", json!({"relations": [relation]})).await);
    assert_eq!(related["relations"], json!([relation]), "{related}");
    let more = json!({"observations": [{"entityName": "john smith", "contents": ["Has a red bicycle"]}]});
    let added = done(ask(&client, "add_observations", more).await);
    assert_eq!(added["results"][0]["addedObservations"], json!(["Has a red bicycle"]), "{added}");

    let graph = done(ask(&client, "read_graph", json!({})).await);
    assert_eq!(
        graph["entities"],
        json!([
            {"name": "acme", "entityType": "organisation", "observations": ["Makes anvils"]},
            {"name": "john-smith", "entityType": "person",
             "observations": ["Speaks fluent Spanish", "Likes tea?", "Has a red bicycle"]},
        ])
    );
    let slugs = json!([{"from": "john-smith", "to": "acme", "relationType": "works_at"}]);
    assert_eq!(graph["relations"], slugs);
    let found = done(ask(&client, "search_nodes", json!({"query": "bicycle"})).await);
    assert_eq!(found["entities"][0]["name"], "john-smith", "{found}");
    let opened = done(ask(&client, "open_nodes", json!({"names": ["John Smith", "Acme"]})).await);
    assert_eq!(opened["relations"], slugs);

    let gone = json!({"deletions": [{"entityName": "John Smith", "observations": ["Likes tea?"]}]});
    assert_eq!(done(ask(&client, "delete_observations", gone).await)["message"], "1 observations forgotten");
    done(ask(&client, "delete_relations", json!({"relations": [relation]})).await);
    done(ask(&client, "delete_entities", json!({"entityNames": ["Acme"]})).await);
    let graph = done(ask(&client, "read_graph", json!({})).await);
    let rest = json!([{"name": "john-smith", "entityType": "person",
                       "observations": ["Speaks fluent Spanish", "Has a red bicycle"]}]);
    assert_eq!((&graph["entities"], &graph["relations"]), (&rest, &json!([])));
    let nothing = done(ask(&client, "delete_entities", json!({"entityNames": ["Acme"]})).await);
    assert!(nothing["message"].as_str().expect("a text").starts_with("no memories"), "{nothing}");
}

/// What came in by other ways is in the graph, too: a dispute is told as one, and each side can be forgotten.
#[tokio::test]
async fn the_graph_shows_what_documents_said() {
    let server = House { memory_server: true, ..House::default() }.server();
    let caller = Caller::of(subject("ana"));
    let document = |name: &str, people: &str| {
        let text = format!("Acme has {people} employees.");
        let claim = json!({"entity": "acme", "predicate": "headcount", "value": people, "confidence": 0.9, "quote": text});
        json!({"source": {"kind": "document", "ref": name}, "author": "external", "text": text, "proposals": [claim]})
    };
    let messages = json!({"messages": [document("brochure", "250"), document("register", "300")]});
    let observe = AnyVerb::of::<Observe>();
    server.ask(&observe, &caller, None, None, messages).await.expect("taken in");
    let client = client(Face::new(server, caller, None)).await;
    let graph = done(ask(&client, "read_graph", json!({})).await);
    let observations = json!(["headcount: 250 (disputed)", "headcount: 300 (disputed)"]);
    assert_eq!(graph["entities"], json!([{"name": "acme", "entityType": "", "observations": observations}]));
    let gone = json!({"deletions": [{"entityName": "Acme", "observations": [observations[0]]}]});
    assert_eq!(done(ask(&client, "delete_observations", gone).await)["message"], "1 observations forgotten");
    let graph = done(ask(&client, "read_graph", json!({})).await);
    assert_eq!(graph["entities"][0]["observations"], json!(["headcount: 300"]), "{graph}");
}

/// Clients ask a person before a tool that destroys, and need not before one that only reads.
#[test]
fn every_tool_says_what_it_may_do() {
    for tools in [Tools::own(), Tools::memory_server()] {
        for tool in tools.iter() {
            let told = tool.listed.annotations.as_ref().expect("annotations");
            let reads = tool.verb.right == server::access::Right::Read;
            let forgets = tool.verb.right == server::access::Right::Forget;
            assert_eq!(told.open_world_hint, Some(false));
            assert_eq!(told.destructive_hint, Some(forgets), "{}", tool.listed.name);
            assert_eq!(told.read_only_hint, Some(reads), "{}", tool.listed.name);
        }
    }
}

/// The structured answer, provided it was not refused.
fn done(result: CallToolResult) -> Json {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    structured(&result).clone()
}

fn structured(result: &CallToolResult) -> &Json {
    result.structured_content.as_ref().expect("structured content")
}
