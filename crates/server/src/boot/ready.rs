//! What a started service tells: the ready file for machines, the terminal's text for people (operations.md).

use std::{
    fs,
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{BootError, Plan, first::FirstRun};
use crate::{app::App, files};

/// The ready file. It is there while this process is ready, and neither before nor after.
#[derive(Debug)]
pub struct ReadyFile {
    path: PathBuf,
    /// What this process wrote.
    text: Option<String>,
}

impl ReadyFile {
    /// Takes the place: what a process before this one left is removed, which would say that this one is ready.
    ///
    /// # Errors
    /// [`BootError::ReadyFile`].
    pub fn claim(path: PathBuf) -> Result<Self, BootError> {
        let removed = match fs::symlink_metadata(&path) {
            // A device or a link is nobody's ready file; it is not ours to remove.
            Ok(found) if !found.is_file() => Err(io::Error::other("it is there and is no file")),
            Ok(_) => fs::remove_file(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        match removed {
            Err(cause) => Err(BootError::ReadyFile { path, cause }),
            Ok(()) => Ok(Self { path, text: None }),
        }
    }

    /// Tries the place, before anything is made that this file alone tells.
    ///
    /// # Errors
    /// [`BootError::ReadyFile`].
    pub(super) fn try_place(&self) -> Result<(), BootError> {
        files::try_place(&self.path).map_err(|cause| BootError::ReadyFile { path: self.path.clone(), cause })
    }

    fn write(&mut self, text: String) -> io::Result<()> {
        files::write(&self.path, &text)?;
        self.text = Some(text);
        Ok(())
    }

    /// Removes what this process wrote. What the next one wrote in its place stays.
    pub(super) fn withdraw(self) {
        if self.text.is_some() && fs::read_to_string(&self.path).ok() == self.text {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The addresses that are listened on.
pub(super) struct Bound {
    /// The API.
    pub(super) http: Option<SocketAddr>,
    /// The API over TLS.
    pub(super) https: Option<SocketAddr>,
    /// The mail exchanger.
    pub(super) smtp: Option<SocketAddr>,
    /// Submission with STARTTLS.
    pub(super) submission: Option<SocketAddr>,
    /// Submission over TLS.
    pub(super) submission_tls: Option<SocketAddr>,
}

impl Bound {
    /// Whether somebody may ask for TLS.
    pub(super) fn wants_certificate(&self) -> bool {
        [self.https, self.smtp, self.submission, self.submission_tls].iter().any(Option::is_some)
    }
}

/// Writes the lines for the terminal, the ready file, and last of all the log's `ready`.
pub(super) fn announce(app: &App, plan: &mut Plan, bound: &Bound, first: Option<&FirstRun>) -> Result<(), BootError> {
    if let Some(first) = first {
        // A closed standard output is no reason not to run.
        let _ = std::io::stdout().lock().write_all(welcome(app, bound, first).as_bytes());
    }
    if let Some(file) = &mut plan.ready_file {
        let what = format!("the ready file {} cannot be written", file.path.display());
        file.write(format!("{}\n", document(bound, first))).map_err(BootError::io(what))?;
    }
    let roles: Vec<&str> = plan.roles.iter().map(|role| role.text()).collect();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        roles = roles.join(","),
        http = bound.http.map(tracing::field::display),
        https = bound.https.map(tracing::field::display),
        smtp = bound.smtp.map(tracing::field::display),
        submission = bound.submission.map(tracing::field::display),
        submission_tls = bound.submission_tls.map(tracing::field::display),
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
        "submission_tls": shown(bound.submission_tls),
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
        |door: Option<SocketAddr>| door.map_or_else(|| "not in this process".to_owned(), |address| address.to_string());
    let (smtp, submission) = (shown(bound.smtp), shown(bound.submission.or(bound.submission_tls)));
    // The welcome mail comes through our own listener, or does not come.
    let read = if bound.smtp.is_some() {
        "Read the mail that is there already:"
    } else {
        "Read its mail, once there is some:"
    };
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
        read.to_owned(),
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
