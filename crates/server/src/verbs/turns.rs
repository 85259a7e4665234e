//! Turns: what one turn of a conversation may see, what it used, and whether it can be made again.

use std::collections::BTreeMap;

use engine::answer::{Replayed, TurnTold, Turned, TurnsListed, UsedInReply};
use engine::turn::Turn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ById;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Resolves a turn.
pub struct ResolveTurn;

/// A message that is about to be answered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnAsked {
    /// The message.
    #[schemars(length(max = 65_536))]
    pub message: String,
    /// The policy, by name; the promoted one, when left out.
    #[serde(default)]
    pub policy: Option<String>,
    /// Tokens of the packet, at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200_000))]
    pub budget_tokens: Option<u32>,
    /// Memories, at most; 12 when left out.
    #[serde(default)]
    #[schemars(range(max = 12))]
    pub slots: Option<u32>,
    /// Whether the message is worth walking for.
    #[serde(default)]
    pub deep: bool,
    /// What the caller knows the turn is about: words under `topic` or `entity`. Others warn and are passed over.
    #[serde(default)]
    pub hints: BTreeMap<String, String>,
}

impl Verb for ResolveTurn {
    const NAME: &'static str = "turn";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Choose what one turn may see, and record how";
    type Input = TurnAsked;
    type Answer = Turned;

    fn run(asked: &Asked<'_>, turn: TurnAsked) -> Result<Turned, Refusal> {
        let turn = Turn {
            message: turn.message,
            policy: turn.policy,
            budget_tokens: turn.budget_tokens,
            slots: turn.slots,
            deep: turn.deep,
            hints: turn.hints.into_iter().collect(),
        };
        Ok(asked.engine.turn(asked.call(), &turn)?)
    }
}

/// Lists recorded turns.
pub struct ListTurns;

/// Which turns are listed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnsAsked {
    /// Turns, at most; 50 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    /// The id of the last turn of the page before; from the newest, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A page of recorded turns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TurnsPage {
    /// The turns.
    #[serde(flatten)]
    pub listed: TurnsListed,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ListTurns {
    const NAME: &'static str = "turns";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The turns that were resolved, the newest first";
    type Input = TurnsAsked;
    type Answer = TurnsPage;

    fn run(asked: &Asked<'_>, input: TurnsAsked) -> Result<TurnsPage, Refusal> {
        let listed = asked.engine.turns(asked.call(), input.limit.unwrap_or(50), input.cursor.as_deref())?;
        let next = listed.turns.last().filter(|_| listed.truncated).map(|turn| turn.turn.clone());
        Ok(TurnsPage { listed, next })
    }
}

/// Tells one recorded turn.
pub struct ShowTurn;

impl Verb for ShowTurn {
    const NAME: &'static str = "recorded_turn";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What a turn considered, chose and used, with every reason";
    type Input = ById;
    type Answer = TurnTold;

    fn run(asked: &Asked<'_>, input: ById) -> Result<TurnTold, Refusal> {
        Ok(asked.engine.recorded_turn(asked.call(), &input.id)?)
    }
}

/// Records what a reply used.
pub struct RecordUse;

/// What was used of a turn: handles, or a reply whose citations are read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UseTold {
    /// The turn.
    pub id: String,
    /// Handles of the packet, such as `M1`.
    #[serde(default)]
    pub handles: Vec<String>,
    /// The reply; the handles it cites in brackets were used. It is read and not kept.
    #[serde(default)]
    pub reply: Option<String>,
}

impl Verb for RecordUse {
    const NAME: &'static str = "used";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Record which selected memories a reply really used";
    type Input = UseTold;
    type Answer = UsedInReply;

    fn run(asked: &Asked<'_>, told: UseTold) -> Result<UsedInReply, Refusal> {
        match told.reply {
            Some(_) if !told.handles.is_empty() => {
                Err(Refusal::bad_input("give `handles` or `reply`, not both"))
            }
            Some(reply) => Ok(asked.engine.used_in_reply(asked.call(), &told.id, &reply)?),
            None => {
                let used = asked.engine.used(asked.call(), &told.id, &told.handles)?;
                Ok(UsedInReply { turn: used.turn, cited: told.handles, unknown: Vec::new(), used: used.used })
            }
        }
    }
}

/// Makes a turn again.
pub struct ReplayTurn;

impl Verb for ReplayTurn {
    const NAME: &'static str = "replay";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Make a turn again and compare, byte for byte";
    type Input = ById;
    type Answer = Replayed;

    fn run(asked: &Asked<'_>, input: ById) -> Result<Replayed, Refusal> {
        Ok(asked.engine.replay(asked.call(), &input.id)?)
    }
}
