//! Creates and changes drafts. Fills in the recipients and the subject of a reply if the caller omits them.

use posthouse_domain::{
    Caller, Draft, DraftChange, DraftChangeResult, DraftFile, DraftId, DraftSource, EventKind, IdGenerator, Inbox,
    InboxId, Message, MessageId, NamedRecipient, NamedRecipients, Permission, Plans, Refusal, ScheduleChange, ThreadId,
    Time, send::reply_people,
};
use posthouse_mail::{address::Mailbox, thread};
use posthouse_store::{
    Tx, draft_files, drafts, idempotency, idempotency::RecordedResponse, message_list, messages, storage,
};

use super::{DraftRef, StoredDraftFile, find, judge, judge::SearchedDraft, lock, set_job};
use crate::access::{actor, authorize::require_permission, visible};
use crate::drafts::{attachments, attachments::DraftFileInput};
use crate::outbound::draft_events::append_event;
use crate::outbound::{accept, accept::SendResponse, compose, recipients, repeat::RepeatableRequest, reply};
use crate::service::Service;

/// Newest messages of a thread among which a draft looks for one that it may answer.
const NEWEST_MAX: u32 = 20;

/// The HTTP status of a created draft.
const CREATED: u16 = 201;

/// The requested content of a draft.
#[derive(Clone, Debug, Default)]
pub struct DraftInput {
    /// The fields to set, without the recipients.
    pub change: DraftChange,
    /// The recipients to set.
    pub people: DraftRecipients,
    /// The full list of files; `None` keeps the current files.
    pub files: Option<Vec<DraftFileInput>>,
    /// The message or thread to reply to.
    pub target: ReplyTarget,
}

/// The recipients of a draft as a request names them; `None` keeps a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DraftRecipients {
    pub to: Option<Vec<NamedRecipient>>,
    pub cc: Option<Vec<NamedRecipient>>,
    pub bcc: Option<Vec<NamedRecipient>>,
}

impl DraftRecipients {
    /// Writes the lists into a change, with addresses in place of handles.
    async fn write_to(self, service: &Service, caller: &Caller, change: &mut DraftChange) -> Result<(), Refusal> {
        let has = [self.to.is_some(), self.cc.is_some(), self.bcc.is_some()];
        let list = Option::unwrap_or_default;
        let named = NamedRecipients { to: list(self.to), cc: list(self.cc), bcc: list(self.bcc) };
        let found = recipients::resolve(service, caller, named).await?;
        let shown = |given: bool, list: Vec<Mailbox>| given.then(|| list.iter().map(ToString::to_string).collect());
        change.to = shown(has[0], found.to);
        change.cc = shown(has[1], found.cc);
        change.bcc = shown(has[2], found.bcc);
        Ok(())
    }
}

/// The message or thread that a draft replies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReplyTarget {
    pub message: Option<MessageId>,
    /// A thread; its latest message is meant.
    pub thread: Option<ThreadId>,
}

/// A draft change after the work that precedes the transaction.
#[derive(Clone)]
struct PreparedChange {
    caller: Caller,
    change: DraftChange,
    uploads: Option<Vec<StoredDraftFile>>,
    target: ReplyTarget,
    files_bytes_max: u64,
    plans: Plans,
    ids: IdGenerator,
    now: Time,
}

impl PreparedChange {
    async fn of(service: &Service, caller: Caller, given: DraftInput) -> Result<Self, Refusal> {
        if let ScheduleChange::At(_) = given.change.schedule {
            require_permission(&caller, Permission::MessagesSend)?;
        }
        let (ids, now) = (service.clock.ids(), service.clock.now());
        let uploads = match given.files {
            Some(files) => Some(attachments::upload(service, caller.workspace, files).await?),
            None => None,
        };
        let files_bytes_max = service.config.message_bytes_max;
        let (mut change, target, plans) = (given.change, given.target, service.config.plans);
        given.people.write_to(service, &caller, &mut change).await?;
        Ok(Self { caller, change, uploads, target, files_bytes_max, plans, ids, now })
    }

    /// Searches the content that the draft would have after the change, if the change would schedule it.
    async fn search(
        self,
        service: &Service,
        draft: Option<DraftRef>,
        inbox: InboxId,
    ) -> Result<Option<SearchedDraft>, Refusal> {
        if !self.schedules() {
            return Ok(None);
        }
        let (workspace, now) = (self.caller.workspace, self.now);
        let read = move |tx: &mut Tx| {
            let (inbox, before) = match draft {
                Some(which) => find(tx, &self.caller, which)?,
                None => self.empty(visible::inbox(tx, &self.caller, inbox)?),
            };
            let mut contents = draft_files::contents(tx, before.workspace, before.id)?;
            contents.extend(attachments::contents(self.uploads.as_deref().unwrap_or_default()));
            Ok::<_, Refusal>((self.changed(tx, &inbox, &before)?.draft, contents))
        };
        match service.read(workspace, read).await {
            Ok((draft, contents)) => judge::search(service, draft, contents, now).await.map(Some),
            // The transaction refuses it, or repeats the response of the first request.
            Err(_) => Ok(None),
        }
    }

    fn schedules(&self) -> bool {
        matches!(self.change.schedule, ScheduleChange::At(_))
    }

    fn empty(&self, inbox: Inbox) -> (Inbox, Draft) {
        let draft = Draft::new(inbox.workspace, self.ids.clone().next(), inbox.id, DraftSource::Api, self.now);
        (inbox, draft)
    }

    fn changed(&self, tx: &mut Tx, inbox: &Inbox, before: &Draft) -> Result<DraftChangeResult, Refusal> {
        let mut change = self.change.clone();
        if let Some(uploads) = &self.uploads {
            change.files = Some(attachments::known(before, uploads, self.files_bytes_max)?);
        }
        fill_in(tx, &mut change, inbox, before, &self.caller, self.target)?;
        before.changed(&change, &actor::of(tx, &self.caller)?, self.now)
    }

    /// Returns the changed draft, and whether it differs. Doesn't store it.
    fn apply(
        &self,
        tx: &mut Tx,
        inbox: &Inbox,
        before: &Draft,
        searched: Option<&SearchedDraft>,
    ) -> Result<(Draft, bool), Refusal> {
        let mut outcome = self.changed(tx, inbox, before)?;
        if outcome.changed {
            judge::origins(tx, &mut outcome.draft, inbox, &self.caller, &before.origins, self.now)?;
        }
        // A draft that stays scheduled has kept its content.
        if outcome.changed && self.schedules() {
            outcome.draft = judge::scheduled(tx, outcome.draft, searched, &self.caller, self.now)?;
        }
        storage::limit(tx, &self.plans);
        Ok((outcome.draft, outcome.changed))
    }

    /// Stores the change as a new draft, and appends the event.
    fn insert(
        &self,
        tx: &mut Tx,
        inbox: &Inbox,
        source: DraftSource,
        searched: Option<&SearchedDraft>,
    ) -> Result<Draft, Refusal> {
        let ids = self.ids.clone();
        let id: DraftId = ids.next();
        let empty = Draft::new(inbox.workspace, id, inbox.id, source, self.now);
        let (mut draft, _) = self.apply(tx, inbox, &empty, searched)?;
        draft.revision = empty.revision;
        drafts::insert(tx, &draft)?;
        self.attach(tx, &draft, &[], &ids)?;
        append_event(tx, EventKind::DraftCreated, &draft, &ids, self.now)?;
        Ok(draft)
    }

    /// Stores the files and the job of the draft.
    fn attach(&self, tx: &mut Tx, draft: &Draft, before: &[DraftFile], ids: &IdGenerator) -> Result<(), Refusal> {
        if let Some(uploads) = &self.uploads {
            attachments::store(tx, draft, before, uploads)?;
        }
        Ok(set_job(tx, draft, ids, self.now)?)
    }
}

/// Creates a draft; `render` renders the response body, which is stored for idempotency.
///
/// # Errors
/// Returns `not_found`, `invalid_request`, `agent_not_found` for a handle, `invalid_send_at`, `message_too_large`, `insufficient_permissions` if a
/// send time is given without the permission to send, or `idempotency_key_reused`.
pub async fn create(
    service: &Service,
    caller: Caller,
    inbox: InboxId,
    key: Option<idempotency::IdempotencyKey>,
    given: DraftInput,
    render: fn(&Draft) -> Result<String, Refusal>,
) -> Result<SendResponse, Refusal> {
    let request = RepeatableRequest { caller, inbox, key };
    let result = create_new(service, request.clone(), given, render).await;
    request.or_recorded_response(service, result).await
}

async fn create_new(
    service: &Service,
    request: RepeatableRequest,
    given: DraftInput,
    render: fn(&Draft) -> Result<String, Refusal>,
) -> Result<SendResponse, Refusal> {
    let RepeatableRequest { caller, inbox, key } = request;
    let prepared = PreparedChange::of(service, caller, given).await?;
    let searched = prepared.clone().search(service, None, inbox).await?;
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, inbox)?;
        if let Some(answer) = accept::claimed(tx, key.as_ref(), prepared.now)? {
            return Ok(SendResponse::replay(answer));
        }
        let draft = prepared.insert(tx, &inbox, DraftSource::Api, searched.as_ref())?;
        let answer = RecordedResponse { status: CREATED, body: render(&draft)? };
        if let Some(key) = &key {
            idempotency::answer(tx, key, &answer)?;
        }
        Ok(SendResponse::new(answer))
    };
    service.write(work).await
}

/// Creates a reply to a message with a text that the model wrote. Recipients and subject are those of a reply.
///
/// # Errors
/// Returns the errors of [`create`].
pub async fn create_by_ai(
    service: &Service,
    caller: Caller,
    inbox: InboxId,
    reply_to: MessageId,
    text: String,
) -> Result<Draft, Refusal> {
    let given = DraftInput {
        change: DraftChange { text: Some(Some(text)), ..DraftChange::default() },
        target: ReplyTarget { message: Some(reply_to), thread: None },
        ..DraftInput::default()
    };
    let prepared = PreparedChange::of(service, caller, given).await?;
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &prepared.caller, inbox)?;
        prepared.insert(tx, &inbox, DraftSource::Ai, None)
    };
    service.write(work).await
}

/// Changes a draft. Changing the content of a scheduled draft unschedules it unless the request sets a time.
///
/// # Errors
/// Returns the errors of [`create`], or `draft_not_editable`.
pub async fn change(service: &Service, caller: Caller, which: DraftRef, given: DraftInput) -> Result<Draft, Refusal> {
    let prepared = PreparedChange::of(service, caller, given).await?;
    let searched = prepared.clone().search(service, Some(which), which.inbox).await?;
    let work = move |tx: &mut Tx| {
        let (inbox, before) = lock(tx, &caller, which)?;
        let (after, changed) = prepared.apply(tx, &inbox, &before, searched.as_ref())?;
        if changed {
            let ids = prepared.ids.clone();
            drafts::update(tx, &before, &after)?;
            prepared.attach(tx, &after, &before.content.files, &ids)?;
            append_event(tx, EventKind::DraftUpdated, &after, &ids, prepared.now)?;
        }
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Looks up the message that the draft replies to and fills in fields that the caller omitted.
fn fill_in(
    tx: &mut Tx,
    change: &mut DraftChange,
    inbox: &Inbox,
    before: &Draft,
    caller: &Caller,
    target: ReplyTarget,
) -> Result<(), Refusal> {
    let original = match (target.message, target.thread) {
        (None, None) => {
            // Without a new target, recipients are recomputed only if `reply_all` changes.
            let all = change.reply_all.filter(|all| *all != before.reply_all);
            let Some((id, all)) = before.answers.zip(all) else { return Ok(()) };
            let Some(original) = messages::get(tx, inbox.workspace, id)? else { return Ok(()) };
            return fill_in_recipients(change, &original, inbox, all);
        }
        (Some(id), thread) => {
            let original = of_inbox(visible::message(tx, caller, id)?, inbox)?;
            visible::content(tx, caller, &original)?;
            if thread.is_some_and(|thread| thread != original.thread) {
                return Err(Refusal::invalid_field("thread_id", "is not the thread of `reply_to_message_id`"));
            }
            original
        }
        (None, Some(thread)) => {
            let thread = visible::thread(tx, caller, thread)?;
            let newest_first = message_list::of_thread(tx, inbox.workspace, thread.id, None, NEWEST_MAX)?;
            newest_shown(tx, caller, inbox, newest_first)?
        }
    };
    fill_in_recipients(change, &original, inbox, change.reply_all.unwrap_or(before.reply_all))?;
    if change.subject.is_none() {
        let subject = thread::reply_subject(original.subject.as_deref().unwrap_or_default());
        change.subject = Some(Some(compose::bounded_subject(&subject)));
    }
    change.answers = Some((original.id, original.thread));
    Ok(())
}

/// Returns the newest message whose content the caller may see.
fn newest_shown(tx: &mut Tx, caller: &Caller, inbox: &Inbox, newest_first: Vec<Message>) -> Result<Message, Refusal> {
    let mut withheld = None;
    for message in newest_first {
        match visible::content(tx, caller, &message) {
            Ok(()) => return of_inbox(message, inbox),
            Err(refusal) => withheld = withheld.or(Some(refusal)),
        }
    }
    Err(withheld.unwrap_or_else(|| Refusal::not_found("thread")))
}

fn of_inbox(message: Message, inbox: &Inbox) -> Result<Message, Refusal> {
    if message.inbox == inbox.id { Ok(message) } else { Err(Refusal::not_found("message")) }
}

/// Fills in the recipients of a reply if the caller omits them.
///
/// # Errors
/// Returns `not_answerable` if there are too many.
fn fill_in_recipients(change: &mut DraftChange, original: &Message, inbox: &Inbox, all: bool) -> Result<(), Refusal> {
    let own = compose::author(inbox)?;
    let people = reply_people(original, own.address(), all);
    let shown = |list: &[posthouse_mail::address::Mailbox]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    if change.to.is_none() {
        change.to = Some(shown(&people.to));
        if change.cc.is_none() {
            change.cc = Some(shown(&people.cc));
        }
        reply::check_most(original, [&change.to, &change.cc, &change.bcc].into_iter().flatten().map(Vec::len).sum())?;
    }
    Ok(())
}
