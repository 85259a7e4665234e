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
    /// count in `realm`. A name with a compound in it (`MongoDB`) stands twice: by the compound's parts, and as one word.
    pub fn of(
        &mut self,
        snapshot: &'read Snapshot,
        entity: &'read EntityRef,
        realm: Realm,
    ) -> &[Vec<String>] {
        self.known.entry((entity, realm)).or_insert_with(|| {
            let own = entity.name().replace(['-', '_', '.'], " ");
            let aliases = snapshot.aliases(entity, realm);
            let names = std::iter::once(own.as_str()).chain(aliases);
            names.flat_map(readings).filter(|name| !name.is_empty()).collect()
        })
    }
}

/// The content words of a name, stemmed as the index stems them: with compounds in parts, and with compounds whole.
fn readings(name: &str) -> [Vec<String>; 2] {
    let mut analysis = Analysis::default();
    analyse(name, Purpose::Document, &mut analysis);
    let terms = || analysis.terms().filter(|term| !term.stop);
    let parts = terms().filter(|term| term.role == Role::Stem).map(|term| term.text.to_owned()).collect();
    let is_compound = terms().any(|term| term.role == Role::Whole);
    let whole = terms().filter(|term| match term.role {
        Role::Whole => true,
        Role::Stem => term.compound == 0,
        _ => false,
    });
    [parts, if is_compound { whole.map(|term| term.text.to_owned()).collect() } else { Vec::new() }]
}

/// The folded words of a request that stand only as a part of a compound: the `ts` of `TSLint` names nothing.
pub(crate) fn mere_parts(request: &str) -> Vec<String> {
    let mut analysis = Analysis::default();
    analyse(request, Purpose::Query, &mut analysis);
    let stems = || analysis.terms().filter(|term| term.role == Role::Stem);
    let parts = stems().filter(|term| term.compound > 0);
    parts
        .filter(|part| !stems().any(|term| term.compound == 0 && term.surface == part.surface))
        .map(|part| part.surface.to_owned())
        .collect()
}
