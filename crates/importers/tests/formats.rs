//! What comes out of each format, whole, as a snapshot.

use crate::support::{import, printed, sample, samples};
use importers::Options;

macro_rules! snapshots {
    ($($name:ident: $file:literal, owner $owner:expr;)+) => {
        $(#[test]
        fn $name() {
            let sample = sample($file);
            let owner: Option<&str> = $owner;
            let options = Options { owner: owner.map(str::to_owned), ..Options::default() };
            insta::assert_snapshot!(printed(&import(&sample.name, &sample.bytes, &options)));
        })+
    };
}

snapshots! {
    chatgpt: "import-chat/chatgpt/polylogue-native-conversation-v1.json", owner None;
    chatgpt_branches: "import-chat/chatgpt/chatgpt-export-parser-example.json", owner None;
    claude_ai: "import-chat/claude-ai/polylogue-sample-00.json", owner None;
    slack: "import-chat/slack/slack-export-viewer-testarchive.zip", owner Some("hamza");
    whatsapp: "import-chat/chat-miner/whatsapp/test_mmddyyyy_12hrs.txt", owner Some("John Doe");
    telegram: "import-chat/chat-miner/telegram/test_batch_export.json", owner Some("Author 1");
    signal: "import-chat/chat-miner/signal/test_export.txt", owner None;
    instagram: "import-chat/chat-miner/instagram/test_export.json", owner None;
    markdown: "import-chat/SOURCE.md", owner None;
}

/// One snapshot for all tools: the files are small, and side by side they show what is kept of each.
#[test]
fn agent_sessions() {
    let mut text = String::new();
    for sample in samples(&["import-agent-sessions"]) {
        if sample.name.ends_with("LICENSE") || sample.name.ends_with("SOURCE.md") {
            continue;
        }
        text += &format!(
            "== {}\n{}\n",
            sample.name,
            printed(&import(&sample.name, &sample.bytes, &Options::default()))
        );
    }
    insta::assert_snapshot!(text);
}
