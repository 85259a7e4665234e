//! Erasures: forgetting, what is shown of it afterwards, and letting what was forgotten be learnt again.

use engine::answer::{Forgotten, Lifted, Receipt, ReceiptChecked};
use engine::forget::{Forget as Forgetting, Which};
use engine::lift::Lifting;
use schemars::JsonSchema;
use serde::Deserialize;

use super::instant;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Forgets.
pub struct Forget;

/// Ids of one request, at most.
const IDS_MAX: usize = 10_000;

/// What is to be forgotten: ids; or messages by where and when they were said; or everything of the subject.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forgettable {
    /// Entries, facts, versions, claims, messages or sources, by id.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub ids: Vec<String>,
    /// A source, by id or as `kind:ref`. Alone it means the source with everything it ever said, now and when it comes again.
    #[serde(default)]
    pub source: Option<String>,
    /// What was said in this session.
    #[serde(default)]
    pub session: Option<String>,
    /// What was said at this instant or later, RFC 3339.
    #[serde(default)]
    pub from: Option<String>,
    /// What was said before this instant.
    #[serde(default)]
    pub to: Option<String>,
    /// Everything of the subject, with its keys.
    #[serde(default)]
    pub everything: bool,
    /// Only tell exactly what would go, stay and stand again.
    #[serde(default)]
    pub dry_run: bool,
}

impl Forgettable {
    fn read(self) -> Result<Forgetting, Refusal> {
        let which = Which {
            source: self.source,
            session: self.session,
            from: instant("from", self.from.as_deref())?,
            to: instant("to", self.to.as_deref())?,
        };
        let by_place =
            which.source.is_some() || which.session.is_some() || which.from.is_some() || which.to.is_some();
        match (self.ids.is_empty(), by_place, self.everything) {
            (false, false, false) if self.ids.len() > IDS_MAX => {
                Err(Refusal::bad_input(format!("`ids`: {} given; {IDS_MAX} are allowed", self.ids.len())))
            }
            (false, false, false) => Ok(Forgetting::Ids(self.ids)),
            (true, false, true) => Ok(Forgetting::Subject),
            (true, true, false) => Ok(match which {
                Which { source: Some(source), session: None, from: None, to: None } => {
                    Forgetting::Source(source)
                }
                which => Forgetting::Messages(which),
            }),
            (true, false, false) => Err(Refusal::bad_input("nothing to forget is named")
                .hint("give `ids`; or `source`, `session`, `from`, `to`; or `everything`")),
            _ => Err(Refusal::bad_input(
                "give `ids`; or `source`, `session`, `from`, `to`; or `everything`: one of the three",
            )),
        }
    }
}

impl Verb for Forget {
    const NAME: &'static str = "forget";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str =
        "Forget: the words are in no file afterwards, and what they had changed is undone";
    type Input = Forgettable;
    type Answer = Forgotten;

    fn run(asked: &Asked<'_>, forgettable: Forgettable) -> Result<Forgotten, Refusal> {
        let dry_run = forgettable.dry_run;
        let forget = forgettable.read()?;
        Ok(match dry_run {
            true => asked.engine.forget(asked.call(), &forget, true)?,
            false => asked.engine.forget_for(asked.call(), &forget, asked.caller.name())?,
        })
    }
}

/// Checks a receipt of an erasure.
pub struct CheckReceipt;

/// A receipt, as forgetting answered it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiptShown {
    /// The receipt.
    pub receipt: Receipt,
}

impl Verb for CheckReceipt {
    const NAME: &'static str = "check_receipt";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Whether the chain bears out the receipt of an erasure";
    type Input = ReceiptShown;
    type Answer = ReceiptChecked;

    fn run(asked: &Asked<'_>, shown: ReceiptShown) -> Result<ReceiptChecked, Refusal> {
        Ok(asked.engine.check_receipt(asked.call(), &shown.receipt)?)
    }
}

/// Lets what was forgotten be learnt again.
pub struct Lift;

/// What may be learnt again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Liftable {
    /// What a source said: its id while it is there, else `kind:ref`.
    #[serde(default)]
    pub source: Option<String>,
    /// Everything that was ever forgotten.
    #[serde(default)]
    pub everything: bool,
}

impl Verb for Lift {
    const NAME: &'static str = "lift";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Let what was forgotten be learnt again";
    type Input = Liftable;
    type Answer = Lifted;

    fn run(asked: &Asked<'_>, liftable: Liftable) -> Result<Lifted, Refusal> {
        let lifting = match liftable {
            Liftable { source: Some(source), everything: false } => Lifting::Source(source),
            Liftable { source: None, everything: true } => Lifting::Everything,
            _ => return Err(Refusal::bad_input("give `source` or `everything`, one of the two")),
        };
        Ok(asked.engine.lift(asked.call(), &lifting)?)
    }
}
