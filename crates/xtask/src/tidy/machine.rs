//! Nothing committed knows the machine it was written on: no path of its disk, no host of its network, and no place to
//! fetch crates from but the public one.

use crate::finding::{Finding, line_of};
use crate::tree::Tree;

/// Where a person's or a worker's files lie.
const PATHS: [&str; 4] = ["/root/", "/home/", "/Users/", "/workspace/"];

/// Where every locked crate is from.
const INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Ends of host names that mean something inside one network only.
const PRIVATE_ENDS: [&str; 6] = [".internal", ".local", ".lan", ".corp", ".intranet", ".svc"];

/// Finds traces of a machine in files of the project.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| is_ours(path)) {
        for place in PATHS {
            // `$X/home/…` and `docs/home/…` are parts of other paths.
            let begins = |at: usize| {
                !text[..at].ends_with(|before: char| before.is_alphanumeric() || "}-_.~)*".contains(before))
            };
            for (at, _) in text.match_indices(place).filter(|(at, _)| begins(*at)) {
                let what = format!("`{place}…` is a path of one machine");
                findings.push(Finding::new(
                    path,
                    line_of(text, at),
                    what,
                    "use a path from the checkout or a variable",
                ));
            }
        }
        if speaks_to_network(path) {
            for (at, host) in hosts(text).filter(|(_, host)| is_private(host)) {
                let what = format!("host `{host}` is known in one network only");
                findings.push(Finding::new(
                    path,
                    line_of(text, at),
                    what,
                    "name a public host, or take it from the caller's own settings",
                ));
            }
        }
    }
    findings.extend(tree.get("Cargo.lock").into_iter().flat_map(lock));
    findings.extend(tree.get(".cargo/config.toml").into_iter().flat_map(config));
    findings
}

/// What others wrote, and what the fuzzer made of it, may hold anything.
fn is_ours(path: &str) -> bool {
    !["data/", "fuzz/corpus/"].iter().any(|place| path.starts_with(place))
        && !path.ends_with(".snap")
        && path != "crates/xtask/src/tidy/machine.rs"
}

/// Sources and scenarios hold made-up hosts as test data; these files are about real ones.
fn speaks_to_network(path: &str) -> bool {
    let endings = [".toml", ".lock", ".sh", ".md", "Makefile", ".ci/run", ".yml"];
    endings.iter().any(|ending| path.ends_with(ending))
}

/// The host of every address in a text.
fn hosts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("://").map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let end = rest.find(|next: char| !(next.is_alphanumeric() || ".-:@[]".contains(next)));
        (at, rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ':']))
    })
}

fn is_private(host: &str) -> bool {
    let name = host.rsplit('@').next().unwrap_or(host).split(':').next().unwrap_or(host);
    if ["", "localhost", "127.0.0.1", "example.org", "example.com"].contains(&name) {
        return false;
    }
    let is_address = name.split('.').count() == 4 && name.split('.').all(|part| part.parse::<u8>().is_ok());
    is_address || !name.contains('.') || PRIVATE_ENDS.iter().any(|end| name.ends_with(end))
}

fn lock(text: &str) -> Vec<Finding> {
    let sources = text.lines().enumerate().filter_map(|(number, line)| {
        let source = line.strip_prefix("source = \"")?.strip_suffix('"')?;
        (source != INDEX).then(|| {
            let what = format!("a crate is locked to `{source}`");
            Finding::new(
                "Cargo.lock",
                number + 1,
                what,
                "lock it to the public index with a plain Cargo configuration",
            )
        })
    });
    sources.collect()
}

fn config(text: &str) -> Vec<Finding> {
    let tables = ["[source.", "[registries", "[registry", "[http", "[net"];
    let lines = text.lines().enumerate();
    let found = lines.filter(|(_, line)| tables.iter().any(|table| line.trim_start().starts_with(table)));
    found
        .map(|(number, line)| {
            let what = format!("`{}` says where crates come from on one machine", line.trim());
            Finding::new(
                ".cargo/config.toml",
                number + 1,
                what,
                "keep it in the configuration of the machine",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn traces_of_a_machine_are_found() {
        let cases = [
            ("a.rs", "\"/root/x\"", Some("a.rs:1 `/root/…` is a path of one machine")),
            ("fuzz/corpus/a/b", "/home/x", None),
            ("a.sh", "\ncd /home/ana", Some("a.sh:2 `/home/…` is a path of one machine")),
            ("a.sh", "cd $DIR/home/x docs/home/y", None),
            ("data/a/b.txt", "/home/x http://10.0.0.1", None),
            ("README.md", "https://docs.rs/ledger http://127.0.0.1:8080/ https://example.org.", None),
            (
                "README.md",
                "see http://mirror:8081/x",
                Some("README.md:1 host `mirror:8081` is known in one network only"),
            ),
            (
                "a.toml",
                "index = \"https://u@10.1.2.3/x\"",
                Some("a.toml:1 host `u@10.1.2.3` is known in one network only"),
            ),
            (
                "a.sh",
                "curl https://crates.build.internal",
                Some("a.sh:1 host `crates.build.internal` is known in one network only"),
            ),
            ("a.rs", "\"http://10.0.0.1\"", None),
            ("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"", None),
            (
                "Cargo.lock",
                "\nsource = \"sparse+https://a.example.org/\"",
                Some("Cargo.lock:2 a crate is locked to `sparse+https://a.example.org/`"),
            ),
            (
                ".cargo/config.toml",
                "[source.crates-io]",
                Some(".cargo/config.toml:1 `[source.crates-io]` says where crates come from on one machine"),
            ),
        ];
        for (path, text, wrong) in cases {
            assert_eq!(found(check, &[(path, text)]), wrong.into_iter().collect::<Vec<_>>(), "{path} {text}");
        }
    }
}
