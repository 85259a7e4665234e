//! Prints the OpenAPI document: `cargo run -q -p server --workspace --example openapi > docs/reference/openapi.json`.

use std::io::Write;

fn main() -> anyhow::Result<()> {
    let document = server::http::openapi::document(&server::http::route::routes());
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&document)?)?;
    Ok(())
}
