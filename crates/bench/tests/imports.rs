//! Everything people arrive with, imported twice: the counts balance, and the second time changes nothing.

use bench::imports::{SETS, broken, import};
use bench::stores::{StoreKind, engine, scope};

#[test]
fn a_second_import_changes_nothing() {
    for kind in StoreKind::ALL {
        for set in SETS {
            let place = tempfile::tempdir().expect("a directory");
            let engine = engine(kind.open(place.path()).expect("a store"));
            let scope = scope("importer").expect("a name");
            let first = import(&engine, &scope, set).expect("imported");
            let second = import(&engine, &scope, set).expect("imported");
            assert_eq!(broken(set, &first, &second), Vec::<String>::new(), "{kind:?} {first:#?} {second:#?}");
            assert!(first.stored > 100, "{set}: {first:#?}");
            assert_eq!(first.unfit, Vec::<String>::new());
        }
    }
}
