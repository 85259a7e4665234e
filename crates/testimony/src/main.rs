//! The `testimony` command: reads what was asked, joins the parts, prints the answer.
//!
//! In reading order: [`arguments`] says what can be asked; [`context`] holds what every verb needs; [`commands`] has a
//! file per verb; [`failure`] is what went wrong, told to people and programs, with the one table of exit codes.

mod arguments;
mod commands;
mod context;
mod failure;
mod hits;
mod interrupt;
mod lines;
mod proposing;
mod tell;
mod traces;
mod whole_lines;

use std::process::ExitCode;

fn main() -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    let exit = match arguments::read() {
        Ok(arguments) => commands::run(arguments),
        Err(refused) => failure::usage(&refused, wants_json),
    };
    ExitCode::from(exit.code())
}
