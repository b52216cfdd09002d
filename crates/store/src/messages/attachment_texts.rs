//! The text of attachments: what is to be read, and what was.

use posthouse_domain::{
    Attachment, AttachmentId, ExtractedText, Extraction, MessageId, TextPage, Time, WorkspaceId, extraction::PART_CHARS,
};

use crate::{Result, Tx, statements};

/// Attachments with the same bytes that are looked at.
const COPIES_MAX: u32 = 8;

statements! {
    /// Records that the text of an attachment is to be read.
    pub fn wait(workspace: WorkspaceId, attachment: AttachmentId, message: MessageId) =
        "INSERT INTO pending_extractions (workspace_id, attachment_id, message_id) VALUES (:workspace, :attachment, :message)
        ON CONFLICT DO NOTHING";
    fn end_wait(workspace: WorkspaceId, attachment: AttachmentId) -> bool =
        "DELETE FROM pending_extractions WHERE workspace_id = :workspace AND attachment_id = :attachment";
    fn set_extraction(workspace: WorkspaceId, attachment: AttachmentId, extraction: &Extraction) =
        "UPDATE attachments SET extraction = :extraction WHERE workspace_id = :workspace AND id = :attachment";
    fn insert_part(workspace: WorkspaceId, attachment: AttachmentId, message: MessageId, part: i64, text: &str) =
        "INSERT INTO attachment_texts (workspace_id, attachment_id, part, message_id, text)
        VALUES (:workspace, :attachment, :part, :message, :text)";
    fn parts(workspace: WorkspaceId, attachment: AttachmentId, first: i64, last: i64) -> Vec<String> =
        "SELECT text FROM attachment_texts WHERE workspace_id = :workspace AND attachment_id = :attachment
        AND part BETWEEN :first AND :last ORDER BY part";
    fn same_bytes(workspace: WorkspaceId, sha256: &[u8; 32]; limit = COPIES_MAX) -> Vec<Attachment> =
        "SELECT {a.attachments} FROM attachments a WHERE a.workspace_id = :workspace AND a.sha256 = :sha256
        AND EXISTS (SELECT 1 FROM attachment_texts t WHERE t.workspace_id = a.workspace_id AND t.attachment_id = a.id)
        LIMIT :limit";
    /// Returns how many files a workspace had read this month.
    pub fn texts_this_month(workspace: WorkspaceId, now: Time { month: now.month() }) -> u64 =
        "SELECT texts FROM extraction_usage WHERE workspace_id = :workspace AND month BETWEEN :month AND :month + 1";
    /// Returns how many structured extractions a workspace had this month.
    pub fn extractions_this_month(workspace: WorkspaceId, now: Time { month: now.month() }) -> u64 =
        "SELECT structured FROM extraction_usage WHERE workspace_id = :workspace AND month BETWEEN :month AND :month + 1";
    fn count_texts(workspace: WorkspaceId, now: Time { month: now.month() }) -> u64 =
        "INSERT INTO extraction_usage (workspace_id, month, texts, structured) VALUES (:workspace, :month, 1, 0)
        ON CONFLICT (workspace_id) DO UPDATE SET
        texts = CASE WHEN extraction_usage.month BETWEEN excluded.month AND excluded.month + 1 THEN extraction_usage.texts + 1 ELSE 1 END,
        structured = CASE WHEN extraction_usage.month BETWEEN excluded.month AND excluded.month + 1 THEN extraction_usage.structured ELSE 0 END,
        month = CASE WHEN extraction_usage.month = excluded.month + 1 THEN extraction_usage.month ELSE excluded.month END
        RETURNING texts";
    fn count_structured(workspace: WorkspaceId, now: Time { month: now.month() }) -> u64 =
        "INSERT INTO extraction_usage (workspace_id, month, texts, structured) VALUES (:workspace, :month, 0, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET
        structured = CASE WHEN extraction_usage.month BETWEEN excluded.month AND excluded.month + 1 THEN extraction_usage.structured + 1 ELSE 1 END,
        texts = CASE WHEN extraction_usage.month BETWEEN excluded.month AND excluded.month + 1 THEN extraction_usage.texts ELSE 0 END,
        month = CASE WHEN extraction_usage.month = excluded.month + 1 THEN extraction_usage.month ELSE excluded.month END
        RETURNING structured";
}

/// Counts a file whose text is read, and returns how many were read this month before it.
pub fn count_text(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<u64> {
    Ok(count_texts(tx, workspace, now)?.saturating_sub(1))
}

/// Counts a structured extraction, and returns how many there were this month before it.
pub fn count_extraction(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<u64> {
    Ok(count_structured(tx, workspace, now)?.saturating_sub(1))
}

/// The attachment that a text is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttachmentText {
    pub workspace: WorkspaceId,
    pub attachment: AttachmentId,
    pub message: MessageId,
}

/// Stores the state of a text, and the text if there is one. Returns false, without a change, if nothing waited for it: then
/// another worker was faster, or the message was deleted.
pub fn settle(tx: &mut Tx, of: AttachmentText, extraction: &Extraction, text: Option<&ExtractedText>) -> Result<bool> {
    if !end_wait(tx, of.workspace, of.attachment)? {
        return Ok(false);
    }
    set_extraction(tx, of.workspace, of.attachment, extraction)?;
    for (part, text) in (0..).zip(text.map(ExtractedText::parts).unwrap_or_default()) {
        insert_part(tx, of.workspace, of.attachment, of.message, part, text)?;
    }
    Ok(true)
}

/// Returns the text of another attachment of the workspace with the same bytes, name ending and type, if one was read. What the
/// file hides isn't stored.
pub fn of_copy(
    tx: &mut Tx,
    workspace: WorkspaceId,
    file: &Attachment,
) -> Result<Option<(AttachmentText, ExtractedText)>> {
    let is_copy = |other: &Attachment| {
        other.id != file.id && other.content_type == file.content_type && ending(other) == ending(file)
    };
    let Some(other) = same_bytes(tx, workspace, &file.sha256)?.into_iter().find(is_copy) else { return Ok(None) };
    let Some(known) = other.extraction.filter(Extraction::is_done) else { return Ok(None) };
    let Some(method) = known.method else { return Ok(None) };
    let text = parts(tx, workspace, other.id, 0, i64::MAX)?.concat();
    let Extraction { pages, language, truncated, .. } = known;
    let text = ExtractedText { method, text, pages, language, truncated, hidden: String::new() };
    Ok(Some((AttachmentText { workspace, attachment: other.id, message: other.message }, text)))
}

/// Returns what of the name of a file says how it is read.
fn ending(file: &Attachment) -> Option<String> {
    let name = file.filename.as_deref()?;
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

/// Returns up to `chars_max` characters of a text, from an offset in characters.
pub fn read(
    tx: &mut Tx,
    workspace: WorkspaceId,
    attachment: AttachmentId,
    offset: u64,
    chars_max: u64,
) -> Result<TextPage> {
    let size = PART_CHARS as u64;
    let first = offset / size;
    // One more character shows whether there are more.
    let last = offset.saturating_add(chars_max) / size;
    let bound = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
    let found = parts(tx, workspace, attachment, bound(first), bound(last))?.concat();
    let skipped = usize::try_from(offset % size).unwrap_or(usize::MAX);
    let start = found.char_indices().nth(skipped).map_or(found.len(), |(at, _)| at);
    let rest = &found[start..];
    let end = rest.char_indices().nth(usize::try_from(chars_max).unwrap_or(usize::MAX)).map(|(at, _)| at);
    let text = rest[..end.unwrap_or(rest.len())].to_owned();
    let next_offset = end.map(|_| offset + chars_max);
    Ok(TextPage { offset, text, next_offset })
}
