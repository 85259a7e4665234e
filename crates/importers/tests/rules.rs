//! The rules of single formats, as tables: what goes in, what comes out.

use crate::support::{by_reason, import, import_as, printed};
use importers::{Author, Fidelity, Format, Input, Options, Reason, read};
use jiff::tz::TimeZone;
use serde_json::json;

#[test]
fn json_lines_are_read_or_refused_one_by_one() {
    let source = r#""source":{"kind":"chat","ref":"1"}"#;
    let line = |rest: &str| format!("{{{source},{rest}}}");
    let table: Vec<(String, Option<Reason>)> = vec![
        (line(r#""author":"owner","text":"hi""#), None),
        (line(r#""author":"owner","text":"hi","event_time":"2026-03-01T10:00:00+01:00""#), None),
        (
            line(r#""author":"owner","text":"hi","event_time":"2026-03-01T10:00:00+01:00[Europe/Zagreb]""#),
            None,
        ),
        (line(r#""author":"owner","text":"hi","proposals":[{"entity":"self"},7]"#), None),
        (line(r#""author":"owner","text":"hi","event_time":"2026-03-01T10:00:00""#), Some(Reason::BadTime)),
        (line(r#""author":"owner","text":"hi","event_time":"2026-13-01T10:00:00Z""#), Some(Reason::BadTime)),
        (line(r#""author":"owner","text":"hi","event_time":"10000-01-01T00:00:00Z""#), Some(Reason::BadTime)),
        (line(r#""author":"owner","text":"hi","event_time":1772355600"#), Some(Reason::WrongShape)),
        (line(r#""author":"Owner","text":"hi""#), Some(Reason::UnknownAuthor)),
        (line(r#""author":"owner""#), Some(Reason::WrongShape)),
        (line(r#""author":"owner","text":7"#), Some(Reason::WrongShape)),
        (line(r#""author":"owner","text":"  ""#), Some(Reason::NoText)),
        (line(r#""author":"owner","text":"hi","proposals":{}"#), Some(Reason::WrongShape)),
        (line(r#""author":"owner","text":"hi","external_id":"""#), Some(Reason::WrongShape)),
        (r#"{"source":"chat","author":"owner","text":"hi"}"#.into(), Some(Reason::WrongShape)),
        (r#"{"source":{"kind":"chat"},"author":"owner","text":"hi"}"#.into(), Some(Reason::WrongShape)),
        (
            r#"{"source":{"kind":"chat","ref":"1","fidelity":"summary"},"author":"owner","text":"hi"}"#
                .into(),
            Some(Reason::WrongShape),
        ),
        ("[]".into(), Some(Reason::WrongShape)),
        ("not json".into(), Some(Reason::BadJson)),
        (r#"{"source":"#.into(), Some(Reason::Truncated)),
        (format!("{}1{}", "[".repeat(200), "]".repeat(200)), Some(Reason::JsonTooDeep)),
    ];
    for (text, expected) in &table {
        let imported = import_as(Format::Jsonl, "in.jsonl", text);
        assert_eq!(
            imported.refused.first().map(|refused| refused.reason),
            *expected,
            "{text}: {}",
            printed(&imported)
        );
        assert_eq!(imported.records, 1, "{text}");
    }
    // All of them in one file: a bad line costs itself. Good lines between bad ones keep their place.
    let whole: String = table.iter().map(|(text, _)| format!("{text}\r\n\n")).collect();
    let imported = import_as(Format::Jsonl, "in.jsonl", &whole);
    assert_eq!(imported.records, table.len() as u64);
    assert!(imported.balances());
    assert_eq!(imported.messages(), 4);
    assert_eq!(imported.refused[0].place, "line 9");
}

#[test]
fn json_lines_keep_proposals_and_the_label_of_imported_memories() {
    let text = r#"{"source":{"kind":"mem0","ref":"u1","title":"Old memories","fidelity":"structured_summary"},"session":"s","author":"external","event_time":"2026-03-01T10:00:00+01:00[Europe/Zagreb]","external_id":"m1","text":"User lives in Zagreb","proposals":[{"entity":"self","predicate":"home_city","value":"Zagreb","confidence":0.9,"quote":"lives in Zagreb"}],"mood":1}"#;
    let imported = import_as(Format::Jsonl, "in.jsonl", text);
    let source = &imported.sources[0];
    assert_eq!((source.kind.as_str(), source.reference.as_str()), ("mem0", "u1"));
    assert_eq!(source.fidelity, Fidelity::StructuredSummary);
    let message = &source.messages[0];
    assert_eq!(message.external_id, "m1");
    assert_eq!(message.session.as_deref(), Some("s"));
    assert_eq!(message.event_time.as_ref().unwrap().time_zone().iana_name(), Some("Europe/Zagreb"));
    assert_eq!(
        message.proposals,
        [
            json!({"entity":"self","predicate":"home_city","value":"Zagreb","confidence":0.9,"quote":"lives in Zagreb"})
        ]
    );
    assert_eq!(imported.notices, ["`in.jsonl` has fields that were not read: `mood`"]);
}

#[test]
fn bad_bytes_cost_their_record_only() {
    let line = |text: &[u8]| {
        [br#"{"source":{"kind":"a","ref":"1"},"author":"owner","text":""#, text, b"\"}\n"].concat()
    };
    let bytes = [line(b"one"), line(b"tw\xff"), line(b"three")].concat();
    let imported = import("in.jsonl", &bytes, &Options::default());
    assert_eq!((imported.messages(), by_reason(&imported)["invalid_utf8"]), (2, 1));
    assert_eq!(imported.refused[0].place, "line 2");
    // Within one JSON value too.
    let bytes = b"{\"uuid\":\"c\",\"chat_messages\":[{\"uuid\":\"1\",\"sender\":\"human\",\"text\":\"good\"},{\"uuid\":\"2\",\"sender\":\"human\",\"text\":\"b\xc3d\"}]}";
    let imported = import("conversations.json", bytes, &Options::default());
    assert_eq!((imported.messages(), by_reason(&imported)["invalid_utf8"]), (1, 1));
    assert_eq!(imported.refused[0].place, "file.chat_messages[1]");
    // UTF-16 with its mark is read without loss, in both orders.
    let text = "12/31/21, 22:01 - Žana: čaj 🍵\n";
    for bytes in [
        [vec![0xFF, 0xFE], text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat(),
        [vec![0xFE, 0xFF], text.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat(),
    ] {
        let imported = import("chat.txt", &bytes, &Options::default());
        assert_eq!(imported.sources[0].messages[0].text, "čaj 🍵");
    }
}

#[test]
fn a_cut_off_export_gives_its_whole_conversations() {
    let whole = r#"[{"uuid":"a","chat_messages":[{"uuid":"1","sender":"human","text":"first [1, 2] \"x\""}]},{"uuid":"b","chat_messages":[{"uuid":"2","sender":"human","text":"second"}]}]"#;
    assert_eq!(import("conversations.json", whole.as_bytes(), &Options::default()).messages(), 2);
    let cut = &whole[..whole.len() - 20];
    let imported = import("conversations.json", cut.as_bytes(), &Options::default());
    assert_eq!((imported.messages(), by_reason(&imported)["truncated"]), (1, 1));
    assert_eq!(imported.refused[0].place, "[1]");
    // Also when the damage stands in the first record, by which the file would be recognised.
    let damaged = whole.replacen("\"sender\":\"human\"", "\"sender\":human", 1);
    let imported = import("conversations.json", damaged.as_bytes(), &Options::default());
    assert_eq!((imported.messages(), by_reason(&imported)["bad_json"]), (1, 1));
    assert_eq!(imported.refused[0].place, "[0]");
}

/// The locale's date style is nowhere in the file. Name, text, the first message's time, whether an assumption was said.
#[test]
fn whatsapp_dates_are_settled_by_the_whole_file() {
    let table = [
        (
            "a day over 12 first",
            "03/04/21, 10:00 - A: x\n13/04/21, 10:00 - A: y\n",
            "2021-04-03T10:00:00",
            false,
        ),
        (
            "a day over 12 second",
            "03/04/21, 10:00 - A: x\n04/13/21, 10:00 - A: y\n",
            "2021-03-04T10:00:00",
            false,
        ),
        (
            "time runs forward by day",
            "01/02/21, 10:00 - A: x\n02/01/21, 09:00 - A: y\n",
            "2021-01-02T10:00:00",
            false,
        ),
        (
            "time runs forward by month",
            "02/01/21, 10:00 - A: x\n01/02/21, 09:00 - A: y\n",
            "2021-01-02T10:00:00",
            false,
        ),
        ("nothing tells", "03/04/21, 10:00 - A: x\n", "2021-04-03T10:00:00", true),
        ("nothing tells, American clock", "3/4/21, 10:00 PM - A: x\n", "2021-03-04T22:00:00", true),
        ("day and month equal", "04/04/21, 10:00 - A: x\n", "2021-04-04T10:00:00", false),
        ("dots", "31.12.2021, 22:01 - A: x\n", "2021-12-31T22:01:00", false),
        ("Croatian", "31. 12. 2021. u 22:01 - A: x\n", "2021-12-31T22:01:00", false),
        ("ISO", "2021-12-31, 22:01 - A: x\n", "2021-12-31T22:01:00", false),
        ("brackets and seconds", "[31/12/21, 22:01:59] A: x\n", "2021-12-31T22:01:59", false),
        ("direction mark", "\u{200e}[31/12/21, 22:01:59] A: x\n", "2021-12-31T22:01:59", false),
        ("narrow space", "12/31/21, 10:01\u{202f}PM - A: x\n", "2021-12-31T22:01:00", false),
        ("midnight", "12/31/21, 12:01 AM - A: x\n", "2021-12-31T00:01:00", false),
        ("noon", "12/31/21, 12:01 PM - A: x\n", "2021-12-31T12:01:00", false),
    ];
    for (what, text, expected, assumed) in table {
        let imported = import_as(Format::Whatsapp, "chat with B.txt", text);
        let found = imported.sources[0].messages[0].event_time.as_ref().unwrap();
        assert_eq!(found.strftime("%Y-%m-%dT%H:%M:%S").to_string(), expected, "{what}");
        assert_eq!(imported.notices.iter().any(|notice| notice.contains("was assumed")), assumed, "{what}");
    }
    let options = Options { zone: TimeZone::get("Europe/Zagreb").unwrap(), ..Options::default() };
    let input = Input {
        name: "c.txt",
        bytes: b"31/12/21, 22:01 - A: x\n31/02/21, 22:01 - A: y\n99/99/21, 22:01 - A: z",
    };
    let imported = read(Some(Format::Whatsapp), &[input], &options);
    assert_eq!(
        imported.sources[0].messages[0].event_time.as_ref().unwrap().to_string(),
        "2021-12-31T22:01:00+01:00[Europe/Zagreb]"
    );
    assert_eq!(by_reason(&imported)["bad_time"], 2);
}

/// A file that grew, in front or behind, repeats its ids; an order of day and month settled later does not change them.
#[test]
fn a_chat_that_grew_keeps_its_ids() {
    let old = "03/04/21, 10:00 - A: ok\n03/04/21, 10:00 - A: ok\n03/04/21, 10:01 - B: fine\n";
    let ids = |text: &str| -> Vec<String> {
        let imported = import_as(Format::Whatsapp, "chat.txt", text);
        imported.sources[0].messages.iter().map(|message| message.external_id.clone()).collect()
    };
    let first = ids(old);
    assert_eq!(first.len(), 3);
    for grown in
        [format!("{old}04/13/21, 10:00 - A: later\n"), format!("02/14/21, 10:00 - A: earlier\n{old}")]
    {
        let second = ids(&grown);
        assert_eq!(second.len(), 4);
        assert!(first.iter().all(|id| second.contains(id)), "{grown}");
    }
}

#[test]
fn the_owner_of_a_group_chat_is_named_or_nobody() {
    let chat = r#"{"name":"G","id":7,"messages":[
        {"id":1,"type":"message","date_unixtime":"1544006350","from":"Ana","from_id":"user1","text":"mine"},
        {"id":2,"type":"message","date_unixtime":"1544006351","from":"Ana","from_id":"user1","forwarded_from":"Ivo","text":"his"},
        {"id":3,"type":"message","date_unixtime":"1544006352","from":"Ana B","from_id":"user2","text":"hers"},
        {"id":4,"type":"service","date_unixtime":"1544006353","action":"pin_message","text":""}]}"#;
    let authors = |text: &str, owner: Option<&str>| -> Vec<Author> {
        let options = Options { owner: owner.map(str::to_owned), ..Options::default() };
        let imported = import("result.json", text.as_bytes(), &options);
        assert_eq!(by_reason(&imported)["service_notice"], 1);
        imported.sources[0].messages.iter().map(|message| message.author).collect()
    };
    use Author::{External, Owner};
    assert_eq!(authors(chat, None), [External, External, External]);
    assert_eq!(authors(chat, Some("Ana")), [Owner, External, External]);
    assert_eq!(authors(chat, Some("user2")), [External, External, Owner]);
    assert_eq!(authors(chat, Some("An")), [External, External, External]);
    let namesake = chat.replace("Ana B", "Ana");
    assert_eq!(authors(&namesake, Some("Ana")), [External, External, External]);
    assert_eq!(authors(&namesake, Some("user1")), [Owner, External, External]);
    let account = format!(r#"{{"personal_information":{{"user_id":1}},"chats":{{"list":[{chat}]}}}}"#);
    assert_eq!(authors(&account, None), [Owner, External, External]);
    assert_eq!(authors(&account, Some("user2")), [External, External, Owner]);
}

#[test]
fn a_rendering_cannot_speak_for_the_owner_unless_trusted() {
    let text = r####"{"cascadeId":"c","markdown":"### User Input\n\nHi\n\n### Planner Response\n\nSee:\n### User Input\n\nI like spam\n"}"####;
    let imported = import("session.json", text.as_bytes(), &Options::default());
    assert_eq!(imported.sources[0].fidelity, Fidelity::DerivedProjection);
    assert!(
        imported.sources[0].messages.iter().all(|message| message.author != Author::Owner),
        "{}",
        printed(&imported)
    );
    let options = Options { owner: Some("user".into()), ..Options::default() };
    assert_eq!(
        import("session.json", text.as_bytes(), &options).sources[0].messages[0].author,
        Author::Owner
    );
}

#[test]
fn a_tree_that_is_a_circle_or_names_no_end_is_still_read() {
    let node = |id: &str, parent: &str, children: &str, time: u32| {
        format!(
            r#""{id}":{{"id":"{id}","parent":"{parent}","children":[{children}],"message":{{"id":"{id}","author":{{"role":"user"}},"create_time":{time},"content":{{"content_type":"text","parts":["{id}"]}}}}}}"#
        )
    };
    let circle = format!(
        r#"[{{"id":"c","current_node":"a","mapping":{{{},{}}}}}]"#,
        node("a", "b", "\"b\"", 1),
        node("b", "a", "\"a\"", 2)
    );
    let imported = import("conversations.json", circle.as_bytes(), &Options::default());
    assert_eq!((imported.records, imported.messages()), (2, 2));
    let endless = format!(
        r#"[{{"id":"c","mapping":{{{},{},{}}}}}]"#,
        node("a", "", "\"b\",\"d\"", 1),
        node("b", "a", "", 3),
        node("d", "a", "", 2)
    );
    let imported = import("conversations.json", endless.as_bytes(), &Options::default());
    let texts: Vec<&str> = imported.sources[0].messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["a", "b"]);
    assert_eq!(by_reason(&imported)["inactive_branch"], 1);
    assert!(imported.notices[0].contains("names no current branch"));
}

#[test]
fn beam_batches_are_sessions_placed_on_their_day() {
    let text = r#"[{"batch_number":1,"time_anchor":"March-15-2024","turns":[[{"role":"user","id":0,"time_anchor":"March-15-2024","content":"Hi"},{"role":"assistant","id":1,"content":"Hello"}]]},{"batch_number":2,"turns":[[{"role":"tool","id":2,"content":"x"},{"role":"user","id":3,"content":"Bye"}]]}]"#;
    insta::assert_snapshot!(printed(&import("01/chat.json", text.as_bytes(), &Options::default())));
}

#[test]
fn sql_is_read_and_never_guessed() {
    let create = "create table messages (id integer primary key, session_id text default (x(1,2)), role text, content text, timestamp real, unique (id, role));\n";
    let table = [
        ("insert into messages values (1,'s','user','it''s; -- fine\n''',1.5);", 1, None),
        ("insert into messages values (1,'s','user','a',1.5), (2,'s','assistant','b',2.5);", 2, None),
        ("insert into messages (session_id, role, content) values ('s','user','a');", 1, None),
        ("insert into messages values (1,'s','user',upper('a'),1.5);", 0, Some(Reason::SqlUnsupported)),
        ("insert into messages values (1,'s','user','a' || 'b',1.5);", 0, Some(Reason::SqlUnsupported)),
        ("insert into messages values (1,'s','user');", 0, Some(Reason::SqlUnsupported)),
        ("insert into messages select * from other;", 0, Some(Reason::SqlUnsupported)),
        ("update messages set content = 'x';", 0, Some(Reason::SqlUnsupported)),
        ("insert into messages values (1,'s','user','a", 0, Some(Reason::SqlUnsupported)),
        ("/* insert */ -- nothing; here\n", 0, Some(Reason::SqlUnsupported)),
    ];
    for (text, messages, reason) in table {
        let imported = import("dump.sql", format!("{create}{text}").as_bytes(), &Options::default());
        assert_eq!(imported.messages(), messages, "{text}: {}", printed(&imported));
        assert_eq!(imported.refused.first().map(|refused| refused.reason), reason, "{text}");
        assert!(imported.balances());
    }
    let imported = import("dump.sql", format!("{create}{}", table[0].0).as_bytes(), &Options::default());
    assert_eq!(imported.sources[0].messages[0].text, "it's; -- fine\n'");
}

#[test]
fn formats_are_named_by_one_word_each() {
    for format in Format::ALL {
        assert_eq!(format.as_str().parse::<Format>(), Ok(*format));
        assert!(!format.help().is_empty() && !format.owner_default().is_empty());
    }
    assert!("ChatGPT".parse::<Format>().is_err());
}

#[test]
fn slack_names_that_two_people_bear_are_nobodys() {
    let users = br#"[{"id":"U1","name":"ana","profile":{"display_name":"Ana"}},{"id":"U2","name":"eve","profile":{"display_name":"Ana"}}]"#;
    let day = br#"[{"type":"message","user":"U1","ts":"1.5","text":"mine &amp;lt; <@U2> <https://x.hr|x>"},{"type":"message","user":"U2","ts":"2.5","text":"not mine"}]"#;
    let inputs = [
        Input { name: "x/users.json", bytes: users },
        Input { name: "x/general/2026-01-01.json", bytes: day },
    ];
    let authors = |owner: &str| -> Vec<Author> {
        let options = Options { owner: Some(owner.to_owned()), ..Options::default() };
        let imported = read(None, &inputs, &options);
        assert_eq!(
            imported.notices.iter().any(|notice| notice.contains("2 people are called")),
            owner == "Ana"
        );
        assert_eq!(imported.sources[0].messages[0].text, "mine &lt; @Ana x (https://x.hr)");
        imported.sources[0].messages.iter().map(|message| message.author).collect()
    };
    use Author::{External, Owner};
    assert_eq!(authors("Ana"), [External, External]);
    assert_eq!(authors("U1"), [Owner, External]);
    assert_eq!(authors("eve"), [External, Owner]);
}

/// The role `user` in an agent's log is the person only when nothing says otherwise.
#[test]
fn what_a_tool_or_a_model_says_as_user_is_not_the_owners() {
    let table: [(&str, &str, Option<Author>); 8] = [
        ("s.jsonl", r#"{"type":"user","message":{"role":"user","content":"words"}}"#, Some(Author::Owner)),
        (
            "s.jsonl",
            r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"words"}}"#,
            Some(Author::Assistant),
        ),
        (
            "s.jsonl",
            r#"{"type":"user","agentId":"a1","message":{"role":"user","content":"words"}}"#,
            Some(Author::Assistant),
        ),
        (
            "agent-1f.jsonl",
            r#"{"type":"user","message":{"role":"user","content":"words"}}"#,
            Some(Author::Assistant),
        ),
        ("s.jsonl", r#"{"type":"user","isMeta":true,"message":{"role":"user","content":"words"}}"#, None),
        (
            "s.jsonl",
            r#"{"type":"user","origin":{"kind":"hook"},"message":{"role":"user","content":"words"}}"#,
            None,
        ),
        (
            "s/agents/sub1/wire.jsonl",
            r#"{"type":"context.append_message","message":{"role":"user","content":"words"}}"#,
            Some(Author::Assistant),
        ),
        (
            "s.jsonl",
            r#"{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"words"}]}}"#,
            None,
        ),
    ];
    for (name, text, expected) in table {
        let imported = import(name, text.as_bytes(), &Options::default());
        let author = imported.sources.first().map(|source| source.messages[0].author);
        assert_eq!(author, expected, "{name} {text}: {}", printed(&imported));
        assert_eq!(by_reason(&imported).contains_key("control_plane"), expected.is_none(), "{text}");
    }
    let spawned = r#"{"type":"session_meta","payload":{"id":"x","source":{"subagent":"review"}}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"words"}]}}"#;
    let imported = import("rollout.jsonl", spawned.as_bytes(), &Options::default());
    assert_eq!(imported.sources[0].messages[0].author, Author::Assistant);
}

/// A Codex rollout says everything twice; one saying is kept, whichever the file has.
#[test]
fn codex_events_stand_in_for_items_that_are_not_there() {
    let event = r#"{"type":"event_msg","payload":{"type":"user_message","message":"words"}}"#;
    let item = r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"words"}]}}"#;
    for (text, refused) in [(event.to_owned(), 0), (item.to_owned(), 0), (format!("{item}\n{event}"), 1)] {
        let imported = import("rollout.jsonl", text.as_bytes(), &Options::default());
        assert_eq!((imported.messages(), imported.refused.len()), (1, refused), "{text}");
    }
}
