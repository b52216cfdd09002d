//! The local screen: finds text that tries to instruct an assistant, also where it is hidden or encoded, and secrets.
//!
//! Pure, without I/O. All of it runs in linear time for any input: a text is read once, codes are decoded first, and
//! windows over the words that stand for something find instructions (`docs/guides/local-screen.md`).

mod address;
mod decode;
mod disguise;
mod fold;
mod html;
mod lexicon;
mod links;
mod look_alike;
mod rules;
mod scan;
mod secrets;
mod spam;
mod style;
mod words;

pub use look_alike::KnownDomains;
pub use scan::{rot13, scan, scan_file_text};
pub use secrets::{Finding, SecretKind, TextVariant, TextVariants, secrets};
pub use spam::spam;

/// The version of the rules and words.
pub const VERSION: &str = "2026.11.3";
/// The score from which mail is flagged.
pub const FLAGGED_FROM: f32 = 0.6;
/// Bytes of one text that are scanned.
pub const TEXT_BYTES_MAX: usize = 4 << 20;
/// Reasons that are reported.
pub const REASONS_MAX: usize = 32;
/// Characters of a text that the categoriser reads.
pub const WINDOW_CHARS: usize = 3_000;

/// What is scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct Content<'a> {
    /// The display name of the author.
    pub from_name: &'a str,
    /// The domain of the author.
    pub from_domain: &'a str,
    /// The names in `To`, `Cc` and `Reply-To`.
    pub other_names: &'a [&'a str],
    /// The decoded subject.
    pub subject: &'a str,
    /// The text body, or the text of the HTML body.
    pub text: Option<&'a str>,
    /// The HTML body.
    pub html: Option<&'a str>,
    /// The names of the attachments.
    pub attachment_names: &'a [&'a str],
    /// Whether the author was authenticated; `None` if it isn't known.
    pub is_authenticated: Option<bool>,
    /// Whether replies would go to another party than the author.
    pub is_reply_elsewhere: bool,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)*) => {
        /// Why a mail looks like an attack.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $doc])+ $name,)* }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];
            /// The number of codes.
            pub const COUNT: usize = Self::ALL.len();

            /// Returns the name of the code.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Returns the code with a name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().find(|code| code.text() == text).copied()
            }

            /// Returns what the code means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)* }
            }
        }
    };
}

codes! {
    /// The text asks to ignore earlier instructions.
    OverrideInstructions = "override_instructions",
    /// The text addresses an assistant and tells it what to do.
    AddressesAssistant = "addresses_assistant",
    /// The text gives an assistant a new role or task.
    RoleChange = "role_change",
    /// The text forges a turn of a conversation with a language model.
    ForgedTurn = "forged_turn",
    /// The text asks to send or show secrets.
    AsksForSecret = "asks_for_secret",
    /// The text asks for the instructions of an assistant.
    RevealsPrompt = "reveals_prompt",
    /// The text asks to send mail or data to an address.
    ForwardsMail = "forwards_mail",
    /// The text asks to use tools or run commands.
    UsesTool = "uses_tool",
    /// The text asks to keep something from the user.
    Conceals = "conceals",
    /// The text asks to delete, pay or approve something.
    SensitiveAction = "sensitive_action",
    /// The text says what to do once it is read or summarized.
    ConditionalTrigger = "conditional_trigger",
    /// The markup hides text from sighted readers.
    HiddenText = "hidden_text",
    /// A text is encoded within the text.
    EncodedText = "encoded_text",
    /// Words are disguised, for example by digits, blanks, ciphers or look-alike letters.
    DisguisedText = "disguised_text",
    /// Invisible characters are within words.
    InvisibleCharacters = "invisible_characters",
    /// Words have letters of several scripts.
    MixedScripts = "mixed_scripts",
    /// Controls turn the direction of the text.
    TurnedText = "turned_text",
    /// The text of a link names another domain than the link leads to.
    LinkMismatch = "link_mismatch",
    /// A domain looks like the domain of a contact or a well-known brand.
    LookAlikeDomain = "look_alike_domain",
    /// The scan broke.
    ScanFailed = "scan_failed",
}

/// Where the text of a reason is, for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Shown to a sighted reader.
    Visible,
    /// Hidden from a sighted reader.
    Hidden,
    /// Shown, after the part that the categoriser reads.
    BeyondWindow,
    /// In an attachment or its name.
    Attachment,
}

impl Place {
    /// All places.
    pub const ALL: [Self; 4] = [Self::Visible, Self::Hidden, Self::BeyondWindow, Self::Attachment];

    /// Returns the place with a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.text() == text)
    }

    /// Returns the name of the place.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::BeyondWindow => "beyond_window",
            Self::Attachment => "attachment",
        }
    }
}

/// The part of a mail that offsets count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The author's name.
    From,
    /// A name in `To`, `Cc` or `Reply-To`.
    Names,
    /// The subject.
    Subject,
    /// The text body.
    Text,
    /// The source of the HTML body.
    Html,
    /// The name of an attachment.
    Attachment,
    /// The text of an attachment.
    File,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 7] =
        [Self::From, Self::Names, Self::Subject, Self::Text, Self::Html, Self::Attachment, Self::File];

    /// Returns the part with a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.text() == text)
    }

    /// Returns the name of the part.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::Names => "names",
            Self::Subject => "subject",
            Self::Text => "text",
            Self::Html => "html",
            Self::Attachment => "attachment",
            Self::File => "file",
        }
    }
}

/// Why a mail looks like an attack.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// What was found.
    pub code: Code,
    /// How much it counts, from 0 to 1.
    pub weight: f32,
    /// Where a reader has it.
    pub place: Place,
    /// The part that the offsets count in.
    pub part: Part,
    /// More about it, such as the name of an encoding.
    pub detail: String,
    /// Its first character, counted in Unicode characters.
    pub start: usize,
    /// The character after it.
    pub end: usize,
}

impl Reason {
    fn look_alike(known: &str) -> Self {
        let detail = format!("looks like {known}");
        let (code, weight, place, part) = (Code::LookAlikeDomain, LOOK_ALIKE_WEIGHT, Place::Visible, Part::From);
        Self { code, weight, place, part, detail, start: 0, end: 0 }
    }
}

/// Rounds a score or weight to the decimals that are stored.
fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// The result of a scan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocalScreen {
    /// From 0 to 1.
    pub score: f32,
    /// Whether the score is high enough to flag the mail.
    pub flagged: bool,
    /// Why, heaviest first.
    pub reasons: Vec<Reason>,
    /// Characters that sighted readers don't see.
    pub hidden_chars: usize,
    /// Whether all of the mail was scanned.
    pub complete: bool,
    /// The version of the rules and words.
    pub version: String,
}

/// Weight of a domain that looks like another.
const LOOK_ALIKE_WEIGHT: f32 = 0.25;
/// Part of the distance from the highest score that remains beside such a domain.
const LOOK_ALIKE_REST: f32 = 0.85;

impl LocalScreen {
    /// Adds that the author's domain looks like one that the reader knows.
    pub fn add_look_alike(&mut self, known: &str) {
        let at = self.reasons.partition_point(|reason| reason.weight >= LOOK_ALIKE_WEIGHT);
        self.reasons.insert(at, Reason::look_alike(known));
        self.reasons.truncate(REASONS_MAX);
        self.score = rounded(1.0 - (1.0 - self.score) * LOOK_ALIKE_REST);
        self.flagged |= self.score >= FLAGGED_FROM;
    }

    /// Returns the result for a mail whose scan broke: it is flagged.
    #[must_use]
    pub fn failed() -> Self {
        let reason = Reason {
            code: Code::ScanFailed,
            weight: 1.0,
            place: Place::Visible,
            part: Part::Text,
            detail: String::new(),
            start: 0,
            end: 0,
        };
        Self { score: 1.0, flagged: true, reasons: vec![reason], version: VERSION.to_owned(), ..Self::default() }
    }
}
