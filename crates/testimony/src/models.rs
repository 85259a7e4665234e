//! Where models are: one place on a machine, shared by all data directories, and the index they are pulled from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inference::InferenceError;
use inference::embed::Embed;
use inference::local::pull::DEFAULT_INDEX;
use inference::local::{KNOWN_MODELS, WaitingEmbedder};
use inference::models::OpenModels;
use inference::tiers::Can;

/// The tier of `models.toml` that places texts, where there is one.
pub const EMBED_TIER: &str = "embed";

/// The model that places texts: the tier `embed` of the models configured, or else the pack of this machine; `None` where there is
/// neither, and memories are found by their words alone.
///
/// # Errors
/// When the tier does something else, or the pack's header is not whole; the rest of a pack is read when it is first asked.
pub fn embedder(models: Option<&OpenModels>) -> Result<Option<Arc<dyn Embed>>, InferenceError> {
    let configured = models.filter(|open| {
        open.models().tiers.get(EMBED_TIER).is_some_and(|tier| matches!(tier.can, Can::Embed(_)))
    });
    if let Some(open) = configured {
        return open.embed(EMBED_TIER).map(Some);
    }
    let pack = models_directory().map(|directory| directory.join(KNOWN_MODELS[0].file_name()));
    match pack.filter(|path| path.exists()) {
        Some(path) => Ok(Some(Arc::new(WaitingEmbedder::of(&path)?))),
        None => Ok(None),
    }
}

/// The directory of model packs: `TESTIMONY_MODELS_DIR`, or `models` in the platform's place for this program's data; `None` where
/// the user has no home.
#[must_use]
pub fn models_directory() -> Option<PathBuf> {
    variable("TESTIMONY_MODELS_DIR")
        .map(PathBuf::from)
        .or_else(|| crate::default_data_directory().map(|data| data.join("models")))
}

/// The Python index that models are pulled from when nobody names one: `TESTIMONY_MODEL_INDEX`, what pip is told by
/// `PIP_INDEX_URL` or its configuration, or the public index.
#[must_use]
pub fn model_index() -> String {
    variable("TESTIMONY_MODEL_INDEX")
        .or_else(|| variable("PIP_INDEX_URL"))
        .or_else(|| pip_files().iter().find_map(|path| index_of(&std::fs::read_to_string(path).ok()?)))
        .unwrap_or_else(|| DEFAULT_INDEX.to_owned())
}

#[allow(clippy::disallowed_methods, reason = "configuration is read once, by the binary")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Where pip keeps its configuration, what counts most first.
fn pip_files() -> Vec<PathBuf> {
    if let Some(named) = variable("PIP_CONFIG_FILE") {
        return vec![PathBuf::from(named)];
    }
    let mut files = Vec::new();
    if let Some(bases) = directories::BaseDirs::new() {
        files.push(bases.home_dir().join(".pip/pip.conf"));
        files.push(bases.config_dir().join("pip/pip.conf"));
        files.push(bases.config_dir().join("pip/pip.ini"));
    }
    files.extend(["/etc/xdg/pip/pip.conf", "/etc/pip.conf"].map(|path| Path::new(path).to_owned()));
    files
}

/// `index-url` of the section `[global]`.
fn index_of(configuration: &str) -> Option<String> {
    let mut section = "";
    for line in configuration.lines().map(str::trim) {
        if let Some(named) = line.strip_prefix('[') {
            section = named.trim_end_matches(']');
        } else if let Some((key, value)) = line.split_once('=')
            && section == "global"
            && matches!(key.trim(), "index-url" | "index_url")
        {
            return Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_read_from_pips_global_section() {
        let configuration = "[install]\nindex-url = http://a.example\n[global]\ncert = /x\nindex-url = http://b.example/simple\n";
        assert_eq!(index_of(configuration).as_deref(), Some("http://b.example/simple"));
        assert_eq!(index_of("[global]\nindex-url =\n"), None);
        assert_eq!(index_of("index-url = http://a.example"), None);
    }
}
