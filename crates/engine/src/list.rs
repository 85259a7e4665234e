//! Listing: what is kept of the owner, by kind, page by page.

use ledger::claim::Realm;
use ledger::id::{Kind, VersionId};
use ledger::registry::Class;
use serde_json::Map;

use crate::answer::Recalled;
use crate::error::EngineError;
use crate::recall::{as_of, check_page};
use crate::view::View;
use crate::{Call, Engine, open_id};

/// What is listed.
#[derive(Clone, Debug)]
pub struct List {
    /// Which kind: `entry` (notes and preferences, what `remember` keeps), `fact` (all others), `all`, or the name of a
    /// class, such as `preference` or `constraint`.
    pub kind: String,
    /// Items, at most.
    pub limit: usize,
    /// The id of the last item of the page before; from the newest, when left out.
    pub after: Option<String>,
    /// Whether what documents and others said is listed, too.
    pub world: bool,
}

impl Default for List {
    fn default() -> Self {
        Self { kind: "entry".to_owned(), limit: 50, after: None, world: false }
    }
}

/// A kind of entry.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    Entries,
    Facts,
    Class(Class),
}

impl Engine {
    /// What holds now, the newest first.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an unknown kind or a limit out of bounds, [`EngineError::NotFound`] for an unknown
    /// `after`.
    pub fn list(&self, call: Call<'_>, list: &List) -> Result<Recalled, EngineError> {
        let wanted = read_kind(&list.kind)?;
        check_page(list.limit)?;
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, None, None);
            let view = View { snapshot, registry: self.registry(), as_of };
            let after = list.after.as_deref().map(|id| open_id(snapshot, Kind::Version, id).map(VersionId));
            let after = after.transpose()?;
            let mut found: Vec<_> = view
                .current()
                .filter(|(_, version)| after.is_none_or(|after| version.id < after))
                .filter(|(fact, _)| {
                    fact.key.as_ref().is_some_and(|key| {
                        let class = self.registry().get(&key.predicate).map(|predicate| predicate.class);
                        (list.world || key.realm == Realm::Owner)
                            && class.is_some_and(|class| wanted.includes(class))
                    })
                })
                .collect();
            found.sort_by_key(|(_, version)| std::cmp::Reverse(version.id));
            let truncated = found.len() > list.limit;
            let items: Vec<_> = found
                .iter()
                .take(list.limit)
                .filter_map(|(fact, version)| view.item(fact, version, 1.0, Map::new()))
                .collect();
            Ok(Recalled {
                grain: "fact".to_owned(),
                negative: items.is_empty().then(|| "known_empty".to_owned()),
                items,
                as_of: view.as_of_text(),
                watermark: as_of.watermark,
                degraded: Vec::new(),
                truncated,
                notices: Vec::new(),
            })
        })
    }
}

impl Wanted {
    fn includes(self, class: Class) -> bool {
        let is_entry = matches!(class, Class::Note | Class::Preference);
        match self {
            Self::All => true,
            Self::Entries => is_entry,
            Self::Facts => !is_entry,
            Self::Class(wanted) => class == wanted,
        }
    }
}

fn read_kind(kind: &str) -> Result<Wanted, EngineError> {
    const CLASSES: [Class; 7] = [
        Class::Identity,
        Class::Constraint,
        Class::Preference,
        Class::Project,
        Class::Relationship,
        Class::World,
        Class::Note,
    ];
    match kind {
        "all" => Ok(Wanted::All),
        "entry" => Ok(Wanted::Entries),
        "fact" => Ok(Wanted::Facts),
        class => {
            CLASSES.into_iter().find(|known| known.as_str() == class).map(Wanted::Class).ok_or_else(|| {
                let known: Vec<&str> = CLASSES.iter().map(|class| class.as_str()).collect();
                let short: String = class.chars().take(60).collect();
                EngineError::Input(format!(
                    "kind `{short}` is none of `entry`, `fact`, `all`, `{}`",
                    known.join("`, `")
                ))
            })
        }
    }
}
