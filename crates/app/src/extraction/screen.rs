//! The local screen of texts of files: its reasons count for the message (`docs/guides/local-screen.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use posthouse_domain::{
    EscalationTrigger, ExtractedText, HoldReason, IdGenerator, Inbox, Message, Time,
    analysis::holds_late,
    label::LOCAL_INJECTION_RISK,
    outbound_policy::seen::{SeenAddresses, SeenKeys},
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_screen::{LocalScreen, scan_file_text};
use posthouse_store::attachment_texts::AttachmentText;
use posthouse_store::{Error, Result, Tx, message_list::InboxRef, messages, queue, search, seen_addresses};

use crate::escalation::record::raise::{self, EscalationSubject};
use crate::{
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    messages::rules,
    service::Service,
};

/// The text of a file, and what was found in it.
pub(super) struct ScannedText {
    pub(super) text: ExtractedText,
    pub(super) screen: LocalScreen,
    /// The addresses that it names.
    pub(super) seen: SeenKeys,
}

/// Scans the text of a file of a message. One that breaks the scan is flagged.
pub(super) async fn scan(service: &Service, message: &Message, text: ExtractedText) -> Result<ScannedText> {
    let author = Mailbox::parse(&message.from).ok();
    let owner = WorkOwner { class: WorkClass::Search, workspace: message.workspace };
    let work = move |_: &WorkStop| {
        let found = catch_unwind(AssertUnwindSafe(|| scan_file_text(&text.text, &text.hidden)));
        let mut seen = SeenAddresses::default();
        author.iter().for_each(|author| seen.leave_out(author.address()));
        seen.read(&text.text);
        if text.truncated {
            seen.leave_unread();
        }
        ScannedText { screen: found.unwrap_or_else(|_| LocalScreen::failed()), seen: seen.into_keys(), text }
    };
    service.blocking_pool.run_for(owner, 0, work).await.map_err(|refusal| Error::Internal(refusal.message.into()))
}

/// Records the addresses that a file names, for the origin of recipients.
pub(super) fn keep_seen(tx: &mut Tx, of: AttachmentText, seen: &SeenKeys, inbox: &Inbox) -> Result<()> {
    let others = seen.without(Address::parse(&inbox.address).ok().as_ref());
    seen_addresses::insert_all(tx, of.workspace, of.message, Some(of.attachment), &others)
}

/// Adds what was found in a file to its message: the label, and what the rules of the owner do about it. Where mail is held,
/// the message is withheld from now on, with its files. A message that a person released stays released. Lock the inbox
/// before.
pub(super) fn apply(tx: &mut Tx, of: AttachmentText, found: &LocalScreen, ids: &IdGenerator, now: Time) -> Result<()> {
    if found.reasons.is_empty() && !found.flagged {
        return Ok(());
    }
    messages::lock(tx, of.workspace, &[of.message])?;
    let Some(before) = messages::get(tx, of.workspace, of.message)? else { return Ok(()) };
    let mut after = before.clone();
    let check = after.local_check.get_or_insert_default();
    check.add_file(of.attachment, found.clone());
    let is_new = found.flagged && !before.labels.iter().any(|label| label == LOCAL_INJECTION_RISK);
    if is_new {
        after.labels.push(LOCAL_INJECTION_RISK.to_owned());
    }
    let mode = messages::screening_mode(tx, before.workspace, before.inbox)?;
    let by_rules = rules::after_labels(tx, &before, &after)?;
    rules::add_labels(&mut after, &by_rules);
    let reason = if found.flagged && holds_late(before.analysis.as_ref(), mode) {
        Some(HoldReason::InjectionRisk)
    } else {
        (by_rules.is_held || by_rules.is_blocked).then_some(HoldReason::Rule)
    };
    let reason = reason.filter(|_| before.held.is_none());
    if let Some(reason) = reason {
        after.local_check.get_or_insert_default().was_shown = true;
        after.held = Some(reason);
    }
    messages::set_labels(tx, &before, &after)?;
    messages::set_local_check(tx, &after)?;
    if let Some(reason) = reason {
        withhold(tx, &after, reason, ids, now)?;
    }
    let new = after.labels.iter().filter(|label| !before.labels.contains(label)).map(String::as_str);
    raise::raise_labels(tx, &after, new, ids, now)
}

/// Withholds a message that agents had: search, waits and claims skip it until it is released.
fn withhold(tx: &mut Tx, message: &Message, reason: HoldReason, ids: &IdGenerator, now: Time) -> Result<()> {
    messages::hold(tx, message.workspace, message.id, reason)?;
    search::delete_message(tx, message.workspace, message.id)?;
    queue::delete_undelivered(tx, message.workspace, message.id)?;
    // A claim that accepts held mail looks again.
    queue::count_change(tx, InboxRef { workspace: message.workspace, inbox: message.inbox })?;
    raise::raise(tx, EscalationTrigger::Held, EscalationSubject::Message(message), ids, now)
}
