//! The canonical form of a query: the text that parses to the same query, with normalized words.

use std::fmt;

use super::query::{ParsedQuery, SearchField, SearchTerm};

impl fmt::Display for ParsedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = std::iter::once(self).chain(&self.others).map(side);
        f.write_str(&sides.collect::<Vec<_>>().join(" or "))
    }
}

/// Returns the text of one side of an `or`: its terms, which may have alternatives of their own, and its filters.
fn side(query: &ParsedQuery) -> String {
    let alternatives = query.any.iter().map(|all| all.iter().map(term).collect::<Vec<_>>().join(" "));
    let mut parts: Vec<String> = Vec::new();
    let terms = alternatives.collect::<Vec<_>>().join(" or ");
    if !terms.is_empty() {
        parts.push(terms);
    }
    parts.extend(query.labels.iter().map(|label| format!("label:\"{label}\"")));
    parts.extend(query.without_labels.iter().map(|label| format!("-label:\"{label}\"")));
    parts
        .extend(query.has_attachments.iter().map(|has| if *has { "has:attachment" } else { "-has:attachment" }.into()));
    parts.extend(query.before.map(|at| format!("before:{at}")));
    parts.extend(query.after.map(|at| format!("after:{at}")));
    parts.join(" ")
}

fn term(term: &SearchTerm) -> String {
    let sign = if term.is_negated { "-" } else { "" };
    let field = match term.field {
        SearchField::Any => "",
        SearchField::Subject => "subject:",
        SearchField::From => "from:",
        SearchField::To => "to:",
    };
    let words = term.words.join(" ");
    if term.is_beginning { format!("{sign}{field}{words}*") } else { format!("{sign}{field}\"{words}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_query_parses_to_the_same_query() {
        for (text, printed) in [
            ("Hello  Worlds", "\"hello\" \"world\""),
            ("a or or -\u{201C}b Costs\u{201D} x*", "\"a\" or -\"b cost\" x*"),
            ("or from:Dana -to:bob@x.example", "\"or\" from:\"dana\" -to:\"bob x example\""),
            (
                "x label:vip or y -has:attachments -label:\"a b\"",
                "\"x\" or \"y\" label:\"vip\" -label:\"a b\" -has:attachment",
            ),
            (
                "label:vip or subject:plan before:2026-01-31",
                "label:\"vip\" or subject:\"plan\" before:2026-01-31T00:00:00.000Z",
            ),
            ("-after:2026-01-31", "before:2026-01-31T00:00:00.000Z"),
        ] {
            let query = ParsedQuery::parse(text).expect(text);
            assert_eq!(query.to_string(), printed, "{text}");
            assert_eq!(ParsedQuery::parse(printed).as_ref(), Ok(&query), "{text}");
        }
    }
}
