//! Tests the parser with published messages and their parse trees (`mime/eml`), and with damaged copies of them.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::tests::corpus;

/// Returns the messages of one group with their trees, sorted by name.
fn messages(folder: &Path, group: &str) -> Vec<(String, Vec<u8>, Value)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join(group))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let raw = std::fs::read(&path).unwrap();
        let crlf = raw.windows(2).any(|pair| pair == b"\r\n");
        let tree = std::fs::read(path.with_extension(if crlf { "crlf.json" } else { "json" })).unwrap();
        let name = format!("{group}/{}", path.file_stem().unwrap().to_string_lossy());
        (name, raw, serde_json::from_slice(&tree).unwrap())
    };
    paths.into_iter().map(read).collect()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the value of the first header of this name in a part of a tree.
fn header<'t>(part: &'t Value, name: &str) -> Option<&'t Value> {
    let headers = part["headers"].as_array()?;
    headers.iter().find(|header| header["name"] == name).map(|header| &header["value"])
}

fn tree_addresses(part: &Value, name: &str) -> Vec<String> {
    let Some(address) = header(part, name).map(|value| &value["Address"]) else {
        return Vec::new();
    };
    let plain = address["List"].as_array().into_iter().flatten();
    let groups = address["Group"].as_array().into_iter().flatten();
    let grouped = groups.flat_map(|group| group["addresses"].as_array().into_iter().flatten());
    plain.chain(grouped).filter_map(|entry| entry["address"].as_str()).map(str::to_owned).collect()
}

fn addresses(parties: &[AddressEntry]) -> Vec<String> {
    let written = |party: &AddressEntry| {
        let form = &party.header_form;
        let inner = form.rfind('<').map(|open| form[open + 1..].trim_end_matches('>'));
        inner.or(form.contains('@').then_some(form)).map(str::to_owned)
    };
    parties.iter().filter_map(written).collect()
}

/// Returns a body according to the tree: its parts of one kind, joined.
fn tree_body(tree: &Value, list: &str, kind: &str) -> Option<String> {
    let parts = tree[list].as_array()?.iter().map(|index| &tree["parts"][index.as_u64().unwrap() as usize]["body"]);
    let texts: Vec<&str> = parts.filter_map(|body| body[kind].as_str()).collect();
    (!texts.is_empty()).then(|| folded(&texts.join("\n")))
}

/// Returns the (name, size if stated) of every attachment of a tree.
fn tree_attachments(tree: &Value) -> Vec<(Option<String>, Option<usize>)> {
    let parts = tree["attachments"].as_array().into_iter().flatten();
    parts
        .map(|index| {
            let part = &tree["parts"][index.as_u64().unwrap() as usize];
            let parameter = |field: &str, wanted: &str| {
                let attributes = header(part, field)?["ContentType"]["attributes"].as_array()?.clone();
                let found = attributes.into_iter().find(|attribute| attribute["name"] == wanted)?;
                found["value"].as_str().and_then(attachment::safe_filename)
            };
            let name = parameter("content_disposition", "filename").or(parameter("content_type", "name"));
            let bytes = [&part["body"]["Binary"], &part["body"]["InlineBinary"]];
            (name, bytes.into_iter().find_map(|bytes| bytes.as_array()).map(Vec::len))
        })
        .collect()
}

#[derive(Default)]
struct Score {
    agreed: usize,
    unstated: usize,
    disagreed: Vec<String>,
}

impl Score {
    fn check<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, mine: &T, tree: &T) {
        if format!("{tree:?}").contains('\u{fffd}') {
            // The tree marks the text as undecodable, so a better result isn't a disagreement.
            self.unstated += 1;
        } else if mine == tree {
            self.agreed += 1;
        } else {
            let line = format!("{what}: {mine:?} instead of {tree:?}");
            self.disagreed.push(line.chars().take(400).collect());
        }
    }

    fn compare(&mut self, name: &str, raw: &[u8], tree: &Value) {
        let parsed = parse(raw);
        let root = &tree["parts"][0];
        let subject = header(root, "subject").and_then(|value| value["Text"].as_str()).map(folded);
        self.check(&format!("{name} subject"), &parsed.subject.as_deref().map(folded), &subject);
        let from = tree_addresses(root, "from");
        // The trees list several authors, or authors without an address; here, such a message has no author.
        if let Ok(author) = &parsed.author {
            self.check(&format!("{name} from"), &vec![author.address().canonical()], &from);
        }
        self.check(&format!("{name} to"), &addresses(&parsed.to), &tree_addresses(root, "to"));
        if let Some(text) = tree_body(tree, "text_body", "Text").filter(|_| !parsed.text_from_html) {
            self.check(&format!("{name} text"), &folded(parsed.text.as_deref().unwrap_or_default()), &text);
        }
        if let (Some(html), true) =
            (tree_body(tree, "html_body", "Html"), !parsed.text_from_html || parsed.html.is_some())
        {
            let mine = folded(parsed.html.as_deref().unwrap_or_default());
            self.check(&format!("{name} html"), &mine.contains(&html), &true);
        }
        let expected = tree_attachments(tree);
        let known = |at: usize| expected.get(at).is_some_and(|(_, size)| size.is_some());
        let mine: Vec<_> = parsed
            .attachments
            .iter()
            .enumerate()
            .map(|(at, file)| (file.filename.clone(), known(at).then(|| file.bytes.len())))
            .collect();
        self.check(&format!("{name} attachments"), &mine, &expected);
    }
}

#[test]
fn messages_agree_with_their_published_trees() {
    let Some(folder) = corpus("mime/eml") else {
        return;
    };
    for group in ["rfc", "legacy", "thirdparty"] {
        let mut score = Score::default();
        for (name, raw, tree) in messages(&folder, group) {
            score.compare(&name, &raw, &tree);
        }
        let all = score.agreed + score.disagreed.len();
        println!("{group}: {} of {all} values agree, {} not stated", score.agreed, score.unstated);
        let known = |line: &&String| KNOWN_DIFFERENCES.iter().any(|(start, _)| line.starts_with(start));
        let (known, unknown): (Vec<&String>, Vec<&String>) = score.disagreed.iter().partition(known);
        println!("  known differences: {known:#?}");
        assert!(unknown.is_empty(), "{group}: {unknown:#?}");
    }
}

/// The values on which this parser deliberately differs from the tree, with the reason.
const KNOWN_DIFFERENCES: [(&str, &str); 4] = [
    ("thirdparty/000 text", "NUL becomes U+FFFD because the databases don't accept it in text"),
    ("thirdparty/002 attachments", "broken base64 of a text part stays text instead of becoming a file"),
    ("thirdparty/005 text", "a delimiter is a whole line (RFC 2046 §5.1.1): `invalid--1--` is text"),
    (
        "thirdparty/015 attachments",
        "an unclosed multipart in an attached message doesn't extend into the next messages",
    ),
];

/// Returns the total size of a parse result in bytes.
fn output_bytes(parsed: &ParsedMessage<'_>) -> usize {
    let strings = [&parsed.text, &parsed.html, &parsed.subject, &parsed.message_id, &parsed.in_reply_to];
    let people = [&parsed.to, &parsed.cc, &parsed.bcc, &parsed.reply_to].into_iter().flatten();
    strings.into_iter().flatten().map(String::len).sum::<usize>()
        + parsed.references.iter().map(String::len).sum::<usize>()
        + people.map(|party| party.header_form.len()).sum::<usize>()
        + parsed.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
        + parsed.attachments.iter().map(|file| file.bytes.len()).sum::<usize>()
}

fn assert_bounded(raw: &[u8]) {
    let parsed = parse(raw);
    let bytes = output_bytes(&parsed);
    assert!(bytes <= 8 * raw.len() + 1_024, "{bytes} bytes out of {}", raw.len());
    let names = parsed.attachments.iter().filter_map(|file| file.filename.as_deref());
    for name in names {
        assert!(
            name.len() <= FILENAME_BYTES_MAX && !name.contains(['/', '\\']) && !name.contains(char::is_control),
            "{name:?}"
        );
    }
    let text = [&parsed.subject, &parsed.message_id].into_iter().flatten();
    assert!(text.into_iter().all(|line| !line.contains(['\r', '\n', '\0'])));
}

#[test]
fn malformed_messages_are_parsed_without_panic_and_within_bounds() {
    let Some(folder) = corpus("mime/eml") else {
        return;
    };
    for (name, raw, _) in messages(&folder, "malformed") {
        println!("{name}: {} bytes", raw.len());
        assert_bounded(&raw);
        // A broken connection leaves only the first bytes of a message.
        for cut in 0..raw.len().min(600) {
            assert_bounded(&raw[..cut]);
        }
    }
}

#[test]
fn damaged_messages_are_parsed_without_panic_and_within_bounds() {
    let Some(folder) = corpus("mime/eml") else {
        return;
    };
    let groups = ["rfc", "legacy", "thirdparty", "malformed"];
    let all: Vec<Vec<u8>> = groups
        .iter()
        .flat_map(|group| messages(&folder, group))
        .map(|(_, raw, _)| raw)
        .filter(|raw| raw.len() < 20_000)
        .collect();
    let damage = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12);
    proptest!(ProptestConfig::with_cases(400), |(which in any::<prop::sample::Index>(), damage in damage)| {
        let mut raw = which.get(&all).clone();
        for (offset, byte, how) in &damage {
            if raw.is_empty() {
                break;
            }
            let at = offset.index(raw.len());
            match how {
                0 => raw[at] = *byte,
                1 => raw.insert(at, b"\r\n-<=?\";:"[usize::from(*byte) % 9]),
                2 => drop(raw.drain(at..(at + usize::from(*byte)).min(raw.len()))),
                _ => raw.extend_from_within(at..(at + usize::from(*byte)).min(raw.len())),
            }
        }
        assert_bounded(&raw);
    });
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_parsed_without_panic_and_within_bounds(raw in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        assert_bounded(&raw);
    }

    #[test]
    fn arbitrary_structure_is_parsed_without_panic_and_within_bounds(words in proptest::collection::vec(
        prop::sample::select(vec![
            "\r\n", "\n", "\r", " ", "\t", "--b", "--", "b", "Content-Type: multipart/mixed; boundary=b", "Content-Type: text/html",
            "Content-Transfer-Encoding: base64", "=?utf-8?B?", "?=", "=?x?Q?=41", "<", ">", "<div style=display:none>", "<a href=\"http://x\">",
            "&amp;", "&#", "\"", "From: ", "a@b.example", ",", ";", ":", "(", ")", "\\", "filename*0*=", "=C3", "é", "\u{0}", "Subject: ",
            "References: <", "message/rfc822", "Content-Disposition: inline; ",
        ]), 0..200)) {
        assert_bounded(words.concat().as_bytes());
    }
}
