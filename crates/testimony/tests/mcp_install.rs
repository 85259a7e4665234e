//! `mcp install` over configurations as people have them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::{Memory, Ran, run};
use serde_json::{Value as Json, json};

/// A home with the configuration of one client in it.
struct Home {
    memory: Memory,
}

impl Home {
    /// With this text in the file, in a home of its own.
    fn with(file: &str, text: &str) -> Self {
        let home = Self { memory: Memory::new() };
        let path = home.path(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        write(&path, text);
        home
    }

    fn path(&self, file: &str) -> PathBuf {
        self.memory.outside().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).expect("a file")
    }

    fn install(&self, client: &str, arguments: &[&str]) -> Ran {
        let mut command = self.memory.command(&["mcp", "install", "--client", client]);
        command.args(arguments).env("HOME", self.memory.outside()).env_remove("XDG_CONFIG_HOME");
        run(command, b"")
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let there = fs::read_dir(self.path(folder)).expect("a folder");
        let mut names: Vec<String> =
            there.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The text with what differs from machine to machine by name.
    fn plain(&self, text: &str) -> String {
        let text = text.replace(env!("CARGO_BIN_EXE_testimony"), "/usr/bin/testimony");
        text.replace(&self.memory.data().display().to_string(), "/data")
            .replace(&fs::canonicalize(self.memory.outside()).expect("there").display().to_string(), "~")
            .replace(&self.memory.outside().display().to_string(), "~")
    }
}

#[allow(clippy::disallowed_methods, reason = "a configuration of somebody else's")]
fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
}

/// Every client's own file, as people have it: with comments, other servers, and settings that are nobody's business.
const CONFIGURATIONS: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"files\"],\n      \"env\": { \"TOKEN\": \"s3cret\" }\n    }\n  },\n  \"projects\": { \"/work\": { \"allowedTools\": [] } }\n}\n",
    ),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "{}"),
    ("cursor", ".cursor/mcp.json", "{\n\t\"mcpServers\": {}\n}\n"),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\n    // servers of mine\n    \"servers\": {\n        \"github\": { \"type\": \"http\", \"url\": \"https://example.org/mcp\" }, // work\n    },\n    \"inputs\": []\n}\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "# my own\nmodel = \"large\"   # the good one\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"files\"]\n\n[tools]\nweb_search = true\n",
    ),
    ("gemini", ".gemini/settings.json", "{\n  \"theme\": \"GitHub\"\n}\n"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", ""),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed settings\n{\n  /* a font */ \"buffer_font_size\": 15,\n  \"context_servers\": {\n    \"other\": { \"source\": \"custom\", \"command\": \"x\", \"args\": [] }\n  },\n  \"theme\": \"One Dark\",\n}\n",
    ),
];

#[test]
fn every_client_gets_its_one_entry_and_nothing_else_changes() {
    let mut told = String::new();
    for (client, file, text) in CONFIGURATIONS {
        let home = Home::with(file, text);
        let printed = home.install(client, &["--print"]).ended(0).out;
        assert_eq!(home.read(file), *text, "{client}: --print only prints");
        told.push_str(&format!("# {client}\n{}\n", home.plain(&printed)));
        // Only lines with the entry come, and a line before it may get a comma.
        let gone: Vec<&str> = printed.lines().skip(2).filter(|line| line.starts_with('-')).collect();
        for line in &gone {
            let stays = line[1..].trim_end();
            let open = stays.trim_end_matches('}');
            assert!(printed.contains(&format!("+{open}")) || stays.is_empty(), "{client}: `{line}` went");
        }
        home.install(client, &["--yes"]).ended(0);
        let written = home.read(file);
        assert_eq!(home.read(&format!("{file}.before-testimony")), *text, "{client}: a copy is kept");
        assert!(
            written.contains(env!("CARGO_BIN_EXE_testimony")) && written.contains("--subject"),
            "{written}"
        );
        // Doing it again does nothing, and says so.
        let again = home.install(client, &["--yes"]).ended(0);
        assert!(again.out.contains("has the entry already"), "{client}: {again:?}");
        assert_eq!(home.read(file), written, "{client}");
    }
    insta::assert_snapshot!("mcp-install", told);
}

#[test]
fn a_file_that_is_not_there_is_made_and_an_entry_that_is_keeps_what_is_the_owners() {
    let home = Home::with(".cursor/other.json", "{}");
    let made: Json = serde_json::from_str(
        &run(
            {
                let mut command =
                    home.memory.command(&["--json", "mcp", "install", "--client", "cursor", "--yes"]);
                command.env("HOME", home.memory.outside());
                command
            },
            b"",
        )
        .ended(0)
        .out,
    )
    .expect("JSON");
    assert_eq!((&made["written"], &made["kept"]), (&json!(true), &Json::Null));
    let entry = "{\"mcpServers\": {\"testimony\": {\"command\": \"/old/testimony\", \"args\": [\"mcp\"],\n  \"env\": {\"TESTIMONY_MASTER_KEY_COMMAND\": \"pass testimony\"}}}}";
    write(&home.path(".cursor/mcp.json"), entry);
    home.install("cursor", &["--yes"]).ended(0);
    let written: Json = serde_json::from_str(&home.read(".cursor/mcp.json")).expect("JSON");
    let there = &written["mcpServers"]["testimony"];
    assert_eq!(there["command"], env!("CARGO_BIN_EXE_testimony"));
    assert_eq!(there["env"]["TESTIMONY_MASTER_KEY_COMMAND"], "pass testimony");
    // Each copy has a name of its own.
    home.install("cursor", &["--yes", "--name", "second"]).ended(0);
    assert_eq!(
        home.files(".cursor"),
        ["mcp.json", "mcp.json.before-testimony", "mcp.json.before-testimony-2", "other.json"]
    );
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    for (client, file, broken) in [
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": {"),
        ("cursor", ".cursor/mcp.json", "[]"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": []}"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": {\"testimony\": \"x\"}}"),
        ("cursor", ".cursor/mcp.json", "{mcpServers: {}}"),
        ("codex", ".codex/config.toml", "[mcp_servers\n"),
        ("codex", ".codex/config.toml", "mcp_servers = 1\n"),
        ("codex", ".codex/config.toml", "[mcp_servers]\ntestimony = 1\n"),
    ] {
        let home = Home::with(file, broken);
        let refused = home.install(client, &["--yes"]).ended(3);
        assert!(refused.err.contains("nothing was written"), "{broken}: {refused:?}");
        assert_eq!(home.read(file), broken);
        let folder = Path::new(file).parent().expect("a folder").to_string_lossy().into_owned();
        assert_eq!(home.files(&folder).len(), 1, "{broken}: nothing was left beside it");
    }
    let home = Home::with(".cursor/mcp.json", "{}");
    let not_installed = home.install("zed", &["--yes"]).ended(3);
    assert!(not_installed.err.contains("is the client installed?"), "{not_installed:?}");
    home.install("emacs", &["--yes"]).ended(2);
    home.install("cursor", &["--yes", "--name", "a b"]).ended(2);
    // Nobody is there to agree.
    let alone = home.install("cursor", &[]).ended(2);
    assert!(alone.err.contains("--yes"), "{alone:?}");
    assert_eq!(home.read(".cursor/mcp.json"), "{}");
}

#[test]
fn links_and_permissions_stay() {
    let home = Home::with("dotfiles/mcp.json", "{}");
    fs::create_dir(home.path(".cursor")).expect("a folder");
    symlink(home.path("dotfiles/mcp.json"), home.path(".cursor/mcp.json")).expect("a link");
    fs::set_permissions(home.path("dotfiles/mcp.json"), fs::Permissions::from_mode(0o640)).expect("set");
    home.install("cursor", &["--yes"]).ended(0);
    assert!(fs::symlink_metadata(home.path(".cursor/mcp.json")).expect("there").is_symlink());
    for file in ["dotfiles/mcp.json", "dotfiles/mcp.json.before-testimony"] {
        let mode = fs::metadata(home.path(file)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{file}");
    }
}
