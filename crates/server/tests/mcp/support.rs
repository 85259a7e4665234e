//! A server over an empty memory, and clients of it.

use std::sync::Arc;

use engine::Engine;
use engine::tokens::Tokens;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::Subject;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value as Json;
use server::Server;
use server::access::book::Book;
use server::access::{Caller, Rights, Subjects};
use server::mcp::{Face, stdio};
use server::settings::Settings;

pub type Client = RunningService<RoleClient, ()>;

/// What a server is made of.
#[derive(Default)]
pub struct House {
    pub memory_server: bool,
    /// Calls at once; as many as usual, when 0.
    pub calls_at_once: usize,
    /// Calls of one key a second; any number, when 0.
    pub calls_per_second: u32,
    /// The book of keys; none, when empty.
    pub book: std::path::PathBuf,
}

impl House {
    pub fn server(&self) -> Server {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let usual = Settings::of(subject("ana"));
        let calls_at_once = if self.calls_at_once == 0 { usual.calls_at_once } else { self.calls_at_once };
        let settings = Settings {
            memory_server_tools: self.memory_server,
            calls_per_second: self.calls_per_second,
            burst: 2,
            calls_at_once,
            ..usual
        };
        let now = "2026-11-30T12:00:00Z".parse().expect("an instant");
        let house = server::House {
            book: Book::at(&self.book),
            tokens: None,
            settings,
            clock: Arc::new(move || now),
            written: Box::new(|_| {}),
            reads: None,
        };
        Server::new(Arc::new(engine), house)
    }

    /// A client of a new memory, which is this subject's alone.
    pub async fn client(&self, name: &str) -> Client {
        client(Face::new(self.server(), Caller::of(subject(name)), None)).await
    }
}

pub fn subject(name: &str) -> Subject {
    Subject::parse(name).expect("a name")
}

/// Somebody with these rights over one subject.
pub fn holder(rights: Rights, name: &str) -> Caller {
    Caller::new("holder", rights, Subjects::Only(vec![subject(name)]))
}

pub async fn client(face: Face) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(theirs);
    tokio::spawn(stdio::serve(face, input, output, std::future::pending()));
    ().serve(ours).await.expect("a client")
}

pub fn of(tool: &str, arguments: Json) -> CallToolRequestParams {
    let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

pub async fn ask(client: &Client, tool: &str, arguments: Json) -> CallToolResult {
    client.call_tool(of(tool, arguments)).await.expect("an answer")
}

/// What a model reads.
pub fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect()
}
