//! A model that is read when it is first asked: most commands ask none, and its file is large.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ledger::vectors::ModelIdentity;

use super::{LocalEmbedder, pack};
use crate::embed::{Embed, Role};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Limits;

/// A model on this machine of which only the name is known until it is asked.
#[derive(Debug)]
pub struct WaitingEmbedder {
    path: PathBuf,
    identity: ModelIdentity,
    opened: OnceLock<Result<LocalEmbedder, String>>,
}

impl WaitingEmbedder {
    /// Finds out which model the pack at `path` holds, and leaves the rest of it unread.
    ///
    /// # Errors
    /// [`InferenceErrorKind::ModelFile`] when its header cannot be read or is not whole. What is wrong behind the header is
    /// told by each call of [`Embed::embed`].
    pub fn of(path: &Path) -> Result<Self, InferenceError> {
        let identity = pack::identity_of(path)?;
        Ok(Self { path: path.to_owned(), identity, opened: OnceLock::new() })
    }

    fn open(&self) -> Result<LocalEmbedder, String> {
        let opened = LocalEmbedder::open(&self.path).map_err(|error| error.to_string())?;
        match opened.identity() == &self.identity {
            true => Ok(opened),
            false => Err(format!("`{}` was exchanged; start this program again", self.path.display())),
        }
    }
}

impl Embed for WaitingEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        match self.opened.get_or_init(|| self.open()) {
            Ok(model) => model.embed(role, texts, limits),
            Err(what) => Err(InferenceError::new(InferenceErrorKind::ModelFile, what.clone())),
        }
    }
}
