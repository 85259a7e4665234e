//! Every sample file, read: what each is taken for, and that nothing in it is lost.

mod support;

use importers::{Input, Options, detect};
use support::{by_reason, every_sample, import, printed};

/// File, format, messages and documents, refused by reason, joined. The whole of what is known about the samples.
#[test]
fn every_sample_is_read_and_balances() {
    let mut table = String::new();
    for sample in every_sample() {
        let imported = import(&sample.name, &sample.bytes, &Options::default());
        assert!(imported.balances(), "{}: {}", sample.name, printed(&imported));
        assert!(imported.records > 0, "{}: no record was met", sample.name);
        let format = detect(&Input { name: &sample.name, bytes: &sample.bytes });
        let format = match format {
            Some(format) => format.as_str(),
            None if sample.name.ends_with(".zip") => "(archive)",
            None => "-",
        };
        let reasons: Vec<String> =
            by_reason(&imported).iter().map(|(code, n)| format!("{code} {n}")).collect();
        table += &format!(
            "{} | {format} | {} messages, {} documents, {} joined, {} parts cut | {}\n",
            sample.name,
            imported.messages(),
            imported.documents(),
            imported.joined,
            imported.parts_cut,
            reasons.join(", ")
        );
    }
    insta::assert_snapshot!(table);
}
