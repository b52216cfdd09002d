//! The words under which the directory index finds cards.
//!
//! A search compares parts of words in any script, which neither engine indexes. So the program splits the text of a card into
//! all sequences of one, two and three characters, and indexes a hash of each. A query looks up the hashes of its own
//! sequences, and compares the text of the cards that have them all.

use std::collections::BTreeSet;

use icu_normalizer::ComposingNormalizerBorrowed;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::card::Card;
use crate::{id::WorkspaceId, message::MessageKind};

/// The longest query, in characters.
pub const QUERY_CHARS_MAX: usize = 200;
/// The longest capability, in characters.
pub const CAPABILITY_CHARS_MAX: usize = 100;
/// The most cards per page.
pub const LIMIT_MAX: u32 = 50;
/// The number of cards per page if the request names none.
pub const LIMIT_DEFAULT: u32 = 20;
/// The longest sequence of characters that is indexed.
const GRAM_CHARS_MAX: usize = 3;
/// The most sequences of a query that are looked up.
const QUERY_GRAMS_MAX: usize = 12;

/// The word of all cards in the public directory.
pub const PUBLIC_WORD: &str = "p";

/// What the index knows about a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CardDocument {
    /// The text that queries are compared with: each field in lower case, separated by line breaks.
    pub text: String,
    /// The words, separated by spaces.
    pub words: String,
    /// Whether the card is in the public directory.
    pub is_public: bool,
}

/// The cards that a search covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchedCards {
    /// Those of one workspace.
    Workspace(WorkspaceId),
    /// Those in the public directory.
    Public,
}

/// A search in the directory. Without conditions it returns every card of its scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CardQuery {
    /// The cards that it covers.
    pub scope: SearchedCards,
    /// A part of a name, description, skill name or tag.
    pub text: Option<String>,
    /// A skill id, tag or OASF class.
    pub capability: Option<String>,
    /// A type of message that the agent accepts.
    pub accepts: Option<MessageKind>,
}

/// Returns the form in which texts are compared: the compatible form (NFKC) in lower case.
#[must_use]
pub fn folded(text: &str) -> String {
    let form = ComposingNormalizerBorrowed::new_nfkc();
    form.normalize(&form.normalize(text).to_lowercase()).into_owned()
}

fn hash(kind: char, text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let bytes = if kind == 'g' { &digest[..4] } else { &digest[..10] };
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{kind}{hex}")
}

/// Returns the word of the cards of a workspace.
fn workspace_word(workspace: WorkspaceId) -> String {
    format!("w{}", Uuid::from(workspace).simple())
}

fn capability_word(capability: &str) -> String {
    hash('c', capability)
}

fn type_word(kind: MessageKind) -> String {
    format!("t{}", kind.text())
}

/// Returns the sequences of `count` characters in a text, without those across a line break.
fn grams(text: &str, count: usize) -> impl Iterator<Item = &str> {
    text.lines().flat_map(move |line| {
        let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        let ends = starts.clone().into_iter().skip(count);
        starts.into_iter().zip(ends).map(|(start, end)| &line[start..end]).collect::<Vec<_>>()
    })
}

/// Returns the texts that queries are compared with: the name, the description, and the names and tags of skills.
fn searched(card: &Card) -> Vec<&str> {
    let mut texts = vec![card.name.as_str()];
    texts.extend(card.description.as_deref());
    for skill in &card.capabilities.skills {
        texts.push(&skill.name);
        texts.extend(skill.tags.iter().map(String::as_str));
    }
    texts
}

impl CardDocument {
    /// Returns the document of a card that is visible to more than its owner; `is_public` states whether it is listed.
    #[must_use]
    pub fn of(workspace: WorkspaceId, card: &Card, is_public: bool) -> Self {
        let text = searched(card).iter().map(|text| folded(text).replace(['\n', '\r'], " ")).collect::<Vec<_>>();
        let text = text.join("\n");
        let mut words: BTreeSet<String> = BTreeSet::from([workspace_word(workspace)]);
        if is_public {
            words.insert(PUBLIC_WORD.to_owned());
        }
        words.extend(card.capabilities.accepts_types.iter().map(|kind| type_word(*kind)));
        for skill in &card.capabilities.skills {
            words.insert(capability_word(&skill.id));
            words.extend(skill.tags.iter().map(|tag| capability_word(tag)));
            words.extend(skill.oasf.iter().map(|class| capability_word(&class.text())));
        }
        words.extend((1..=GRAM_CHARS_MAX).flat_map(|count| grams(&text, count)).map(|gram| hash('g', gram)));
        Self { words: words.into_iter().collect::<Vec<_>>().join(" "), text, is_public }
    }
}

impl CardQuery {
    /// Returns the text that must be part of a card's text.
    #[must_use]
    pub fn folded_text(&self) -> Option<String> {
        self.text.as_deref().map(|text| folded(text.trim()))
    }

    /// Returns the word of the scope.
    #[must_use]
    pub fn scope_word(&self) -> String {
        match self.scope {
            SearchedCards::Public => PUBLIC_WORD.to_owned(),
            SearchedCards::Workspace(workspace) => workspace_word(workspace),
        }
    }

    /// Returns the words of the conditions on capability and type, which need no comparison of texts.
    #[must_use]
    pub fn exact_words(&self) -> Vec<String> {
        let capability = self.capability.as_deref().map(capability_word);
        capability.into_iter().chain(self.accepts.map(type_word)).collect()
    }

    /// Returns the words of the query's text. A card that has them all may contain the text.
    #[must_use]
    pub fn text_words(&self) -> Vec<String> {
        let Some(text) = self.folded_text() else { return Vec::new() };
        let count = text.chars().count().clamp(1, GRAM_CHARS_MAX);
        let all: Vec<String> = grams(&text, count).map(|gram| hash('g', gram)).collect();
        // Evenly spread, because neighbors say the same.
        let step = all.len().div_ceil(QUERY_GRAMS_MAX).max(1);
        let mut words: Vec<String> = all.into_iter().step_by(step).collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::card::{Capabilities, OasfClass, Skill, tests::card};
    use proptest::prelude::*;

    const OWN: WorkspaceId = WorkspaceId(Uuid::from_u128(7));

    fn query() -> CardQuery {
        CardQuery { scope: SearchedCards::Public, text: None, capability: None, accepts: None }
    }

    fn has_all(document: &CardDocument, words: &[String]) -> bool {
        words.iter().all(|word| document.words.split(' ').any(|one| one == word))
    }

    #[test]
    fn a_card_is_found_by_skill_tag_class_and_type() {
        let skill = |id: &str, tag: &str, oasf| Skill {
            id: id.to_owned(),
            name: "N".to_owned(),
            description: None,
            tags: vec![tag.to_owned()],
            oasf,
        };
        let skills = vec![skill("quote", "Steel", Some(OasfClass::Id(10_201))), skill("b", "c", None)];
        let accepts_types = vec![MessageKind::Task];
        let capabilities = Capabilities { skills, accepts_types, ..Capabilities::default() };
        let document = CardDocument::of(OWN, &Card { capabilities, ..card() }, true);
        let by = |capability: &str| CardQuery { capability: Some(capability.to_owned()), ..query() }.exact_words();
        for found in ["quote", "Steel", "10201", "b", "c"] {
            assert!(has_all(&document, &by(found)), "{found}");
        }
        assert!(!has_all(&document, &by("steel")) && !has_all(&document, &by("quot")));
        let of_type = |kind| CardQuery { accepts: Some(kind), ..query() }.exact_words();
        assert!(has_all(&document, &of_type(MessageKind::Task)) && !has_all(&document, &of_type(MessageKind::Event)));
        let scope = |scope| CardQuery { scope, ..query() }.scope_word();
        assert!(has_all(&document, &[scope(SearchedCards::Public), scope(SearchedCards::Workspace(OWN))]));
        let private = CardDocument::of(OWN, &card(), false);
        assert!(!has_all(&private, &[scope(SearchedCards::Public)]));
    }

    #[test]
    fn texts_are_compared_whatever_their_form() {
        let folded_query = |text: &str| CardQuery { text: Some(text.to_owned()), ..query() }.folded_text();
        for (given, name) in [("cafe\u{301}", "Café"), ("finance", "ﬁnance"), (" bulk ", "Bulk"), ("ＡＢＣ", "abc")]
        {
            assert_eq!(folded_query(given), Some(folded(name)), "{given}");
        }
    }

    proptest! {
        #[test]
        fn a_card_has_the_words_of_every_part_of_its_texts(name in "[a-zA-Zäß日本 ]{1,40}", from in 0usize..40, count in 1usize..40) {
            let document = CardDocument::of(OWN, &Card { name: name.clone(), ..card() }, true);
            let part: String = name.chars().skip(from).take(count).collect();
            if !part.is_empty() {
                let words = CardQuery { text: Some(part.clone()), ..query() }.text_words();
                prop_assert!(has_all(&document, &words), "{part:?} in {name:?}");
                prop_assert!(document.text.contains(&folded(&part)));
            }
        }
    }
}
