//! `testimony completions`.

use clap_complete::Shell;
use serde::Serialize;

use crate::arguments;
use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony completions bash > ~/.local/share/bash-completion/completions/testimony
  testimony completions zsh > ~/.zfunc/_testimony
  testimony completions fish > ~/.config/fish/completions/testimony.fish")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut arguments::command(), "testimony", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    context.answer(&Script { shell: arguments.shell.to_string(), script }, |told| told.script.clone())?;
    Ok(Exit::Done)
}
