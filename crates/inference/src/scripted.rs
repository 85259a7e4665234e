//! Stand-ins that answer by script: for tests, and wherever a model would only be in the way of what is looked at. They
//! are told what to answer, remember what they were asked, and can fail, stall and answer nonsense like the real ones.

use std::collections::VecDeque;

use ledger::evidence::ContentHash;
use parking_lot::Mutex;

use crate::chat::{Abilities, Chat, ChatReply, ChatRequest, Finish};
use crate::clock::{Clock, MachineClock};
use crate::embed::{Embed, ModelIdentity, Role};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Limits;
use crate::rerank::Rerank;
use crate::usage::Usage;

/// One thing a scripted model does when it is asked.
#[derive(Clone, Debug)]
pub enum Act {
    /// It answers this.
    Say(String),
    /// It answers this, cut off by its limit.
    SayCut(String),
    /// It fails this way.
    Fail(InferenceErrorKind),
    /// It answers nothing until the deadline or the caller ends it.
    Stall,
}

type Function = Box<dyn Fn(&ChatRequest) -> Act + Send + Sync>;

enum Script {
    /// In order; asked beyond the end, it fails.
    Acts(Mutex<VecDeque<Act>>),
    Function(Function),
}

/// A chat model that answers by script.
pub struct ScriptedChat {
    script: Script,
    abilities: Abilities,
    asked: Mutex<Vec<ChatRequest>>,
}

impl ScriptedChat {
    /// Does these one after the other, and fails when it is asked once more.
    #[must_use]
    pub fn acts(acts: impl IntoIterator<Item = Act>) -> Self {
        Self::of(Script::Acts(Mutex::new(acts.into_iter().collect())))
    }

    /// Says these one after the other, and fails when it is asked once more.
    #[must_use]
    pub fn says<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::acts(texts.into_iter().map(|text| Act::Say(text.into())))
    }

    /// Does whatever `function` makes of what it is asked.
    #[must_use]
    pub fn by(function: impl Fn(&ChatRequest) -> Act + Send + Sync + 'static) -> Self {
        Self::of(Script::Function(Box::new(function)))
    }

    fn of(script: Script) -> Self {
        Self { script, abilities: Abilities { json_schema: true, tools: false }, asked: Mutex::default() }
    }

    /// The same with other abilities; unless told, it keeps to schemas.
    #[must_use]
    pub fn with_abilities(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// What it was asked, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().clone()
    }
}

impl Chat for ScriptedChat {
    fn name(&self) -> &str {
        "scripted/chat"
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn chat(&self, request: &ChatRequest, limits: &Limits) -> Result<ChatReply, InferenceError> {
        self.asked.lock().push(request.clone());
        let act = match &self.script {
            Script::Acts(acts) => acts.lock().pop_front(),
            Script::Function(function) => Some(function(request)),
        };
        let (text, finish) = match act {
            Some(Act::Say(text)) => (text, Finish::Stop),
            Some(Act::SayCut(text)) => (text, Finish::Length),
            Some(Act::Fail(kind)) => return Err(InferenceError::new(kind, "fails as the script says")),
            Some(Act::Stall) => return Err(stall(limits)),
            None => {
                let message = "the script is at its end";
                return Err(InferenceError::new(InferenceErrorKind::Unreachable, message));
            }
        };
        // About as many tokens as a real one would count.
        let read: usize = request.messages.iter().map(|message| message.text.len()).sum();
        let usage =
            Usage { input_tokens: read as u64 / 4 + 1, output_tokens: text.len() as u64 / 4 + 1, calls: 1 };
        Ok(ChatReply { text, finish, usage })
    }
}

fn stall(limits: &Limits) -> InferenceError {
    MachineClock::default().wait(limits.within, &limits.cancel);
    match limits.cancel.is_cancelled() {
        true => InferenceError::new(InferenceErrorKind::Cancelled, "stopped by the caller"),
        false => InferenceError::new(InferenceErrorKind::Deadline, "stalled as the script says"),
    }
}

/// An embedding model without meaning: each word is a direction of its own, so texts lie close that share words.
pub struct ScriptedEmbed {
    identity: ModelIdentity,
    failing: Mutex<VecDeque<InferenceErrorKind>>,
    asked: Mutex<Vec<(Role, String)>>,
}

impl ScriptedEmbed {
    /// One with vectors of `dims` numbers; at least 1.
    #[must_use]
    pub fn new(dims: u32) -> Self {
        let dims = dims.max(1);
        let mark = ContentHash::of(format!("scripted words {dims}").as_bytes()).0;
        Self {
            identity: ModelIdentity { name: "scripted/words".to_owned(), dims, mark },
            failing: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// The same, whose first calls fail in these ways.
    #[must_use]
    pub fn failing_first(self, kinds: impl IntoIterator<Item = InferenceErrorKind>) -> Self {
        Self { failing: Mutex::new(kinds.into_iter().collect()), ..self }
    }

    /// The texts it was asked about, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<(Role, String)> {
        self.asked.lock().clone()
    }

    fn place(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; self.identity.dims as usize];
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let hash = ContentHash::of(word.to_lowercase().as_bytes()).0;
            let number = u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]);
            let place = (number % self.identity.dims) as usize;
            vector[place] += if hash[4] & 1 == 0 { 1.0 } else { -1.0 };
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|number| *number /= length);
        } else {
            // No words at all, or words that cancel out: some direction.
            vector[0] = 1.0;
        }
        vector
    }
}

impl Embed for ScriptedEmbed {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        if limits.cancel.is_cancelled() {
            return Err(InferenceError::new(InferenceErrorKind::Cancelled, "stopped by the caller"));
        }
        if let Some(kind) = self.failing.lock().pop_front() {
            return Err(InferenceError::new(kind, "fails as the script says"));
        }
        self.asked.lock().extend(texts.iter().map(|text| (role, (*text).to_owned())));
        Ok(texts.iter().map(|text| self.place(text)).collect())
    }
}

/// A reranker that counts shared words.
#[derive(Default)]
pub struct ScriptedRerank;

impl Rerank for ScriptedRerank {
    fn name(&self) -> &str {
        "scripted/words"
    }

    fn rerank(&self, query: &str, passages: &[&str], _: &Limits) -> Result<Vec<f32>, InferenceError> {
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
        let wanted = words(query);
        let score = |passage: &&str| {
            let shared = words(passage).iter().filter(|word| wanted.contains(word)).count();
            shared as f32 / wanted.len().max(1) as f32
        };
        Ok(passages.iter().map(score).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_script_is_followed_and_remembers() {
        let chat = ScriptedChat::acts([
            Act::Say("one".to_owned()),
            Act::SayCut("tw".to_owned()),
            Act::Fail(InferenceErrorKind::Busy),
            Act::Stall,
        ]);
        let limits = Limits::within(Duration::from_millis(1));
        let ask = || chat.chat(&ChatRequest::default(), &limits);
        assert_eq!(ask().expect("said").text, "one");
        assert_eq!(ask().expect("said").finish, Finish::Length);
        for kind in [InferenceErrorKind::Busy, InferenceErrorKind::Deadline, InferenceErrorKind::Unreachable]
        {
            assert_eq!(ask().expect_err("fails").kind(), kind);
        }
        assert_eq!(chat.asked().len(), 5);
        let stalling = ScriptedChat::by(|_| Act::Stall);
        let stopped = Limits::within(Duration::from_secs(3_600));
        stopped.cancel.cancel();
        let error = stalling.chat(&ChatRequest::default(), &stopped).expect_err("stopped");
        assert_eq!(error.kind(), InferenceErrorKind::Cancelled);
    }

    #[test]
    fn scripted_vectors_have_length_one_and_share_words() {
        let embed = ScriptedEmbed::new(64);
        let limits = Limits::within(Duration::from_secs(1));
        let texts = ["the red house", "a red house", "quite another thing", "", "?!"];
        let vectors = embed.embed(Role::Passage, &texts, &limits).expect("placed");
        let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(l, r)| l * r).sum::<f32>();
        for vector in &vectors {
            assert!((dot(vector, vector) - 1.0).abs() < 1e-6);
        }
        assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]));
        assert_eq!(embed.asked().len(), texts.len());
        let scores = ScriptedRerank.rerank("red house", &texts, &limits).expect("scored");
        assert_eq!(scores, [1.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
