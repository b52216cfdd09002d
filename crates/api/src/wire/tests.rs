//! Decoding reports all problems at once, with paths and suggestions.

#![allow(dead_code, reason = "the tests check problems and schemas, not decoded values")]

use posthouse_domain::{error::ErrorCode, inbox::Username};
use proptest::prelude::*;
use regex_automata::meta::Regex;
use serde_json::json;

use super::*;

/// Limits that the samples keep.
const JSON: JsonLimits = JsonLimits { values_max: 1_000, depth_max: 64 };

object! {
    /// A small send request.
    struct SampleSend {
        /// Recipients.
        to: OneOrMany<Recipient, 3>,
        /// Subject.
        subject: BoundedLine<1, 20>,
        /// Files.
        attachments: Option<BoundedList<SampleFile, 0, 2>>,
        /// Notes.
        metadata: Option<Metadata>,
        /// Name.
        display_name: Patch<BoundedLine<1, 5>>,
    }
}

object! {
    /// A file.
    struct SampleFile {
        /// Its name.
        filename: FileName,
        /// Its type.
        kind = "type": Option<Mood>,
    }
}

choice! {
    /// A choice.
    enum Mood {
        /// Good.
        Good = "good",
        /// Bad.
        Bad = "bad",
    }
}

query! {
    /// A list's query.
    struct SampleQuery {
        /// All must match.
        labels: CommaList<Label, 3>,
        /// Items per page.
        limit: Option<query::Limit>,
        /// Metadata filters.
        metadata: MetadataFilters,
        /// A flag.
        is_read: Option<bool>,
    }
}

fn problems_of(value: serde_json::Value) -> Vec<(String, String)> {
    let mut problems = Problems::default();
    let decoded = decode_json::<SampleSend>(value.to_string().as_bytes(), JSON, &mut problems);
    match problems.finish(decoded) {
        Ok(_) => Vec::new(),
        Err(refusal) => {
            assert_eq!(refusal.code, ErrorCode::InvalidRequest);
            let fields = refusal.wire_details()["fields"].as_array().cloned().unwrap_or_default();
            fields
                .iter()
                .map(|f| {
                    (
                        f["path"].as_str().unwrap_or_default().to_owned(),
                        f["problem"].as_str().unwrap_or_default().to_owned(),
                    )
                })
                .collect()
        }
    }
}

#[test]
fn valid_bodies_have_no_problems() {
    assert_eq!(problems_of(json!({ "to": "A <a@b.example>", "subject": "Hi" })), []);
    assert_eq!(
        problems_of(
            json!({ "to": ["a@b.example"], "subject": "Hi", "display_name": null, "attachments": [{ "filename": "a.pdf", "type": "bad" }] })
        ),
        []
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let found = problems_of(json!({
        "to": ["nobody", "a@b.example"], "subjet": "x", "subject": "line\nbreak", "display_name": "too long",
        "attachments": [{ "filename": "../a", "type": "ugly" }], "metadata": { "a b": 1, "c": [1] },
    }));
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "subjet",
            "to[0]",
            "subject",
            "attachments[0].filename",
            "attachments[0].type",
            "metadata.a b",
            "metadata.c",
            "display_name"
        ]
    );
    assert!(found[0].1.contains("did you mean subject?"), "{}", found[0].1);
}

#[test]
fn missing_fields_and_wrong_types_are_reported() {
    let found = problems_of(json!({ "subject": 5 }));
    assert_eq!(
        found,
        [("to".into(), "is required".into()), ("subject".into(), "must be a string, not a number".into())]
    );
    assert_eq!(problems_of(json!([])), [("body".into(), "must be an object, not an array".into())]);
}

#[test]
fn invalid_json_is_one_problem() {
    let mut problems = Problems::default();
    let decoded = decode_json::<SampleSend>(b"{\"to\":", JSON, &mut problems);
    let refusal = problems.finish(decoded).expect_err("broken");
    assert!(refusal.message.contains("not valid JSON"), "{}", refusal.message);
}

#[test]
fn repeated_names_are_refused_at_any_depth() {
    for body in [r#"{"subject":"a","to":"a@b.example","subject":"b"}"#, r#"{"metadata":{"a":1,"b":[],"a":1}}"#] {
        let mut problems = Problems::default();
        let decoded = decode_json::<SampleSend>(body.as_bytes(), JSON, &mut problems);
        let refusal = problems.finish(decoded).expect_err(body);
        assert!(refusal.message.contains("is repeated"), "{}", refusal.message);
    }
    let deep = "[".repeat(10_000);
    assert!(decode_json::<SampleSend>(deep.as_bytes(), JSON, &mut Problems::default()).is_none());
}

#[test]
fn queries_are_as_strict_as_bodies() {
    let read = |raw: &str| {
        let mut problems = Problems::default();
        let decoded = decode_query::<SampleQuery>(Some(raw), &mut problems);
        problems.finish(decoded)
    };
    let good = read("labels=a,b&limit=5&metadata.team=red%20x&is_read=true").expect("good");
    assert_eq!(good.labels.0, [Label("a".into()), Label("b".into())]);
    assert_eq!(good.metadata.0, [("team".into(), "red x".into())]);
    assert_eq!(good.is_read, Some(true));
    for (bad, path) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("lables=a", "lables"),
        ("is_read=1", "is_read"),
        ("limit=1&limit=2", "limit"),
        ("metadata=1", "metadata"),
        ("labels=a,b,c,d", "labels"),
    ] {
        let refusal = read(bad).expect_err(bad);
        assert_eq!(refusal.wire_details()["fields"][0]["path"], path, "{bad}");
    }
    assert!(read("lables=a").expect_err("unknown").message.contains("did you mean labels?"));
}

#[test]
fn base64_alphabets_and_paddings_are_accepted() {
    let read = |text: &str| Base64::decode(&json!(text), "x", &mut Problems::default()).map(|b| b.0);
    for text in ["-_8=", "+/8=", "+/8", "-_8", "+/\r\n8="] {
        assert_eq!(read(text), Some(vec![0xfb, 0xff]), "{text}");
    }
    for bad in ["a", "!!!!", "a===="] {
        assert_eq!(read(bad), None, "{bad}");
    }
}

#[test]
fn schemas_match_decoding() {
    let schema = SampleSend::schema();
    assert_eq!(schema["required"], json!(["to", "subject"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["subject"]["maxLength"], 20);
    assert_eq!(schema["properties"]["display_name"]["type"], json!(["string", "null"]));
}

/// Generates texts that the pattern of a type's schema matches, except those that its `not` refuses.
fn texts_of<T: BodyValue>() -> impl Strategy<Value = String> {
    let schema = T::schema();
    let pattern = schema["pattern"].as_str().expect("the type has a pattern").to_owned();
    let bare = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')).expect("the pattern is anchored");
    let refused = schema["not"].clone();
    let is_refused = move |text: &str| {
        let starts = |pattern: &str| Regex::new(pattern).expect("a pattern").is_match(text);
        let by = |not: &Value| {
            not["pattern"].as_str().is_some_and(starts)
                || not["enum"].as_array().is_some_and(|names| names.iter().any(|name| name == text))
        };
        by(&refused) || refused["anyOf"].as_array().is_some_and(|some| some.iter().any(by))
    };
    let longest = schema["maxLength"].as_u64().and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
    let fits = move |text: &String| text.chars().count() <= longest && !is_refused(text);
    proptest::string::string_regex(bare).expect("a pattern").prop_filter("the schema allows it", fits)
}

fn is_accepted<T: BodyValue>(text: &str) -> Result<(), String> {
    let mut problems = Problems::default();
    let decoded = T::decode(&json!(text), "x", &mut problems).map(drop);
    problems.finish(decoded).map_err(|refusal| refusal.message)
}

proptest! {
    #[test]
    fn what_the_pattern_of_a_schema_allows_is_accepted(
        text in texts_of::<BoundedText<0, 500>>(),
        line in texts_of::<BoundedLine<0, 500>>(),
        filled in texts_of::<BoundedLine<1, 500>>(),
        label in texts_of::<Label>(),
        user_label in texts_of::<UserLabel>(),
        base64 in texts_of::<Base64>(),
        mime_type in texts_of::<MimeType>(),
        username in texts_of::<Username>(),
    ) {
        prop_assert_eq!(is_accepted::<BoundedText<0, 500>>(&text), Ok(()));
        prop_assert_eq!(is_accepted::<BoundedLine<0, 500>>(&line), Ok(()));
        prop_assert_eq!(is_accepted::<BoundedLine<1, 500>>(&filled), Ok(()));
        prop_assert_eq!(is_accepted::<Label>(&label), Ok(()));
        prop_assert_eq!(is_accepted::<UserLabel>(&user_label), Ok(()));
        prop_assert_eq!(is_accepted::<Base64>(&base64), Ok(()));
        prop_assert_eq!(is_accepted::<MimeType>(&mime_type), Ok(()));
        prop_assert_eq!(is_accepted::<Username>(&username), Ok(()));
    }
}

#[test]
fn lists_and_filters_of_a_query_have_the_style_that_is_parsed() {
    let parameters = SampleQuery::parameters();
    let of = |name: &str| parameters.iter().find(|one| one["name"] == name).expect(name);
    assert_eq!((&of("labels")["style"], &of("labels")["explode"]), (&json!("form"), &json!(false)));
    assert_eq!((&of("metadata")["style"], &of("metadata")["explode"]), (&json!("form"), &json!(true)));
    assert_eq!((&of("labels")["schema"]["type"], &of("labels")["schema"]["maxItems"]), (&json!("array"), &json!(3)));
    assert!(of("limit").get("style").is_none());
}
