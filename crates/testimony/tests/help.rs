//! What the command says about itself: every help page is read by a reviewer when it changes.

use crate::support;
const VERBS: &[&str] = &[
    "init",
    "observe",
    "remember",
    "import",
    "propose",
    "recall",
    "profile",
    "list",
    "correct",
    "turn",
    "used",
    "replay",
    "policy",
    "why",
    "history",
    "timeline",
    "state",
    "disputes",
    "sources",
    "forget",
    "lift",
    "verify",
    "doctor",
    "export",
    "backup",
    "restore",
    "drill",
    "keys",
    "serve",
    "mcp",
    "access",
    "rebuild",
    "shadow",
    "study",
    "reembed",
    "model",
    "demo",
    "completions",
    "man",
];

fn help(arguments: &[&str]) -> String {
    let mut command = support::command();
    command.args(arguments);
    support::run(command, b"").ended(0).out
}

#[test]
fn every_verb_has_help_with_examples() {
    insta::assert_snapshot!("testimony", help(&["--help"]));
    for verb in VERBS {
        let page = help(&[verb, "--help"]);
        assert!(page.contains("Examples:\n  testimony"), "{verb}: {page}");
        insta::assert_snapshot!(format!("testimony-{verb}"), page);
    }
}

#[test]
fn the_list_of_verbs_here_is_whole() {
    let page = help(&["--help"]);
    let listed: Vec<&str> = page
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|word| *word != "help")
        .collect();
    assert_eq!(listed, VERBS);
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(help(&["completions", shell]).contains("testimony"), "{shell}");
    }
    let memory = support::Memory::new();
    let pages = memory.outside().join("man");
    let made = memory.json(0, &["man", pages.to_str().expect("a path")]);
    assert_eq!(made["pages"].as_array().map(Vec::len), Some(VERBS.len() + 1), "{made}");
    let page = std::fs::read_to_string(pages.join("testimony-recall.1")).expect("a page");
    assert!(page.contains("recall") && page.starts_with(".ie"), "{page}");
}
