//! The table of routes: every verb with its method and path. The router, the OpenAPI document and the matrix of who may do what are
//! made from it, so a route that stands here stands in all three, and none can stand elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::Method;
use schemars::SchemaGenerator;

use crate::verb::{AnyVerb, Verb};
use crate::verbs::{deployment, disputes, entries, erasures, evidence, facts, keys, recall, turns, whole};

/// A verb at a place.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path; a part in braces is the field of the input that has its name.
    pub path: &'static str,
    /// The verb.
    pub verb: AnyVerb,
    /// The fields of the input that are no texts, by which a query is read.
    kinds: Arc<BTreeMap<String, Kind>>,
}

/// What a field of a query is, if it is no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Whole,
    /// `true` or `false`.
    Truth,
}

impl Route {
    fn new(method: Method, path: &'static str, verb: AnyVerb) -> Self {
        let schema = verb.input(&mut SchemaGenerator::default()).to_value();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let kinds = fields.filter_map(|(name, field)| {
            let types = &field["type"];
            let is = |kind: &str| {
                types == kind || types.as_array().is_some_and(|all| all.iter().any(|one| one == kind))
            };
            let kind = match () {
                () if is("integer") => Kind::Whole,
                () if is("boolean") => Kind::Truth,
                () => return None,
            };
            Some((name.clone(), kind))
        });
        Self { method, path, kinds: Arc::new(kinds.collect()), verb }
    }

    /// What a field of the query is; nothing for a text, and for what is no field.
    #[must_use]
    pub fn kind(&self, field: &str) -> Option<Kind> {
        self.kinds.get(field).copied()
    }

    fn get<V: Verb>(path: &'static str) -> Self {
        Self::new(Method::GET, path, AnyVerb::of::<V>())
    }

    fn post<V: Verb>(path: &'static str) -> Self {
        Self::new(Method::POST, path, AnyVerb::of::<V>())
    }

    fn delete<V: Verb>(path: &'static str) -> Self {
        Self::new(Method::DELETE, path, AnyVerb::of::<V>())
    }

    /// The fields of the input that stand in the path.
    pub fn in_path(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }

    /// Whether the rest of the input comes as a body; otherwise as a query.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.method == Method::POST
    }

    /// Whether its answer carries a mark, by which an unchanged one need not be sent again: of a read that comes whole.
    #[must_use]
    pub fn has_mark(&self) -> bool {
        self.method == Method::GET && !self.verb.streams
    }
}

/// Every route of the memory, in the order a memory lives them.
#[must_use]
pub fn routes() -> Vec<Route> {
    vec![
        Route::post::<evidence::Observe>("/v1/evidence"),
        Route::new(Method::POST, "/v1/imports", AnyVerb::stream::<whole::Import>()),
        Route::new(Method::GET, "/v1/export", AnyVerb::stream::<whole::Export>()),
        Route::get::<evidence::ListMessages>("/v1/evidence"),
        Route::post::<entries::Remember>("/v1/entries"),
        Route::get::<entries::ListEntries>("/v1/entries"),
        Route::post::<entries::Correct>("/v1/entries/{id}/corrections"),
        Route::post::<recall::Recall>("/v1/recall"),
        Route::get::<entries::ShowProfile>("/v1/profile"),
        Route::post::<turns::ResolveTurn>("/v1/turns"),
        Route::get::<turns::ListTurns>("/v1/turns"),
        Route::get::<turns::ShowTurn>("/v1/turns/{id}"),
        Route::post::<turns::RecordUse>("/v1/turns/{id}/uses"),
        Route::get::<turns::ReplayTurn>("/v1/turns/{id}/replay"),
        Route::get::<evidence::ShowReceipt>("/v1/receipts/{id}"),
        Route::get::<facts::ShowState>("/v1/facts"),
        Route::get::<facts::ShowHistory>("/v1/facts/{id}"),
        Route::get::<facts::ShowTimeline>("/v1/timeline"),
        Route::get::<disputes::ListDisputes>("/v1/disputes"),
        Route::post::<disputes::ResolveDispute>("/v1/disputes/{id}/resolution"),
        Route::get::<evidence::ListSources>("/v1/sources"),
        Route::get::<evidence::ShowSource>("/v1/sources/{id}"),
        Route::post::<erasures::Forget>("/v1/erasures"),
        Route::post::<erasures::CheckReceipt>("/v1/erasures/check"),
        Route::post::<erasures::Lift>("/v1/erasures/lift"),
        Route::get::<deployment::Verify>("/v1/verification"),
        Route::get::<deployment::ShowRules>("/v1/rules"),
        Route::get::<deployment::ListPolicies>("/v1/policies"),
        Route::post::<deployment::PromotePolicy>("/v1/policies/promotions"),
        Route::post::<deployment::ComparePolicies>("/v1/policies/comparisons"),
        Route::get::<keys::WhoAmI>("/v1/caller"),
        Route::get::<keys::ListKeys>("/v1/keys"),
        Route::post::<keys::CreateKey>("/v1/keys"),
        Route::delete::<keys::RevokeKey>("/v1/keys/{id}"),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_route_and_every_verb_stands_once() {
        let routes = routes();
        let places: BTreeSet<_> = routes.iter().map(|route| (route.path, route.method.to_string())).collect();
        let names: BTreeSet<_> = routes.iter().map(|route| route.verb.name).collect();
        assert_eq!((places.len(), names.len()), (routes.len(), routes.len()));
        for route in &routes {
            assert!(route.path.starts_with("/v1/"), "{}", route.path);
            assert!(
                !route.verb.summary.is_empty() && !route.verb.summary.ends_with('.'),
                "{}",
                route.verb.name
            );
        }
    }
}
