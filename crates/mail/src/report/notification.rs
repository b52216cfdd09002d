//! Parses notifications that senders' providers write as JSON: SES, SendGrid, Mailgun, Postmark and others. They differ
//! in their names, but all contain the kind of the event, the recipient, and what its server replied.

use serde_json::{Map, Value};

use super::{
    RECIPIENTS_MAX, RecipientReport, ReportAction, ReportContent, TEXT_BYTES_MAX, address, cause,
    cause::FailureEvidence, is_status, text,
};
use crate::{
    address::Address,
    bounce::{BounceClass, BounceSeverity},
    parse::ParsedMessage,
};

/// Deepest nesting that is searched.
const DEPTH_MAX: usize = 12;
/// Most characters of kinds that are compared.
const KINDS_CHARS_MAX: usize = 400;
/// Most characters of a server's reply that are kept.
const WORDS_CHARS_MAX: usize = 1_000;
/// What some servers put into lines that are longer than SMTP allows.
const LINE_BREAK: &str = "!\n ";
/// Names of members, in lower case and without separators, by what they contain.
const KINDS: [&str; 6] = ["notificationtype", "eventtype", "event", "recordtype", "type", "bouncetype"];
const RECIPIENTS: [&str; 6] = ["emailaddress", "email", "recipient", "rcptto", "to", "finalrecipient"];
const WORDS: [&str; 11] = [
    "diagnosticcode",
    "reason",
    "rawreason",
    "response",
    "diag",
    "bouncedescription",
    "description",
    "details",
    "error",
    "message",
    "subtype",
];
const STATUSES: [&str; 3] = ["status", "enhancedcode", "enhancedstatuscode"];
/// Words in kinds.
const BOUNCED: [&str; 2] = ["bounce", "undeliver"];
const FAILED: [&str; 4] = ["fail", "drop", "reject", "blocked"];
const DELAYED: [&str; 2] = ["defer", "delay"];
const COMPLAINED: [&str; 3] = ["complain", "spamreport", "spam_report"];
const TEMPORARY: [&str; 7] = ["soft", "transient", "undetermined", "temporary", "defer", "delay", "blocked"];

/// The event that encloses a member.
#[derive(Clone, Default)]
struct Event {
    /// The kinds of all levels, in lower case.
    kinds: String,
    status: Option<String>,
    words: String,
}

/// Parses a notification: a message whose text, or a JSON part, is one.
pub(super) fn read(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let is_json = |kind: &str| kind == "application/json" || kind == "text/json" || kind.ends_with("+json");
    let parts = parsed.attachments.iter().filter(|part| is_json(&part.content_type));
    let parts = parts.filter_map(|part| std::str::from_utf8(&part.bytes).ok());
    std::iter::once(text(parsed)).chain(parts).find_map(content)
}

fn content(text: &str) -> Option<ReportContent> {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\n', '\t', '\r']);
    if !text.starts_with(['{', '[']) || text.len() > TEXT_BYTES_MAX {
        return None;
    }
    // A footer may follow the notification.
    let first = |text: &str| serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok();
    let root = first(text).or_else(|| first(&text.replace(LINE_BREAK, "")))?;
    let mut found = Vec::new();
    search(&root, &Event::default(), 0, &mut found);
    found.truncate(RECIPIENTS_MAX);
    let complaints: Vec<Address> = found
        .iter()
        .filter(|(_, event)| is_any(&event.kinds, &COMPLAINED))
        .map(|(address, _)| address.clone())
        .collect();
    if !complaints.is_empty() {
        return Some(ReportContent::Complaint { kind: "abuse".to_owned(), recipients: complaints });
    }
    let mut fates: Vec<RecipientReport> = Vec::new();
    for (address, event) in found {
        let is_known = fates.iter().any(|fate| fate.addresses.contains(&address));
        fates.extend(report(address, &event).filter(|_| !is_known));
    }
    (!fates.is_empty()).then_some(ReportContent::Delivery(fates))
}

fn is_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns the name of a member without case and separators.
fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Collects the recipients within a value, each with its event. Members of an inner object override outer ones.
fn search(value: &Value, outer: &Event, depth: usize, found: &mut Vec<(Address, Event)>) {
    if depth > DEPTH_MAX || found.len() >= RECIPIENTS_MAX {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|value| search(value, outer, depth + 1, found)),
        // SNS encloses the notification as text.
        Value::String(text) if text.starts_with(['{', '[']) => {
            if let Ok(value) = serde_json::from_str::<Value>(text) {
                search(&value, outer, depth + 1, found);
            }
        }
        Value::Object(members) => {
            let event = event(members, outer);
            let recipients = members.iter().filter(|(name, _)| RECIPIENTS.contains(&&*folded(name)));
            let values =
                recipients.flat_map(|(_, value)| value.as_array().map_or(std::slice::from_ref(value), |all| all));
            for value in values.take(RECIPIENTS_MAX) {
                found.extend(value.as_str().and_then(address).map(|address| (address, event.clone())));
            }
            // The copy of the original message names recipients that did not fail.
            let is_event = |name: &str| !matches!(&*folded(name), "mail" | "headers" | "commonheaders" | "envelope");
            for (_, value) in members.iter().filter(|(name, value)| is_event(name) && !value.is_null()) {
                search(value, &event, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Returns the event of an object: what its own members and the objects in them state.
fn event(members: &Map<String, Value>, outer: &Event) -> Event {
    let mut event = outer.clone();
    let mut words = String::new();
    let nested = members.values().filter_map(Value::as_object).filter(|inner| !has_recipient(inner)).flatten();
    for (name, value) in members.iter().chain(nested) {
        let name = folded(name);
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(false) if name == "hardbounce" => "soft".to_owned(),
            _ => continue,
        };
        if KINDS.contains(&&*name) || name == "severity" || name.ends_with("bounce") {
            let kinds = format!("{} {}", text.to_ascii_lowercase(), event.kinds);
            event.kinds = kinds.chars().take(KINDS_CHARS_MAX).collect();
        } else if STATUSES.contains(&&*name) && is_status(text.trim()) {
            event.status = Some(text.trim().to_owned());
        } else if WORDS.contains(&&*name) && !text.starts_with(['{', '[']) || name == "code" || name == "errorcode" {
            words = format!("{words} {text}");
        }
    }
    if !words.is_empty() {
        event.words = words.chars().take(WORDS_CHARS_MAX).collect();
    }
    event
}

fn has_recipient(members: &Map<String, Value>) -> bool {
    members.keys().any(|name| RECIPIENTS.contains(&&*folded(name)))
}

/// Returns the status of a recipient, if its event is a failure or a delay.
fn report(recipient: Address, event: &Event) -> Option<RecipientReport> {
    let diagnostic = event.words.trim();
    let diagnostic = diagnostic.strip_prefix("smtp;").unwrap_or(diagnostic).trim();
    let facts = FailureEvidence { is_delayed: false, status: event.status.as_deref(), words: diagnostic, prose: "" };
    let verdict = cause::of(&facts);
    let is_temporary = is_any(&event.kinds, &TEMPORARY);
    // Much else fails that isn't mail, so the reason must be one of mail servers.
    let is_failure = is_any(&event.kinds, &BOUNCED)
        || is_any(&event.kinds, &FAILED) && (event.status.is_some() || verdict.class != BounceClass::Other);
    let action = match (is_failure, is_any(&event.kinds, &DELAYED)) {
        (true, _) => ReportAction::Failed,
        (false, true) => ReportAction::Pending,
        (false, false) => return None,
    };
    let most = if is_temporary { BounceSeverity::Soft } else { BounceSeverity::DeadAddress };
    let has_expired = is_temporary && verdict.class == BounceClass::Other;
    Some(RecipientReport {
        addresses: vec![recipient],
        local_part: None,
        action,
        status: event.status.clone(),
        diagnostic: Some(diagnostic.to_owned()).filter(|words| !words.is_empty()),
        remote: None,
        class: if has_expired { BounceClass::Expired } else { verdict.class },
        severity: verdict.severity.min(most),
    })
}
