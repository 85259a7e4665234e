//! How well the Croatian stemmer joins the forms of one word and keeps different words apart.
//!
//! `cargo run --release -p engine --example lexical_croatian -- FILE.conllu` reads a Universal Dependencies treebank and
//! compares stems with lemmas over all pairs of different forms of nouns, names, adjectives and verbs. The endings
//! were chosen on the sentences of odd number; those of even number were not looked at for it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use engine::lexical::{Analysis, Purpose, Role, analyse, croatian};

fn main() -> anyhow::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        bail!("usage: lexical_croatian FILE.conllu");
    };
    let text = std::fs::read_to_string(path)?;
    for (name, wanted) in
        [("odd sentences (tuned on)", Some(1)), ("even sentences (held out)", Some(0)), ("all", None)]
    {
        let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut sentence = 0;
        for line in text.lines() {
            sentence += usize::from(line.starts_with("# sent_id"));
            let fields: Vec<&str> = line.split('\t').collect();
            if let [_, form, lemma, "NOUN" | "PROPN" | "ADJ" | "VERB", ..] = fields[..]
                && wanted.is_none_or(|part| sentence % 2 == part)
            {
                let lemma = lemma.to_lowercase();
                for form in [form.to_lowercase(), lemma.clone()] {
                    forms.entry(form).or_default().insert(lemma.clone());
                }
            }
        }
        report(name, &forms);
    }
    Ok(())
}

fn report(name: &str, forms: &BTreeMap<String, BTreeSet<String>>) {
    let mut by_lemma: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut by_stem: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut stems: BTreeMap<&str, String> = BTreeMap::new();
    for (form, lemmas) in forms {
        let stem = stem(form);
        by_stem.entry(stem.clone()).or_default().push(form);
        stems.insert(form, stem);
        for lemma in lemmas {
            by_lemma.entry(lemma).or_default().push(form);
        }
    }
    let (mut same_lemma, mut apart, mut same_stem, mut unrelated) = (0, 0, 0, 0);
    for forms in by_lemma.values() {
        for (left, right) in pairs(forms) {
            same_lemma += 1;
            apart += usize::from(stems[left] != stems[right]);
        }
    }
    for together in by_stem.values() {
        for (left, right) in pairs(together) {
            same_stem += 1;
            unrelated += usize::from(forms[left].is_disjoint(&forms[right]));
        }
    }
    println!(
        "{name:26} {} forms; of {same_lemma} pairs of one lemma {:.1} % apart (under-stemming); of {same_stem} pairs of one stem {:.1} % of different lemmas (over-stemming)",
        forms.len(),
        f64::from(apart as u32) * 100.0 / f64::from(same_lemma.max(1) as u32),
        f64::from(unrelated as u32) * 100.0 / f64::from(same_stem.max(1) as u32),
    );
}

fn pairs<'a>(forms: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    forms.iter().enumerate().flat_map(|(place, left)| forms[..place].iter().map(move |right| (*left, *right)))
}

fn stem(form: &str) -> String {
    let mut analysis = Analysis::default();
    analyse(form, Purpose::Query, &mut analysis);
    let folded = analysis.terms().find(|term| term.role == Role::Stem).map_or(form, |term| term.surface);
    let mut stem = String::new();
    croatian::stem_into(folded, &mut stem);
    stem
}
