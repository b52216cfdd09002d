//! Digests of threads: reads the messages in steps, and notes what the reader was given.

use std::collections::HashMap;

use posthouse_domain::digest::{
    Digest, DigestKind, DigestLine, DigestPart, DigestProgress, DigestSource, DigestWriter, FILES_MAX, OpenUnit,
    QuoteIndex, TOKEN_BYTES, UnitEnd, file_lines, repeated_file,
};
use posthouse_domain::{
    Attachment, Caller, DAY_MS, ExtractionStatus, PageParameters, PageRequest, Principal, Record, Refusal, ThreadId,
    Time, WorkspaceId, page::encode_cursor,
};
use posthouse_store::{Tx, attachment_texts, message_list, messages, readings};
use uuid::Uuid;

use crate::{access::visible, service::Service};

/// Messages read per step.
const STEP: u32 = 50;
/// Bytes of bodies read per step, and of earlier messages whose text is known.
const BYTES_MAX: u64 = 4 << 20;
/// Earlier messages whose text is known.
const KNOWN_MAX: u32 = 100;
/// The longest author, or name of a file, in a heading, in characters.
const AUTHOR_CHARS_MAX: usize = 48;
/// How long the position of a reader is kept, in milliseconds.
pub const READINGS_KEPT_MS: i64 = 90 * DAY_MS;

/// A digest that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestRequest {
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
    let mut reading = Reading {
        workspace: caller.workspace,
        thread: thread.id,
        budget: request.budget,
        writer: DigestWriter::new(request.budget),
        progress,
    };
    let is_complete = reading.run(tx)?;
    let position = encode_cursor(&reading.progress, &filters(thread.id));
    Ok(NextPart { digest: reading.writer.finish(), position, kept, is_complete })
}

/// The digest that is being written.
struct Reading {
    workspace: WorkspaceId,
    thread: ThreadId,
    /// In tokens.
    budget: usize,
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
                self.progress.close(unit);
                continue;
            };
            if message.created_at > self.progress.done(kind) {
                // It was shown since, as the newest of its inbox, and comes with the new messages.
                self.progress.close(unit);
                continue;
            }
            if messages::is_withheld(tx, &message)? {
                continue;
            }
            let mut known = Known::before(tx, self, message.created_at)?;
            known.number += 1;
            let Some(record) = messages::records_within(tx, self.workspace, vec![message], BYTES_MAX)?.pop() else {
                continue;
            };
            if !self.unit(tx, &record, &known, unit)? {
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
                known.number += 1;
                self.progress.set_done(kind, record.message.created_at);
                let units = units(&record, kind);
                let mut is_full = false;
                for unit in units {
                    if record.withheld || is_full {
                        self.progress.leave_open(unit);
                    } else {
                        is_full = !self.unit(tx, &record, &known, unit)?;
                    }
                }
                if is_full {
                    return Ok(false);
                }
                known.add(&record);
            }
        }
    }

    /// Writes the text of a message or file from an offset on; returns whether it was written to its end, or can't be yet.
    fn unit(&mut self, tx: &mut Tx, record: &Record, known: &Known, unit: OpenUnit) -> Result<bool, Refusal> {
        let (attachment, lines) = match unit.kind {
            DigestKind::Text | DigestKind::Quote => (None, source(record).lines(unit.kind, &known.index)),
            DigestKind::File => {
                let Some(file) = record.attachments.get(usize::from(unit.file)) else {
                    self.progress.close(unit);
                    return Ok(true);
                };
                if status(file) == Some(ExtractionStatus::Pending) {
                    self.progress.leave_open(unit);
                    return Ok(true);
                }
                (Some(file), self.lines_of_file(tx, file, known, unit.offset)?)
            }
        };
        if lines.is_empty() && unit.kind != DigestKind::Text {
            self.progress.close(unit);
            return Ok(true);
        }
        let attachment_id = attachment.map(|file| file.id);
        let part = DigestPart { message: unit.message, attachment: attachment_id, kind: unit.kind, from: 0, to: 0 };
        let heading = heading(record, known.number, unit.kind, attachment);
        Ok(match self.writer.write(&heading, &part, &lines, unit.offset) {
            UnitEnd::Complete => {
                self.progress.close(unit);
                true
            }
            UnitEnd::At(offset) => {
                self.progress.leave_open(OpenUnit { offset, ..unit });
                false
            }
        })
    }

    /// Returns the lines of a file from an offset on, of which at least as many are there as the budget has room for.
    fn lines_of_file(
        &self,
        tx: &mut Tx,
        file: &Attachment,
        known: &Known,
        offset: u32,
    ) -> Result<Vec<DigestLine>, Refusal> {
        if status(file) != Some(ExtractionStatus::Done) {
            return Ok(Vec::new());
        }
        if let Some(number) = known.files.get(&file.sha256).filter(|_| offset == 0) {
            let chars = file.extraction.as_ref().and_then(|known| known.chars).unwrap_or_default();
            return Ok(vec![repeated_file(*number, u32::try_from(chars).unwrap_or(u32::MAX))]);
        }
        let chars_max = (self.budget * TOKEN_BYTES) as u64 + 1;
        let page = attachment_texts::read(tx, self.workspace, file.id, u64::from(offset), chars_max)?;
        Ok(file_lines(&page.text, offset))
    }
}

/// Returns the units of that kind that a message has.
fn units(record: &Record, kind: DigestKind) -> Vec<OpenUnit> {
    let unit = |file| OpenUnit { message: record.message.id, kind, file, offset: 0 };
    match kind {
        DigestKind::Text | DigestKind::Quote => vec![unit(0)],
        DigestKind::File => (0..).take(record.attachments.len().min(FILES_MAX)).map(unit).collect(),
    }
}

fn status(file: &Attachment) -> Option<ExtractionStatus> {
    file.extraction.as_ref().map(|known| known.status)
}

/// What is known when a message is written: its number in the thread, and the text and files of the messages before it.
struct Known {
    number: u32,
    index: QuoteIndex,
    /// The numbers of the messages that had files first.
    files: HashMap<[u8; 32], u32>,
}

impl Known {
    fn before(tx: &mut Tx, reading: &Reading, before: Time) -> Result<Self, Refusal> {
        let count = message_list::count_in_thread_before(tx, reading.workspace, reading.thread, before)?;
        let newest_first = message_list::of_thread(tx, reading.workspace, reading.thread, Some(before), KNOWN_MAX)?;
        let mut records = messages::records_within(tx, reading.workspace, newest_first, BYTES_MAX)?;
        records.reverse();
        let total = u32::try_from(count).unwrap_or(u32::MAX);
        let first = total.saturating_sub(u32::try_from(records.len()).unwrap_or(u32::MAX));
        let mut known = Self { number: first, index: QuoteIndex::default(), files: HashMap::new() };
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
            for file in record.attachments.iter().filter(|file| status(file) == Some(ExtractionStatus::Done)) {
                self.files.entry(file.sha256).or_insert(self.number);
            }
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
fn heading(record: &Record, number: u32, kind: DigestKind, file: Option<&Attachment>) -> String {
    let message = &record.message;
    let plain = |text: &str, max: usize| text.chars().filter(|c| !c.is_control()).take(max).collect::<String>();
    let author = plain(&message.from, AUTHOR_CHARS_MAX);
    match kind {
        DigestKind::Text => {
            let minute = message.created_at.to_string();
            format!("#{number} {author} {}", minute.get(..16).unwrap_or_default())
        }
        DigestKind::Quote => format!("#{number} quoted"),
        DigestKind::File => {
            let name = file.and_then(|file| file.filename.as_deref()).unwrap_or_default();
            format!("#{number} file {}", plain(name, AUTHOR_CHARS_MAX)).trim_end().to_owned()
        }
    }
}
