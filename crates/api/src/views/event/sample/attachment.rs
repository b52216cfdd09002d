//! The attachment of the examples.

use posthouse_domain::{
    event::EventKind,
    extraction::{ExtractedText, Extraction, ExtractionErrorCode, ExtractionMethod},
    id::AttachmentId,
    message::Attachment,
    time::Time,
};

use super::{NOW_MS, id};

/// Returns the attachments of the message of an example event.
pub(super) fn of_kind(kind: EventKind) -> Vec<Attachment> {
    let now = Time::from_millis(NOW_MS);
    let extraction = match kind {
        EventKind::AttachmentExtracted => ExtractedText {
            method: ExtractionMethod::Text,
            text: "Invoice 4711\nTotal: 120.00 EUR".to_owned(),
            pages: Some(1),
            language: None,
            truncated: false,
            hidden: String::new(),
        }
        .extraction(now),
        EventKind::AttachmentExtractionFailed => {
            Extraction::without_text(ExtractionErrorCode::Encrypted, "The file needs a password.", now)
        }
        _ => return Vec::new(),
    };
    vec![Attachment {
        id: id::<AttachmentId>(12),
        message: id(5),
        position: 0,
        filename: Some("invoice.pdf".to_owned()),
        content_type: "application/pdf".to_owned(),
        size_bytes: 48_211,
        sha256: [0xa5; 32],
        content_id: None,
        inline: false,
        extraction: Some(extraction),
    }]
}

/// Returns the stored detail of an example event about an attachment.
pub(super) fn detail() -> String {
    format!("{{\"attachment_id\":\"{}\"}}", id::<AttachmentId>(12))
}
