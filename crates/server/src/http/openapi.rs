//! The OpenAPI 3.1 document, made from the table of routes and the types of the verbs.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use super::doors::{SUBJECT_HEADER, SUBJECT_PATTERN};
use super::route::Route;
use crate::verb::AnyVerb;

/// Where an answer holds the id that another operation takes: what answers, what takes, and where in the answer it stands.
const LINKS: &[(&str, &str, &str)] = &[
    ("observe", "why", "/observed/0/evidence"),
    ("remember", "why", "/evidence"),
    ("remember", "correct", "/admitted/0/version"),
    ("remember", "history", "/admitted/0/fact"),
    ("messages", "why", "/messages/0/evidence"),
    ("list", "why", "/items/0/id"),
    ("list", "correct", "/items/0/id"),
    ("recall", "why", "/items/0/id"),
    ("state", "history", "/items/0/fact"),
    ("disputes", "resolve_dispute", "/disputes/0/fact/id"),
    ("turn", "used", "/turn"),
    ("turn", "replay", "/turn"),
    ("create_key", "revoke_key", "/id"),
];

/// A body for each operation whose rules are more than its schema can say: what a reader copies first.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "observe",
        r#"{"messages": [{"source": {"kind": "conversation", "ref": "c-42"}, "session": "monday", "author": "owner",
            "event_time": "2026-03-02T09:00:00+01:00", "text": "My name is Ana. I live in Zagreb."}]}"#,
    ),
    ("remember", r#"{"text": "I am allergic to walnuts"}"#),
    ("recall", r#"{"query": "What must not be in the cake?", "limit": 5}"#),
    ("turn", r#"{"message": "Bake a cake for me, please"}"#),
    ("forget", r#"{"session": "monday", "dry_run": true}"#),
    ("lift", r#"{"everything": true}"#),
    ("compare_policies", r#"{"from": "turn/1", "to": "turn/2"}"#),
    ("create_key", r#"{"name": "laptop", "scopes": ["memory:read"], "subjects": ["ana"]}"#),
];

/// The document of these routes.
#[must_use]
pub fn document(routes: &[Route]) -> Json {
    let mut inputs = generator(SchemaSettings::draft2020_12().for_deserialize());
    let mut answers = generator(SchemaSettings::draft2020_12().for_serialize());
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &mut inputs, &mut answers);
        let place = paths.entry(route.path).or_insert_with(|| json!({}));
        place[route.method.as_str().to_lowercase()] = operation;
    }
    let mut schemas = inputs.take_definitions(true);
    schemas.extend(answers.take_definitions(true));
    schemas.insert("Problem".to_owned(), problem());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Testimony",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Memory for AI agents that can be cross-examined",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": {
                "Subject": {
                    "name": SUBJECT_HEADER,
                    "in": "header",
                    "required": false,
                    "description": "Whose memory is meant; the caller's own, when left out. Percent-encoded where the name is not plain ASCII.",
                    "schema": {"type": "string", "pattern": SUBJECT_PATTERN},
                },
                "IdempotencyKey": {
                    "name": "idempotency-key",
                    "in": "header",
                    "required": false,
                    "description": "The caller's key for this call: sent again, the call is answered and not done twice.",
                    "schema": {"type": "string", "pattern": "^[!-~](?:[ -~]*[!-~])?$"},
                },
            },
            "responses": {
                "Problem": {
                    "description": "The call was refused; `code` says why",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                },
            },
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "bearerFormat": "testimony_…"},
            },
        },
    });
    plain(&mut document);
    document
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .into_generator()
}

fn operation(route: &Route, inputs: &mut SchemaGenerator, answers: &mut SchemaGenerator) -> Json {
    let verb = &route.verb;
    let mut input = verb.input(inputs).to_value();
    let in_path: Vec<&str> = route.in_path().collect();
    let mut parameters: Vec<Json> = Vec::new();
    let mut take = |input: &mut Json, name: &str, place: &str| {
        let Some(mut schema) = input["properties"].as_object_mut().and_then(|fields| fields.remove(name))
        else {
            return;
        };
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let required = place == "path" || is_required(input, name);
        if place == "path" {
            // An empty part of a path is another path.
            schema["minLength"] = json!(1);
        }
        parameters.push(json!({
            "name": name, "in": place, "required": required, "description": description, "schema": not_null(schema),
        }));
        if let Some(required) = input["required"].as_array_mut() {
            required.retain(|one| one != name);
        }
    };
    for name in &in_path {
        take(&mut input, name, "path");
    }
    if !route.has_body() {
        let names: Vec<String> =
            input["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
        for name in &names {
            take(&mut input, name, "query");
        }
    }
    let mut parameters: Vec<Json> = parameters;
    if verb.of_subject {
        parameters.push(json!({"$ref": "#/components/parameters/Subject"}));
    }
    let mut operation = json!({
        "operationId": verb.name,
        "summary": verb.summary,
        "description": format!("Needs the scope `{}`.", verb.right),
        "tags": [tag(route.path)],
        "security": [{"key": [verb.right.as_str()]}],
        "responses": {
            "200": answered(verb, answers),
            "default": {"$ref": "#/components/responses/Problem"},
        },
    });
    let links: Map<String, Json> = LINKS
        .iter()
        .filter(|(from, ..)| *from == verb.name)
        .map(|(_, to, place)| {
            let mut parameters = json!({"id": format!("$response.body#{place}")});
            // An id is known in the memory it came from, and in no other.
            if verb.of_subject {
                let header = SUBJECT_HEADER;
                parameters[format!("header.{header}")] = json!(format!("$request.header.{header}"));
            }
            ((*to).to_owned(), json!({"operationId": to, "parameters": parameters}))
        })
        .collect();
    if !links.is_empty() {
        operation["responses"]["200"]["links"] = Json::Object(links);
    }
    if route.has_body() {
        if verb.keyed {
            parameters.push(json!({"$ref": "#/components/parameters/IdempotencyKey"}));
        }
        let needed = input["required"].as_array().is_some_and(|required| !required.is_empty());
        for part in ["$schema", "title"] {
            if let Some(input) = input.as_object_mut() {
                input.remove(part);
            }
        }
        operation["requestBody"] =
            json!({"required": needed, "content": {"application/json": {"schema": input}}});
        let example = EXAMPLES.iter().find(|(name, _)| *name == verb.name);
        if let Some(example) = example.and_then(|(_, body)| serde_json::from_str::<Json>(body).ok()) {
            operation["requestBody"]["content"]["application/json"]["example"] = example;
        }
    }
    if route.has_mark() {
        operation["responses"]["304"] = json!({"description": "Unchanged since the answer with that `ETag`"});
    }
    operation["parameters"] = json!(parameters);
    operation
}

fn answered(verb: &AnyVerb, answers: &mut SchemaGenerator) -> Json {
    let schema = verb.answer(answers);
    match verb.streams {
        false => json!({"description": "The answer", "content": {"application/json": {"schema": schema}}}),
        true => json!({
            "description": "The answer piece by piece: a line of JSON each, or with `Accept: text/event-stream` an event each",
            "content": {"application/x-ndjson": {"schema": schema}, "text/event-stream": {"schema": {"type": "string"}}},
        }),
    }
}

fn is_required(schema: &Json, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|required| required.iter().any(|one| one == name))
}

/// A field of a query is there or not there, and never null.
fn not_null(mut schema: Json) -> Json {
    if let Some(schema) = schema.as_object_mut().filter(|schema| schema.get("default") == Some(&Json::Null)) {
        schema.remove("default");
    }
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<Json> = types.iter().filter(|one| *one != "null").cloned().collect();
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
    schema
}

/// The resource of a path.
fn tag(path: &str) -> &str {
    path.split('/').nth(2).unwrap_or_default()
}

/// Numbers' formats of Rust's own names mean nothing to others; what they say of the largest number is said as such.
fn plain(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            let max = match fields.get("format").and_then(Json::as_str) {
                Some("uint32") => Some(u64::from(u32::MAX)),
                Some("uint" | "uint64") => Some(u64::MAX),
                _ => None,
            };
            if let Some(max) = max {
                fields.remove("format");
                fields.entry("maximum").or_insert_with(|| max.into());
            }
            fields.values_mut().for_each(plain);
        }
        Json::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

fn problem() -> Json {
    let text = || json!({"type": "string"});
    json!({
        "description": "A refusal, as RFC 9457 has it.",
        "type": "object",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": text(), "title": text(), "status": {"type": "integer"},
            "code": {"type": "string", "description": "A stable word for programs."},
            "detail": text(),
            "hint": {"type": "string", "description": "What to do."},
        },
    })
}

/// The schema of a verb's input or answer alone, for a face that names each by itself.
#[must_use]
pub fn alone(make: impl FnOnce(&mut SchemaGenerator) -> Schema, of_answer: bool) -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = if of_answer { settings.for_serialize() } else { settings.for_deserialize() };
    let mut generator = settings.into_generator();
    let mut schema = make(&mut generator).to_value();
    plain(&mut schema);
    schema
}
