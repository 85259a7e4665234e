//! `testimony access`.

use std::fmt::Write;

use clap::Subcommand;
use ledger::scope::Subject;
use serde::Serialize;
use server::access::book::{Book, BookError, KeyTold, NewKey, Random};
use server::access::{Right, Rights, Subjects};

use crate::context::{Context, Outcome, maybe_instant};
use crate::failure::{Exit, Failure, Stop};

/// Say who may ask the server
///
/// A key stands in `access.json` of the data directory by its hash; whose memory it is for is sealed with the key itself. A server that
/// runs sees a change at its next call.
#[derive(clap::Args)]
#[command(
    subcommand_required = true,
    after_help = "\
Scopes:
  read      ask what is remembered               forget   forget
  write     say, correct, decide disputes        admin    keys, policies, checks
  service   speak as the service itself

Examples:
  testimony access create laptop --scope read --scope write --for ana
  testimony access create assistant --scope read --scope write --scope service --all-subjects
  testimony access list
  testimony access revoke key_…"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    order: Order,
}

#[derive(Subcommand)]
enum Order {
    /// Make a key; it is shown once
    Create {
        /// What its holder is called on receipts and decisions
        name: String,
        /// What it allows; may be given several times
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = right)]
        scopes: Vec<Right>,
        /// Whose memory it is for; may be given several times [default: the subject of this command]
        #[arg(long = "for", value_name = "SUBJECT")]
        subjects: Vec<String>,
        /// For every subject
        #[arg(long, conflicts_with = "subjects")]
        all_subjects: bool,
        /// The first instant at which it is not valid
        #[arg(long, value_name = "INSTANT")]
        expires: Option<String>,
    },
    /// Tell which keys there are
    List,
    /// Take a key away, from now on
    Revoke {
        /// Its id, as `list` tells it
        id: String,
    },
}

#[derive(Serialize)]
struct Made {
    key: String,
    #[serde(flatten)]
    told: KeyTold,
}

fn right(written: &str) -> Result<Right, String> {
    Right::named(written).ok_or_else(|| "none of read, write, forget, admin, service".to_owned())
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let book = Book::at(context.book());
    match arguments.order {
        Order::Create { name, scopes, subjects, all_subjects, expires } => {
            let named = subjects.iter().map(|name| Subject::parse(name));
            let named =
                named.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::input(error.to_string()))?;
            let subjects = match (all_subjects, named.is_empty()) {
                (true, _) => Subjects::All,
                (false, true) => Subjects::Only(vec![context.scope.subject().clone()]),
                (false, false) => Subjects::Only(named),
            };
            let new = NewKey {
                name,
                rights: Rights::of(&scopes),
                subjects,
                expires: maybe_instant("--expires", expires.as_deref())?,
            };
            context.store()?;
            let random =
                Random::draw().map_err(|error| Failure::input(format!("no random bytes: {error}")))?;
            let (key, told) = book.create(&new, &random, context.now()).map_err(failed)?;
            let made = Made { key: key.reveal().to_string(), told };
            context.answer(&made, |made| format!("{}\n", made.key))?;
            if !context.json {
                context.say(&format!("{}; keep the key, it is not shown again", made.told.id));
            }
            Ok(Exit::Done)
        }
        Order::List => {
            let keys = book.list().map_err(failed)?;
            context.answer(&serde_json::json!({"keys": keys}), |_| {
                let mut told = String::new();
                for key in &keys {
                    let scopes: Vec<&str> = key.scopes.iter().map(|right| right.as_str()).collect();
                    let whose = if key.all_subjects { "every subject" } else { "its subjects" };
                    let until =
                        key.expires.as_ref().map(|until| format!(", until {until}")).unwrap_or_default();
                    _ = writeln!(
                        told,
                        "{} {} {}… · {} · {whose} · since {}{until}",
                        key.id,
                        key.name,
                        key.hint,
                        scopes.join(" "),
                        key.created
                    );
                }
                told
            })?;
            Ok(Exit::Done)
        }
        Order::Revoke { id } => match book.revoke(&id).map_err(failed)? {
            true => {
                context.answer(&serde_json::json!({"revoked": id}), |_| {
                    format!("{id} opens nothing any more\n")
                })?;
                Ok(Exit::Done)
            }
            false => Err(Failure {
                exit: Exit::Refused,
                code: "not_found",
                message: format!("there is no key `{id}`"),
                hint: Some("`testimony access list` tells them"),
            }
            .into()),
        },
    }
}

fn failed(error: BookError) -> Stop {
    match error {
        BookError::File { path, source } => Failure::file("use", &path, &source).into(),
        BookError::Damaged { .. } => {
            Failure { exit: Exit::Damaged, code: "damaged", message: error.to_string(), hint: None }.into()
        }
        BookError::Input(message) => Failure::input(message).into(),
    }
}
