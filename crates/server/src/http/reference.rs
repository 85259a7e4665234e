//! The reference page: the OpenAPI document as a page for people, made once, with no script and nothing from elsewhere.

use std::fmt::Write;

use serde_json::Value as Json;

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Testimony: HTTP reference</title>
<main><h1>Testimony: HTTP reference</h1>
<p>The same as data: <a href=\"/openapi.json\">/openapi.json</a>. Every call needs <code>Authorization: Bearer testimony_…</code>;
<code>Testimony-Subject</code> says whose memory is meant. A refusal is <code>application/problem+json</code> with a stable <code>code</code>.</p>\n";

/// The page of a document.
#[must_use]
pub fn page(document: &Json) -> String {
    let mut page = HEAD.to_owned();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            tell(&mut page, document, path, method, operation);
        }
    }
    page.push_str("</main></html>\n");
    page
}

fn tell(page: &mut String, document: &Json, path: &str, method: &str, operation: &Json) {
    let name = text(&operation["operationId"]);
    _ = write!(
        page,
        "<section aria-labelledby=\"{name}\"><h2 id=\"{name}\"><code>{} {}</code></h2><p>{}. {}</p>",
        method.to_uppercase(),
        escape(path),
        escape(text(&operation["summary"])),
        escape(text(&operation["description"])),
    );
    let mut rows = String::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        row(
            &mut rows,
            parameter,
            text(&parameter["name"]),
            text(&parameter["in"]),
            parameter["required"] == true,
        );
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    for (field, schema) in body["properties"].as_object().into_iter().flatten() {
        let needed = body["required"].as_array().is_some_and(|all| all.iter().any(|one| one == field));
        row(&mut rows, schema, field, "body", needed);
    }
    if !rows.is_empty() {
        _ = write!(page, "<table><thead><tr><th>field<th>in<th>meaning</thead><tbody>{rows}</tbody></table>");
    }
    page.push_str("</section>\n");
}

fn row(rows: &mut String, described: &Json, name: &str, place: &str, needed: bool) {
    let needed = if needed { " (needed)" } else { "" };
    _ = write!(
        rows,
        "<tr><td><code>{}</code>{needed}<td>{place}<td>{}",
        escape(name),
        escape(text(&described["description"])),
    );
}

fn resolved<'document>(document: &'document Json, item: &'document Json) -> &'document Json {
    let pointer = item["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(item)
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
