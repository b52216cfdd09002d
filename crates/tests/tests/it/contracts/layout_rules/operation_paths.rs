//! Operations lie along the URL: the path of an operation begins with the path of its file.

use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation, sources};

/// The folder of the operations.
const HOME: &str = "crates/operations/src/";

pub(super) const RULES: &[Rule] = &[Rule {
    name: "operations along the URL",
    advice: "Declare it in the file of its path: the segments without parameters, as in `v1/inboxes/messages.rs` for \
             `/v1/inboxes/{id}/messages`. Move what files share to their deepest common file.",
    check: away_from_its_path,
    fails: &[
        ("crates/operations/src/v1/messages.rs", r#"const A: &str = "/v1/inboxes/{id}/messages";"#),
        ("crates/operations/src/v1/messages/claims.rs", r#"fn f() { g("/v1/messages/{id}/ack", "ackMessage"); }"#),
        ("crates/operations/src/v1/messages/html.rs", r#"fn f() { g("/v1/inboxes/{id}/drafts/{draft_id}/html"); }"#),
        ("crates/operations/src/v1/inboxes/drafts.rs", r#"fn f() { g("/v1/drafts", "listDrafts"); }"#),
        ("crates/operations/src/v1/attachments.rs", r#"fn f() { g("/v1/messages/{id}/raw"); }"#),
        ("crates/operations/src/v1/messages.rs", r#"fn f() { g("/v1/held-messages"); }"#),
        ("crates/operations/src/v1/identity_clients.rs", r#"fn f() { g("/v1/identity/clients"); }"#),
        ("crates/operations/src/v1/identity.rs", r#"fn f() { g("/v1/identity-token"); }"#),
        ("crates/operations/src/platform/sessions.rs", r#"fn f() { g("/platform/me", "getMe"); }"#),
        ("crates/operations/src/well_known.rs", r#"fn f() { g("/oidc/.well-known/agent-keys.json"); }"#),
        ("crates/operations/src/v1/inboxes.rs", r#"fn f() { g("/v1/{id}/inboxes/x"); g("/v1/inbox"); }"#),
        ("crates/operations/src/lib.rs", r#"fn f() { g("/healthz"); }"#),
    ],
    passes: &[
        ("crates/operations/src/v1/inboxes/messages.rs", r#"const A: &str = "/v1/inboxes/{id}/messages";"#),
        ("crates/operations/src/v1/inboxes/messages.rs", r#"fn f() { g("/v1/inboxes/{id}/messages/send"); }"#),
        (
            "crates/operations/src/v1/inboxes/messages/reply.rs",
            r#"fn f() { g("/v1/inboxes/{a}/messages/{b}/reply"); }"#,
        ),
        ("crates/operations/src/v1/held_messages.rs", r#"fn f() { g("/v1/held-messages"); }"#),
        ("crates/operations/src/well_known.rs", r#"fn f() { g("/.well-known/agent-keys.json"); }"#),
        ("crates/operations/src/v1/downloads.rs", r#"fn f() { g("image/png", "*/*", "a / b", "/"); }"#),
        ("crates/operations/src/v1/threads.rs", "#[cfg(test)]\nmod tests { const A: &str = \"/v1/messages\"; }"),
        ("crates/http/src/site.rs", r#"fn f() { g("/healthz"); }"#),
    ],
}];

/// Returns the paths of operations in the production code of a file, each with its token. A path is a text literal that begins
/// with `/` and a segment.
fn paths(source: &SourceFile) -> impl Iterator<Item = (&str, &SourceToken)> {
    let literals = source.tokens.iter().filter(|token| token.kind == TokenKind::Literal && !token.in_test);
    literals.filter_map(|token| {
        let text = token.text.strip_prefix('"')?.strip_suffix('"')?;
        let is_path = text.strip_prefix('/').is_some_and(|rest| !rest.is_empty() && !rest.contains([' ', '\\']));
        is_path.then_some((text, token))
    })
}

/// Returns the names of the segments of a path as files have them, without parameters.
fn segments(path: &str) -> Vec<String> {
    let written = path.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with('{'));
    written.map(|segment| segment.trim_start_matches('.').replace('-', "_")).collect()
}

fn away_from_its_path(source: &SourceFile) -> Vec<Violation> {
    let Some(file) = source.path.strip_prefix(HOME).and_then(|file| file.strip_suffix(".rs")) else {
        return Vec::new();
    };
    let home = segments(file);
    let away = paths(source).filter(|(path, _)| !segments(path).starts_with(&home));
    away.map(|(path, token)| Violation::new(token.line, format!("`{path}` is not below the path of this file")))
        .collect()
}

#[test]
fn every_operation_is_declared_where_the_rule_finds_it() {
    let sources = sources();
    let found: Vec<&str> = sources
        .iter()
        .filter(|source| source.path.starts_with(HOME))
        .flat_map(|source| paths(source).map(|(path, _)| path))
        .collect();
    let operations = posthouse_operations::operations();
    let hidden: Vec<&str> =
        operations.iter().map(|operation| operation.path).filter(|path| !found.contains(path)).collect();
    assert!(operations.len() > 140 && hidden.is_empty(), "write these paths as one text each: {hidden:?}");
}
