//! Fuzzes search queries: printing a query and parsing it again gives the same query, every text finds itself, ranks
//! don't overlap, and the filter of word pairs misses nothing.
//!
//! The first line of an input is a query; the rest is the body of a message.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    search::{
        IndexSource, IndexedText, ParsedQuery, QUERY_CHARS_MAX, RankTier, SearchExpression, SearchedText, index,
        needed_pairs, pairs, snippet, workspace_token,
    },
};
use uuid::Uuid;

/// The most pairs that are looked up.
const PAIRS_MAX: usize = 20;
/// The longest body, below the limit of what is indexed.
const BODY_BYTES_MAX: usize = 8 * 1024;

/// Parses the query and runs it on the message.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (asked, body) = text.split_once('\n').unwrap_or((&text, ""));
    let asked: String = asked.chars().take(QUERY_CHARS_MAX).collect();
    let body = &body[..body.floor_char_boundary(BODY_BYTES_MAX)];
    let workspace = WorkspaceId(Uuid::from_u128(1));
    let source = IndexSource {
        workspace,
        inbox: InboxId(Uuid::from_u128(2)),
        subject: body.lines().next().map(str::to_owned),
        from: "Ann <ann@author.example>".to_owned(),
        recipients: vec!["bob@host.example".to_owned()],
        text: Some(body.to_owned()),
    };
    let indexed = index(&source);
    let document = Document { words: indexed.words().collect(), pairs: pairs(&indexed) };
    let scope = workspace_token(workspace);
    if let Ok(query) = ParsedQuery::parse(&asked) {
        check_printed(&query);
        check_tiers(&query, &document, &scope);
        check_snippet(&query, body);
    }
    let quoted = format!("\"{}\"", body.replace(['"', '\u{201C}', '\u{201D}'], " "));
    if let Ok(query) = ParsedQuery::parse(&quoted) {
        let all = query.candidates_of(RankTier::Plain, &scope);
        assert!(document.matches(&all), "a text doesn't find itself: {quoted}");
    }
}

fn check_printed(query: &ParsedQuery) {
    let printed = query.to_string();
    let again = ParsedQuery::parse(&printed).unwrap_or_else(|problem| panic!("{printed}: {problem}"));
    assert_eq!(&again, query, "{printed}");
    assert_eq!(again.to_string(), printed);
}

/// Checks that a message has at most one rank, and has one if it is a candidate.
fn check_tiers(query: &ParsedQuery, document: &Document<'_>, scope: &str) {
    let is_candidate = document.matches(&query.candidates_of(RankTier::Plain, scope));
    let tiers = RankTier::ALL.iter().filter(|tier| document.matches(&query.expression(**tier, scope))).count();
    if query.has_tiers() {
        assert_eq!(tiers, usize::from(is_candidate), "{query}");
    }
    for tier in RankTier::ALL {
        let expression = query.expression(tier, scope);
        if document.matches(&expression) {
            let needed = needed_pairs(&expression, PAIRS_MAX);
            assert!(needed.iter().flatten().all(|number| document.has_bit(*number)), "{query}");
        }
    }
}

/// Checks that a snippet is escaped, with whole `<b>` elements only.
fn check_snippet(query: &ParsedQuery, body: &str) {
    let html = snippet(query, SearchedText { subject: body, from: "Ann <ann@author.example>", text: body });
    let bare = html.replace("<b>", "").replace("</b>", "");
    assert!(!bare.contains(['<', '>']), "{html}");
    assert_eq!(html.matches("<b>").count(), html.matches("</b>").count(), "{html}");
}

/// An indexed message.
struct Document<'d> {
    words: Vec<&'d str>,
    pairs: Vec<u8>,
}

impl Document<'_> {
    /// Returns whether an index would return the message for an expression.
    fn matches(&self, expression: &SearchExpression) -> bool {
        match expression {
            SearchExpression::All(all) => all.iter().all(|each| self.matches(each)),
            SearchExpression::Any(any) => any.iter().any(|each| self.matches(each)),
            SearchExpression::Without(yes, no) => self.matches(yes) && !self.matches(no),
            SearchExpression::Phrase(phrase) => self.words.windows(phrase.len().max(1)).any(|words| words == phrase),
            SearchExpression::Prefix(start) => {
                self.words.iter().any(|word| word.starts_with(start.as_str()) && !IndexedText::is_separator(word))
            }
            SearchExpression::Both(few, all) => self.matches(few) && self.matches(all),
        }
    }

    fn has_bit(&self, number: u32) -> bool {
        let bit = number as usize % (self.pairs.len() * 8);
        self.pairs[bit / 8] & (1 << (bit % 8)) != 0
    }
}
