//! `posthouse wait-code`.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use crate::{
    api::{Call, Query},
    clock::Deadline,
    error::ClientError,
    inbox,
    session::Session,
};

/// The longest wait of one request, in seconds.
const POLL_SECONDS_MAX: u64 = 60;

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
    loop {
        let left = deadline.remaining();
        if left.is_zero() {
            let text = format!("no code or link came to {} within {} s", inbox.address, given.timeout);
            return Err(ClientError::TimedOut(format!("{text}; pass --since 10m to include earlier mail")));
        }
        let wait = left.as_secs().clamp(1, POLL_SECONDS_MAX);
        let call = Call::get(inbox.path("/verification")).query(&query.clone().with("timeout", wait));
        let found = api.json(call.waiting(Duration::from_secs(wait))).await?;
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
    use super::*;

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
