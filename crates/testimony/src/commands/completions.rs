//! `testimony completions`.

use std::io::{self, Write};

use clap_complete::Shell;

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

pub(crate) fn run(_: &Context, arguments: Arguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut arguments::command(), "testimony", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Exit::Done)
}
