//! The `signup` tool: an agent without a key creates its own workspace (`docs/reference/signup.md`).

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Map, Value, json};

use crate::{
    api::{Api, Call},
    error::ClientError,
};

/// The most leading zero bits that are solved; more would take hours.
const DIFFICULTY_MAX: u32 = 32;
/// Attempts between two pauses in which other messages are handled.
const ATTEMPTS_AT_ONCE: u64 = 50_000;

/// Arguments that are passed on.
const ARGUMENTS: &[&str] = &["agent_name", "owner_email", "kind"];

/// Returns the declaration of the tool.
pub(super) fn declaration() -> Value {
    json!({
        "name": "signup",
        "title": "Sign up",
        "description": "Creates a workspace with an inbox for you, without a person. Works once, if this server was \
                        started without an API key. Pass owner_email so that a person can claim the workspace.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "agent_name": { "type": "string", "minLength": 1, "maxLength": 80, "description": "Your name." },
                "owner_email": { "type": "string", "description": "Address of the person you work for." },
                "kind": {
                    "type": "string", "enum": ["mailbox", "identity"],
                    "description": "An inbox, or an identity without mail. Default: mailbox."
                }
            },
            "additionalProperties": false
        },
        "annotations": {
            "title": "Sign up", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false,
            "openWorldHint": true
        }
    })
}

/// Checks that the arguments are those of the tool. What their values are is the server's to check.
///
/// # Errors
/// Returns every unknown argument.
fn check(arguments: &Value) -> Result<(), ClientError> {
    let known = ARGUMENTS.join(", ");
    let given = match arguments {
        Value::Null => return Ok(()),
        Value::Object(given) => given,
        _ => return Err(ClientError::Usage(format!("arguments must be an object; its members are {known}"))),
    };
    let unknown: Vec<&str> = given.keys().map(String::as_str).filter(|name| !ARGUMENTS.contains(name)).collect();
    match unknown.as_slice() {
        [] => Ok(()),
        [one] => Err(ClientError::Usage(format!("{one} is unknown; the arguments are {known}"))),
        several => Err(ClientError::Usage(format!("{} are unknown; the arguments are {known}", several.join(", ")))),
    }
}

/// Signs up. Returns the key and what the tool shows, which doesn't have the key.
///
/// # Errors
/// Fails if an argument is unknown, if the server refuses, or if its challenge is too hard.
pub(super) async fn sign_up(api: &Api, arguments: &Value) -> Result<(String, Value), ClientError> {
    check(arguments)?;
    let challenge = api.json(Call::get("/v1/signup/challenge")).await?;
    let text = challenge["challenge"].as_str().unwrap_or_default();
    let difficulty = challenge["difficulty"].as_u64().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(u32::MAX);
    let solution = solve(text, difficulty).await?;
    let mut body = Map::new();
    body.insert("challenge".into(), text.into());
    body.insert("solution".into(), solution.into());
    for name in ARGUMENTS {
        if let Some(value) = arguments.get(*name).filter(|value| !value.is_null()) {
            body.insert((*name).into(), value.clone());
        }
    }
    let mut created = api.json(Call::post("/v1/signup").body(body.into())).await?;
    let key = created.as_object_mut().and_then(|created| created.shift_remove("api_key"));
    // Those of the API are for a client that has the key.
    created["next_steps"] = json!(["List the tools again: they use the new workspace."]);
    match key {
        Some(Value::String(key)) => Ok((key, created)),
        _ => Err(ClientError::Failed("the server returned no API key".to_owned())),
    }
}

/// Finds a number for which the SHA-256 of the challenge, a colon and the number begins with that many zero bits.
async fn solve(challenge: &str, difficulty: u32) -> Result<String, ClientError> {
    if difficulty > DIFFICULTY_MAX {
        let text = format!(
            "the challenge of {difficulty} bits is too hard; sign up in the dashboard, and run posthouse login"
        );
        return Err(ClientError::Failed(text));
    }
    let mut from = 0_u64;
    loop {
        let tried = from..from + ATTEMPTS_AT_ONCE;
        if let Some(found) = tried.into_iter().find(|number| zero_bits(&format!("{challenge}:{number}")) >= difficulty)
        {
            return Ok(found.to_string());
        }
        from += ATTEMPTS_AT_ONCE;
        tokio::task::yield_now().await;
    }
}

fn zero_bits(text: &str) -> u32 {
    let hash = digest(&SHA256, text.as_bytes());
    let mut bits = 0;
    for byte in hash.as_ref() {
        bits += byte.leading_zeros();
        if *byte != 0 {
            break;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Reply, ScriptedServer};

    #[tokio::test]
    async fn unknown_arguments_create_nothing() {
        let server = ScriptedServer::start(Vec::new()).await;
        let api = server.session().api().unwrap();
        for (arguments, problem) in [
            (json!({ "foo": 1 }), "foo is unknown"),
            (json!({ "agent_name": "A", "agentName": "B" }), "agentName is unknown"),
            (json!({ "a": 1, "b": 2 }), "a, b are unknown"),
            (json!({ "email": null }), "email is unknown"),
            (json!([]), "must be an object"),
            (json!("A"), "must be an object"),
        ] {
            let error = sign_up(&api, &arguments).await.map(|(_, created)| created).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("agent_name, owner_email, kind"), "{error}");
        }
        assert!(server.requests().is_empty());
    }

    #[tokio::test]
    async fn the_result_has_no_key_and_does_not_ask_to_store_it() {
        let challenge = json!({ "challenge": "v1.abc", "difficulty": 1 });
        let created =
            json!({ "api_key": "ph_secret", "workspace": { "id": "w" }, "next_steps": ["Store the API key."] });
        let replies = vec![Reply::json(200, &challenge), Reply::json(201, &created)];
        let server = ScriptedServer::start(replies).await;
        let (key, shown) = sign_up(&server.session().api().unwrap(), &json!({ "agent_name": "A" })).await.unwrap();
        assert_eq!(key, "ph_secret");
        assert!(!shown.to_string().contains("ph_secret") && !shown.to_string().contains("Store"), "{shown}");
        assert_eq!(server.body(1)["agent_name"], "A");
    }

    #[tokio::test]
    async fn solutions_have_the_zero_bits() {
        for difficulty in [0, 1, 8, 12] {
            let solution = solve("v1.abc", difficulty).await.unwrap();
            assert!(zero_bits(&format!("v1.abc:{solution}")) >= difficulty);
        }
        assert!(solve("v1.abc", 33).await.is_err());
    }
}
