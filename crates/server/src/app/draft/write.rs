//! Drafts made and changed. Recipients and subject of an answer are filled in where the caller leaves them out.

use posthouse_domain::{
    auth::{Caller, Permission},
    draft::{Change, Draft, DraftFile, Schedule, Source},
    error::Refusal,
    event::EventKind,
    id::{DraftId, Ids, InboxId, MessageId, ThreadId},
    inbox::Inbox,
    message::Message,
    send::reply_people,
    time::Time,
};
use posthouse_mail::thread;
use posthouse_store::{
    Tx, drafts,
    idempotency::{self, Recorded},
    message_list, messages,
};

use super::{Upload, Which, files, files::FileGiven, set_job, take, tell::tell};
use crate::app::{
    App, compose,
    post::{self, Posted},
    recognise::needs,
    stop_workspace::actor,
    visible,
};

/// The status of a draft that was made.
const CREATED: u16 = 201;

/// What a caller gives: fields as they are to be, and what a transaction has to look up.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Fields.
    pub change: Change,
    /// All files, when there are to be others.
    pub files: Option<Vec<FileGiven>>,
    /// What it answers.
    pub target: Target,
}

/// What a draft answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// That message.
    pub message: Option<MessageId>,
    /// The latest message of that conversation.
    pub thread: Option<ThreadId>,
}

/// What a transaction takes from outside.
#[derive(Clone)]
struct Outside {
    caller: Caller,
    change: Change,
    uploads: Option<Vec<Upload>>,
    target: Target,
    files_bytes_max: u64,
    ids: Ids,
    now: Time,
}

impl Outside {
    async fn of(app: &App, caller: Caller, given: Given) -> Result<Self, Refusal> {
        if let Schedule::At(_) = given.change.schedule {
            needs(&caller, Permission::MessagesSend)?;
        }
        let (ids, now) = (app.clock.ids(), app.clock.now());
        let uploads = match given.files {
            Some(files) => Some(files::upload(app, files).await?),
            None => None,
        };
        let files_bytes_max = app.config.smtp.message_bytes_max;
        Ok(Self { caller, change: given.change, uploads, target: given.target, files_bytes_max, ids, now })
    }

    /// The draft after the change, stored by the caller.
    fn apply(&self, tx: &mut Tx, inbox: &Inbox, before: &Draft) -> Result<(Draft, bool), Refusal> {
        let mut change = self.change.clone();
        if let Some(uploads) = &self.uploads {
            change.files = Some(files::known(before, uploads, self.files_bytes_max)?);
        }
        fill_in(tx, &mut change, (inbox, before), (&self.caller, self.target))?;
        let outcome = before.changed(&change, &actor(tx, &self.caller)?, self.now)?;
        Ok((outcome.draft, outcome.changed))
    }

    /// Stores files and job, which hang on the draft.
    fn attach(&self, tx: &mut Tx, draft: &Draft, before: &[DraftFile], ids: &Ids) -> Result<(), Refusal> {
        if let Some(uploads) = &self.uploads {
            files::store(tx, draft, before, uploads)?;
        }
        Ok(set_job(tx, draft, ids, self.now)?)
    }
}

/// Makes a draft; `render` makes the body of the answer, which is kept for a repeated request.
///
/// # Errors
/// `not_found`, `invalid_request`, `invalid_send_at`, `message_too_large`, `insufficient_permissions` for a time without the
/// permission to send, `idempotency_key_reused`, or the store's own.
pub async fn create(
    app: &App,
    (caller, inbox): (Caller, InboxId),
    key: Option<idempotency::Key>,
    given: Given,
    render: fn(&Draft) -> Result<String, Refusal>,
) -> Result<Posted, Refusal> {
    let outside = Outside::of(app, caller, given).await?;
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, inbox)?;
        if let Some(answer) = post::claimed(tx, key.as_ref(), outside.now)? {
            return Ok(Posted { answer, replayed: true });
        }
        let ids = outside.ids.clone();
        let id: DraftId = ids.next();
        let empty = Draft::new((inbox.workspace, id, inbox.id), Source::Api, outside.now);
        let (mut draft, _) = outside.apply(tx, &inbox, &empty)?;
        draft.revision = empty.revision;
        drafts::insert(tx, &draft)?;
        outside.attach(tx, &draft, &[], &ids)?;
        let answer = Recorded { status: CREATED, body: render(&draft)? };
        if let Some(key) = &key {
            idempotency::answer(tx, key, &answer)?;
        }
        tell(tx, EventKind::DraftCreated, &draft, &ids, outside.now)?;
        Ok(Posted { answer, replayed: false })
    };
    app.store.write(work).await
}

/// Changes a draft. New content of a scheduled one ends its schedule, unless a time comes with it.
///
/// # Errors
/// As [`create`], and `draft_not_editable`.
pub async fn change(app: &App, caller: Caller, which: Which, given: Given) -> Result<Draft, Refusal> {
    let outside = Outside::of(app, caller, given).await?;
    let work = move |tx: &mut Tx| {
        let (inbox, before) = take(tx, &caller, which)?;
        let (after, changed) = outside.apply(tx, &inbox, &before)?;
        if changed {
            let ids = outside.ids.clone();
            drafts::update(tx, &before, &after)?;
            outside.attach(tx, &after, &before.content.files, &ids)?;
            tell(tx, EventKind::DraftUpdated, &after, &ids, outside.now)?;
        }
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Looks up what the draft answers and fills in what the caller left out.
fn fill_in(
    tx: &mut Tx,
    change: &mut Change,
    (inbox, before): (&Inbox, &Draft),
    (caller, target): (&Caller, Target),
) -> Result<(), Refusal> {
    let original = match (target.message, target.thread) {
        (None, None) => {
            // Only a new choice of who is answered computes the recipients of an old target anew.
            let all = change.reply_all.filter(|all| *all != before.reply_all);
            let Some((id, all)) = before.answers.zip(all) else { return Ok(()) };
            let Some(original) = messages::get(tx, inbox.workspace, id)? else { return Ok(()) };
            return people(change, &original, (inbox, all));
        }
        (Some(id), thread) => {
            let original = of_inbox(visible::message(tx, caller, id)?, inbox)?;
            visible::content(tx, caller, &original)?;
            if thread.is_some_and(|thread| thread != original.thread) {
                return Err(Refusal::invalid_field("thread_id", "is not the thread of reply_to_message_id"));
            }
            original
        }
        (None, Some(thread)) => {
            let thread = visible::thread(tx, caller, thread)?;
            let newest = message_list::of_thread(tx, inbox.workspace, thread.id, None, 1)?.pop();
            of_inbox(newest.ok_or_else(|| Refusal::not_found("thread"))?, inbox)?
        }
    };
    people(change, &original, (inbox, change.reply_all.unwrap_or(before.reply_all)))?;
    if change.subject.is_none() {
        let subject = thread::reply_subject(original.subject.as_deref().unwrap_or_default());
        change.subject = Some(Some(compose::bounded_subject(&subject)));
    }
    change.answers = Some((original.id, original.thread));
    Ok(())
}

fn of_inbox(message: Message, inbox: &Inbox) -> Result<Message, Refusal> {
    if message.inbox == inbox.id { Ok(message) } else { Err(Refusal::not_found("message")) }
}

/// Fills in who an answer goes to, where the caller does not say.
fn people(change: &mut Change, original: &Message, (inbox, all): (&Inbox, bool)) -> Result<(), Refusal> {
    let own = compose::author(inbox)?;
    let people = reply_people(original, own.address(), all);
    let shown = |list: &[posthouse_mail::address::Mailbox]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    if change.to.is_none() {
        change.to = Some(shown(&people.to));
        if change.cc.is_none() {
            change.cc = Some(shown(&people.cc));
        }
    }
    Ok(())
}
