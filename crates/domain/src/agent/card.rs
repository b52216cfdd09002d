//! Cards: what an agent says about itself.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    card_text::{self, CardTextProblem},
    handle::AgentHandle,
    listing_state::{ListingProblem, ListingState},
};
use crate::{message::MessageKind, time::Time};

/// The longest name of a card or skill, in characters.
pub const NAME_CHARS_MAX: usize = 80;
/// The name of a card if neither the inbox nor its username has one that a card can show.
const NAME_DEFAULT: &str = "Agent";
/// The longest description of a card, in characters.
pub const DESCRIPTION_CHARS_MAX: usize = 1_000;
/// The maximum number of skills.
pub const SKILLS_MAX: usize = 20;
/// The longest description of a skill, in characters.
pub const SKILL_DESCRIPTION_CHARS_MAX: usize = 500;
/// The maximum number of tags of a skill.
pub const TAGS_MAX: usize = 20;
/// The longest tag, in characters.
pub const TAG_CHARS_MAX: usize = 64;
/// The longest id of a skill, in characters.
pub const SKILL_ID_CHARS_MAX: usize = 64;
/// The longest name of an OASF class, in characters.
pub const OASF_CHARS_MAX: usize = 100;
/// The maximum number of languages.
pub const LANGUAGES_MAX: usize = 20;
/// The longest language tag, in characters.
pub const LANGUAGE_CHARS_MAX: usize = 35;
/// The maximum number of input modes.
pub const INPUT_MODES_MAX: usize = 20;
/// The longest URL of a documentation, in characters.
pub const URL_CHARS_MAX: usize = 2_048;
/// The input modes of a card that names none: the text and the data of a message.
pub const INPUT_MODES_DEFAULT: [&str; 2] = ["text/plain", "application/json"];

named! {
    /// Who sees a card.
    #[derive(Default)]
    CardVisibility {
        /// Everyone with the exact address, in minimal form. It is never listed.
        #[default]
        Private = "private",
        /// The workspace, in its searches.
        Workspace = "workspace",
        /// Everyone, once the listing check is passed.
        Public = "public",
    }

    /// How messages reach an agent.
    Routing {
        /// Through this service.
        Relay = "relay",
        /// Directly where possible; not available.
        DirectPreferred = "direct_preferred",
    }
}

/// A skill of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Skill {
    /// Its id, unique within the card.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Its class in the Open Agentic Schema Framework.
    pub oasf: Option<OasfClass>,
}

/// A class of the Open Agentic Schema Framework: its number, or its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OasfClass {
    /// The number.
    Id(u64),
    /// The name.
    Name(String),
}

impl OasfClass {
    /// Returns the text that searches by capability compare.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            OasfClass::Id(id) => id.to_string(),
            OasfClass::Name(name) => name.clone(),
        }
    }
}

/// What an agent can do and accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// Its skills.
    pub skills: Vec<Skill>,
    /// The types of messages that it accepts; at least one.
    pub accepts_types: Vec<MessageKind>,
    /// The languages that it reads (BCP 47).
    pub languages: Vec<String>,
    /// The media types that it reads; empty for the default.
    pub input_modes: Vec<String>,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            skills: Vec::new(),
            accepts_types: vec![MessageKind::Message],
            languages: Vec::new(),
            input_modes: Vec::new(),
        }
    }
}

impl Capabilities {
    /// Returns the media types that the agent reads.
    #[must_use]
    pub fn effective_input_modes(&self) -> Vec<&str> {
        if self.input_modes.is_empty() {
            INPUT_MODES_DEFAULT.to_vec()
        } else {
            self.input_modes.iter().map(String::as_str).collect()
        }
    }
}

/// The card of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Card {
    /// The name.
    pub name: String,
    /// What the agent does.
    pub description: Option<String>,
    /// What it can do and accepts.
    pub capabilities: Capabilities,
    /// An https URL with documentation.
    pub documentation_url: Option<String>,
    /// Who sees the card.
    pub visibility: CardVisibility,
    /// The agent part of the handle.
    pub handle: Option<AgentHandle>,
    /// Whether search engines may index the public page.
    pub is_indexable: bool,
    /// The state of the listing of a public card, as the listing check left it.
    pub listing: Option<ListingState>,
    /// What the listing check found.
    pub listing_problems: Vec<ListingProblem>,
    /// When the listing check passed.
    pub listed_at: Option<Time>,
    /// When the owner revoked the card.
    pub revoked_at: Option<Time>,
    /// Why.
    pub revocation_reason: Option<String>,
    /// Its number in the directory; greater is newer.
    pub number: i64,
    /// When it was created.
    pub created_at: Time,
    /// When it was changed last.
    pub updated_at: Time,
}

/// A problem with a text of a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CardFieldProblem {
    /// The field, such as `name` or `capabilities.skills[0].tags[2]`.
    pub field: String,
    /// What the text contains.
    pub problem: CardTextProblem,
}

impl Card {
    /// Creates a private card with nothing but a name. `number` is its place in lists, which it keeps.
    #[must_use]
    pub fn new(name: String, number: i64, now: Time) -> Self {
        Self {
            name,
            description: None,
            capabilities: Capabilities::default(),
            documentation_url: None,
            visibility: CardVisibility::Private,
            handle: None,
            is_indexable: false,
            listing: None,
            listing_problems: Vec::new(),
            listed_at: None,
            revoked_at: None,
            revocation_reason: None,
            number,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns every text of the card with its field.
    #[must_use]
    pub fn texts(&self) -> Vec<(String, &str)> {
        let mut texts = vec![("name".to_owned(), self.name.as_str())];
        texts.extend(self.description.as_deref().map(|text| ("description".to_owned(), text)));
        for (at, skill) in self.capabilities.skills.iter().enumerate() {
            let field = |name: &str| format!("capabilities.skills[{at}].{name}");
            texts.push((field("name"), &skill.name));
            texts.extend(skill.description.as_deref().map(|text| (field("description"), text)));
            texts.extend(skill.tags.iter().enumerate().map(|(n, tag)| (field(&format!("tags[{n}]")), tag.as_str())));
        }
        texts
    }

    /// Returns the texts that may not be shown.
    #[must_use]
    pub fn text_problems(&self) -> Vec<CardFieldProblem> {
        let checked = self.texts().into_iter();
        checked
            .filter_map(|(field, text)| Some(CardFieldProblem { field, problem: card_text::check(text).err()? }))
            .collect()
    }
}

/// Checks the name of a card: one line that isn't blank, of text that cards can show.
///
/// # Errors
/// States what is allowed.
pub fn check_name(text: &str) -> Result<(), String> {
    if text.trim().is_empty() || text.chars().count() > NAME_CHARS_MAX || text.contains(['\n', '\r', '\t']) {
        return Err(format!("must be one line of 1 to {NAME_CHARS_MAX} characters that isn't blank"));
    }
    card_text::check(text).map_err(|problem| problem.message().to_owned())
}

/// Returns the name of a card that is created without one: the display name of the inbox, or else its username, in
/// words if it reads like a web site.
#[must_use]
pub fn default_name(display_name: Option<&str>, username: &str) -> String {
    let words = username.replace(|c: char| !c.is_alphanumeric(), " ");
    let names = [display_name.unwrap_or_default(), username, &words].map(|name| {
        let cut: String = name.trim().chars().take(NAME_CHARS_MAX).collect();
        cut.trim_end().to_owned()
    });
    names.into_iter().find(|name| check_name(name).is_ok()).unwrap_or_else(|| NAME_DEFAULT.to_owned())
}

/// Checks the URL of a documentation: https, with a host, without credentials.
///
/// # Errors
/// States what is allowed.
pub fn check_documentation_url(text: &str) -> Result<(), String> {
    let allowed = || "must be an https URL with a host, without credentials".to_owned();
    let url = url::Url::parse(text).map_err(|_| allowed())?;
    let is_plain = text.chars().all(|c| c.is_ascii_graphic()) && !text.contains(['"', '<', '>', '\\', '`']);
    let is_allowed = is_plain
        && text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
        && url.scheme() == "https"
        && url.host_str().is_some_and(|host| !host.is_empty())
        && url.username().is_empty()
        && url.password().is_none();
    if is_allowed { Ok(()) } else { Err(allowed()) }
}

/// Returns whether a text has the form of a language tag (RFC 5646 §2.1): subtags of up to 8 letters and digits. The first
/// is a language, or `x` (private use) or `i` (registered as a whole) before others.
#[must_use]
pub fn is_language_tag(text: &str) -> bool {
    let (first, rest) = text.split_once('-').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let is_subtag = |subtag: &str| (1..=8).contains(&subtag.len()) && subtag.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_language = (2..=8).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_alphabetic());
    let is_whole = rest.is_some() && (first.eq_ignore_ascii_case("x") || first.eq_ignore_ascii_case("i"));
    text.len() <= LANGUAGE_CHARS_MAX
        && (is_language || is_whole)
        && rest.is_none_or(|rest| rest.split('-').all(is_subtag))
}

/// Returns texts without those that repeat an earlier one; `form` is what they are compared by.
#[must_use]
pub fn distinct(texts: impl Iterator<Item = String>, form: impl Fn(&str) -> String) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(form(text))).collect()
}

/// Returns whether a text is the id of a skill: `^[a-z0-9][a-z0-9._-]{0,63}$`.
#[must_use]
pub fn is_skill_id(text: &str) -> bool {
    let is_first = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_rest = |b: u8| is_first(b) || b"._-".contains(&b);
    text.len() <= SKILL_ID_CHARS_MAX && text.bytes().next().is_some_and(is_first) && text.bytes().all(is_rest)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn card() -> Card {
        Card::new("Support bot".to_owned(), 1, Time::from_millis(0))
    }

    #[test]
    fn documentation_is_on_an_https_host() {
        assert_eq!(check_documentation_url("https://acme.example/docs?a=b#c"), Ok(()));
        for wrong in [
            "http://acme.example/",
            "javascript:alert(1)",
            "https:acme.example",
            "https://",
            "https://user:pass@acme.example/",
            "https://acme.example/\"onload=x",
            "https://acme.example/<script>",
            " https://acme.example/",
            "https://acme.example/a b",
            "https://аcme.example/",
            "data:text/html,x",
        ] {
            assert!(check_documentation_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn language_tags_and_skill_ids_have_a_form() {
        assert!(
            ["en", "de-CH", "zh-Hant-TW", "sl-rozaj-biske", "x-priv", "X-a-b", "i-klingon", "de-x-own"]
                .into_iter()
                .all(is_language_tag)
        );
        assert!(
            !["", "e", "x", "i-", "a-b", "en_US", "-en", "en-", "123", "en-toolongsubtag"]
                .into_iter()
                .any(is_language_tag)
        );
        assert!(["a", "quote.create", "0-_x"].into_iter().all(is_skill_id));
        assert!(!["", ".a", "A", "a b", "ä"].into_iter().any(is_skill_id) && !is_skill_id(&"a".repeat(65)));
    }

    #[test]
    fn a_card_without_a_name_gets_one_that_cards_can_show() {
        for (display, username, name) in [
            (Some("Sales bot"), "bot", "Sales bot"),
            (Some("  "), "bot", "bot"),
            (None, "acme.ai", "acme ai"),
            (Some("acme.com"), "x1.co", "x1 co"),
            (Some("<b>"), "www.bot", "www bot"),
            (None, "postmaster.x-1", "postmaster.x-1"),
            (None, "-", "-"),
        ] {
            assert_eq!(default_name(display, username), name, "{display:?} {username}");
        }
    }

    #[test]
    fn repeated_texts_are_kept_once() {
        let texts = || ["en", "de-CH", "EN", "de-CH", "de"].map(str::to_owned).into_iter();
        assert_eq!(distinct(texts(), str::to_lowercase), ["en", "de-CH", "de"]);
        assert_eq!(distinct(texts(), str::to_owned), ["en", "de-CH", "EN", "de"]);
    }

    proptest! {
        #[test]
        fn every_default_name_passes_the_check_of_names(
            display in prop::option::of(any::<String>()),
            username in "[a-z0-9._+-]{1,64}|[a-z]{1,8}[.](ai|co|com|me|dev|shop)|\\PC{0,90}",
        ) {
            let name = default_name(display.as_deref(), &username);
            prop_assert_eq!(check_name(&name), Ok(()), "{:?} {} -> {}", display, username, name);
        }
    }

    #[test]
    fn every_text_is_checked() {
        let skill = Skill {
            id: "a".to_owned(),
            name: "<b>".to_owned(),
            description: Some("https://evil.example".to_owned()),
            tags: vec!["fine".to_owned(), "a@b.example".to_owned()],
            oasf: None,
        };
        let capabilities = Capabilities { skills: vec![skill], ..Capabilities::default() };
        let description = Some("\u{202e}gnp".to_owned());
        let fields: Vec<String> =
            Card { description, capabilities, ..card() }.text_problems().into_iter().map(|found| found.field).collect();
        let skill = |field: &str| format!("capabilities.skills[0].{field}");
        assert_eq!(fields, ["description".to_owned(), skill("name"), skill("description"), skill("tags[1]")]);
    }
}
