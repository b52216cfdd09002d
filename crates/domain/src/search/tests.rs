//! Tables of words, queries, indexed texts and snippets.

use super::{query::SearchExpression, words::words, *};
use crate::id::{InboxId, WorkspaceId};
use crate::time::Time;
use uuid::Uuid;

fn found(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

#[test]
fn words_are_normalized() {
    let rows: [(&str, &[&str]); 15] = [
        ("Invoice INV-2024/001, now!", &["invoice", "inv", "2024", "001", "now"]),
        ("Café ÜBER naïve São Nguyễn", &["cafe", "uber", "naive", "sao", "nguyen"]),
        ("cafe\u{301} soft\u{AD}hyphen zero\u{200B}width", &["cafe", "softhyphen", "zerowidth"]),
        ("Straße Ærø Łódź ÐÞ", &["strasse", "aero", "lodz", "dth"]),
        ("dana@example.com", &["dana", "example", "com"]),
        ("invoices companies buses address status news", &["invoice", "company", "buse", "address", "status", "new"]),
        ("has gas as 4s tools2s", &["has", "gas", "as", "4s", "tools2s"]),
        ("会議は明日", &["会", "議", "は", "明", "日"]),
        ("서울 회의", &["서", "울", "회", "의"]),
        ("ｆｕｌｌ　ｗｉｄｔｈ", &["full", "width"]),
        ("Привет ёлка ЙОД", &["привет", "елка", "иод"]),
        ("ΛΟΓΟΣ λόγος", &["λογοσ", "λογοσ"]),
        ("party 🎉🎉 👍🏽 now", &["party", "🎉", "🎉", "👍", "now"]),
        ("", &[]),
        ("-- ... !!", &[]),
    ];
    for (text, wanted) in rows {
        assert_eq!(found(text), wanted, "{text}");
    }
    let long = "x".repeat(1_000);
    assert_eq!(found(&long), ["x".repeat(64)]);
    assert_eq!(found(&"é".repeat(1_000)), ["e".repeat(64)]);
    let text = "Ein Café.";
    let at = words(text)[1].at.clone();
    assert_eq!(&text[at], "Café");
}

fn shown(expression: &SearchExpression) -> String {
    let list = |all: &[SearchExpression], between: &str| {
        let each: Vec<String> = all.iter().map(shown).collect();
        if each.len() == 1 { each[0].clone() } else { format!("({})", each.join(between)) }
    };
    match expression {
        SearchExpression::All(all) => list(all, " & "),
        SearchExpression::Any(all) => list(all, " | "),
        SearchExpression::Without(yes, no) => format!("({} - {})", shown(yes), shown(no)),
        SearchExpression::Phrase(words) => words.join("_"),
        SearchExpression::Prefix(word) => format!("{word}*"),
        SearchExpression::Both(few, all) => format!("({} & {})", shown(few), shown(all)),
    }
}

fn plain(text: &str) -> String {
    let query = ParsedQuery::parse(text).unwrap();
    // For queries with tiers, only the matching expression, without the better tiers that it excludes.
    match query.expression(RankTier::Plain, "W") {
        SearchExpression::Without(yes, _) if query.has_tiers() => shown(&yes),
        other => shown(&other),
    }
}

#[test]
fn queries_have_the_usual_meaning() {
    let rows = [
        ("hello", "(W & hello)"),
        ("Hello  Worlds", "(W & hello & world)"),
        ("\"hello world\"", "(W & hello_world)"),
        ("\u{201C}hello world\u{201D} x", "(W & hello_world & x)"),
        ("\"never closed here", "(W & never_closed_here)"),
        ("a -b", "((W & a) - b)"),
        ("-\"b c\" a -d", "((W & a) - (b_c | d))"),
        ("-b", "(W - b)"),
        ("a or b", "((W & a) | (W & b))"),
        ("a b OR c -d", "((W & a & b) | ((W & c) - d))"),
        ("or a", "(W & or & a)"),
        ("a or", "(W & a & or)"),
        ("a or or b", "((W & a) | (W & b))"),
        ("\"or\" a", "(W & or & a)"),
        ("dana@example.com", "(W & dana_example_com)"),
        ("https://x.example/a", "(W & http_x_example_a)"),
        ("re: hello", "(W & re & hello)"),
        ("from:Dana", "(W & \u{E001}dana)"),
        ("FROM:\"Dana Fox\"", "(W & \u{E001}dana_\u{E001}fox)"),
        ("to:bob@x.example", "(W & \u{E002}bob_\u{E002}x_\u{E002}example)"),
        ("subject:plan x", "(W & \u{E000}plan & x)"),
        ("a -from:dana", "((W & a) - \u{E001}dana)"),
        ("invoi*", "(W & invoi*)"),
        ("two-word*", "(W & two_word)"),
        ("会議", "(W & 会_議)"),
        ("label:vip", "W"),
        ("- a", "(W & a)"),
    ];
    for (text, wanted) in rows {
        assert_eq!(plain(text), wanted, "{text}");
    }
}

#[test]
fn tiers_exclude_better_tiers() {
    let query = ParsedQuery::parse("\"big plan\" cost").unwrap();
    let tier = |tier| shown(&query.expression(tier, "W"));
    let (s, o) = ('\u{E000}', '\u{E003}');
    let subject = format!("(W & {s}big_{s}plan & {s}cost)");
    let strong = format!("(W & (({o}big & {o}plan) & big_plan) & {o}cost)");
    assert_eq!(tier(RankTier::Subject), subject);
    assert_eq!(tier(RankTier::Strong), format!("({strong} - {subject})"));
    assert_eq!(tier(RankTier::Plain), format!("((W & big_plan & cost) - ({strong} | {subject}))"));
    assert!(query.has_tiers());
    for flat in ["label:x", "from:a", "-a"] {
        assert!(!ParsedQuery::parse(flat).unwrap().has_tiers(), "{flat}");
    }
}

#[test]
fn filters_apply_to_the_whole_query() {
    let query = ParsedQuery::parse(
        "label:vip -label:done has:attachment before:2026-02-01 after:2026/01/01 after:2026-01-05 x",
    )
    .unwrap();
    assert_eq!((query.labels, query.without_labels), (vec!["vip".to_owned()], vec!["done".to_owned()]));
    assert_eq!(query.has_attachments, [true].into());
    assert_eq!(query.before, Time::parse("2026-02-01T00:00:00Z").ok());
    assert_eq!(query.after, Time::parse("2026-01-05T00:00:00Z").ok());
    assert_eq!(ParsedQuery::parse("-has:attachments").unwrap().has_attachments, [false].into());
    assert_eq!(ParsedQuery::parse("has:attachment -has:attachment").unwrap().has_attachments, [false, true].into());
    assert_eq!(ParsedQuery::parse("-before:2026-02-01").unwrap().after, Time::parse("2026-02-01T00:00:00Z").ok());
    for bad in
        ["", "  ", "!!! -", "has:wings", "has:", "before:yesterday", "after:", "label:", "\"\"", &"a ".repeat(41)]
    {
        assert!(ParsedQuery::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_side_of_or_may_be_a_filter_only() {
    let labels = |query: &ParsedQuery| -> Vec<Vec<String>> {
        std::iter::once(query).chain(&query.others).map(|side| side.labels.clone()).collect()
    };
    let query = ParsedQuery::parse("label:vip or label:urgent").unwrap();
    assert_eq!(labels(&query), [["vip"], ["urgent"]]);
    assert!(query.terms().next().is_none(), "`or` is not a term");
    let query = ParsedQuery::parse("cost or label:vip or has:attachment").unwrap();
    assert_eq!(
        (labels(&query), &query.others[1].has_attachments),
        (vec![vec![], vec!["vip".into()], vec![]], &[true].into())
    );
    assert!(!query.has_tiers() && query.terms().count() == 1);
    let query = ParsedQuery::parse("cost or plan label:vip").unwrap();
    assert!(query.others.is_empty() && query.labels == ["vip"], "the filter applies to the whole query");
}

fn source(subject: &str, text: &str) -> IndexSource {
    IndexSource {
        workspace: WorkspaceId(Uuid::from_u128(1)),
        inbox: InboxId(Uuid::from_u128(2)),
        subject: Some(subject.to_owned()),
        from: "Dana <d@x.example>".to_owned(),
        recipients: vec!["Bob <b@y.example>".to_owned()],
        text: Some(text.to_owned()),
    }
}

#[test]
fn indexed_text_starts_with_marked_words_and_is_bounded() {
    let tokens = index(&source("Plan", "cost cost, costs. End"));
    let shown =
        tokens.0.replace('\u{E00F}', "|").replace('\u{E003}', "!").replace(['\u{E000}', '\u{E001}', '\u{E002}'], "~");
    let (_, behind) = shown.split_once("| ").unwrap();
    assert_eq!(
        behind,
        "~plan | ~dana ~d ~x ~example | ~bob ~b ~y ~example | !plan !dana !d !x !example !cost | plan | dana d x example | cost cost cost end | "
    );
    let huge = index(&source("s", &"wort ".repeat(100_000)));
    assert!(huge.words().count() < TEXT_BYTES_MAX / 5 + 40, "{}", huge.words().count());
}

#[test]
fn snippet_is_html_of_the_best_matching_part() {
    let cut = |query: &str, subject: &str, text: &str| {
        snippet(&ParsedQuery::parse(query).unwrap(), SearchedText { subject, from: "Dana <d@x.example>", text })
    };
    assert_eq!(cut("cost", "s", "The <i>Costs</i> & more"), "The &lt;i&gt;<b>Costs</b>&lt;/i&gt; &amp; more");
    assert_eq!(cut("\"the cost\"", "s", "cost of the  cost\r\nthe"), "cost of <b>the cost</b> the");
    assert_eq!(cut("plan", "The plan", "Nothing here"), "The <b>plan</b>");
    assert_eq!(cut("dana", "s", "Nothing here"), "<b>Dana</b> &lt;d@x.example&gt;");
    assert_eq!(cut("from:dana", "s", "Dana wrote"), "<b>Dana</b> &lt;d@x.example&gt;");
    assert_eq!(cut("has:attachment", "s", "  Nothing\n\nhere  "), "Nothing here");
    assert_eq!(cut("caf* -x", "s", "Ein Café"), "Ein <b>Café</b>");
    assert_eq!(cut("会議", "s", "明日の会議は"), "明日の<b>会議</b>は");
    let long = format!("{} needle {}", "hay ".repeat(200), "straw ".repeat(200));
    let shown = cut("needle", "s", &long);
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains(" <b>needle</b> "), "{shown}");
    assert!(shown.len() < 260, "{}", shown.len());
    let two = format!("needle {} needle thread {}", "hay ".repeat(200), "straw ".repeat(200));
    assert!(cut("needle thread", "s", &two).contains("<b>needle</b> <b>thread</b>"));
    assert_eq!(cut("absent", "", ""), "");
}

/// `ǿ` was indexed as `ø`, while `ø` was indexed as `o`, so that neither found the other.
#[test]
fn a_normalized_word_stays_the_same_when_it_is_normalized_again() {
    for c in '\0'..=char::MAX {
        for word in words(&c.to_string()) {
            let again: Vec<String> = words(&word.text).into_iter().map(|word| word.text).collect();
            assert_eq!(again, [word.text], "U+{:04X}", u32::from(c));
        }
    }
    assert_eq!(plain("Ǿ ǽ"), "(W & o & ae)");
}
