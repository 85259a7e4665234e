//! What a `models.toml` may say, and what is told when it says something else.

use std::path::Path;
use std::time::Duration;

use inference::key::KeySource;
use inference::tiers::{Can, Models, Protocol, vendors};

fn parse(text: &str) -> Result<Models, String> {
    Models::parse(Path::new("dir/models.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn a_whole_file() {
    let models = parse(
        r#"
        [tier.fast]
        vendor = "ollama"
        model = "qwen3:8b"
        can = ["chat", "json_schema", "tools"]
        within_s = 30
        retries = 0
        extra = { keep_alive = "10m", options = { seed = 1 } }

        [tier.deep]
        vendor = "anthropic"
        model = "claude-sonnet-4-5"
        can = ["chat", "json_schema"]

        [tier.embed]
        vendor = "openai"
        base_url = "https://gateway.example.com/v1/"
        key = { file = "gateway.key" }
        model = "text-embedding-3-small"
        can = ["embed"]
        dims = 1536
        concurrent = 2

        [tier.rerank]
        protocol = "openai"
        base_url = "http://localhost:8081/v1"
        model = "bge-reranker-v2-m3"
        can = ["rerank"]

        [tier."odd.name"]
        vendor = "gemini"
        key = { command = ["pass", "show", "gemini"] }
        model = "gemini-2.5-flash"
        can = ["chat"]

        [propose]
        tier = "fast"
        tokens_per_day = 50_000
        "#,
    )
    .expect("read");
    let fast = &models.tiers["fast"];
    assert_eq!((fast.protocol, fast.base_url.as_str()), (Protocol::OpenAi, "http://localhost:11434/v1"));
    assert_eq!((fast.within, fast.retries, fast.key.as_ref()), (Duration::from_secs(30), 0, None));
    assert_eq!(fast.can.words(), ["chat", "json_schema", "tools"]);
    assert_eq!(fast.extra["options"]["seed"], 1);
    assert_eq!((fast.title().as_str(), fast.is_in_clear()), ("ollama/qwen3:8b", false));
    assert_eq!(models.tiers["deep"].key, Some(KeySource::Environment("ANTHROPIC_API_KEY".to_owned())));
    let embed = &models.tiers["embed"];
    assert_eq!(embed.base_url, "https://gateway.example.com/v1");
    assert_eq!(embed.key, Some(KeySource::File("dir/gateway.key".into())));
    assert!(matches!(&embed.can, Can::Embed(shape) if shape.dims == 1536));
    assert_eq!(models.tiers["rerank"].can, Can::Rerank);
    assert!(matches!(models.tiers["odd.name"].key, Some(KeySource::Command(_))));
    let propose = models.propose.expect("there");
    assert_eq!((propose.tier.as_str(), propose.tokens_per_day), ("fast", 50_000));
    assert!(parse("").expect("read").tiers.is_empty());
    assert!(vendors().count() >= 10);
}

#[test]
fn a_vendors_key_does_not_follow_to_another_address() {
    let models = parse(
        "[tier.a]\nvendor = \"openai\"\nbase_url = \"https://else.example.com\"\nmodel = \"m\"\ncan = [\"chat\"]",
    )
    .expect("read");
    assert_eq!(models.tiers["a"].key, None);
}

#[test]
fn what_is_wrong_is_told_with_file_line_table_and_key() {
    let base = "protocol = \"openai\"\nbase_url = \"http://localhost/v1\"\nmodel = \"m\"\n";
    let chat = format!("{base}can = [\"chat\"]\n");
    let cases: Vec<(String, &str)> = vec![
        ("[tier.a".to_owned(), "dir/models.toml:1: "),
        ("[teir.a]".to_owned(), "dir/models.toml: `teir`: is not known; hint: did you mean `tier`?"),
        ("tier = 1".to_owned(), "dir/models.toml:1: `tier`: is no table"),
        (
            format!("[tier.a]\n{chat}wihtin_s = 5"),
            "dir/models.toml:6: [tier.a] `wihtin_s`: is not known; hint: did you mean `within_s`?",
        ),
        (
            format!("[tier.a]\n{chat}within_s = 0"),
            "dir/models.toml:6: [tier.a] `within_s`: is no whole number from 1 to 3600",
        ),
        (
            format!("[tier.a]\n{chat}retries = \"3\""),
            "dir/models.toml:6: [tier.a] `retries`: is no whole number",
        ),
        (format!("[tier.a]\n{chat}dims = 3"), "dir/models.toml:6: [tier.a] `dims`: is not known"),
        (format!("[tier.a]\n{base}can = [\"embed\"]"), "dir/models.toml:1: [tier.a] `dims`: is missing"),
        (
            format!("[tier.a]\n{base}can = [\"chat\", \"embed\"]"),
            "dir/models.toml:5: [tier.a] `can`: is more than one",
        ),
        (format!("[tier.a]\n{base}can = []"), "dir/models.toml:5: [tier.a] `can`: says nothing"),
        (format!("[tier.a]\n{base}can = [\"fly\"]"), "dir/models.toml:5: [tier.a] `can`: `fly` is not known"),
        (format!("[tier.a]\n{base}"), "dir/models.toml:1: [tier.a] `can`: says nothing"),
        (
            "[tier.a]\nvendor = \"acme\"".to_owned(),
            "dir/models.toml:2: [tier.a] `vendor`: `acme` is not known",
        ),
        (
            "[tier.a]\nprotocol = \"grpc\"".to_owned(),
            "dir/models.toml:2: [tier.a] `protocol`: `grpc` is not known",
        ),
        ("[tier.a]\nmodel = \"m\"".to_owned(), "dir/models.toml:1: [tier.a] `protocol`: is missing"),
        (
            "[tier.a]\nprotocol = \"openai\"\nmodel = \"m\"".to_owned(),
            "dir/models.toml:1: [tier.a] `base_url`: is missing",
        ),
        ("[tier.a]\nvendor = \"vllm\"".to_owned(), "dir/models.toml:1: [tier.a] `model`: is missing"),
        (
            "[tier.a]\nvendor = \"vllm\"\nmodel = \"../../x\"".to_owned(),
            "dir/models.toml:3: [tier.a] `model`: holds letters",
        ),
        ("[tier.\"a b\"]\nvendor = \"vllm\"".to_owned(), "dir/models.toml"),
        (
            "[tier.a]\nvendor = \"anthropic\"\nmodel = \"m\"\ncan = [\"embed\"]\ndims = 3".to_owned(),
            "dir/models.toml:4: [tier.a] `can`: protocol `anthropic` has no `embed`",
        ),
        (
            "[tier.a]\nvendor = \"gemini\"\nmodel = \"m\"\ncan = [\"rerank\"]".to_owned(),
            "dir/models.toml:4: [tier.a] `can`: protocol `gemini` has no `rerank`",
        ),
        (
            format!("[tier.a]\n{chat}extra = {{ messages = [] }}"),
            "dir/models.toml:6: [tier.a] `extra`: `messages` is written",
        ),
        (
            format!("[tier.a]\n{chat}[propose]\ntier = \"b\""),
            "dir/models.toml:7: [propose] `tier`: there is no tier `b`",
        ),
        (
            format!("[tier.a]\n{base}can = [\"rerank\"]\n[propose]\ntier = \"a\""),
            "dir/models.toml:7: [propose] `tier`: tier `a` does not write",
        ),
        ("[propose]".to_owned(), "dir/models.toml:1: [propose] `tier`: is missing"),
    ];
    for (text, expected) in cases {
        let told = parse(&text).expect_err(&text);
        assert!(told.starts_with(expected), "{text}\ntold: {told}\nexpected: {expected}");
        assert!(told.contains("; hint: "), "{told}");
    }
}

#[test]
fn addresses_that_are_none_are_refused() {
    for (url, expected) in [
        ("ftp://host/v1", "neither http nor https"),
        ("file:///etc/passwd", "neither http nor https"),
        ("host/v1", "is no address"),
        ("http://", "is no address"),
        ("http:///v1", "is no address"),
        ("https://user@host/v1", "holds a name or a key before its host"),
        ("https://user:word@host/v1", "looks like a key"),
        ("https://host/v1?key=abc", "holds more than a path"),
        ("https://host/v1#x", "holds more than a path"),
        ("https://ho st/v1", "is no address"),
    ] {
        let text =
            format!("[tier.a]\nprotocol = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m\"\ncan = [\"chat\"]");
        let told = parse(&text).expect_err(url);
        assert!(told.contains(expected) && !told.contains("word@"), "{url}: {told}");
    }
}

#[test]
fn a_key_in_the_file_is_refused_and_not_shown() {
    let key = "sk-proj-4bT9xQz7Lm2Kp8Rv5Yc1Nd6Wf3Hj0Sg";
    let base = "[tier.a]\nvendor = \"openai\"\nmodel = \"m\"\ncan = [\"chat\"]\n";
    for line in [
        format!("key = \"{key}\""),
        format!("api_key = \"{key}\""),
        format!("token = \"{key}\""),
        format!("key = {{ environment = \"{key}\" }}"),
        format!("key = {{ command = [\"echo\", \"{key}\"] }}"),
        format!("key = {{ value = \"{key}\" }}"),
        format!("extra = {{ api_key = \"{key}\" }}"),
        format!("base_url = \"https://host/{key}\""),
        format!("key_header = \"{key}\""),
        format!("{key} = 1"),
        format!("vendor = \"{key}\""),
    ] {
        let text = match line.starts_with("vendor") {
            true => format!("[tier.a]\n{line}"),
            false => format!("{base}{line}"),
        };
        let told = parse(&text).expect_err(&line);
        assert!(!told.contains("4bT9xQz7Lm2Kp8"), "{told}");
        assert!(told.contains("[tier.a]"), "{told}");
    }
    let told = parse(&format!("{base}key = \"{key}\"")).expect_err("refused");
    assert_eq!(
        told,
        "dir/models.toml:5: [tier.a] `key`: a key does not stand in this file; hint: write where it is: `key = { environment = \"NAME\" }`, `{ file = \"PATH\" }` or `{ command = [\"PROGRAM\", …] }`"
    );
}

#[test]
fn a_key_does_not_travel_in_clear_unless_told() {
    let text = |url: &str, more: &str| {
        format!(
            "[tier.a]\nprotocol = \"openai\"\nbase_url = \"{url}\"\nkey = {{ environment = \"K\" }}\nmodel = \"m\"\ncan = [\"chat\"]\n{more}"
        )
    };
    assert!(parse(&text("http://gpu.example.com/v1", "")).expect_err("refused").contains("unencrypted"));
    for (url, more) in [
        ("http://gpu.example.com/v1", "allow_key_in_clear = true"),
        ("https://gpu.example.com/v1", ""),
        ("http://localhost:8080/v1", ""),
        ("http://127.0.0.9/v1", ""),
        ("http://[::1]:80/v1", ""),
    ] {
        let models = parse(&text(url, more)).expect(url);
        assert_eq!(models.tiers["a"].is_in_clear(), url.starts_with("http://gpu"), "{url}");
    }
}
