//! The OpenAPI document stands in `docs/reference/openapi.json`, so that every change of the interface shows in a diff. The clients
//! are generated from that file, and `tools/openapi_drift.py` says which changes break them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value as Json;
use server::http::openapi::document;
use server::http::route::routes;

#[test]
fn the_document_in_the_checkout_is_the_one_that_is_served() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let written: Json =
        serde_json::from_str(&fs::read_to_string(&path).context("docs/reference/openapi.json")?)?;
    ensure!(
        written == document(&routes()),
        "the interface changed; write the document anew with \
         `cargo run -q -p server --workspace --example openapi > docs/reference/openapi.json` and look at the diff"
    );
    Ok(())
}

#[test]
fn every_reference_and_every_link_leads_somewhere() -> Result<()> {
    let document = document(&routes());
    let mut found: Vec<(String, String)> = Vec::new();
    collect(&document, &mut found);
    ensure!(!found.is_empty(), "no reference was found");
    let paths = document["paths"].as_object().context("paths")?;
    let operations: BTreeSet<&str> = paths
        .values()
        .filter_map(Json::as_object)
        .flat_map(|methods| methods.values().filter_map(|operation| operation["operationId"].as_str()))
        .collect();
    for (kind, target) in &found {
        let leads = match kind.as_str() {
            "$ref" => target.strip_prefix('#').is_some_and(|pointer| document.pointer(pointer).is_some()),
            _ => operations.contains(target.as_str()),
        };
        ensure!(leads, "{kind} {target} leads nowhere");
    }
    Ok(())
}

#[test]
fn every_example_is_read_by_its_operation() -> Result<()> {
    let document = document(&routes());
    let paths = document["paths"].as_object().context("paths")?;
    let mut read = 0;
    for operation in paths.values().filter_map(Json::as_object).flat_map(|methods| methods.values()) {
        let content = &operation["requestBody"]["content"]["application/json"];
        let Some(example) = content["example"].as_object() else { continue };
        let fields = content["schema"]["properties"].as_object().context("fields")?;
        for name in example.keys() {
            ensure!(fields.contains_key(name), "{} has no `{name}`", operation["operationId"]);
        }
        read += 1;
    }
    ensure!(read >= 8, "only {read} examples are in the document; one cannot be read");
    Ok(())
}

fn collect(value: &Json, found: &mut Vec<(String, String)>) {
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Json::String(target) if name == "$ref" || name == "operationId" => {
                        found.push((name.clone(), target.clone()));
                    }
                    value => collect(value, found),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
