//! The output of a start: the ready file, and the text on the terminal (`docs/OPERATING.md`).

use std::{
    fs,
    io::{self, IsTerminal, Write},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{BootError, ServeOptions, first_start::FirstRun};
use posthouse_app::{files, people::first_owner::FirstOwner, service::Service, settings::DeliveryMode};

/// The ready file. It exists only while this process is ready.
#[derive(Debug)]
pub struct ReadyFile {
    path: PathBuf,
    /// The content that this process wrote.
    text: Option<String>,
}

impl ReadyFile {
    /// Removes the ready file of a previous process, which would claim that this one is ready.
    ///
    /// # Errors
    /// Returns [`BootError::ReadyFile`] if the file can't be removed.
    pub fn claim(path: PathBuf) -> Result<Self, BootError> {
        let removed = match fs::symlink_metadata(&path) {
            // A device, directory or link isn't a ready file, so it must not be removed.
            Ok(found) if !found.is_file() => Err(io::Error::other("it exists and is not a file")),
            Ok(_) => fs::remove_file(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        match removed {
            Err(cause) => Err(BootError::ReadyFile { path, cause }),
            Ok(()) => Ok(Self { path, text: None }),
        }
    }

    /// Checks that the file can be written, before the start creates an API key that only this file may show.
    ///
    /// # Errors
    /// Returns [`BootError::ReadyFile`] if it can't be written.
    pub(super) fn check_writable(&self) -> Result<(), BootError> {
        files::check_writable(&self.path).map_err(|cause| BootError::ReadyFile { path: self.path.clone(), cause })
    }

    fn write(&mut self, text: String) -> io::Result<()> {
        files::write(&self.path, &text)?;
        self.text = Some(text);
        Ok(())
    }

    /// Removes the file if this process wrote it. A file that another process wrote since then stays.
    pub(super) fn remove(self) {
        if self.text.is_some() && fs::read_to_string(&self.path).ok() == self.text {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The addresses of the listeners.
pub(super) struct BoundAddresses {
    /// The API.
    pub(super) http: Option<SocketAddr>,
    /// The API over TLS.
    pub(super) https: Option<SocketAddr>,
    /// The mail exchanger.
    pub(super) smtp: Option<SocketAddr>,
    /// Submission with STARTTLS.
    pub(super) submission: Option<SocketAddr>,
    /// Submission with implicit TLS.
    pub(super) submission_tls: Option<SocketAddr>,
}

impl BoundAddresses {
    /// Returns whether any listener uses TLS.
    pub(super) fn wants_certificate(&self) -> bool {
        [self.https, self.smtp, self.submission, self.submission_tls].iter().any(Option::is_some)
    }
}

/// Prints the banner of the first start, writes the ready file and finally logs `ready`.
pub(super) fn announce(
    service: &Service,
    plan: &mut ServeOptions,
    bound: &BoundAddresses,
    first: Option<&FirstRun>,
    owner: Option<&FirstOwner>,
) -> Result<(), BootError> {
    let text = match (first, owner) {
        (Some(first), _) => Some(first_banner(service, bound, first)?),
        (None, Some(owner)) => Some(later_banner(service, owner)),
        (None, None) => None,
    };
    if let Some(text) = text {
        // A closed standard output doesn't prevent the start.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
    if let Some(file) = &mut plan.ready_file {
        let what = format!("cannot write the ready file {}", file.path.display());
        file.write(format!("{}\n", document(service, bound, first))).map_err(BootError::io(what))?;
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
        base_url = service.config.base_url,
        "ready"
    );
    Ok(())
}

fn document(service: &Service, bound: &BoundAddresses, first: Option<&FirstRun>) -> Value {
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
            "workspace_id": first.created.workspace.id.to_string(),
            "api_key": first.created.secret.reveal(),
            "sign_in_url": first.created.link.url(&service.config.base_url),
        });
    }
    document
}

/// The file in the data directory with the text of a first start that had no terminal.
const FIRST_START_FILE: &str = "first-start.txt";
/// The first line of that file.
const FILE_NOTE: &str = "This file has a working API key. Save the key elsewhere, then delete this file.";

/// Returns the text of the first start. Standard output that is no terminal may be kept or read by others, so the API key
/// and the link go to a private file instead.
fn first_banner(service: &Service, bound: &BoundAddresses, first: &FirstRun) -> Result<String, BootError> {
    let whole = banner(service, bound, first);
    if io::stdout().is_terminal() {
        return Ok(whole);
    }
    let file = service.config.data_dir.join(FIRST_START_FILE);
    let what = format!("cannot write {}", file.display());
    files::write(&file, &format!("\n{FILE_NOTE}\n{whole}")).map_err(BootError::io(what))?;
    tracing::info!(file = %file.display(), "first_start.written");
    let key_file = format!("in {}", file.display());
    let (key, link) = (first.created.secret.reveal(), first.created.link.url(&service.config.base_url));
    let export = format!("  export POSTHOUSE_KEY={key}");
    let read = format!("  export POSTHOUSE_KEY=$(awk '/API key  /{{print $3}}' {})", file.display());
    Ok(whole.replace(&export, &read).replace(key, &key_file).replace(&link, &key_file))
}

/// Returns the text of a later start in the loopback profile.
fn later_banner(service: &Service, owner: &FirstOwner) -> String {
    let create = service.config.command(&format!("key create --workspace {}", owner.workspace));
    let lines = [
        String::new(),
        "Posthouse is running.".to_owned(),
        String::new(),
        format!("  Dashboard {}   sign in as {}", service.config.base_url, owner.email),
        format!("  Data      {}", service.config.data_dir.display()),
        String::new(),
        "The link to sign in is in the log. Get another API key:".to_owned(),
        String::new(),
        format!("  {create}"),
        String::new(),
    ];
    lines.join("\n") + "\n"
}

/// The text of the first start. Its lines fit a terminal of 80 columns.
fn banner(service: &Service, bound: &BoundAddresses, first: &FirstRun) -> String {
    let key = first.created.secret.reveal();
    let (base, inbox, address) = (&service.config.base_url, &first.inbox_id, first.address.canonical());
    let shown = |address: Option<SocketAddr>| {
        address.map_or_else(|| "not in this process".to_owned(), |address| address.to_string())
    };
    let submission = match bound.submission.or(bound.submission_tls) {
        Some(address) => format!("{address}   user: inbox address, password: API key"),
        None => shown(None),
    };
    let mut lines = vec![
        String::new(),
        "Posthouse is running. Save your API key: later starts don't show it.".to_owned(),
        String::new(),
        format!("  API key   {key}"),
        format!("  API       {base}"),
        format!("  Docs      {base}/docs"),
    ];
    lines.extend(bound.https.map(|address| format!("  HTTPS     {address}")));
    lines.extend([
        format!("  SMTP      {}", shown(bound.smtp)),
        format!("  Submit    {submission}"),
        format!("  Inbox     {address}"),
        format!("  Data      {}", service.config.data_dir.display()),
        String::new(),
        "Sign in to the dashboard:".to_owned(),
        String::new(),
        format!("  {}", first.created.link.url(base)),
        String::new(),
    ]);
    if service.config.delivery.mode == DeliveryMode::Capture {
        lines.extend(["Outgoing mail is captured: nothing leaves this machine.".to_owned(), String::new()]);
    }
    // Without the mail exchanger in this process no welcome mail is sent.
    let read = if bound.smtp.is_some() { "Read the welcome mail:" } else { "Read mail, once some has arrived:" };
    lines.extend([
        read.to_owned(),
        String::new(),
        format!("  export POSTHOUSE_KEY={key}"),
        "  curl -H \"Authorization: Bearer $POSTHOUSE_KEY\" \\".to_owned(),
        format!("  {base}/v1/inboxes/{inbox}/messages"),
        String::new(),
    ]);
    if let Some(mut smtp) = bound.smtp {
        if smtp.ip().is_unspecified() {
            smtp.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        lines.extend([
            "Send it another mail:".to_owned(),
            String::new(),
            format!("  swaks --server {smtp} --from you@example.com \\"),
            format!("  --to {address} --header 'Subject: Hello'"),
            String::new(),
        ]);
    }
    lines.extend(["Stop with Ctrl-C. `posthouse help` lists the commands.".to_owned(), String::new()]);
    lines.join("\n") + "\n"
}
