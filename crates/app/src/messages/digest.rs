//! Digests of threads: reads the messages in steps, and notes what the reader was given.

use posthouse_domain::digest::{
    Digest, DigestKind, DigestPart, DigestProgress, DigestSource, DigestWriter, OpenUnit, QuoteIndex, UnitEnd,
};
use posthouse_domain::{
    Caller, DAY_MS, Message, PageParameters, PageRequest, Principal, Record, Refusal, ThreadId, Time, WorkspaceId,
    page::encode_cursor,
};
use posthouse_store::{Tx, message_list, messages, readings};
use uuid::Uuid;

use crate::{access::visible, service::Service};

/// Messages read per step.
const STEP: u32 = 50;
/// Bytes of bodies read per step, and of earlier messages whose text is known.
const BYTES_MAX: u64 = 4 << 20;
/// Earlier messages whose text is known.
const KNOWN_MAX: u32 = 100;
/// The longest author in a heading, in characters.
const AUTHOR_CHARS_MAX: usize = 48;
/// How long the position of a reader is kept, in milliseconds.
pub const READINGS_KEPT_MS: i64 = 90 * DAY_MS;

/// A digest that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestRequest {
    /// The thread.
    pub thread: ThreadId,
    /// The budget in tokens.
    pub budget: usize,
    /// The cursor to continue at; without one, the digest continues where the reader's last one ended.
    pub cursor: Option<String>,
    /// Whether to start over.
    pub reset: bool,
}

/// A part of a thread that fits the budget.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadDigest {
    /// The text with its parts.
    pub digest: Digest,
    /// The cursor of the rest; `None` if everything was given.
    pub next_cursor: Option<String>,
}

/// Returns the next part of a thread, and notes that the caller was given it.
///
/// # Errors
/// Returns `not_found` if the thread is missing or invisible, or `invalid_cursor`.
pub async fn digest(service: &Service, caller: Caller, request: DigestRequest) -> Result<ThreadDigest, Refusal> {
    let (thread, workspace) = (request.thread, caller.workspace);
    let reader = reader(&caller.principal);
    let read = move |tx: &mut Tx| next_part(tx, &caller, &request);
    let NextPart { digest, position, kept, is_complete } = service.read(workspace, read).await?;
    let next_cursor = (!is_complete).then(|| position.clone());
    if kept.as_ref() == Some(&position) {
        return Ok(ThreadDigest { digest, next_cursor });
    }
    let now = service.clock.now();
    let note = move |tx: &mut Tx| -> Result<(), Refusal> {
        // The thread may have been deleted meanwhile.
        if posthouse_store::threads::get(tx, workspace, thread)?.is_some() {
            readings::set(tx, workspace, thread, reader, &position, now)?;
        }
        Ok(())
    };
    if let Err(refusal) = service.write(note).await {
        // The reader has the cursor.
        tracing::warn!(thread_id = %thread, code = refusal.code.text(), "digest.position_not_kept");
    }
    Ok(ThreadDigest { digest, next_cursor })
}

/// Returns whose position is kept.
fn reader(principal: &Principal) -> Uuid {
    match principal {
        Principal::Key(key) => key.id.0,
        Principal::User(person) => person.user.0,
        Principal::Connector(connector) => connector.id.0,
        Principal::Operator | Principal::Service { .. } => Uuid::nil(),
    }
}

/// Returns what the cursors of a thread are bound to.
fn filters(thread: ThreadId) -> String {
    format!("digest of thread {thread}")
}

struct NextPart {
    digest: Digest,
    /// Where it ends.
    position: String,
    /// The position that is kept for the reader.
    kept: Option<String>,
    is_complete: bool,
}

fn next_part(tx: &mut Tx, caller: &Caller, request: &DigestRequest) -> Result<NextPart, Refusal> {
    let thread = visible::thread(tx, caller, request.thread)?;
    let kept = readings::get(tx, caller.workspace, thread.id, reader(&caller.principal))?;
    let cursor = request.cursor.as_ref().or(kept.as_ref()).filter(|_| !request.reset).cloned();
    let parameters = PageParameters { cursor, limit: 1 };
    let list: PageRequest<DigestProgress> = parameters.of_list(filters(thread.id))?;
    let progress = list.after.unwrap_or_default();
    let mut reading =
        Reading { workspace: caller.workspace, thread: thread.id, writer: DigestWriter::new(request.budget), progress };
    let is_complete = reading.run(tx)?;
    let position = encode_cursor(&reading.progress, &filters(thread.id));
    Ok(NextPart { digest: reading.writer.finish(), position, kept, is_complete })
}

/// The digest that is being written.
struct Reading {
    workspace: WorkspaceId,
    thread: ThreadId,
    writer: DigestWriter,
    progress: DigestProgress,
}

impl Reading {
    /// Writes until the budget is used; returns whether everything was given.
    fn run(&mut self, tx: &mut Tx) -> Result<bool, Refusal> {
        for kind in DigestKind::ALL {
            if !(self.open_units(tx, *kind)? && self.new_messages(tx, *kind)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes what was left of earlier messages.
    fn open_units(&mut self, tx: &mut Tx, kind: DigestKind) -> Result<bool, Refusal> {
        for unit in self.progress.open.clone().into_iter().filter(|unit| unit.kind == kind) {
            let found = messages::get(tx, self.workspace, unit.message)?.filter(|m| m.thread == self.thread);
            let Some(message) = found else {
                self.progress.close(unit.message, kind);
                continue;
            };
            if messages::is_withheld(tx, &message)? {
                continue;
            }
            let mut known = Known::before(tx, self, message.created_at)?;
            known.number += 1;
            let Some(record) = messages::records_within(tx, self.workspace, vec![message], BYTES_MAX)?.pop() else {
                continue;
            };
            if !self.unit(&record, &known, unit) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the messages that came after the last one that was given.
    fn new_messages(&mut self, tx: &mut Tx, kind: DigestKind) -> Result<bool, Refusal> {
        loop {
            let after = self.progress.done(kind);
            let found = message_list::of_thread_after(tx, self.workspace, self.thread, after, STEP)?;
            let Some(first) = found.first() else { return Ok(true) };
            let mut known = Known::before(tx, self, first.created_at)?;
            for record in messages::records_within(tx, self.workspace, found, BYTES_MAX)? {
                let Message { id: message, created_at, .. } = record.message;
                known.number += 1;
                self.progress.set_done(kind, created_at);
                let unit = OpenUnit { message, kind, offset: 0 };
                if record.withheld {
                    self.progress.leave_open(unit);
                } else if !self.unit(&record, &known, unit) {
                    return Ok(false);
                }
                known.add(&record);
            }
        }
    }

    /// Writes the text of a message from an offset on; returns whether it was written to its end.
    fn unit(&mut self, record: &Record, known: &Known, unit: OpenUnit) -> bool {
        let OpenUnit { message, kind, offset } = unit;
        let lines = match kind {
            DigestKind::Text | DigestKind::Quote => source(record).lines(kind, &known.index),
            // Files have no text yet.
            DigestKind::File => Vec::new(),
        };
        if lines.is_empty() && kind != DigestKind::Text {
            self.progress.close(message, kind);
            return true;
        }
        let part = DigestPart { message, attachment: None, kind, from: 0, to: 0 };
        match self.writer.write(&heading(record, known.number, kind), &part, &lines, offset) {
            UnitEnd::Complete => {
                self.progress.close(message, kind);
                true
            }
            UnitEnd::At(offset) => {
                self.progress.leave_open(OpenUnit { message, kind, offset });
                false
            }
        }
    }
}

/// What is known when a message is written: its number in the thread, and the text of the messages before it.
struct Known {
    number: u32,
    index: QuoteIndex,
}

impl Known {
    fn before(tx: &mut Tx, reading: &Reading, before: Time) -> Result<Self, Refusal> {
        let count = message_list::count_in_thread_before(tx, reading.workspace, reading.thread, before)?;
        let newest_first = message_list::of_thread(tx, reading.workspace, reading.thread, Some(before), KNOWN_MAX)?;
        let mut records = messages::records_within(tx, reading.workspace, newest_first, BYTES_MAX)?;
        records.reverse();
        let total = u32::try_from(count).unwrap_or(u32::MAX);
        let first = total.saturating_sub(u32::try_from(records.len()).unwrap_or(u32::MAX));
        let mut known = Self { number: first, index: QuoteIndex::default() };
        for record in &records {
            known.number += 1;
            known.add(record);
        }
        Ok(known)
    }

    /// Adds the text of the message with the current number. A withheld text is unknown to the reader.
    fn add(&mut self, record: &Record) {
        if !record.withheld {
            self.index.add(self.number, source(record).text);
        }
    }
}

/// Returns the text of a message.
fn source(record: &Record) -> DigestSource<'_> {
    let bodies = &record.bodies;
    let (text, new_text) = (bodies.text.as_deref(), bodies.extracted_text.as_deref());
    DigestSource { text: text.or(new_text).unwrap_or_default(), new_text: new_text.filter(|_| text.is_some()) }
}

/// Returns the line above the text of a message.
fn heading(record: &Record, number: u32, kind: DigestKind) -> String {
    let message = &record.message;
    let author: String = message.from.chars().filter(|c| !c.is_control()).take(AUTHOR_CHARS_MAX).collect();
    match kind {
        DigestKind::Text => {
            let minute = message.created_at.to_string();
            format!("#{number} {author} {}", minute.get(..16).unwrap_or_default())
        }
        DigestKind::Quote => format!("#{number} quoted"),
        DigestKind::File => format!("#{number} file"),
    }
}
