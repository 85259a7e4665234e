//! How well the Croatian stemmer joins the forms of one word and keeps different words apart.
//!
//! `cargo run --release -p engine --example lexical_croatian -- FILE.conllu` reads a Universal Dependencies treebank and
//! compares stems with lemmas over all pairs of different forms of nouns, names, adjectives and verbs. The endings
//! were chosen on the sentences of odd number; those of even number were not looked at for it.
//!
//! Then every sentence is indexed and asked for by the lemmas of its first three content words, with and without
//! diacritics.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use engine::lexical::{Analysis, Field, LexicalIndex, Purpose, Query, Role, analyse, croatian};

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
    ask(&text)
}

fn ask(treebank: &str) -> anyhow::Result<()> {
    let mut index = LexicalIndex::default();
    let mut questions: Vec<(u32, Vec<&str>)> = Vec::new();
    for line in treebank.lines() {
        if let Some(sentence) = line.strip_prefix("# text = ") {
            let id = u32::try_from(questions.len())?;
            index.add(id, &[(Field::Value, sentence)])?;
            questions.push((id, Vec::new()));
        }
        let fields: Vec<&str> = line.split('\t').collect();
        if let ([_, _, lemma, "NOUN" | "PROPN" | "ADJ" | "VERB", ..], Some((_, lemmas))) =
            (&fields[..], questions.last_mut())
            && lemmas.len() < 3
        {
            lemmas.push(lemma);
        }
    }
    questions.retain(|(_, lemmas)| lemmas.len() == 3);
    for (name, plain) in [("as written", false), ("without diacritics", true)] {
        let (mut first, mut ten) = (0.0, 0.0);
        for (id, lemmas) in &questions {
            let mut question = lemmas.join(" ");
            if plain {
                for (letter, base) in [("č", "c"), ("ć", "c"), ("š", "s"), ("ž", "z"), ("đ", "d")] {
                    question = question.replace(letter, base);
                }
            }
            let hits = index.search(&Query::new(&question), |_| true, 10);
            first += f64::from(u8::from(hits.first().is_some_and(|hit| hit.id == *id)));
            ten += f64::from(u8::from(hits.iter().any(|hit| hit.id == *id)));
        }
        let count = questions.len() as f64;
        println!(
            "asked by three lemmas {name}: {count} sentences, first {:.3}, in ten {:.3}",
            first / count,
            ten / count
        );
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
