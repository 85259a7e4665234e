//! The clients whose configuration is known: where it stands, and what an entry looks like there.

use std::path::PathBuf;

use clap::ValueEnum;
use directories::BaseDirs;
use serde_json::{Value as Json, json};

/// A client of MCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    #[value(name = "vscode")]
    VsCode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// How a configuration is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// JSON, comments allowed: the entry stands under this field.
    Json(&'static str),
    /// TOML: the entry stands under this table.
    Toml(&'static str),
}

impl Client {
    /// Its name, as it is given.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Where its configuration stands.
    pub fn file(self, base: &BaseDirs) -> PathBuf {
        let (home, config) = (base.home_dir(), base.config_dir());
        match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::VsCode => config.join("Code/User/mcp.json"),
            Self::Codex => home.join(".codex/config.toml"),
            Self::Gemini => home.join(".gemini/settings.json"),
            Self::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            // Under the same name on every system.
            Self::Zed if cfg!(target_os = "macos") => home.join(".config/zed/settings.json"),
            Self::Zed => config.join("zed/settings.json"),
        }
    }

    /// How its configuration is written.
    pub fn format(self) -> Format {
        match self {
            Self::VsCode => Format::Json("servers"),
            Self::Zed => Format::Json("context_servers"),
            Self::Codex => Format::Toml("mcp_servers"),
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor | Self::Gemini | Self::Windsurf => {
                Format::Json("mcpServers")
            }
        }
    }

    /// The fields of an entry that starts `program` with `arguments`.
    pub fn entry(self, program: &str, arguments: &[String]) -> Vec<(&'static str, Json)> {
        let own = match self {
            Self::ClaudeCode | Self::VsCode => Some(("type", json!("stdio"))),
            Self::Zed => Some(("source", json!("custom"))),
            _ => None,
        };
        own.into_iter().chain([("command", json!(program)), ("args", json!(arguments))]).collect()
    }
}
