//! Keys: who may come in.

use ledger::scope::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ById, Nothing, instant};
use crate::access::book::{BookError, KeyTold, NewKey, Random};
use crate::access::{Right, Rights, Subjects};
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Tells the caller who it is.
pub struct WhoAmI;

/// Who the caller is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallerTold {
    /// What it is called on receipts and decisions.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Right>,
    /// Whose memory is meant by this request.
    pub subject: String,
}

impl Verb for WhoAmI {
    const NAME: &'static str = "whoami";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Who the caller is, what it may do, and whose memory is meant";
    type Input = Nothing;
    type Answer = CallerTold;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<CallerTold, Refusal> {
        Ok(CallerTold {
            name: asked.caller.name().to_owned(),
            scopes: Right::ALL.into_iter().filter(|right| asked.caller.may(*right)).collect(),
            subject: asked.scope.subject().as_str().to_owned(),
        })
    }
}

/// Lists the keys.
pub struct ListKeys;

/// The keys.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeysTold {
    /// In the order they were made.
    pub keys: Vec<KeyTold>,
}

impl Verb for ListKeys {
    const NAME: &'static str = "list_keys";
    const RIGHT: Right = Right::Admin;
    const SUMMARY: &'static str = "The keys there are; nothing by which one could be used";
    const OF_SUBJECT: bool = false;
    type Input = Nothing;
    type Answer = KeysTold;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<KeysTold, Refusal> {
        Ok(KeysTold { keys: asked.house.book.list().map_err(refused)? })
    }
}

/// Makes a key.
pub struct CreateKey;

/// What a new key is for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyWanted {
    /// What its holder is called on receipts and decisions.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// What it allows; at most what the caller's own allows.
    #[schemars(length(min = 1))]
    pub scopes: Vec<Right>,
    /// Whose memory it is for.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub subjects: Vec<String>,
    /// Whether it is for every subject.
    #[serde(default)]
    pub all_subjects: bool,
    /// The first instant at which it is not valid, RFC 3339; for ever, when left out.
    #[serde(default)]
    pub expires: Option<String>,
}

/// A new key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyMade {
    /// The key itself. It is shown this once.
    pub key: String,
    /// What is kept of it.
    #[serde(flatten)]
    pub told: KeyTold,
}

impl Verb for CreateKey {
    const NAME: &'static str = "create_key";
    const RIGHT: Right = Right::Admin;
    const SUMMARY: &'static str = "Make a key; it is shown once";
    const OF_SUBJECT: bool = false;
    type Input = KeyWanted;
    type Answer = KeyMade;

    fn run(asked: &Asked<'_>, wanted: KeyWanted) -> Result<KeyMade, Refusal> {
        for right in &wanted.scopes {
            asked.caller.must(*right)?;
        }
        let subjects =
            match (wanted.all_subjects, wanted.subjects.is_empty()) {
                (true, true) => asked.caller.all_subjects().then_some(Subjects::All).ok_or_else(|| {
                    Refusal::new(403, "not_permitted", "your own key is not for every subject")
                })?,
                (false, false) => {
                    let named = wanted.subjects.iter().map(|name| asked.caller.scope(Some(name)));
                    let scopes = named.collect::<Result<Vec<_>, _>>()?;
                    Subjects::Only(scopes.iter().map(|scope| Subject::clone(scope.subject())).collect())
                }
                _ => return Err(Refusal::bad_input("give `subjects` or `all_subjects`, one of the two")),
            };
        let new = NewKey {
            name: wanted.name,
            rights: Rights::of(&wanted.scopes),
            subjects,
            expires: instant("expires", wanted.expires.as_deref())?,
        };
        let random = Random::draw().map_err(|_| Refusal::fault("the system gives no random bytes"))?;
        let (key, told) = asked.house.book.create(&new, &random, asked.now).map_err(refused)?;
        Ok(KeyMade { key: key.reveal().to_string(), told })
    }
}

/// Takes a key away.
pub struct RevokeKey;

/// A key that was taken away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyRevoked {
    /// Its id.
    pub revoked: String,
}

impl Verb for RevokeKey {
    const NAME: &'static str = "revoke_key";
    const RIGHT: Right = Right::Admin;
    const SUMMARY: &'static str = "Take a key away, from now on";
    const OF_SUBJECT: bool = false;
    type Input = ById;
    type Answer = KeyRevoked;

    fn run(asked: &Asked<'_>, input: ById) -> Result<KeyRevoked, Refusal> {
        match asked.house.book.revoke(&input.id).map_err(refused)? {
            true => Ok(KeyRevoked { revoked: input.id }),
            false => Err(Refusal::not_found(&input.id)),
        }
    }
}

fn refused(error: BookError) -> Refusal {
    match error {
        BookError::Input(detail) => Refusal::bad_input(detail),
        BookError::File { .. } | BookError::Damaged { .. } => {
            tracing::error!(%error, "book of keys");
            Refusal::fault("the book of keys cannot be used; the operator's log says why")
        }
    }
}
