//! What a person would type, and what must be found by it.

use engine::lexical::{
    AddError, Analysis, Field, Hit, How, Language, LexicalIndex, Purpose, Query, Role, analyse,
};
use proptest::prelude::*;

fn index_of(documents: &[&str]) -> LexicalIndex {
    let mut index = LexicalIndex::default();
    for (id, text) in documents.iter().enumerate() {
        index.add(id as u32, &[(Field::Value, text)]).unwrap();
    }
    index
}

fn search(index: &LexicalIndex, query: &str) -> Vec<Hit> {
    index.search(&Query::new(query), |_| true, 20)
}

fn ids(index: &LexicalIndex, query: &str) -> Vec<u32> {
    search(index, query).into_iter().map(|hit| hit.id).collect()
}

#[test]
fn a_question_finds_what_it_should_and_nothing_else() {
    // One remembered text, what must find it, and what must not.
    #[rustfmt::skip]
    let table: &[(&str, &[&str], &[&str])] = &[
        // English
        ("The meeting moved to Tuesday", &["meetings", "when is the meeting?", "moving", "TUESDAY"], &["the", "is to", "monday"]),
        ("I don't drink coffee", &["coffees", "drinking"], &["don't", "do not", "I"]),
        ("Ivan's sister studies law", &["Ivan", "sisters of Ivan", "study"], &["his"]),
        ("works in IT", &["IT department", "IT"], &["is it in", "IS IT IN"]),
        ("Sam prefers tea", &["Sam", "who is Sam"], &[]),
        // Croatian
        ("Živim u Zagrebu", &["Zagreb", "gdje živiš", "zivim", "zivi li u Zagrebu", "ZAGREBA"], &["u", "gdje je"]),
        ("sastanci su u gradovima", &["sastanak", "sastanaka", "grad", "u gradu"], &["su u"]),
        ("Volim crnu kavu", &["voli li kavu", "kava", "volite", "voljeti", "crna kava"], &["kosa"]),
        ("Radim kao liječnica", &["lijecnica", "liječnicu", "radi"], &["kao"]),
        ("Đuro ide u školu", &["Djuro", "skola", "Đure", "idem"], &[]),
        ("knjiga je na polici", &["knjizi", "knjigama", "police"], &["je na"]),
        // Names of either language in texts of the other
        ("My manager is Željka Šarić", &["Zeljka", "Saric", "Željki", "tko je Željka"], &["my"]),
        ("Lives near Dubrovnik", &["Dubrovniku", "stan u Dubrovniku"], &[]),
        // Chinese, Japanese, Korean, Thai, Russian, Greek, German
        ("我住在北京", &["北京", "住在北京", "京"], &["东京", "上海"]),
        ("東京タワーの近くに住んでいます", &["東京", "タワー", "東京タワー", "近く"], &["大阪"]),
        ("서울에서 일해요", &["서울", "서울에"], &["부산"]),
        ("ฉันชอบกาแฟ", &["กาแฟ"], &["ชา"]),
        ("Я живу в Москве", &["Москва", "МОСКВУ"], &["Киев"]),
        ("Μένω στην Αθήνα", &["αθηνα", "ΑΘΗΝΑ"], &["Πάτρα"]),
        ("Straße in München", &["strasse", "munchen"], &["berlin"]),
        ("ｆｕｌｌ ｗｉｄｔｈ", &["full", "width"], &[]),
        // Numbers, times, dates
        ("no meetings before 9:30", &["9:30", "09:30", "at 9:30?"], &["10:45"]),
        ("deadline 2026-03-12", &["2026-03-12", "2026-3-12", "2026"], &["2025"]),
        ("budget 1,250.00 EUR", &["1,250.00", "250", "eur"], &["usd"]),
        ("runs 10km daily", &["10km", "10 km", "km"], &[]),
        // Identifiers and addresses
        ("fix parse_header in http2", &["parse_header", "header", "parseHeader", "parse-header", "http2"], &["footer"]),
        ("class HTTPServerError", &["HTTPServerError", "server", "httpservererror", "server error"], &["client"]),
        ("status of project:alpha", &["project:alpha", "alpha", "project alpha"], &["beta"]),
        ("mail ana.horvat@example.org", &["ana.horvat@example.org", "horvat", "example.org"], &["invalid.com"]),
        ("see https://docs.example.com/guide/start?x=1", &["docs.example.com", "docs.example.com/guide/start", "guide"], &["https"]),
        ("answer my e-mail", &["email", "E-Mail", "mail"], &["letter"]),
        ("todo list in to_do", &["to_do", "todo"], &[]),
        ("writes C++ and F#", &["C++", "F#"], &["D"]),
        // Typing errors
        ("moved to Zagreb", &["Zagerb", "Zagreeb", "Zagrb", "Zagrab"], &["Zgarbe", "Aagreb"]),
        ("allergic to peanuts", &["penauts", "alergic"], &["pears"]),
        ("sastanak s Markom", &["satsanak", "sastanmak"], &[]),
    ];
    for (text, found, missed) in table {
        // Others beside it, so that nothing is found merely because all is.
        let index = index_of(&["quite unrelated words", text, "nešto sasvim drugo"]);
        for query in *found {
            let hits = ids(&index, query);
            assert_eq!(hits.first(), Some(&1), "`{query}` must find `{text}`, found {hits:?}");
        }
        for query in *missed {
            let hits = ids(&index, query);
            assert!(!hits.contains(&1), "`{query}` must not find `{text}`");
        }
    }
}

#[test]
fn the_better_answer_stands_first() {
    // Query, then documents, the one expected first first.
    let table: &[(&str, &[&str])] = &[
        ("green tea", &["likes green tea", "tea in a green cup", "green hills", "black tea"]),
        ("new york office", &["the new york office", "office of the new head, york branch", "york"]),
        ("president of France", &["president of France", "France has a president of honour", "president"]),
        ("kuća", &["kuća", "kuca"]),
        ("kuca", &["kuca", "kuća"]),
        ("9:30", &["at 9:30", "9 people, 30 chairs"]),
        ("parse_header", &["parse_header", "parse the header"]),
        ("Zagreb coffee", &["coffee in Zagreb", "Zagreb", "coffee with milk and sugar and cream"]),
        ("东京大学", &["东京大学", "大学在东京"]),
    ];
    for (query, documents) in table {
        for reversed in [false, true] {
            let mut documents: Vec<&str> = documents.to_vec();
            if reversed {
                documents.reverse();
            }
            let expected = if reversed { documents.len() as u32 - 1 } else { 0 };
            assert_eq!(ids(&index_of(&documents), query).first(), Some(&expected), "{query}: {documents:?}");
        }
    }
}

#[test]
fn grammar_alone_finds_nothing_but_holds_a_phrase_together() {
    let index = index_of(&["to be or not to be", "king of the hill", "hill king"]);
    assert!(search(&index, "to be or not to be").is_empty());
    let hits = search(&index, "king of the hill");
    assert_eq!((hits[0].id, hits[0].phrase), (1, 4));
    assert_eq!(hits[1].phrase, 1);
    assert!(hits[0].score > hits[1].score);
}

#[test]
fn fields_weigh_and_phrases_stay_within_one_text() {
    let mut index = LexicalIndex::default();
    index.add(0, &[(Field::Value, "something else"), (Field::Quote, "alpha")]).unwrap();
    index.add(1, &[(Field::Value, "something else"), (Field::Entity, "alpha")]).unwrap();
    assert_eq!(ids(&index, "alpha"), [1, 0]);
    index.add(2, &[(Field::Entity, "green"), (Field::Value, "tea")]).unwrap();
    assert_eq!(search(&index, "green tea")[0].phrase, 1);
}

#[test]
fn a_hit_says_how_each_word_was_found() {
    let index = index_of(&["Živim u Zagrebu, kod parka 9:30"]);
    let query = Query::new("Zagerb 9:30 zanzibar");
    assert_eq!(query.asked().collect::<Vec<_>>(), ["zagerb", "9", "30", "zanzibar"]);
    let hits = index.search(&query, |_| true, 5);
    let matched: Vec<(u16, &str, How)> = hits[0]
        .matched_terms
        .iter()
        .map(|matched| (matched.asked, index.term(matched.term), matched.how))
        .collect();
    assert_eq!(
        matched,
        [(0, "zagreb", How::Neighbour), (1, "9:30", How::Compound), (2, "9:30", How::Compound)]
    );
    assert!(hits[0].coverage > 0.5 && hits[0].coverage < 0.75);
}

#[test]
fn a_score_means_the_same_in_a_small_and_a_big_index() {
    let filler =
        ["likes hiking in the mountains", "works as a nurse", "drives an old car", "plays the violin"];
    let scores = |size: usize| {
        let mut documents = vec!["allergic to peanuts", "allergic to cats"];
        documents.extend(filler.iter().cycle().take(size));
        let index = index_of(&documents);
        let hits = search(&index, "allergic peanuts");
        assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [0, 1]);
        (hits[0].score, hits[1].score)
    };
    let (small, big) = (scores(0), scores(20_000));
    assert!((small.0 - big.0).abs() < 0.1, "{small:?} {big:?}");
    assert!((small.1 - big.1).abs() < 0.1, "{small:?} {big:?}");
    assert!(small.0 > 0.6 && big.0 > 0.6, "{small:?} {big:?}");
    assert!(small.1 < 0.5 && big.1 < 0.5, "{small:?} {big:?}");
}

#[test]
fn what_is_removed_is_gone_with_its_words() {
    let mut index = index_of(&["secret plan zephyr", "public plan"]);
    let term = search(&index, "zephyr")[0].matched_terms[0].term;
    assert!(index.remove(0));
    assert!(!index.remove(0));
    assert!(!index.remove(77));
    assert!(search(&index, "zephyr secret").is_empty());
    assert!(search(&index, "zephyrs zepyhr").is_empty());
    assert_eq!(index.term(term), "");
    assert_eq!(ids(&index, "plan"), [1]);
    assert_eq!(index.len(), 1);
}

#[test]
fn adding_an_id_again_replaces_it() {
    let mut index = index_of(&["old words", "other"]);
    index.add(0, &[(Field::Value, "new words")]).unwrap();
    assert!(search(&index, "old").is_empty());
    assert_eq!(ids(&index, "new"), [0]);
    assert_eq!(index.len(), 2);
}

#[test]
fn an_id_far_away_is_refused_and_changes_nothing() {
    let mut index = LexicalIndex::default();
    assert_eq!(index.add(u32::MAX, &[(Field::Value, "x")]), Err(AddError::IdTooFar { id: u32::MAX }));
    assert!(index.is_empty());
    index.add(1_000, &[(Field::Value, "gap")]).unwrap();
    assert_eq!(ids(&index, "gap"), [1_000]);
}

#[test]
fn removing_everything_gives_the_memory_back() {
    let mut index = LexicalIndex::default();
    for id in 0..2_000_u32 {
        index.add(id, &[(Field::Value, &format!("word{id} common text{}", id / 2))]).unwrap();
    }
    let full = index.resident_bytes();
    for id in 0..2_000 {
        index.remove(id);
    }
    index.shrink();
    assert!(index.is_empty());
    assert!(index.resident_bytes() < full / 2, "{} of {full}", index.resident_bytes());
}

#[test]
fn the_language_is_guessed_from_function_words_and_letters() {
    for (text, language) in [
        ("Where does the user live?", Language::English),
        ("Gdje živi korisnik?", Language::Croatian),
        ("sto je to", Language::Croatian),
        ("kuća", Language::Croatian),
        ("Zagreb", Language::Unclear),
        ("", Language::Unclear),
        ("The street is named after Stjepan Radić", Language::English),
    ] {
        let mut analysis = Analysis::default();
        analyse(text, Purpose::Document, &mut analysis);
        assert_eq!(analysis.language(), language, "{text}");
    }
}

#[test]
fn an_unclear_text_gets_both_stems_and_a_compound_its_parts() {
    let terms = |text: &str| {
        let mut analysis = Analysis::default();
        analyse(text, Purpose::Document, &mut analysis);
        analysis.terms().map(|term| (term.position, term.text.to_owned(), term.role)).collect::<Vec<_>>()
    };
    assert_eq!(
        terms("meetings Zagrebu"),
        [
            (0, "meet".into(), Role::Stem),
            (0, "meetings".into(), Role::OtherStem),
            (1, "zagrebu".into(), Role::Stem),
            (1, "zagreb".into(), Role::OtherStem),
        ]
    );
    assert_eq!(
        terms("09:30"),
        [
            (0, "9".to_owned(), Role::Stem),
            (0, "9:30".to_owned(), Role::Whole),
            (1, "30".to_owned(), Role::Stem)
        ]
    );
}

#[test]
fn huge_texts_are_read_in_time_linear_in_their_length() {
    for text in [
        "a".repeat(1 << 18),
        "a.".repeat(1 << 18),
        "9".repeat(1 << 18),
        "aB".repeat(1 << 18),
        "'".repeat(1 << 18),
        "東".repeat(1 << 18),
        "e\u{301}".repeat(1 << 18),
        "word ".repeat(1 << 17),
    ] {
        let mut index = LexicalIndex::default();
        index.add(0, &[(Field::Value, &text)]).unwrap();
        assert!(search(&index, &text).len() <= 1);
        assert!(index.remove(0));
    }
}

fn words() -> impl Strategy<Value = String> {
    let some = vec![
        "ana", "kava", "Zagrebu", "the", "u", "green", "tea", "9:30", "foo_bar", "東京", "kuća", "meeting",
        "sastanci",
    ];
    prop::collection::vec(prop::sample::select(some), 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_can_be_added_asked_and_removed(
        texts in prop::collection::vec(any::<String>(), 0..6),
        query in any::<String>(),
    ) {
        let mut index = LexicalIndex::default();
        for (id, text) in texts.iter().enumerate() {
            index.add(id as u32, &[(Field::Value, text), (Field::Quote, &query)]).unwrap();
        }
        for hit in search(&index, &query) {
            prop_assert!(hit.score > 0.0 && hit.score <= 1.0);
            prop_assert!(hit.coverage > 0.0 && hit.coverage <= 1.0);
            prop_assert!(hit.bm25 > 0.0);
            prop_assert!(!hit.matched_terms.is_empty());
        }
        for id in 0..texts.len() as u32 {
            prop_assert!(index.remove(id));
        }
        prop_assert!(search(&index, &query).is_empty());
    }

    #[test]
    fn a_text_with_content_finds_itself(text in "\\PC{1,40}") {
        let index = index_of(&["something else", &text]);
        let mut analysis = Analysis::default();
        analyse(&text, Purpose::Document, &mut analysis);
        let expected = analysis.content_len() > 0 || analysis.terms().any(|term| term.role == Role::Whole);
        prop_assert_eq!(ids(&index, &text).contains(&1), expected);
    }

    #[test]
    fn removal_is_as_if_it_had_never_been(
        kept in prop::collection::vec(words(), 1..8),
        gone in prop::collection::vec(words(), 1..8),
        query in words(),
    ) {
        let mut index = LexicalIndex::default();
        let mut plain = LexicalIndex::default();
        for (id, text) in kept.iter().enumerate() {
            index.add(id as u32, &[(Field::Value, text)]).unwrap();
            plain.add(id as u32, &[(Field::Value, text)]).unwrap();
        }
        for (id, text) in gone.iter().enumerate() {
            index.add((kept.len() + id) as u32, &[(Field::Value, text)]).unwrap();
        }
        for id in 0..gone.len() {
            index.remove((kept.len() + id) as u32);
        }
        prop_assert_eq!(exact(search(&index, &query)), exact(search(&plain, &query)));
    }

    #[test]
    fn order_of_arrival_and_the_filter_change_no_score(
        texts in prop::collection::vec(words(), 1..12),
        query in words(),
        hidden in any::<u16>(),
    ) {
        let forward = index_of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut backward = LexicalIndex::default();
        for (id, text) in texts.iter().enumerate().rev() {
            backward.add(id as u32, &[(Field::Value, text)]).unwrap();
        }
        let visible = |id: u32| hidden & (1 << id) == 0;
        let question = Query::new(&query);
        let all = exact(forward.search(&question, |_| true, 20));
        prop_assert_eq!(&all, &exact(backward.search(&question, |_| true, 20)));
        let seen: Vec<_> = all.iter().copied().filter(|hit| visible(hit.0)).collect();
        prop_assert_eq!(&seen, &exact(forward.search(&question, visible, 20)));
        let first: Vec<_> = seen.iter().copied().take(2).collect();
        prop_assert_eq!(first, exact(forward.search(&question, visible, 2)));
    }
}

/// What must agree bit for bit.
fn exact(hits: Vec<Hit>) -> Vec<(u32, u32, u32, u16)> {
    hits.into_iter().map(|hit| (hit.id, hit.score.to_bits(), hit.bm25.to_bits(), hit.phrase)).collect()
}
