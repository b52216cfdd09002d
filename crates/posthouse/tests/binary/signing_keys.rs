//! `posthouse signing-key`: lists, rotates and revokes keys while the service runs, which publishes the result.

use serde_json::{Value, json};

use crate::harness::{CommandOutput, Sandbox};

/// A sandbox with a configuration.
struct Operator {
    sandbox: Sandbox,
    config: String,
}

impl Operator {
    fn new(name: &str) -> Self {
        let sandbox = Sandbox::new(name);
        let config = sandbox.configure("delivery.mode = 'capture'\n").to_str().unwrap().to_owned();
        sandbox.make_store();
        Self { sandbox, config }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.sandbox.run(&[&["signing-key"], arguments, &["--config", &self.config]].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).json()
    }

    /// Returns the listed keys of a purpose, newest first.
    fn keys(&self, purpose: &str) -> Vec<Value> {
        let listed = self.json(&["list"]);
        listed["keys"].as_array().unwrap().iter().filter(|key| key["purpose"] == purpose).cloned().collect()
    }

    /// Checks that a command fails without output, and returns its error.
    fn error(&self, code: i32, arguments: &[&str]) -> String {
        let failed = self.run(arguments);
        assert_eq!((failed.code, failed.stdout.as_str()), (code, ""), "{arguments:?} {}", failed.stderr);
        failed.stderr
    }
}

#[test]
fn keys_are_listed_before_and_after_the_first_start() {
    let operator = Operator::new("signing-keys-list");
    assert_eq!(operator.json(&["list"]), json!({ "keys": [] }));
    let service = operator.sandbox.serve(operator.config.as_ref(), &[]);
    let listed = operator.json(&["list"]);
    let keys = listed["keys"].as_array().unwrap();
    assert_eq!(
        keys.iter().map(|key| key["purpose"].as_str().unwrap()).collect::<Vec<_>>(),
        ["agent_messages", "identity"]
    );
    for key in keys {
        let expected = json!({
            "purpose": key["purpose"], "kid": key["kid"], "status": "active", "created_at": key["created_at"],
            "signs_from": key["signs_from"], "retired_at": null, "revoked_at": null,
        });
        assert_eq!(*key, expected);
    }
    let text = operator.run(&["list"]);
    let lines: Vec<String> = keys
        .iter()
        .map(|key| {
            let of = |name: &str| key[name].as_str().unwrap();
            format!("{:15} active   {}  signs from {}", of("purpose"), of("kid"), of("signs_from"))
        })
        .collect();
    assert_eq!((text.code, text.stdout.lines().collect::<Vec<_>>()), (0, lines.iter().map(String::as_str).collect()));
    let (_, published) = service.get("/.well-known/agent-keys.json", "");
    let published: Value = serde_json::from_str(&published).unwrap();
    assert_eq!(published["keys"][0]["kid"], keys[0]["kid"]);
    assert_eq!(service.stop().code, 0);
}

#[test]
fn a_rotated_key_is_published_ten_minutes_before_it_signs() {
    let operator = Operator::new("signing-keys-rotate");
    let service = operator.sandbox.serve(operator.config.as_ref(), &[]);
    let first = operator.keys("agent_messages");
    let rotated = operator.json(&["rotate", "--purpose", "agent-messages"]);
    let next = &rotated["keys"][0];
    assert_eq!(
        rotated,
        json!({ "keys": [{ "purpose": "agent_messages", "kid": next["kid"], "signs_from": next["signs_from"] }] })
    );
    let keys = operator.keys("agent_messages");
    assert_eq!((&keys[0]["kid"], &keys[0]["signs_from"]), (&next["kid"], &next["signs_from"]));
    assert_eq!((&keys[1]["kid"], &keys[1]["status"]), (&first[0]["kid"], &json!("active")), "it signs until then");
    assert_eq!(keys[1]["retired_at"], next["signs_from"]);
    let (_, published) = service.get("/.well-known/agent-keys.json", "");
    let published: Value = serde_json::from_str(&published).unwrap();
    let kids: Vec<&Value> = published["keys"].as_array().unwrap().iter().map(|key| &key["kid"]).collect();
    assert_eq!(kids, [&next["kid"], &first[0]["kid"]]);
    // A key that doesn't sign yet isn't replaced. Without a purpose, both kinds are rotated.
    let again = operator.run(&["rotate"]);
    let lines: Vec<&str> = again.stdout.lines().collect();
    let of = |value: &Value| value.as_str().unwrap().to_owned();
    assert_eq!(
        lines[0],
        format!("agent_messages: the key {} signs from {}.", of(&next["kid"]), of(&next["signs_from"]))
    );
    assert!(lines.len() == 2 && lines[1].starts_with("identity: the key "), "{lines:?}");
    assert_eq!((operator.keys("agent_messages").len(), operator.keys("identity").len()), (2, 2));
    assert_eq!(service.stop().code, 0);
}

#[test]
fn a_revoked_key_is_replaced_at_once() {
    let operator = Operator::new("signing-keys-revoke");
    let service = operator.sandbox.serve(operator.config.as_ref(), &[]);
    let first = operator.keys("agent_messages")[0]["kid"].as_str().unwrap().to_owned();
    let revoked = operator.json(&["revoke", &first]);
    let next = &revoked["kid"];
    assert_eq!(revoked, json!({ "revoked": first, "kid": next, "signs_from": revoked["signs_from"] }));
    let keys = operator.keys("agent_messages");
    assert_eq!((&keys[0]["kid"], &keys[0]["status"]), (next, &json!("active")));
    assert_eq!((&keys[1]["kid"], &keys[1]["status"]), (&json!(first), &json!("revoked")));
    assert_ne!(keys[1]["revoked_at"], Value::Null);
    assert!(keys[0]["signs_from"].as_str() <= keys[0]["created_at"].as_str());
    let again = operator.run(&["revoke", &first]);
    let text = format!("Revoked {first}. The newest key is {}.\n", next.as_str().unwrap());
    assert_eq!((again.code, again.stdout), (0, text));
    assert_eq!(operator.keys("agent_messages"), keys, "the date stays, and no further key is made");
    let (_, published) = service.get("/oidc/.well-known/agent-keys.json", "");
    let published: Value = serde_json::from_str(&published).unwrap();
    let shown = |at: usize| (&published["keys"][at]["kid"], &published["keys"][at]["status"]);
    assert_eq!((shown(0), shown(1)), ((next, &json!("active")), (&json!(first), &json!("revoked"))));
    assert_eq!(operator.keys("identity").len(), 1, "other purposes keep their keys");
    assert_eq!(service.stop().code, 0);
}

#[test]
fn wrong_arguments_change_nothing() {
    let operator = Operator::new("signing-keys-errors");
    operator.json(&["rotate"]);
    let before = operator.json(&["list"]);
    // One in 64 ids begins with a hyphen.
    for kid in ["unknown", "-xS2b", "--b"] {
        let why = operator.error(1, &["revoke", kid]);
        assert!(
            why.contains(&format!("no signing key has the id {kid}; `posthouse signing-key list --config ")),
            "{why}"
        );
    }
    let why = operator.error(2, &["rotate", "--purpose", "mail"]);
    assert!(why.contains("agent-messages") && why.contains("identity"), "{why}");
    for arguments in [&["revoke"][..], &["revoke", "--json"], &["list", "x"], &["rotate", "x"], &["delete", "x"], &[]] {
        operator.error(2, arguments);
    }
    assert_eq!(operator.json(&["list"]), before);
    operator.json(&["rotate", "--purpose", "agent_messages"]);
    assert_eq!(operator.json(&["list"]), before, "its newest key doesn't sign yet");
}
