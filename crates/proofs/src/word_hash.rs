//! A stand-in for an embedding model: texts that share words lie near each other. Made for proofs; it knows no meaning.

use inference::embed::{Embed, ModelIdentity, Role};
use inference::{InferenceError, InferenceErrorKind, Limits};
use parking_lot::Mutex;

/// What a proof has happen while the model is at work, told how many texts it was given.
type Meanwhile = Box<dyn FnMut(usize) -> Result<(), InferenceErrorKind> + Send>;

/// Places a text by the hashes of its words.
pub struct WordHash {
    identity: ModelIdentity,
    meanwhile: Mutex<Option<Meanwhile>>,
}

impl WordHash {
    /// Numbers in its vectors.
    pub const DIMS: u32 = 64;

    /// The stand-in called `name`; two names are two models.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let mut mark = [0; 32];
        for (place, byte) in name.bytes().enumerate() {
            mark[place % 32] ^= byte;
        }
        let identity = ModelIdentity { name: name.to_owned(), dims: Self::DIMS, mark };
        Self { identity, meanwhile: Mutex::new(None) }
    }

    /// Has `meanwhile` run each time passages are embedded, before their vectors are handed back.
    #[must_use]
    pub fn meanwhile(
        self,
        meanwhile: impl FnMut(usize) -> Result<(), InferenceErrorKind> + Send + 'static,
    ) -> Self {
        *self.meanwhile.lock() = Some(Box::new(meanwhile));
        self
    }

    fn place(&self, text: &str) -> Vec<f32> {
        // Models of the real kind use a narrow cone: every vector has something of one direction.
        let mut vector = vec![0.2_f32; self.identity.dims as usize];
        let lower = text.to_lowercase();
        for word in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2) {
            let mut hash = 0xcbf2_9ce4_8422_2325_u64;
            for byte in word.bytes().chain(self.identity.name.bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            for turn in 0..4 {
                let part = (hash >> (turn * 16)) & 0xffff;
                let sign = if part & 0x8000 == 0 { 1.0 } else { -1.0 };
                vector[part as usize % self.identity.dims as usize] += sign;
            }
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

impl Embed for WordHash {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, role: Role, texts: &[&str], _limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        if role == Role::Passage
            && let Some(meanwhile) = &mut *self.meanwhile.lock()
        {
            meanwhile(texts.len()).map_err(|kind| InferenceError::new(kind, "the proof has it fail"))?;
        }
        Ok(texts.iter().map(|text| self.place(text)).collect())
    }
}
