//! The claims of an identity token (OpenID Connect Core §2 and §5.1), and the checks of one that comes back.

use serde_json::{Map, Value, json};

use super::{
    CLOCK_SKEW_SECONDS,
    client::IdentityClient,
    scope::{IdentityScope, IdentityScopes},
};
use crate::{
    inbox::{Inbox, InboxKind},
    time::Time,
    workspace::Workspace,
};

/// What a token says about an agent, beside who issued it.
#[derive(Clone, Copy, Debug)]
pub struct ClaimsAbout<'a> {
    pub agent: &'a Inbox,
    pub workspace: &'a Workspace,
    /// The app.
    pub client: &'a IdentityClient,
    /// The granted scopes.
    pub scope: IdentityScopes,
    /// The prefix of the claims of this service, without a trailing slash.
    pub namespace: &'a str,
}

impl ClaimsAbout<'_> {
    /// Returns the claims about the agent: those of a token and of the userinfo endpoint.
    #[must_use]
    pub fn claims(&self) -> Map<String, Value> {
        let (agent, namespace) = (self.agent, self.namespace);
        let is_mailbox = agent.kind == InboxKind::Mailbox;
        let mut claims = Map::new();
        claims.insert("sub".to_owned(), self.client.subject(agent.id).into());
        if is_mailbox && self.scope.has(IdentityScope::Email) {
            claims.insert("email".to_owned(), agent.address.as_str().into());
            claims.insert("email_verified".to_owned(), true.into());
        }
        if self.scope.has(IdentityScope::Profile) {
            claims.insert("name".to_owned(), self.name().into());
            claims.insert("preferred_username".to_owned(), agent.username.as_str().into());
        }
        claims.insert(format!("{namespace}/agent"), true.into());
        claims.insert(format!("{namespace}/mailbox"), is_mailbox.into());
        if self.scope.has(IdentityScope::Workspace) && self.workspace.ai_disclosure.shares_name {
            let workspace = json!({ "id": self.workspace.id.to_string(), "name": self.workspace.name });
            claims.insert(format!("{namespace}/workspace"), workspace);
        }
        claims
    }

    /// Returns the display name, else the handle: the address, unless it would show the address of an inbox to an app
    /// without the scope `email`.
    fn name(&self) -> &str {
        let shows_address = self.agent.kind == InboxKind::Identity || self.scope.has(IdentityScope::Email);
        let handle = if shows_address { &self.agent.address } else { &self.agent.username };
        self.agent.display_name.as_ref().unwrap_or(handle)
    }
}

/// The claims about a token itself.
#[derive(Clone, Debug)]
pub struct TokenFacts<'a> {
    pub issuer: &'a str,
    /// The id of the token.
    pub jti: &'a str,
    pub issued_at: Time,
    /// How long it is valid, in seconds.
    pub expires_in: i64,
    /// When the agent approved the sign-in.
    pub auth_time: Option<Time>,
    /// The nonce of the app.
    pub nonce: Option<&'a str>,
}

/// Returns a time as the seconds of a claim.
#[must_use]
pub fn seconds(time: Time) -> i64 {
    time.millis().div_euclid(1_000)
}

/// Returns all claims of an identity token.
#[must_use]
pub fn id_token(about: &ClaimsAbout<'_>, token: &TokenFacts<'_>) -> Value {
    let mut claims = about.claims();
    let issued_at = seconds(token.issued_at);
    claims.insert("iss".to_owned(), token.issuer.into());
    claims.insert("aud".to_owned(), about.client.client_id.as_str().into());
    claims.insert("iat".to_owned(), issued_at.into());
    claims.insert("exp".to_owned(), (issued_at + token.expires_in).into());
    claims.insert("jti".to_owned(), token.jti.into());
    if let Some(at) = token.auth_time {
        claims.insert("auth_time".to_owned(), seconds(at).into());
    }
    if let Some(nonce) = token.nonce {
        claims.insert("nonce".to_owned(), nonce.into());
    }
    Value::Object(claims)
}

/// Checks the claims of an identity token of this service that an app exchanges, and returns its id. The caller must
/// have checked its signature.
///
/// # Errors
/// Describes the problem, for a developer.
pub fn check_assertion(claims: &Value, issuer: &str, client_id: &str, now: Time) -> Result<String, &'static str> {
    if claims["iss"].as_str() != Some(issuer) {
        return Err("The token is from another issuer.");
    }
    if claims["aud"].as_str() != Some(client_id) {
        return Err("The token is for another app.");
    }
    let now = seconds(now);
    if claims["exp"].as_i64().is_none_or(|exp| exp <= now) {
        return Err("The token has expired.");
    }
    if claims["iat"].as_i64().is_none_or(|iat| iat > now + CLOCK_SKEW_SECONDS) {
        return Err("The token was issued in the future.");
    }
    if claims["nbf"].as_i64().is_some_and(|nbf| nbf > now + CLOCK_SKEW_SECONDS) {
        return Err("The token isn't valid yet.");
    }
    claims["jti"].as_str().map(str::to_owned).ok_or("The token has no `jti`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_800_000_000_900);

    #[test]
    fn an_assertion_is_for_one_app_and_in_time() {
        let fine =
            json!({ "iss": "https://i", "aud": "appc_a", "iat": 1_800_000_000, "exp": 1_800_000_300, "jti": "1" });
        let check = |name: &str, value: Value| {
            let mut claims = fine.clone();
            claims[name] = value;
            check_assertion(&claims, "https://i", "appc_a", NOW)
        };
        assert_eq!(check("x", Value::Null), Ok("1".to_owned()));
        assert_eq!(check("iat", json!(1_800_000_030)), Ok("1".to_owned()), "a clock that is ahead");
        for (name, value) in [
            ("iss", json!("https://i/")),
            ("iss", Value::Null),
            ("aud", json!("appc_b")),
            ("aud", json!(["appc_a", "appc_b"])),
            ("aud", json!(["appc_a"])),
            ("exp", json!(1_800_000_000)),
            ("exp", json!("1800000300")),
            ("exp", Value::Null),
            ("iat", json!(1_800_000_031)),
            ("iat", Value::Null),
            ("nbf", json!(1_800_000_031)),
            ("jti", json!(1)),
        ] {
            assert!(check(name, value.clone()).is_err(), "{name}: {value}");
        }
    }
}
