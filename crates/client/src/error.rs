//! Why a command did not succeed, with its exit code.

use std::fmt;

use serde_json::{Value, json};

/// Why a command did not succeed.
#[derive(Clone, Debug)]
pub(crate) enum ClientError {
    /// The arguments are invalid: exit code 2.
    Usage(String),
    /// The server refused the request: exit code 1.
    Api(Box<ApiError>),
    /// The server can't be reached, or does not answer in time: exit code 1.
    Unreachable(String),
    /// Anything else that failed: exit code 1.
    Failed(String),
    /// What the command waited for did not come: exit code 3.
    TimedOut(String),
    /// The reader of standard output stopped early, which is no failure: exit code 0.
    OutputClosed,
}

/// An error response of the server.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The error code, or `http_error` if the response has none.
    pub(crate) code: String,
    /// What is wrong.
    pub(crate) message: String,
    /// The next step.
    pub(crate) fix: Option<String>,
    /// Seconds after which the request may be repeated.
    pub(crate) retry_after_s: Option<u64>,
    /// The time of the response as the server states it.
    pub(crate) date: Option<jiff::Timestamp>,
    /// The `error` object as the server sent it, or null.
    pub(crate) body: Value,
}

impl ApiError {
    /// Reads an error object of the API. `message` is used if it has none.
    pub(crate) fn of(status: u16, error: &Value, message: &str) -> Self {
        let text = |member: &str| error[member].as_str().map(str::to_owned);
        Self {
            status,
            code: text("code").unwrap_or_else(|| "http_error".to_owned()),
            message: text("message").unwrap_or_else(|| message.to_owned()),
            fix: text("fix"),
            retry_after_s: error["details"]["retry_after_seconds"].as_u64(),
            date: None,
            body: error.clone(),
        }
    }
}

impl ApiError {
    /// Returns the next step for a person, who sees the message but not the other members of the error.
    fn fix_in_terminal(&self) -> Option<String> {
        let names_members = |fix: &String| fix.contains("`details.");
        match self.fix.as_ref() {
            Some(fix) if names_members(fix) => {
                Some("Correct what the message names, and run the command again.".to_owned())
            }
            fix => fix.cloned(),
        }
    }
}

impl ClientError {
    /// Returns the exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Api(_) | Self::Unreachable(_) | Self::Failed(_) => 1,
            Self::TimedOut(_) => 3,
            Self::OutputClosed => 0,
        }
    }

    /// Returns the API's error code, or that of the client.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Usage(_) => "usage",
            Self::Api(error) => &error.code,
            Self::Unreachable(_) | Self::Failed(_) => "failed",
            Self::TimedOut(_) => "timeout",
            Self::OutputClosed => "output_closed",
        }
    }

    /// Returns what is wrong, and the next step if the message doesn't have it.
    pub(crate) fn lines(&self) -> (String, Option<String>) {
        match self {
            Self::Usage(text) | Self::Unreachable(text) | Self::Failed(text) | Self::TimedOut(text) => {
                (text.clone(), None)
            }
            Self::Api(error) => (format!("{} ({})", error.message, error.code), error.fix_in_terminal()),
            Self::OutputClosed => ("standard output is closed".to_owned(), None),
        }
    }

    /// Returns what is wrong and the next step, as two sentences. The text of an error has them parted by `; `.
    pub(crate) fn problem_and_fix(&self) -> (String, String) {
        let text = match self {
            Self::Api(error) => {
                let fix = error.fix.clone().unwrap_or_else(|| "Do what the message says, and try again.".to_owned());
                return (error.message.clone(), fix);
            }
            Self::Usage(text) | Self::Unreachable(text) | Self::Failed(text) | Self::TimedOut(text) => text,
            Self::OutputClosed => "standard output is closed",
        };
        match text.split_once("; ") {
            Some((problem, fix)) => (problem.to_owned(), sentence(fix)),
            None => (text.to_owned(), self.usual_fix().to_owned()),
        }
    }

    /// Returns the next step after an error whose text has none.
    const fn usual_fix(&self) -> &'static str {
        match self {
            Self::Usage(_) => "Correct the arguments.",
            Self::Unreachable(_) => "Start the server, or check its address.",
            Self::TimedOut(_) => "Try again, or wait longer with --timeout.",
            Self::Api(_) | Self::Failed(_) | Self::OutputClosed => "Correct what the message names, and try again.",
        }
    }

    /// Adds where the help is to invalid arguments whose error has no next step. `command` is the name of the command.
    pub(crate) fn with_help(self, command: impl FnOnce() -> String) -> Self {
        match self {
            Self::Usage(text) if !text.contains("; ") => Self::Usage(format!("{text}; see {}", help_of(&command()))),
            other => other,
        }
    }

    /// Returns whether the server answered with this status.
    pub(crate) fn has_status(&self, status: u16) -> bool {
        matches!(self, Self::Api(error) if error.status == status)
    }

    /// Returns the error as one JSON object, as the API would.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Api(error) => {
                // The client may know better than the server what to do.
                let mut body = if error.body.is_object() { error.body.clone() } else { json!({}) };
                body["code"] = json!(error.code);
                body["message"] = json!(error.message);
                body["fix"] = json!(self.problem_and_fix().1);
                json!({ "error": body })
            }
            other => {
                let (problem, fix) = other.problem_and_fix();
                json!({ "error": { "code": other.code(), "message": problem, "fix": fix } })
            }
        }
    }
}

/// The message and the next step.
impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, fix) = self.lines();
        f.write_str(&message)?;
        fix.map_or(Ok(()), |fix| write!(f, " {fix}"))
    }
}

/// Returns a text as a sentence. A command at its start stays as it is typed.
fn sentence(text: &str) -> String {
    if text.starts_with("posthouse ") {
        return format!("{}.", text.trim_end_matches('.'));
    }
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

/// Returns how to get the help of a command, whose name is empty for the whole program.
#[must_use]
pub fn help_of(command: &str) -> String {
    format!("posthouse help {command}").trim_end().to_owned()
}

/// Returns why the arguments of a command are invalid as the one JSON object of `--json`, from what the parser printed:
/// the problem, tips, the usage and where the help is.
#[must_use]
pub fn usage_json(printed: &str, command: &str) -> String {
    let mut problem: Vec<&str> = Vec::new();
    let mut tips: Vec<&str> = Vec::new();
    for line in printed.lines().map(str::trim) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        match line.strip_prefix("tip: ") {
            Some(tip) => tips.push(tip),
            None if !line.is_empty() && tips.is_empty() => problem.push(line),
            None => {}
        }
    }
    let message = problem.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let fix = if tips.is_empty() { format!("See {}.", help_of(command)) } else { sentence(&tips.join("; ")) };
    json!({ "error": { "code": "usage", "message": message, "fix": fix } }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_what_the_client_says_and_all_that_the_server_sent() {
        let body = json!({ "code": "forbidden", "message": "No.", "fix": "Ask.", "request_id": "r" });
        let mut refused = ApiError::of(403, &body, "");
        refused.message = "a person does it".to_owned();
        refused.fix = Some("Open the dashboard.".to_owned());
        let shown = ClientError::Api(Box::new(refused)).to_json();
        let wanted = json!({
            "code": "forbidden", "message": "a person does it", "fix": "Open the dashboard.", "request_id": "r"
        });
        assert_eq!(shown, json!({ "error": wanted }));
        let without_body = ClientError::Api(Box::new(ApiError::of(502, &Value::Null, "bad gateway"))).to_json();
        assert_eq!(
            (&without_body["error"]["code"], &without_body["error"]["message"]),
            (&json!("http_error"), &json!("bad gateway"))
        );
    }

    #[test]
    fn usage_errors_are_one_object() {
        let printed = "error: unexpected argument '--jsn' found\n\n  tip: a similar argument exists: '--json'\n\n\
                       Usage: posthouse whoami --json\n\nFor more information, try '--help'.\n";
        let shown: Value = serde_json::from_str(&usage_json(printed, "whoami")).unwrap();
        let wanted = json!({
            "code": "usage", "message": "unexpected argument '--jsn' found",
            "fix": "A similar argument exists: '--json'."
        });
        assert_eq!(shown["error"], wanted);
        let missing =
            "error: the following required arguments were not provided:\n  --to <ADDRESS>\n\nUsage: posthouse send\n";
        let shown: Value = serde_json::from_str(&usage_json(missing, "drafts send")).unwrap();
        assert_eq!(shown["error"]["message"], "the following required arguments were not provided: --to <ADDRESS>");
        assert_eq!(shown["error"]["fix"], "See posthouse help drafts send.");
    }

    #[test]
    fn every_error_has_a_next_step() {
        let texts = ["it broke", "no key; run posthouse login", "no mail; the last one; see help"];
        let kinds = [ClientError::Usage, ClientError::Unreachable, ClientError::Failed, ClientError::TimedOut];
        for text in texts {
            for kind in kinds {
                let shown = kind(text.to_owned()).with_help(|| "drafts send".to_owned()).to_json()["error"].take();
                let (message, fix) = (shown["message"].as_str().unwrap(), shown["fix"].as_str().unwrap());
                assert!(!message.contains(';') && fix.ends_with('.') && fix.starts_with(char::is_uppercase), "{shown}");
            }
        }
        let mistaken = ClientError::Usage("--limit is too large".to_owned()).with_help(|| "drafts list".to_owned());
        assert_eq!(mistaken.to_string(), "--limit is too large; see posthouse help drafts list");
        let command = ClientError::Failed("no such key; posthouse keys list shows all".to_owned());
        assert_eq!(command.problem_and_fix().1, "posthouse keys list shows all.");
        let named = ClientError::Usage("no file; name one".to_owned()).with_help(|| panic!("it has a next step"));
        assert_eq!(named.problem_and_fix(), ("no file".to_owned(), "Name one.".to_owned()));
    }
}
