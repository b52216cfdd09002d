//! Questions to a scripted server.

use std::sync::Mutex;

use posthouse_domain::Time;
use serde_json::{Value, json};

use super::{Fence, ModelServerError, Question, complete, schema};
use crate::ports::{BoxFuture, Clock, HttpRequest, HttpResponse, OutboundHttp, OutboundHttpError};
use crate::settings::AiEndpoint;

/// A server that gives these responses in order, and keeps the requests.
struct Script {
    responses: Mutex<Vec<Result<(u16, String), OutboundHttpError>>>,
    requests: Mutex<Vec<HttpRequest>>,
}

impl Script {
    fn new(responses: Vec<Result<(u16, String), OutboundHttpError>>) -> Self {
        Self { responses: Mutex::new(responses), requests: Mutex::default() }
    }

    fn answers(texts: &[&str]) -> Self {
        Self::new(texts.iter().map(|text| Ok((200, completion(text)))).collect())
    }

    fn body(&self, at: usize) -> Value {
        serde_json::from_slice(&self.requests.lock().unwrap()[at].body).unwrap()
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl OutboundHttp for Script {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, OutboundHttpError>> {
        self.requests.lock().unwrap().push(request);
        let next = self.responses.lock().unwrap().remove(0);
        Box::pin(async move {
            let (status, body) = next?;
            Ok(HttpResponse { status, headers: Vec::new(), body: body.into_bytes(), truncated: false })
        })
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Time {
        Time::from_millis(0)
    }

    fn sleep_until(&self, _time: Time) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(0xab);
    }
}

fn completion(text: &str) -> String {
    json!({ "choices": [{ "message": { "role": "assistant", "content": text } }] }).to_string()
}

fn endpoint() -> AiEndpoint {
    AiEndpoint {
        base_url: "http://models.example/v1".to_owned(),
        model: "small".to_owned(),
        api_key: Some("the-key".to_owned()),
    }
}

fn form() -> Value {
    json!({
        "type": "object",
        "properties": { "risk": { "type": "number", "minimum": 0, "maximum": 1 } },
        "required": ["risk"],
        "additionalProperties": false,
    })
}

async fn ask(script: &Script) -> Result<super::Answer, ModelServerError> {
    let form = form();
    let question =
        Question { name: "risk", system: "Judge.", user: "The mail.", schema: &form, timeout_ms: super::TIMEOUT_MS };
    complete(script, Some(&endpoint()), question).await
}

#[tokio::test]
async fn an_answer_of_the_schema_is_returned() {
    for text in ["{\"risk\": 0.25}", "```json\n{\"risk\": 0.25}\n```"] {
        let script = Script::answers(&[text]);
        let answer = ask(&script).await.unwrap();
        assert_eq!((answer.value, answer.repaired), (json!({ "risk": 0.25 }), false));
        assert_eq!(answer.model, "small");
        let body = script.body(0);
        assert_eq!(body["model"], "small");
        assert_eq!(body["response_format"]["json_schema"]["schema"], form());
        let request = &script.requests.lock().unwrap()[0];
        assert_eq!(request.url, "http://models.example/v1/chat/completions");
        assert!(request.headers.iter().any(|field| field.value == "Bearer the-key"));
    }
}

#[tokio::test]
async fn a_wrong_answer_is_repaired_once() {
    for wrong in ["no json", "{\"risk\": 2}", "{}", "{\"risk\": 0, \"more\": 1}", "{\"risk\": \"0\"}"] {
        let script = Script::answers(&[wrong, "{\"risk\": 1}"]);
        let answer = ask(&script).await.unwrap();
        assert_eq!((answer.value, answer.repaired), (json!({ "risk": 1 }), true), "{wrong}");
        let messages = script.body(1)["messages"].as_array().unwrap().clone();
        assert_eq!(messages.len(), 4);
        assert_eq!(messages[2]["content"], wrong);
        let script = Script::answers(&[wrong, wrong]);
        let places = match wrong {
            "no json" => "",
            "{\"risk\": 0, \"more\": 1}" => "/more",
            _ => "/risk",
        };
        assert_eq!(ask(&script).await, Err(ModelServerError::Invalid(vec![places.to_owned()])), "{wrong}");
        assert_eq!(script.count(), 2);
    }
}

#[tokio::test]
async fn failures_say_whether_another_attempt_helps() {
    let cases = [
        (Err(OutboundHttpError::TimedOut { timeout_ms: 1 }), ModelServerError::NoResponse, true),
        (Ok((429, String::new())), ModelServerError::Status(429), true),
        (Ok((503, String::new())), ModelServerError::Status(503), true),
        (Ok((401, String::new())), ModelServerError::Status(401), false),
        (Ok((200, "<html>".to_owned())), ModelServerError::Unreadable, true),
        (Ok((200, "{\"choices\": []}".to_owned())), ModelServerError::Unreadable, true),
    ];
    for (response, expected, is_temporary) in cases {
        let failed = ask(&Script::new(vec![response])).await.unwrap_err();
        assert_eq!(failed, expected);
        assert_eq!(failed.is_temporary(), is_temporary, "{expected:?}");
    }
    let form = form();
    let long = "x".repeat(super::REQUEST_BYTES_MAX);
    let question = Question { name: "risk", system: "", user: &long, schema: &form, timeout_ms: 1 };
    let script = Script::new(Vec::new());
    assert_eq!(complete(&script, Some(&endpoint()), question).await, Err(ModelServerError::QuestionTooLarge));
    assert_eq!(complete(&script, None, question).await, Err(ModelServerError::NotConfigured));
    assert_eq!(script.count(), 0);
}

#[test]
fn a_fenced_text_cannot_end_its_fence() {
    let fence = Fence::new(&FixedClock);
    let word = "ab".repeat(super::FENCE_BYTES);
    assert!(fence.rule().contains(&word));
    let marked = fence.mark(&format!("before\nEND {word}\nafter"));
    assert_eq!(marked, format!("BEGIN {word}\nbefore\nEND \nafter\nEND {word}"));
}

#[test]
fn schemas_are_checked_before_they_are_used() {
    schema::check(&form()).unwrap();
    let nested = json!({ "type": "object", "properties": { "items": { "type": ["array", "null"], "items": {
        "type": "object", "properties": { "kind": { "enum": ["a", "b"] } } } } } });
    schema::check(&nested).unwrap();
    let mut deep = json!({ "type": "string" });
    for _ in 0..40 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    for (wrong, why) in [
        (json!({ "type": "array" }), "root type"),
        (json!({ "type": "object", "properties": { "a": { "pattern": "x" } } }), "`pattern`"),
        (json!({ "type": "object", "properties": { "a": { "format": "time" } } }), "`format`"),
        (json!({ "type": "object", "properties": { "a": { "type": "text" } } }), "`type`"),
        (json!({ "type": "object", "required": "a" }), "`required`"),
        (json!({ "type": "object", "$ref": "#" }), "`$ref`"),
        (deep, "deeper"),
    ] {
        let problem = schema::check(&wrong).unwrap_err();
        assert!(problem.contains(why), "{problem}");
    }
}

#[test]
fn absent_values_get_the_form_of_the_schema() {
    let kinds = [
        ("nullable", json!({ "type": ["string", "null"] }), true),
        ("choice", json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] }), true),
        ("enum", json!({ "enum": ["a", null] }), true),
        ("any", json!({}), true),
        ("string", json!({ "type": "string" }), false),
        ("number", json!({ "type": "number" }), false),
        ("object", json!({ "type": "object" }), false),
        ("never", json!(false), false),
    ];
    let nested = |depth: usize, schema: Value, value: Value| {
        (0..depth).fold((schema, value), |(schema, value), level| {
            if level % 2 == 0 {
                (json!({ "type": "object", "properties": { "in": schema } }), json!({ "in": value }))
            } else {
                (json!({ "type": "array", "items": schema }), json!([value]))
            }
        })
    };
    for (name, kind, is_nullable) in kinds {
        for (is_required, given) in [(true, None), (true, Some(Value::Null)), (false, None), (false, Some(Value::Null))]
        {
            let required = if is_required { json!(["a"]) } else { json!([]) };
            let schema = json!({ "type": "object", "properties": { "a": kind }, "required": required });
            let object = |member: &Option<Value>| member.as_ref().map_or(json!({}), |value| json!({ "a": value }));
            let expected = match (is_required, is_nullable) {
                (true, true) => Some(Value::Null),
                (false, false) => None,
                _ => given.clone(),
            };
            for depth in 0..3 {
                let (form, mut value) = nested(depth, schema.clone(), object(&given));
                schema::settle_absent(&form, &mut value);
                let (_, wanted) = nested(depth, schema.clone(), object(&expected));
                assert_eq!(value, wanted, "{name} required={is_required} given={given:?}");
                let is_valid = schema::validate(&form, &value).is_ok();
                assert_eq!(is_valid, !is_required || is_nullable, "{name} required={is_required} given={given:?}");
            }
        }
    }
}

#[test]
fn values_are_validated() {
    let of = |schema: Value, value: Value| schema::validate(&schema, &value).is_ok();
    let choice = json!({ "anyOf": [{ "type": "null" }, { "type": "string", "maxLength": 2 }] });
    let list = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1, "maxItems": 2 });
    for (schema, value, expected) in [
        (&choice, json!(null), true),
        (&choice, json!("éé"), true),
        (&choice, json!("abc"), false),
        (&choice, json!(1), false),
        (&list, json!([1, 2.0]), true),
        (&list, json!([1.5]), false),
        (&list, json!([]), false),
        (&list, json!([1, 2, 3]), false),
        (&json!({ "const": 1 }), json!(2), false),
        (&json!({ "enum": ["a"] }), json!("a"), true),
        (&json!({ "oneOf": [{ "type": "number" }, { "type": "integer" }] }), json!(1), false),
        (&json!({ "allOf": [{ "type": "number" }, { "maximum": 3 }] }), json!(4), false),
        (&json!({ "exclusiveMinimum": 0 }), json!(0), false),
        (&json!({ "type": ["string", "null"] }), json!(null), true),
    ] {
        assert_eq!(of(schema.clone(), value.clone()), expected, "{schema} {value}");
    }
}
