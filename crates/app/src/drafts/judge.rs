//! Judges a draft when it is written or scheduled: where its recipients come from, and whether the policy of the workspace
//! lets it be scheduled. The send judges it again, with the texts of its files.

use posthouse_domain::{
    Caller, Detail, Draft, DraftContent, DraftOrigins, DraftStatus, ErrorCode, Inbox, OutboundFacts, OutboundFinding,
    OutboundPolicy, OutboundVerdict, Refusal, ScreeningTimeout, Time, label::DRAFT_ONLY, outbound_policy::FINDINGS_MAX,
    send::RECIPIENTS_MAX,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Tx, draft_files::DraftFileContent, messages, workspaces};

use super::attachments;
use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use crate::outbound::guard::content::{self, Content, FileContent};
use crate::outbound::guard::{files, files::FileTexts, is_person, origins, origins::Addressed};
use crate::service::{ReadScope, Service};

/// What was found in the bodies and files of a draft before the transaction that schedules it. A search within the
/// transaction would keep all other writers waiting.
#[derive(Clone, Debug)]
pub(super) struct SearchedDraft {
    content: DraftContent,
    findings: Vec<OutboundFinding>,
    has_unread_files: bool,
}

impl SearchedDraft {
    fn is_of(&self, other: &DraftContent) -> bool {
        let DraftContent { text, html, data_json, files, .. } = &self.content;
        (text, html, data_json, files) == (&other.text, &other.html, &other.data_json, &other.files)
    }
}

/// Searches the bodies and files of a draft, if the policy of the workspace asks for it.
pub(super) async fn search(
    service: &Service,
    draft: Draft,
    contents: Vec<DraftFileContent>,
    now: Time,
) -> Result<SearchedDraft, Refusal> {
    let workspace = draft.workspace;
    let read = move |tx: &mut Tx| {
        let policy = workspaces::get(tx, workspace)?.map(|workspace| workspace.outbound_policy);
        Ok::<_, Refusal>((policy, content::received_codes(tx, workspace, now)?))
    };
    let (policy, codes) = service.read(ReadScope::Lookup, read).await?;
    if policy.is_none_or(|policy| policy == OutboundPolicy::Off) {
        return Ok(SearchedDraft { content: draft.content, findings: Vec::new(), has_unread_files: false });
    }
    let files = attachments::load(service, &draft, contents).await?;
    let FileTexts { texts, is_cut } = files::texts_of(service, workspace, &files).await?;
    let c = &draft.content;
    let bodies = [&c.text, &c.html, &c.data_json].into_iter().flatten().map(String::len).sum::<usize>();
    let bytes = bodies + files.iter().map(|file| file.bytes.len()).sum::<usize>();
    let work = move |_: &WorkStop| {
        let c = &draft.content;
        let given = files.iter().zip(&texts).map(|(file, text)| FileContent::of(file, text.as_deref()));
        let content = Content {
            text: c.text.as_deref(),
            html: c.html.as_deref(),
            data: c.data_json.as_deref(),
            files: given.collect(),
            ..Content::default()
        };
        let findings = content::findings(&content, &codes, draft.thread);
        SearchedDraft { content: draft.content, findings, has_unread_files: is_cut }
    };
    let owner = WorkOwner { class: WorkClass::Compose, workspace };
    service.blocking_pool.run_for(owner, bytes, work).await
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

/// Returns the draft as it is after it was scheduled: the policy of the workspace may hold it.
///
/// # Errors
/// Returns `recipient_unproven` or `content_blocked` if the policy refuses it, or `draft_not_editable` if the content isn't
/// the one that was searched.
pub(super) fn scheduled(
    tx: &mut Tx,
    draft: Draft,
    searched: Option<&SearchedDraft>,
    caller: &Caller,
    now: Time,
) -> Result<Draft, Refusal> {
    if draft.status != DraftStatus::Scheduled {
        return Ok(draft);
    }
    let c = &draft.content;
    let searched = searched.filter(|searched| searched.is_of(c)).ok_or_else(|| changed(draft.status))?;
    let workspace = workspaces::get(tx, draft.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let codes = content::received_codes(tx, draft.workspace, now)?;
    let header = Content {
        subject: c.subject.as_deref(),
        fields: content::people_fields([("to", &*c.to), ("cc", &*c.cc), ("bcc", &*c.bcc)]),
        ..Content::default()
    };
    let mut findings = content::findings(&header, &codes, draft.thread);
    findings.extend(searched.findings.iter().cloned());
    findings.truncate(FINDINGS_MAX);
    // The send judges the thread that it joins by its references or its subject.
    let is_draft_only = match draft.thread {
        Some(thread) => messages::thread_has_label(tx, draft.workspace, thread, DRAFT_ONLY)?,
        None => false,
    };
    let facts = OutboundFacts {
        policy: workspace.outbound_policy,
        is_approved: is_person(caller),
        recipients: draft.origins.0.clone(),
        findings,
        is_unread: searched.has_unread_files && workspace.screening.on_timeout == ScreeningTimeout::Hold,
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

fn changed(status: DraftStatus) -> Refusal {
    let refusal = Refusal::new(ErrorCode::DraftNotEditable, "The draft was changed while it was being scheduled.");
    refusal.detail(Detail::Status(status)).with_fix("Read the draft and schedule it again.")
}
