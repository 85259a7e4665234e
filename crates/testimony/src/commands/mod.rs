//! The verbs, a file each: what it takes, what its help says, and what it answers.

pub(crate) mod access;
pub(crate) mod backup;
pub(crate) mod completions;
pub(crate) mod correct;
pub(crate) mod demo;
pub(crate) mod disputes;
pub(crate) mod doctor;
pub(crate) mod drill;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod keys;
pub(crate) mod lift;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod model;
pub(crate) mod observe;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod propose;
pub(crate) mod rebuild;
pub(crate) mod recall;
pub(crate) mod reembed;
pub(crate) mod remember;
pub(crate) mod replay;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod shadow;
pub(crate) mod sources;
pub(crate) mod state;
pub(crate) mod study;
pub(crate) mod timeline;
pub(crate) mod turn;
pub(crate) mod used;
pub(crate) mod verify;
pub(crate) mod why;

use crate::arguments::{Arguments, Verb};
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Stop};
use crate::hits;

/// Does what was asked and tells how it ended.
pub(crate) fn run(arguments: Arguments) -> Exit {
    let json = arguments.global.json;
    let outcome = Context::new(arguments.global).map_err(Stop::Failed).and_then(|context| {
        let outcome = dispatch(&context, arguments.verb);
        hits::keep(&context.data, context.now());
        outcome
    });
    match outcome {
        Ok(exit) => exit,
        Err(Stop::PipeClosed) => Exit::Done,
        Err(Stop::Failed(failure)) => {
            failure.tell(json);
            failure.exit
        }
    }
}

fn dispatch(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Init(arguments) => init::run(context, arguments),
        Verb::Observe(arguments) => observe::run(context, arguments),
        Verb::Remember(arguments) => remember::run(context, arguments),
        Verb::Import(arguments) => import::run(context, arguments),
        Verb::Propose(arguments) => propose::run(context, arguments),
        Verb::Recall(arguments) => recall::run(context, arguments),
        Verb::Profile(arguments) => profile::run(context, arguments),
        Verb::List(arguments) => list::run(context, arguments),
        Verb::Correct(arguments) => correct::run(context, arguments),
        Verb::Turn(arguments) => turn::run(context, arguments),
        Verb::Used(arguments) => used::run(context, arguments),
        Verb::Replay(arguments) => replay::run(context, arguments),
        Verb::Policy(arguments) => policy::run(context, arguments),
        Verb::Why(arguments) => why::run(context, arguments),
        Verb::History(arguments) => history::run(context, arguments),
        Verb::Timeline(arguments) => timeline::run(context, arguments),
        Verb::State(arguments) => state::run(context, arguments),
        Verb::Disputes(arguments) => disputes::run(context, arguments),
        Verb::Sources(arguments) => sources::run(context, arguments),
        Verb::Forget(arguments) => forget::run(context, arguments),
        Verb::Lift(arguments) => lift::run(context, arguments),
        Verb::Verify(arguments) => verify::run(context, arguments),
        Verb::Doctor(arguments) => doctor::run(context, arguments),
        Verb::Export(arguments) => export::run(context, arguments),
        Verb::Backup(arguments) => backup::run(context, arguments),
        Verb::Restore(arguments) => restore::run(context, arguments),
        Verb::Drill(arguments) => drill::run(context, arguments),
        Verb::Keys(arguments) => keys::run(context, arguments),
        Verb::Serve(arguments) => serve::run(context, arguments),
        Verb::Mcp(arguments) => mcp::run(context, arguments),
        Verb::Access(arguments) => access::run(context, arguments),
        Verb::Rebuild(arguments) => rebuild::run(context, arguments),
        Verb::Shadow(arguments) => shadow::run(context, arguments),
        Verb::Study(arguments) => study::run(context, arguments),
        Verb::Reembed(arguments) => reembed::run(context, arguments),
        Verb::Model(arguments) => model::run(context, arguments),
        Verb::Demo(arguments) => demo::run(context, arguments),
        Verb::Completions(arguments) => completions::run(context, arguments),
        Verb::Man(arguments) => man::run(context, arguments),
    }
}
