//! Nobody reaches what is not theirs. What is tried is made from the tables of tools, so that a new tool cannot be forgotten.

use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};
use server::Server;
use server::access::{Caller, Right, Rights};
use server::mcp::Face;
use server::mcp::tool::{Tool, Tools};

use super::support::{Client, House, ask, client, holder, of, subject};

/// Stands in nothing but what Ben said.
const NEEDLE: &str = "quetzalcoatl";

/// What a tool is asked with `id` in every place where an id is taken, and whether there is one.
fn arguments(tool: &str, id: &str) -> (Json, bool) {
    match tool {
        "remember" => (json!({"text": "I like tea.", "proposals": []}), false),
        "recall" | "search" | "search_nodes" => (json!({"query": NEEDLE}), false),
        "turn" => (json!({"message": format!("What do you know about {NEEDLE}?")}), false),
        "why" | "fetch" => (json!({"id": id}), true),
        "forget" => (json!({"ids": [id]}), true),
        "correct" => (json!({"id": id, "text": "I like coffee."}), true),
        "create_entities" => (
            json!({"entities": [{"name": "Ana", "entityType": "person", "observations": ["Likes tea"]}]}),
            false,
        ),
        "create_relations" | "delete_relations" => {
            (json!({"relations": [{"from": "ana", "to": NEEDLE, "relationType": "knows"}]}), false)
        }
        "add_observations" => {
            (json!({"observations": [{"entityName": "ana", "contents": ["Likes tea"]}]}), false)
        }
        "delete_entities" => (json!({"entityNames": [NEEDLE]}), false),
        "delete_observations" => {
            (json!({"deletions": [{"entityName": NEEDLE, "observations": ["Likes tea"]}]}), false)
        }
        "read_graph" => (json!({}), false),
        "open_nodes" => (json!({"names": [NEEDLE]}), false),
        other => panic!("`{other}` is a new tool: say what it is asked here"),
    }
}

/// Ben's memory, with the ids of what he said.
async fn bens(server: &Server) -> Vec<String> {
    let ben = client(Face::new(server.clone(), Caller::of(subject("ben")), None)).await;
    let (tool, told) = match server.house().settings.memory_server_tools {
        false => ("remember", json!({"text": format!("I like {NEEDLE}.")})),
        true => (
            "create_entities",
            json!({"entities": [{"name": NEEDLE, "entityType": "bird", "observations": [format!("Is a {NEEDLE}")]}]}),
        ),
    };
    let kept = ask(&ben, tool, told).await;
    assert_eq!(kept.is_error, Some(false), "{kept:?}");
    // By the engine, since the other set of tools tells no ids.
    let scope = Caller::of(subject("ben")).scope(None).expect("a scope");
    let call = engine::Call { scope: &scope, now: server.now() };
    let list = engine::list::List { kind: "all".to_owned(), world: true, ..engine::list::List::default() };
    let items = server.engine().list(call, &list).expect("a list").items;
    assert!(!items.is_empty());
    let sources = server.engine().sources(call).expect("sources").sources;
    let ids = items.into_iter().flat_map(|item| [Some(item.id), item.fact]).flatten();
    ids.chain(sources.into_iter().map(|source| source.id)).collect()
}

fn both() -> [(bool, Vec<Tool>); 2] {
    [(false, Tools::own()), (true, Tools::memory_server())]
        .map(|(memory_server, tools)| (memory_server, tools.iter().cloned().collect()))
}

async fn asked(client: &Client, tool: &Tool, id: &str) -> CallToolResult {
    ask(client, &tool.listed.name, arguments(&tool.listed.name, id).0).await
}

fn code(result: &CallToolResult) -> &str {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    result.structured_content.as_ref().and_then(|told| told["code"].as_str()).expect("a code")
}

#[tokio::test]
async fn a_foreign_id_is_as_unknown_as_one_that_never_was() {
    for (memory_server, tools) in both() {
        let server = House { memory_server, ..House::default() }.server();
        let foreign = bens(&server).await;
        let ana = client(Face::new(server.clone(), Caller::of(subject("ana")), None)).await;
        for tool in &tools {
            for id in &foreign {
                let kind = id.split('_').next().unwrap_or_default();
                let never = format!("{kind}_00000000000000000000000000");
                let (theirs, unknown) = (asked(&ana, tool, id).await, asked(&ana, tool, &never).await);
                if arguments(&tool.listed.name, id).1 {
                    assert_eq!(code(&theirs), code(&unknown), "{}", tool.listed.name);
                    let told = |result: &CallToolResult, id: &str| format!("{result:?}").replace(id, "ID");
                    assert_eq!(told(&theirs, id), told(&unknown, &never), "{}", tool.listed.name);
                }
                let echo = arguments(&tool.listed.name, id).0.to_string().contains(NEEDLE);
                let told = format!("{theirs:?}");
                assert!(echo || !told.contains(NEEDLE), "{}: {told}", tool.listed.name);
                assert!(!told.contains(&format!("like {NEEDLE}")), "{}: {told}", tool.listed.name);
                assert!(!told.contains(&format!("Is a {NEEDLE}")), "{}: {told}", tool.listed.name);
            }
        }
        for id in &foreign {
            let receipt = format!("testimony://receipts/{id}");
            let read = ana.read_resource(rmcp::model::ReadResourceRequestParams::new(receipt)).await;
            assert!(read.is_err(), "{read:?}");
        }
        // It is all still there for the one who said it.
        let after = bens(&server).await;
        assert!(foreign.iter().all(|id| after.contains(id)), "{foreign:?} {after:?}");
    }
}

#[tokio::test]
async fn a_right_that_is_missing_and_a_subject_that_is_foreign_are_refused() {
    for (memory_server, tools) in both() {
        let server = House { memory_server, ..House::default() }.server();
        let before = bens(&server).await;
        for tool in &tools {
            let others: Vec<Right> =
                Right::ALL.into_iter().filter(|right| *right != tool.verb.right).collect();
            let without = holder(Rights::of(&others), "ana");
            let ana = client(Face::new(server.clone(), without, None)).await;
            assert_eq!(code(&asked(&ana, tool, &before[0]).await), "not_permitted", "{}", tool.listed.name);
            let ana = holder(Rights::ALL, "ana");
            let as_ben = client(Face::new(server.clone(), ana, Some("ben".to_owned()))).await;
            assert_eq!(
                code(&asked(&as_ben, tool, &before[0]).await),
                "not_your_subject",
                "{}",
                tool.listed.name
            );
        }
        let server = House { memory_server, ..House::default() }.server();
        let ana = client(Face::new(server, holder(Rights::of(&[]), "ana"), None)).await;
        for address in ["testimony://profile", "testimony://beliefs", "testimony://receipts/ve_1"] {
            let read = ana.read_resource(rmcp::model::ReadResourceRequestParams::new(address)).await;
            let error = format!("{:?}", read.expect_err("refused"));
            assert!(error.contains("not_permitted"), "{error}");
        }
    }
}

/// There is no argument by which a call could name another subject.
#[tokio::test]
async fn no_argument_names_a_subject() {
    for (memory_server, tools) in both() {
        let server = House { memory_server, ..House::default() }.server();
        let ana = client(Face::new(server, Caller::of(subject("ana")), None)).await;
        for tool in &tools {
            for field in ["subject", "scope", "user", "tenant"] {
                let (mut told, _) = arguments(&tool.listed.name, "ve_1");
                told[field] = json!("ben");
                let refused = ana.call_tool(of(&tool.listed.name, told)).await.expect("a result");
                assert_eq!(code(&refused), "bad_request", "{} {field}", tool.listed.name);
            }
        }
    }
}
