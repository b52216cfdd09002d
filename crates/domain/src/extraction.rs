//! The text of an attachment: its state, and why it is missing.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::time::Time;

/// Characters of one stored part of a text. Offsets of pages are multiples of it.
pub const PART_CHARS: usize = 16_384;

named! {
    /// The state of the text of an attachment.
    ExtractionStatus {
        /// It is not read yet.
        Pending = "pending",
        /// It is there.
        Done = "done",
        /// It could not be read.
        Failed = "failed",
        /// It is not read.
        Skipped = "skipped",
    }
    /// How the text was read.
    ExtractionMethod {
        /// From the file.
        Text = "text",
        /// From images, by OCR.
        Ocr = "ocr",
    }
    /// Why there is no text.
    ExtractionErrorCode {
        /// No text can be read from files of this type.
        UnsupportedType = "unsupported_type",
        /// The plan's monthly limit is used up.
        Quota = "quota",
        /// The file needs OCR, which this server doesn't have.
        OcrUnavailable = "ocr_unavailable",
        /// OCR failed.
        OcrError = "ocr_error",
        /// The file took too much time or memory.
        Timeout = "timeout",
        /// The file is not a valid file of its type.
        ParseError = "parse_error",
        /// The file needs a password.
        Encrypted = "encrypted",
        /// The file, or what it unpacks to, is too large.
        TooLarge = "too_large",
        /// The message has more than [`FILES_READ_MAX`] files.
        TooMany = "too_many",
        /// A receive list stopped the message.
        Blocked = "blocked",
        /// Reading files is switched off on this server.
        Off = "off",
    }
}

impl ExtractionErrorCode {
    /// Returns the state of a text that this is the reason for.
    #[must_use]
    pub const fn status(self) -> ExtractionStatus {
        match self {
            Self::UnsupportedType
            | Self::Quota
            | Self::OcrUnavailable
            | Self::TooLarge
            | Self::TooMany
            | Self::Blocked
            | Self::Off => ExtractionStatus::Skipped,
            Self::OcrError | Self::Timeout | Self::ParseError | Self::Encrypted => ExtractionStatus::Failed,
        }
    }
}

/// Why there is no text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExtractionError {
    /// The code.
    pub code: ExtractionErrorCode,
    /// The problem, for people.
    pub message: String,
}

/// The state of the text of an attachment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Extraction {
    /// The state.
    pub status: ExtractionStatus,
    /// How it was read.
    pub method: Option<ExtractionMethod>,
    /// Pages, sheets, slides or chapters, for files that have such parts.
    pub pages: Option<u32>,
    /// Its length in characters.
    pub chars: Option<u64>,
    /// The language that the file states.
    pub language: Option<String>,
    /// Whether the file has more text.
    pub truncated: bool,
    /// Why there is no text.
    pub error: Option<ExtractionError>,
    /// When the state was set.
    #[serde(with = "millis")]
    pub updated_at: Option<Time>,
}

impl Extraction {
    /// Returns the state of a text that is not read yet.
    #[must_use]
    pub const fn pending() -> Self {
        Self {
            status: ExtractionStatus::Pending,
            method: None,
            pages: None,
            chars: None,
            language: None,
            truncated: false,
            error: None,
            updated_at: None,
        }
    }

    /// Returns the state of a text that can't be had.
    #[must_use]
    pub fn without_text(code: ExtractionErrorCode, message: impl Into<String>, at: Time) -> Self {
        let error = Some(ExtractionError { code, message: message.into() });
        Self { status: code.status(), error, updated_at: Some(at), ..Self::pending() }
    }

    /// Returns whether the text is not read yet.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.status == ExtractionStatus::Pending
    }

    /// Returns whether the text is there.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.status == ExtractionStatus::Done
    }
}

/// Media types of files without text, by their beginning.
const WITHOUT_TEXT: [&str; 9] = [
    "audio/",
    "video/",
    "font/",
    "application/pgp-signature",
    "application/pkcs7-",
    "application/x-pkcs7-",
    "application/x-msdownload",
    "application/gzip",
    "application/x-tar",
];

/// Most files of a message whose text is read. Each costs a process and one of the plan's files, and a stranger chooses how
/// many a mail has.
pub const FILES_READ_MAX: usize = 20;

/// Returns the first state of the text of a file that comes after `read` files of its message whose text is read.
#[must_use]
pub fn initial_after(read: usize, content_type: &str, is_inline: bool, is_blocked: bool, now: Time) -> Extraction {
    let first = initial(content_type, is_inline, is_blocked, now);
    if !first.is_pending() || read < FILES_READ_MAX {
        return first;
    }
    let problem = format!("Only the first {FILES_READ_MAX} files of a message are read.");
    Extraction::without_text(ExtractionErrorCode::TooMany, problem, now)
}

/// Returns the state of the text of an attachment that was received.
#[must_use]
fn initial(content_type: &str, is_inline: bool, is_blocked: bool, now: Time) -> Extraction {
    let content_type = content_type.to_ascii_lowercase();
    let unsupported = |problem| Extraction::without_text(ExtractionErrorCode::UnsupportedType, problem, now);
    if is_blocked {
        let problem = "A receive list stopped the message.";
        Extraction::without_text(ExtractionErrorCode::Blocked, problem, now)
    } else if WITHOUT_TEXT.iter().any(|known| content_type.starts_with(known)) {
        unsupported("No text can be read from files of this type.")
    } else if is_inline && content_type.starts_with("image/") {
        unsupported("Images within the body are not read.")
    } else {
        Extraction::pending()
    }
}

/// The text of an attachment to store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractedText {
    /// How it was read.
    pub method: ExtractionMethod,
    /// The text. Pages are separated by form feeds.
    pub text: String,
    /// Pages, sheets, slides or chapters, for files that have such parts.
    pub pages: Option<u32>,
    /// The language that the file states.
    pub language: Option<String>,
    /// Whether the file has more text.
    pub truncated: bool,
    /// Text that the file hides from its readers. Only the screen gets it, and it isn't stored.
    pub hidden: String,
}

impl ExtractedText {
    /// Returns the state of this text.
    #[must_use]
    pub fn extraction(&self, at: Time) -> Extraction {
        Extraction {
            status: ExtractionStatus::Done,
            method: Some(self.method),
            pages: self.pages,
            chars: Some(self.text.chars().count() as u64),
            language: self.language.clone(),
            truncated: self.truncated,
            error: None,
            updated_at: Some(at),
        }
    }

    /// Returns the parts of the text to store, each of [`PART_CHARS`] characters but the last one.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        let (mut parts, mut rest) = (Vec::new(), self.text.as_str());
        while !rest.is_empty() {
            let end = rest.char_indices().nth(PART_CHARS).map_or(rest.len(), |(at, _)| at);
            let (part, left) = rest.split_at(end);
            parts.push(part);
            rest = left;
        }
        parts
    }
}

/// A piece of the text of an attachment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextPage {
    /// Where it begins, in characters.
    pub offset: u64,
    /// The text.
    pub text: String,
    /// Where the next piece begins; `None` at the end.
    pub next_offset: Option<u64>,
}

macro_rules! by_name {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> { to.serialize_str(self.text()) }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                Self::parse(&text).ok_or_else(|| D::Error::custom("unknown name"))
            }
        }
    )+};
}

by_name!(ExtractionStatus, ExtractionMethod, ExtractionErrorCode);

/// Times as milliseconds.
mod millis {
    use super::*;

    pub(super) fn serialize<S: Serializer>(time: &Option<Time>, to: S) -> Result<S::Ok, S::Error> {
        time.map(Time::millis).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Time>, D::Error> {
        Ok(Option::<i64>::deserialize(from)?.map(Time::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_stored_in_parts_of_whole_characters() {
        let text = "é".repeat(PART_CHARS) + "x";
        let text = ExtractedText {
            method: ExtractionMethod::Text,
            text,
            pages: None,
            language: None,
            truncated: false,
            hidden: String::new(),
        };
        let parts = text.parts();
        assert_eq!(parts.iter().map(|part| part.chars().count()).collect::<Vec<_>>(), [PART_CHARS, 1]);
        assert_eq!(parts.concat(), text.text);
        let stored = text.extraction(Time::from_millis(7));
        let json = serde_json::to_string(&stored).unwrap();
        assert_eq!(serde_json::from_str::<Extraction>(&json).unwrap(), stored);
    }
}
