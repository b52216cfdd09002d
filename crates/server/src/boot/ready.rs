//! What a started service tells: the ready file for machines, the terminal's text for people (operations.md).

use std::{io::Write, net::SocketAddr};

use serde_json::{Value, json};

use super::{BootError, Plan, first::FirstRun};
use crate::{app::App, files};

/// The addresses that are listened on.
pub(super) struct Bound {
    /// The API.
    pub(super) http: Option<SocketAddr>,
    /// The API over TLS.
    pub(super) https: Option<SocketAddr>,
    /// The mail exchanger.
    pub(super) smtp: Option<SocketAddr>,
    /// Submission.
    pub(super) submission: Option<SocketAddr>,
}

/// Writes the lines for the terminal, the ready file, and last of all the log's `ready`.
pub(super) fn announce(app: &App, plan: &Plan, bound: &Bound, first: Option<&FirstRun>) -> Result<(), BootError> {
    if let Some(first) = first {
        // A closed standard output is no reason not to run.
        let _ = std::io::stdout().lock().write_all(welcome(app, bound, first).as_bytes());
    }
    if let Some(path) = &plan.ready_file {
        files::write(path, &format!("{}\n", document(bound, first)))
            .map_err(BootError::io(format!("the ready file {} cannot be written", path.display())))?;
    }
    let roles: Vec<&str> = plan.roles.iter().map(|role| role.text()).collect();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        roles = roles.join(","),
        http = bound.http.map(tracing::field::display),
        https = bound.https.map(tracing::field::display),
        smtp = bound.smtp.map(tracing::field::display),
        submission = bound.submission.map(tracing::field::display),
        base_url = app.config.base_url,
        "ready"
    );
    Ok(())
}

fn document(bound: &Bound, first: Option<&FirstRun>) -> Value {
    let shown = |address: Option<SocketAddr>| address.map(|address| address.to_string());
    let mut document = json!({
        "pid": std::process::id(),
        "http": shown(bound.http),
        "smtp": shown(bound.smtp),
        "submission": shown(bound.submission),
        "version": env!("CARGO_PKG_VERSION"),
    });
    if bound.https.is_some() {
        document["https"] = shown(bound.https).into();
    }
    if let Some(first) = first {
        document["first_run"] = json!({
            "workspace_id": first.made.workspace.id.to_string(),
            "api_key": first.made.secret.reveal(),
            "sign_in_url": Value::Null,
        });
    }
    document
}

fn welcome(app: &App, bound: &Bound, first: &FirstRun) -> String {
    let key = first.made.secret.reveal();
    let (base, inbox, address) = (&app.config.base_url, &first.inbox_id, first.address.canonical());
    let shown =
        |door: Option<SocketAddr>| door.map_or_else(|| "in another process".to_owned(), |address| address.to_string());
    let (smtp, submission) = (shown(bound.smtp), shown(bound.submission));
    let mut lines = vec![
        String::new(),
        "Posthouse is ready. This is its first start, so here is your API key; it is shown only now.".to_owned(),
        String::new(),
        format!("  API key   {key}"),
        format!("  API       {base}        docs: {base}/docs"),
        format!("  SMTP      {smtp}"),
        format!("  Submit    {submission}        user: the address of an inbox, password: an API key"),
        format!("  Inbox     {address}"),
        String::new(),
        "Read the mail that is there already:".to_owned(),
        String::new(),
        format!("  curl -H 'Authorization: Bearer {key}' {base}/v1/inboxes/{inbox}/messages"),
        String::new(),
    ];
    if let Some(smtp) = bound.smtp {
        lines.extend([
            "Send another one to it:".to_owned(),
            String::new(),
            format!("  swaks --server {smtp} --from you@example.com --to {address} --header 'Subject: Hello'"),
            String::new(),
        ]);
    }
    lines.join("\n") + "\n"
}
