//! `posthouse wait-code`.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use crate::{
    api::{Call, Query},
    clock::Deadline,
    error::ClientError,
    inbox::{self, InboxRef},
    session::Session,
};

/// The longest wait of one request, in seconds.
const POLL_SECONDS_MAX: u64 = 60;
/// The pause before a request is repeated, if the server names none.
const PAUSE: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  Wait up to two minutes for a code:
    posthouse wait-code signup@agents.example
  A code that came in the last ten minutes, from one domain, in a script:
    CODE=$(posthouse wait-code ID --since 10m --from github.com)

Exit codes: 0 a code or link was printed, 3 none came in time.";

/// Options of `posthouse wait-code`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct WaitCode {
    /// Id or address of the inbox.
    inbox: String,
    /// Only mail after this time, such as 10m or 2026-01-31T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Since>,
    /// Seconds to wait, 1 to 3600.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Only mail from this address, domain or name.
    #[arg(long, value_name = "AUTHOR")]
    from: Option<String>,
    /// Include mail whose author could not be confirmed; anyone can write it.
    #[arg(long)]
    include_unauthenticated: bool,
}

/// From when on mail counts.
#[derive(Clone, Copy, Debug)]
enum Since {
    Ago(Duration),
    At(Timestamp),
}

/// Waits for a code or link and prints it alone.
pub(crate) async fn run(session: &Session, given: WaitCode) -> Result<(), ClientError> {
    let deadline = Deadline::after(Duration::from_secs(given.timeout));
    let api = session.api()?;
    let inbox = inbox::find(&api, &given.inbox).await?;
    // The clock of this machine may differ from the server's.
    let now =
        inbox.server_time.unwrap_or_else(|| Timestamp::from_second(crate::clock::unix_seconds()).unwrap_or_default());
    let since = match given.since {
        None => now,
        Some(Since::At(time)) => time,
        Some(Since::Ago(time)) => now.checked_sub(time).unwrap_or(Timestamp::MIN),
    };
    let query = Query::default()
        .with("since", since)
        .maybe("from", given.from.as_ref())
        .flag("include_unauthenticated", given.include_unauthenticated);
    let mut failed = None;
    loop {
        let left = deadline.remaining();
        if left.is_zero() {
            return Err(in_vain(&inbox, &given, failed.as_ref()));
        }
        let wait = left.as_secs().clamp(1, POLL_SECONDS_MAX);
        let call = Call::get(inbox.path("/verification")).query(&query.clone().with("timeout", wait));
        // The look-up got an answer, so this is the right server: what it can't do now is tried again.
        let found = match api.json(call.waiting(Duration::from_secs(wait)).once()).await {
            Ok(found) => found,
            Err(error) => {
                let pause = pause_after(&error, deadline.remaining()).ok_or_else(|| error.clone())?;
                failed = Some(error);
                tokio::time::sleep(pause).await;
                continue;
            }
        };
        failed = None;
        let text = |member: &str| found["data"][member].as_str().map(str::to_owned);
        if let Some(value) = text("code").or_else(|| text("link")) {
            if found["data"]["auth_failed"].as_bool() == Some(true) {
                session.output.warn("Warning: the author of this mail could not be confirmed.");
            }
            session.show_notice(&api);
            return session.output.single(&value, &found["data"]);
        }
    }
}

/// Returns how long to wait before the request is repeated, or `None` if that doesn't help.
fn pause_after(error: &ClientError, left: Duration) -> Option<Duration> {
    let pause = match error {
        ClientError::Unreachable(_) => PAUSE,
        ClientError::Api(error) if matches!(error.status, 429 | 500..=599) => {
            error.retry_after_s.map_or(PAUSE, Duration::from_secs).max(PAUSE)
        }
        _ => return None,
    };
    Some(pause.min(left))
}

/// Returns the error for a wait without a result. `failed` is why the last request had none.
fn in_vain(inbox: &InboxRef, given: &WaitCode, failed: Option<&ClientError>) -> ClientError {
    let mut text = format!("no code or link came to {} within {} s", inbox.shown(), given.timeout);
    if let Some(error) = failed {
        text.push_str(&format!(", and the last request failed: {error}"));
    } else if given.since.is_none() {
        text.push_str("; pass --since 10m to include earlier mail");
    }
    ClientError::TimedOut(text)
}

/// Reads a time: `90s`, `10m`, `2h` or `1d` ago, or ISO 8601.
fn since(text: &str) -> Result<Since, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(Since::At(time));
    }
    let wrong = || "must be a time ago, such as 10m, or a time such as 2026-01-31T12:00:00Z".to_owned();
    let unit_at = text.len().checked_sub(1).filter(|at| text.is_char_boundary(*at)).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    Ok(Since::Ago(Duration::from_secs(u64::from(number) * seconds)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        error::ApiError,
        scripted::{Reply, ScriptedServer},
    };

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn given(since: Option<Since>) -> WaitCode {
        WaitCode { inbox: ID.to_owned(), since, timeout: 60, from: None, include_unauthenticated: false }
    }

    #[tokio::test]
    async fn polls_are_repeated_while_the_server_is_away() {
        let server = ScriptedServer::start(vec![
            Reply::json(403, &json!({ "error": { "code": "forbidden", "message": "No." } })),
            Reply::Response(503, "retry-after: 0\r\n", String::new()),
            Reply::Hangup,
            Reply::json(200, &json!({ "data": { "code": "482913" } })),
        ])
        .await;
        run(&server.session(), given(None)).await.unwrap();
        let requests = server.requests();
        assert_eq!(requests.len(), 4, "{requests:?}");
        assert!(requests[3].starts_with(&format!("GET /v1/inboxes/{ID}/verification?since=")), "{requests:?}");
    }

    #[test]
    fn a_pause_is_what_the_server_asks_for_within_the_time_left() {
        let (left, error) = (Duration::from_secs(30), |status, seconds: u64| {
            let body = json!({ "details": { "retry_after_seconds": seconds } });
            ClientError::Api(Box::new(ApiError::of(status, &body, "")))
        });
        for (error, seconds) in [
            (error(429, 7), Some(7)),
            (error(503, 90), Some(30)),
            (error(502, 0), Some(1)),
            (ClientError::Api(Box::new(ApiError::of(500, &Value::Null, ""))), Some(1)),
            (ClientError::Unreachable("gone".into()), Some(1)),
            (error(403, 7), None),
            (ClientError::Failed("foreign".into()), None),
        ] {
            assert_eq!(pause_after(&error, left), seconds.map(Duration::from_secs), "{error}");
        }
    }

    #[test]
    fn earlier_mail_is_advised_unless_it_was_included() {
        let inbox = InboxRef { id: ID.to_owned(), address: None, server_time: None };
        for (since, is_advised) in [(None, true), (Some(Since::Ago(PAUSE)), false)] {
            let error = in_vain(&inbox, &given(since), None);
            assert_eq!((error.exit_code(), error.to_string().contains("--since")), (3, is_advised), "{error}");
        }
        let error = in_vain(&inbox, &given(None), Some(&ClientError::Unreachable("gone".into())));
        assert!(error.to_string().ends_with("the last request failed: gone"), "{error}");
    }

    #[test]
    fn times_are_ago_or_absolute() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("2h", 7_200), ("1d", 86_400)] {
            assert!(matches!(since(text), Ok(Since::Ago(time)) if time.as_secs() == seconds), "{text}");
        }
        assert!(matches!(since("2026-01-31T12:00:00+01:00"), Ok(Since::At(_))));
        for text in ["", "m", "10", "10x", "-1m", "yesterday", "10é"] {
            assert!(since(text).is_err(), "{text}");
        }
    }
}
