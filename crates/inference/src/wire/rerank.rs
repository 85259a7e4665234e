//! The rerank endpoint as Jina, Cohere, llama.cpp, vLLM and others have it: a question, passages, a score each.

use serde_json::{Value as Json, json};

use super::exchange::Request;
use super::read::{Read, Unreadable, tokens};
use super::shape::Shape;
use crate::usage::Usage;

/// What a request for scores looks like.
pub(super) fn rerank(shape: &Shape, query: &str, passages: &[&str]) -> Request {
    let body = json!({
        "model": shape.model, "query": query, "documents": passages, "top_n": passages.len(),
    });
    Request { path: "/rerank".to_owned(), body: shape.with_extra(body) }
}

/// Reads a score a passage, put in the order of the passages.
pub(super) fn read_rerank(body: &Json, count: usize) -> Read<(Vec<f32>, Usage)> {
    let results = match body {
        Json::Array(results) => results,
        _ => ["results", "data"]
            .iter()
            .find_map(|name| body[name].as_array())
            .ok_or(Unreadable("no `results`"))?,
    };
    let mut scores: Vec<Option<f32>> = vec![None; count];
    for result in results {
        let index = result["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let slot =
            index.and_then(|index| scores.get_mut(index)).ok_or(Unreadable("a score of no passage"))?;
        let score = [&result["relevance_score"], &result["score"]].into_iter().find_map(Json::as_f64);
        let score = score.map(|score| score as f32).filter(|score| score.is_finite());
        if slot.replace(score.ok_or(Unreadable("a score that is no number"))?).is_some() {
            return Err(Unreadable("two scores of one passage"));
        }
    }
    let scores = scores.into_iter().map(|score| score.ok_or(Unreadable("a passage without a score")));
    let used = &body["usage"];
    let input_tokens = tokens(&used["prompt_tokens"]).max(tokens(&used["total_tokens"]));
    Ok((scores.collect::<Read<_>>()?, Usage { input_tokens, ..Usage::default() }))
}
