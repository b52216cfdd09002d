//! Collects what the outbound policy decides about, and keeps a held message as a draft.

use std::sync::Arc;

use posthouse_domain::{
    ErrorCode, Inbox, Message, OutboundFacts, OutboundFinding, OutboundPolicy, OutgoingContent, OutgoingFile,
    Principal, Refusal, ScreeningTimeout, SendPurpose, Time, Workspace, label::DRAFT_ONLY,
};
use posthouse_mail::{address::Mailbox, parse};
use posthouse_store::{Result as StoreResult, Tx, message_list, messages};

use super::{AcceptedMessage, HeldOutcome, SendResponse, write};
use crate::outbound::compose::OutgoingKind;
use crate::outbound::guard::content::{self, Content, FileContent, ReceivedCodes};
use crate::outbound::guard::{
    files, files::FileTexts, held, held::HeldMessage, is_person, origins, origins::Addressed,
};
use crate::service::{ReadScope, Service};

/// The newest messages of a thread that are looked through for one to answer.
const ANSWERABLE_MAX: u32 = 20;

/// The received codes and the texts of files that the search for secrets needs.
#[derive(Default)]
pub(super) struct SearchFacts {
    codes: ReceivedCodes,
    /// The texts of the files of the message whose bytes aren't their text.
    files: FileTexts,
}

/// Returns what the search for secrets needs, if the policy of the workspace asks for a search.
pub(super) async fn search_facts(
    service: &Service,
    workspace: &Workspace,
    outgoing: &super::OutgoingMessage,
    now: Time,
) -> Result<SearchFacts, Refusal> {
    if workspace.outbound_policy == OutboundPolicy::Off {
        return Ok(SearchFacts::default());
    }
    let id = workspace.id;
    let codes = service.read(ReadScope::Lookup, move |tx| content::received_codes(tx, id, now)).await?;
    Ok(SearchFacts { codes, files: files::texts(service, id, outgoing).await? })
}

impl SearchFacts {
    /// Returns whether some files of the message weren't read.
    pub(super) const fn has_unread_files(&self) -> bool {
        self.files.is_cut
    }
}

/// Returns the secrets in a message that isn't composed yet, or in its bytes.
pub(super) fn findings(
    outgoing: &super::OutgoingMessage,
    author: &Mailbox,
    raw: &[u8],
    facts: &SearchFacts,
) -> Vec<OutboundFinding> {
    let thread = outgoing.answers().map(|original| original.thread);
    match &outgoing.origin {
        OutgoingKind::Submitted(_) => content::in_raw(raw, &facts.files.texts, &facts.codes, thread),
        OutgoingKind::AutomaticForward(_) => Vec::new(),
        OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => {
            let (given, people) = (&outgoing.content, &outgoing.people);
            let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let lists = [vec![author.to_string()], shown(&people.to), shown(&people.cc), shown(&people.bcc)];
            let text = |at: usize| facts.files.texts.get(at).and_then(Option::as_deref);
            let files = given.files.iter().enumerate().map(|(at, file)| FileContent::of(file, text(at)));
            let content = Content {
                subject: Some(&outgoing.subject),
                text: given.text.as_deref(),
                html: given.html.as_deref(),
                data: given.data_json.as_deref(),
                fields: content::people_fields(
                    ["from", "to", "cc", "bcc"].into_iter().zip(lists.iter().map(Vec::as_slice)),
                ),
                files: files.collect(),
            };
            content::findings(&content, &facts.codes, thread)
        }
    }
}

/// Returns the content of a message that a mail program composed.
pub(super) fn submitted_content(raw: &[u8]) -> OutgoingContent {
    let parsed = parse::parse(raw);
    let file = |file: parse::ParsedAttachment<'_>| OutgoingFile {
        name: file.filename.unwrap_or_default(),
        content_type: file.content_type,
        content_id: None,
        bytes: file.bytes.into_owned(),
    };
    OutgoingContent {
        text: parsed.text,
        html: parsed.html,
        files: parsed.attachments.into_iter().map(file).collect(),
        ..OutgoingContent::default()
    }
}

/// Returns whether a rule of the owner lets agents only draft the message: it joins the conversation of a received message
/// that the rule matched, however it names it.
fn is_draft_only(tx: &mut Tx, accepted: &AcceptedMessage, inbox: &Inbox) -> StoreResult<bool> {
    if !messages::inbox_has_label(tx, inbox.workspace, inbox.id, DRAFT_ONLY)? {
        return Ok(false);
    }
    match write::joined_thread(tx, accepted, inbox)? {
        Some(thread) => messages::thread_has_label(tx, inbox.workspace, thread, DRAFT_ONLY),
        None => Ok(false),
    }
}

/// Returns what is known about the recipients and the content, in the transaction that stores the message.
pub(super) fn facts(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    workspace: &Workspace,
    inbox: &Inbox,
) -> StoreResult<OutboundFacts> {
    let (caller, outgoing) = (&accepted.context.caller, &accepted.message);
    let draft = accepted.hook.as_ref().and_then(|hook| hook.draft());
    let is_of_service = matches!(caller.principal, Principal::Service { .. }) && draft.is_none();
    let is_automatic = matches!(outgoing.origin, OutgoingKind::AutomaticForward(_));
    if accepted.purpose() != SendPurpose::Message || is_of_service || is_automatic {
        return Ok(OutboundFacts::unguarded());
    }
    let message = Addressed {
        inbox,
        caller,
        answers: outgoing.answers(),
        known: draft.map(|judged| judged.draft.origins.0.as_slice()).unwrap_or_default(),
        is_judged: draft.is_some_and(|judged| judged.is_judged),
        now: accepted.now,
    };
    Ok(OutboundFacts {
        policy: workspace.outbound_policy,
        is_approved: is_person(caller) || draft.is_some_and(|judged| judged.is_approved),
        recipients: origins::of(tx, message, &outgoing.people.deliveries())?,
        findings: accepted.findings.clone(),
        is_unread: accepted.has_unread_files && workspace.screening.on_timeout == ScreeningTimeout::Hold,
        is_draft_only: is_draft_only(tx, accepted, inbox)?,
        held_before: draft.and_then(|judged| judged.draft.hold.clone()),
    })
}

/// Counts a refusal of the outbound policy.
pub(super) fn count_refusal(service: &Service, code: ErrorCode) {
    if matches!(code, ErrorCode::RecipientUnproven | ErrorCode::ContentBlocked) {
        service.metrics.outbound_guarded("refused", code.text());
    }
}

/// Keeps a message as a draft.
pub(super) async fn keep(
    service: &Arc<Service>,
    accepted: &Arc<AcceptedMessage>,
    outcome: HeldOutcome,
) -> Result<SendResponse, Refusal> {
    service.metrics.outbound_guarded("held", outcome.hold.reason.text());
    let (ids, now) = (service.clock.ids(), accepted.now);
    if accepted.hook.as_ref().is_some_and(|hook| hook.draft().is_some()) {
        let accepted = Arc::clone(accepted);
        let work = move |tx: &mut Tx| {
            let hook = accepted.hook.as_ref();
            let (hold, origins) = (&outcome.hold, outcome.origins.as_slice());
            let draft = hook.map(|hook| hook.hold(tx, hold, origins, &ids.clone(), now)).transpose()?.flatten();
            let draft = draft.ok_or_else(|| Refusal::not_found("draft"))?;
            let key = accepted.context.key.as_ref();
            if let Some(answer) = super::claimed(tx, key, now)? {
                return Ok(SendResponse::replay(answer));
            }
            held::answer(tx, key, &draft)
        };
        return service.write(work).await;
    }
    let (inbox, answers) = service
        .read(accepted.context.caller.workspace, {
            let accepted = Arc::clone(accepted);
            move |tx: &mut Tx| {
                let inbox = crate::access::visible::inbox(tx, &accepted.context.caller, accepted.context.inbox)?;
                let answers = answered(tx, &accepted, &inbox)?;
                Ok::<_, Refusal>((inbox, answers))
            }
        })
        .await?;
    let message = &accepted.message;
    let is_submitted = matches!(message.origin, OutgoingKind::Submitted(_));
    if accepted.given.is_none() && is_submitted {
        // What holds it was set while it was composed, and its content wasn't kept for that.
        return Err(Refusal::new(ErrorCode::Unavailable, "The settings of the workspace changed during the request."));
    }
    let held = HeldMessage {
        caller: accepted.context.caller,
        inbox,
        key: accepted.context.key.clone(),
        people: message.people.clone(),
        subject: message.subject.clone(),
        content: accepted.given.clone().unwrap_or_else(|| message.content.clone()),
        answers,
        hold: outcome.hold,
        origins: outcome.origins,
        plans: accepted.config.plans,
        now,
    };
    held::keep(service, Box::new(held)).await
}

/// Returns the message that a held message answers: the one that it names, or the newest of the thread that it joins that is
/// not withheld.
fn answered(tx: &mut Tx, accepted: &AcceptedMessage, inbox: &Inbox) -> StoreResult<Option<Message>> {
    if let Some(original) = accepted.message.answers() {
        return Ok(Some(original.clone()));
    }
    let Some(thread) = write::joined_thread(tx, accepted, inbox)? else { return Ok(None) };
    for message in message_list::of_thread(tx, inbox.workspace, thread, None, ANSWERABLE_MAX)? {
        if !messages::is_withheld(tx, &message)? {
            return Ok(Some(message));
        }
    }
    Ok(None)
}
