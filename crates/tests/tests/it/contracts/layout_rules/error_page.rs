//! `docs/reference/errors.md` is generated from the error table: codes, retries and details. The messages, fixes and
//! SMTP replies are collected from the sources and printed by `make error-texts`. A refusal whose text the scan can't
//! find fails the test.

mod scan;

use posthouse_domain::error::{DetailKind, ErrorCode};
use std::fmt::Write;

use super::{repository, source::SourceFile};
use scan::{FieldProblemText, RefusalText, Scan, SmtpReplyText};

const PAGE: &str = "docs/reference/errors.md";
/// Set to write the page instead of comparing it.
const WRITE: &str = "POSTHOUSE_WRITE_PAGES";
/// The file to write all texts to.
const TEXTS: &str = "POSTHOUSE_ERROR_TEXTS";
/// Maximum number of values of a detail that are listed at each code.
const INLINE_VALUES_MAX: usize = 20;
const INTRO: &str = include_str!("error_page/intro.md");

/// Returns how to retry a code.
fn retry(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::IdempotencyInFlight => "After `Retry-After`.",
        ErrorCode::ContentDamaged => "No.",
        ErrorCode::AgentKeysDisabled
        | ErrorCode::SignupDisabled
        | ErrorCode::DirectoryDisabled
        | ErrorCode::PublicDirectoryDisabled => "No, until the operator switches it on.",
        code if matches!(code.status(), 429 | 503) => "After `Retry-After`.",
        code if code.status() == 500 => "Yes, with the same `Idempotency-Key`.",
        ErrorCode::PlanLimitEmails | ErrorCode::PlanLimitStructuredExtractions => "Next month (UTC).",
        ErrorCode::ExtractionPending => "After the event `attachment.extracted`.",
        ErrorCode::DraftNotEditable => "After reading the draft, if its `status` allows the change.",
        ErrorCode::DkimRecordNotFound => "After DNS returns the record.",
        ErrorCode::DkimRotationTooSoon => "After `details.retire_at`.",
        _ => "No: the error repeats until the request, the key or the resource changes.",
    }
}

/// Returns the values of a detail with a closed set of them.
fn values_of(kind: DetailKind) -> Vec<String> {
    let schema = kind.schema();
    let values = schema["enum"].as_array().into_iter().flatten().filter_map(|value| value.as_str());
    values.map(|value| format!("`{value}`")).collect()
}

/// Lists the values of details that have too many for a line.
fn value_sections(page: &mut String) {
    let kinds = ErrorCode::ALL.iter().flat_map(|code| code.details()).map(|rule| rule.kind);
    let mut shown = Vec::new();
    for kind in kinds {
        let values = values_of(kind);
        if values.len() <= INLINE_VALUES_MAX || shown.contains(&kind.text()) {
            continue;
        }
        shown.push(kind.text());
        let _ = write!(page, "## Values of `details.{}`\n\n", kind.text());
        values.iter().for_each(|value| {
            let _ = writeln!(page, "- {value}");
        });
        page.push('\n');
    }
}

/// Lists how to retry, with the codes of each answer. Leaves out codes that only a change of the request ends.
fn retry_table(page: &mut String) {
    page.push_str("| Retry | Codes |\n|---|---|\n");
    let mut shown = Vec::new();
    for answer in ErrorCode::ALL.iter().map(|code| retry(*code)) {
        if answer == retry(ErrorCode::NotFound) || shown.contains(&answer) {
            continue;
        }
        shown.push(answer);
        let codes = ErrorCode::ALL.iter().filter(|code| retry(**code) == answer);
        let codes: Vec<String> = codes.map(|code| format!("{} `{}`", code.status(), code.text())).collect();
        let _ = writeln!(page, "| {answer} | {} |", codes.join(", "));
    }
}

/// Lists the details of every code that has some.
fn detail_table(page: &mut String) {
    page.push_str("| Code | Member | Type | Present | Meaning |\n|---|---|---|---|---|\n");
    for code in ErrorCode::ALL {
        for rule in code.details() {
            let schema = rule.kind.schema();
            let kind = schema["type"].as_str().unwrap_or_default();
            let kind = schema["format"].as_str().map_or_else(|| kind.to_owned(), |format| format!("{kind}, {format}"));
            let present = if rule.is_required { "always" } else { "sometimes" };
            let values = values_of(rule.kind);
            let values = match values.len() {
                0 => String::new(),
                1..=INLINE_VALUES_MAX => format!(" One of {}.", values.join(", ")),
                _ => format!(" One of the [values of `{0}`](#values-of-details{0}).", rule.kind.text()),
            };
            let (code, member, meaning) = (code.text(), rule.kind.text(), rule.kind.meaning());
            let _ = writeln!(page, "| `{code}` | `{member}` | {kind} | {present} | {meaning}{values} |");
        }
    }
}

/// Returns the whole page.
fn page() -> String {
    let mut page = INTRO.to_owned();
    page.push_str("| Status | Code | Meaning | What to do |\n|---|---|---|---|\n");
    for code in ErrorCode::ALL {
        let _ = writeln!(page, "| {} | `{}` | {} | {} |", code.status(), code.text(), code.meaning(), code.fix());
    }
    page.push_str("\n## Retries\n\nA code that isn't in this table repeats until the request, the key or the resource changes.\n\n");
    retry_table(&mut page);
    page.push_str("\n## Details\n\nThe members of `details`. Codes that aren't listed have none.\n\n");
    detail_table(&mut page);
    page.push('\n');
    value_sections(&mut page);
    format!("{}\n", page.trim_end())
}

/// Returns every text of the sources: messages and fixes by code, problems of fields, and SMTP replies.
fn texts(scan: &Scan) -> String {
    let mut all = "# Texts of errors\n\n`…` is a value of the request.\n\n".to_owned();
    for code in ErrorCode::ALL {
        let name = format!("{code:?}");
        let texts: Vec<&RefusalText> = scan.refusals.iter().filter(|text| text.code == name).collect();
        if texts.is_empty() {
            continue;
        }
        let _ = write!(all, "## `{}`\n\n| Message | Fix |\n|---|---|\n", code.text());
        for text in texts {
            let _ = writeln!(all, "| {} | {} |", text.message, text.fix.as_deref().unwrap_or(code.fix()));
        }
        all.push('\n');
    }
    all.push_str("## Field problems\n\nThe problems in `details.fields` of `invalid_request`. `*` is any field.\n");
    all.push_str(
        "With one problem, `message` is `<field>: <problem>.`; with several, `<number> fields are invalid.`\n\n",
    );
    all.push_str("| Field | Problem | Fix |\n|---|---|---|\n");
    for FieldProblemText { path, problem, fix } in &scan.problems {
        let _ = writeln!(all, "| `{path}` | {problem} | {} |", fix.as_deref().unwrap_or("Correct the field."));
    }
    all.push_str("\n## SMTP replies\n\nThe replies that refuse a command or a message.\n\n");
    all.push_str("| Code | Enhanced code | Text | Cause |\n|---|---|---|---|\n");
    for SmtpReplyText { code, enhanced, text, when } in &scan.replies {
        let _ = writeln!(all, "| {code} | {enhanced} | {text} | {when} |");
    }
    all
}

#[test]
fn every_refusal_has_a_text() {
    let scan = Scan::of(&super::sources());
    assert!(scan.unresolved.is_empty(), "name the message in the call or in a `let`:\n{}", scan.unresolved.join("\n"));
    let counts = (scan.refusals.len(), scan.problems.len(), scan.replies.len());
    assert!(counts.0 > 80 && counts.1 > 40 && counts.2 > 50, "the search finds too few texts: {counts:?}");
    let texts = texts(&scan);
    for RefusalText { code, message, .. } in &scan.refusals {
        assert!(texts.contains(&format!("\n| {message} | ")), "a text belongs to no code: {code}: {message}");
    }
    if let Some(path) = std::env::var_os(TEXTS) {
        std::fs::write(&path, &texts).expect("the file can be written");
    }
}

#[test]
fn the_error_page_is_current() {
    let page = page();
    let path = repository().join(PAGE);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let command = format!("{WRITE}=1 cargo nextest run -p posthouse-tests -E 'test(error_page)'");
    let differs = page.lines().zip(written.lines()).find(|(new, old)| new != old);
    assert!(page == written, "{PAGE} is out of date; regenerate it with\n  {command}\nFirst difference: {differs:?}");
}

#[test]
fn messages_and_fixes_are_sentences() {
    let scan = Scan::of(&super::sources());
    for text in &scan.refusals {
        let is_sentence = text.message.ends_with(['.', '?', '…']) || text.message.ends_with('`');
        assert!(is_sentence, "a message is a sentence: {}", text.message);
        if let Some(fix) = &text.fix {
            assert!(fix.ends_with('.') || fix.ends_with('`'), "a fix is a sentence: {fix}");
        }
    }
    for problem in &scan.problems {
        assert!(!problem.problem.ends_with('.'), "a problem continues the name of its field: {}", problem.problem);
    }
}

#[test]
fn the_scan_finds_texts_and_reports_calls_without_one() {
    let text = r#"
        fn a(x: u8) -> Refusal { let m = format!("Too {x}."); Refusal::new(ErrorCode::Internal, m).with_fix("Wait.") }
        fn b(m: &str) -> Refusal { Refusal::new(ErrorCode::Internal, m) }
    "#;
    let source = SourceFile::read("crates/app/src/sample.rs", text).unwrap();
    let scan = Scan::of(&[source]);
    let found: Vec<(&str, Option<&str>)> =
        scan.refusals.iter().map(|text| (text.message.as_str(), text.fix.as_deref())).collect();
    assert_eq!(found, [("Too ….", Some("Wait."))]);
    assert!(scan.unresolved.contains(&"crates/app/src/sample.rs:3".to_owned()), "{:?}", scan.unresolved);
}
