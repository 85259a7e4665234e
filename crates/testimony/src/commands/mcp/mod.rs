//! `testimony mcp`.

mod client;
mod edit;
mod install;

use std::io::IsTerminal;
use std::sync::Arc;

use clap::{Subcommand, ValueEnum};
use server::access::Caller;
use server::mcp::{Face, stdio};
use server::settings::Settings;
use server::{House, Server};

use super::serve;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Serve MCP to one agent, over standard input and output
///
/// The agent's client starts this; `mcp install` writes the entry that says so into the client's configuration. The agent can do
/// everything with the subject's memory and nothing with another's. Several of these, the command line and `testimony serve` may use one
/// data directory at once. The end of input or SIGTERM ends it: what is in flight is finished first.
///
/// Standard output is the protocol's. The log goes to standard error and holds no words and no names; TESTIMONY_LOG says how much.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Over HTTP the same is at /mcp of `testimony serve`.

Examples:
  testimony mcp install --client claude-code
  testimony --subject ana mcp
  testimony mcp --compat memory-server"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    order: Option<Order>,
    /// Have the tools of another server in the place of this one's
    #[arg(long, value_enum, value_name = "SERVER")]
    compat: Option<Compat>,
}

#[derive(Subcommand)]
enum Order {
    Install(install::Arguments),
}

/// A server whose tools can be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Compat {
    /// The protocol's own memory server, with its nine tools
    MemoryServer,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match arguments.order {
        Some(Order::Install(install)) => install::run(context, install),
        None => serve(context, arguments.compat),
    }
}

fn serve(context: &Context, compat: Option<Compat>) -> Outcome {
    let engine = Arc::new(context.create()?);
    serve::log(context.json)?;
    if std::io::stdin().is_terminal() {
        context
            .say("hint: an agent's client starts this; `testimony mcp install --client NAME` tells it how");
    }
    let subject = context.scope.subject().clone();
    let settings = Settings { memory_server_tools: compat.is_some(), ..Settings::of(subject.clone()) };
    let (background, written) = serve::embedding(&engine)?;
    let house = House {
        book: server::access::book::Book::at(context.book()),
        tokens: None,
        settings,
        clock: context.clock(),
        written,
        // The agent that asks is the model here.
        reads: None,
    };
    let runtime = serve::runtime(&house.settings)?;
    tracing::info!("serving one agent");
    let face = Face::new(Server::new(engine, house), Caller::of(subject), None);
    let ended = runtime.block_on(async {
        let stop = serve::stop()?;
        Ok::<_, Failure>(stdio::serve(face, tokio::io::stdin(), tokio::io::stdout(), stop).await)
    });
    // A read of standard input may stand still for ever, and what was in flight is finished.
    runtime.shutdown_background();
    drop(background);
    match ended? {
        stdio::Ended::Whole => Ok(Exit::Done),
        stdio::Ended::NotBegun => Err(Failure::input("what came in is not the protocol")
            .hint("an agent's client starts this; `testimony mcp install --client NAME` tells it how")
            .into()),
        stdio::Ended::CutOff => {
            tracing::warn!("ended; a call that took too long was cut off");
            Ok(Exit::Done)
        }
    }
}
