//! Names: what things are called, by their own name and by the names the owner or a document gave them besides.

use ledger::claim::Realm;
use ledger::entity::EntityRef;
use rustc_hash::FxHashMap;

use crate::lexical::{Analysis, Purpose, Role, analyse};
use crate::subject::Snapshot;

/// The predicate that gives a thing another name, where the registry has it.
pub(crate) const ALSO_CALLED: &str = "also_called";

/// The words of names, looked up once a turn for each entity.
#[derive(Default)]
pub(crate) struct Names<'read> {
    known: FxHashMap<(&'read EntityRef, Realm), Vec<Vec<String>>>,
}

impl<'read> Names<'read> {
    /// The names of an entity as stems, each a list of words that is not empty: its own name first, then those that
    /// count in `realm`.
    pub fn of(&mut self, snapshot: &'read Snapshot, entity: &'read EntityRef, realm: Realm) -> &[Vec<String>] {
        self.known.entry((entity, realm)).or_insert_with(|| {
            let own = entity.name().replace(['-', '_', '.'], " ");
            let aliases = snapshot.aliases(entity, realm);
            let names = std::iter::once(own.as_str()).chain(aliases);
            names.map(stems).filter(|name| !name.is_empty()).collect()
        })
    }
}

/// The content words of a name, stemmed as the index stems them.
pub(crate) fn stems(name: &str) -> Vec<String> {
    let mut analysis = Analysis::default();
    analyse(name, Purpose::Document, &mut analysis);
    let content = analysis.terms().filter(|term| term.role == Role::Stem && !term.stop);
    content.map(|term| term.text.to_owned()).collect()
}
