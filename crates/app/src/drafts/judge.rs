//! Judges a draft when it is written or scheduled: where its recipients come from, and whether the policy of the workspace
//! lets it be scheduled. The send judges it again, with the texts of its files.

use posthouse_domain::{
    Caller, Direction, Draft, DraftFile, DraftOrigins, DraftStatus, Inbox, OutboundFacts, OutboundVerdict, Refusal,
    Time, label::DRAFT_ONLY, send::RECIPIENTS_MAX,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Tx, messages, workspaces};

use crate::outbound::guard::content::{self, Content, FileContent};
use crate::outbound::guard::{is_person, origins, origins::Addressed};

/// Bytes of a body that are searched when a draft is scheduled.
const BODY_BYTES_MAX: usize = 1024 * 1024;

fn begin(body: &str) -> &str {
    &body[..body.floor_char_boundary(BODY_BYTES_MAX)]
}

/// Writes the origins of the recipients into a draft. `before` are the known ones.
pub(super) fn origins(
    tx: &mut Tx,
    draft: &mut Draft,
    inbox: &Inbox,
    caller: &Caller,
    before: &DraftOrigins,
    now: Time,
) -> Result<(), Refusal> {
    let c = &draft.content;
    let people: Vec<Address> =
        c.to.iter()
            .chain(&c.cc)
            .chain(&c.bcc)
            .filter_map(|text| Mailbox::parse(text).ok())
            .map(Mailbox::into_address)
            .take(RECIPIENTS_MAX)
            .collect();
    let answers = match draft.answers {
        Some(id) => messages::get(tx, draft.workspace, id)?,
        None => None,
    };
    let mut known = before.0.clone();
    if is_person(caller) {
        // A person who changes a draft vouches for the addresses that are new in it.
        known.retain(|one| people.iter().any(|person| person.canonical_str() == one.address));
    }
    let of = |caller| Addressed {
        inbox,
        caller,
        answers: answers.as_ref(),
        known: &known,
        is_judged: is_person(caller),
        now,
    };
    let each: Vec<&Address> = people.iter().collect();
    draft.origins = DraftOrigins(origins::of(tx, of(caller), &each)?);
    Ok(())
}

/// Returns what is known about a file before its bytes are read.
fn file(file: &DraftFile) -> FileContent<'_> {
    FileContent { name: &file.filename, content_type: &file.content_type, bytes: &[], text: None }
}

/// Returns the draft as it is after it was scheduled: the policy of the workspace may hold it.
///
/// # Errors
/// Returns `recipient_unproven` or `content_blocked` if the policy refuses it.
pub(super) fn scheduled(tx: &mut Tx, draft: Draft, caller: &Caller, now: Time) -> Result<Draft, Refusal> {
    if draft.status != DraftStatus::Scheduled {
        return Ok(draft);
    }
    let workspace = workspaces::get(tx, draft.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let codes = content::received_codes(tx, draft.workspace, now)?;
    let answers = match draft.answers {
        Some(id) => messages::get(tx, draft.workspace, id)?,
        None => None,
    };
    let c = &draft.content;
    // In a transaction, only so much is searched. Sending it searches everything.
    let content = Content {
        subject: c.subject.as_deref(),
        text: c.text.as_deref().map(begin),
        html: c.html.as_deref().map(begin),
        data: c.data_json.as_deref().map(begin),
        fields: content::people_fields([("to", &*c.to), ("cc", &*c.cc), ("bcc", &*c.bcc)]),
        files: c.files.iter().map(file).collect(),
    };
    let is_draft_only = answers.as_ref().is_some_and(|original| {
        original.direction == Direction::Inbound && original.labels.iter().any(|label| label == DRAFT_ONLY)
    });
    let facts = OutboundFacts {
        policy: workspace.outbound_policy,
        is_approved: is_person(caller),
        recipients: draft.origins.0.clone(),
        findings: content::findings(&content, &codes, draft.thread),
        is_draft_only,
        held_before: draft.hold.clone(),
    };
    match facts.decide()? {
        OutboundVerdict::Send => Ok(draft),
        OutboundVerdict::Hold(hold) => {
            let revision = draft.revision;
            let origins = draft.origins.clone();
            let held = draft.held(hold, origins, now)?;
            Ok(Draft { revision, ..held })
        }
    }
}
