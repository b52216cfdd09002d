//! What the local screen found in a received message.

use posthouse_domain::{AttachmentId, LocalCheck};
use posthouse_screen::{Code, Part, Place, Reason};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::name_of;

/// What the local screen found: instructions to an assistant, and text that is hidden or encoded. It needs no model.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LocalScreen")]
pub struct LocalScreenView<'a> {
    /// From 0 to 1.
    score: f64,
    /// Whether the score is 0.6 or more, which adds the label `local:injection-risk`.
    flagged: bool,
    /// What was found, heaviest first; at most 32 entries.
    reasons: Vec<ScreenReasonView<'a>>,
    /// Number of characters that sighted readers don't see.
    hidden_chars: usize,
    /// Whether all of the message was scanned. Files are scanned as far as their text is read.
    complete: bool,
    /// Version of the rules.
    version: &'a str,
}

view! {
    /// A reason of the local screen.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "LocalScreenReason")]
    struct ScreenReasonView<'a> of file: Option<AttachmentId>, reason: &'a Reason, is_open: bool {
        /// What was found.
        #[schemars(schema_with = "name_of::<Code>")]
        code: &'static str = reason.code.text(),
        /// Weight from 0 to 1.
        weight: f64 = rounded(reason.weight),
        /// Whether a sighted reader sees the text: `visible`, `hidden`, `beyond_window` (after the part that the
        /// categorizer reads) or `attachment`.
        #[schemars(schema_with = "name_of::<Place>")]
        r#where: &'static str = reason.place.text(),
        /// Part of the message that the offsets count in: `from` (the display name), `names` (one in `To`, `Cc` or
        /// `Reply-To`), `subject`, `text`, `html` (the source), `attachment` (a file name) or `file` (the text of an
        /// attachment).
        #[schemars(schema_with = "name_of::<Part>")]
        part: &'static str = reason.part.text(),
        /// Attachment, for `file`. Null otherwise, or if the content is withheld.
        attachment_id: Option<Uuid> = file.filter(|_| is_open).map(Into::into),
        /// More about it, such as the encoding. Null if there is nothing to add, or if the content is withheld.
        detail: Option<&'a str> = Some(reason.detail.as_str()).filter(|detail| is_open && !detail.is_empty()),
        /// First character, counted in Unicode characters. 0 if the content is withheld.
        start: usize = if is_open { reason.start } else { 0 },
        /// Character after the last one. 0 if the content is withheld.
        end: usize = if is_open { reason.end } else { 0 },
    }
}

/// Why a message is spam.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LocalSpam")]
pub struct LocalSpamView<'a> {
    /// Signs that were found, such as `advance_fee`.
    reasons: &'a [String],
}

impl<'a> LocalScreenView<'a> {
    /// Returns the view of a check; without details of content that is withheld.
    #[must_use]
    pub fn of(check: &'a LocalCheck, is_open: bool) -> Self {
        let screen = &check.screen;
        Self {
            score: rounded(screen.score),
            flagged: screen.flagged,
            reasons: check
                .reasons()
                .into_iter()
                .map(|(file, reason)| ScreenReasonView::of(file, reason, is_open))
                .collect(),
            hidden_chars: screen.hidden_chars,
            complete: screen.complete,
            version: &screen.version,
        }
    }
}

impl<'a> LocalSpamView<'a> {
    /// Returns the reasons; `None` if the message isn't spam.
    #[must_use]
    pub fn of(check: &'a LocalCheck) -> Option<Self> {
        (!check.spam.is_empty()).then_some(Self { reasons: &check.spam })
    }
}

/// Returns a number with two decimals, which a single-precision number doesn't have.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}
