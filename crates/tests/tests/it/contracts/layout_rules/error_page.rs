//! `docs/reference/errors.md` is generated: the codes and details from the error table, the messages, fixes and SMTP
//! replies from the sources. A refusal whose text the scan can't find fails the test.

mod scan;

use posthouse_domain::error::{DetailKind, ErrorCode};
use std::fmt::Write;

use super::{repository, source::SourceFile};
use scan::{FieldProblemText, RefusalText, Scan, SmtpReplyText};

const PAGE: &str = "docs/reference/errors.md";
/// Set to write the page instead of comparing it.
const WRITE: &str = "POSTHOUSE_WRITE_PAGES";
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
        ErrorCode::PlanLimitEmails => "Next month (UTC).",
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

fn code_section(page: &mut String, code: ErrorCode, scan: &Scan) {
    let _ = write!(page, "### `{}`\n\n{}. {}\n\n", code.text(), code.status(), code.meaning());
    let _ = write!(page, "- Fix: {}\n- Retry: {}\n", code.fix(), retry(code));
    for rule in code.details() {
        let schema = rule.kind.schema();
        let kind = schema["type"].as_str().unwrap_or_default();
        let kind = schema["format"].as_str().map_or_else(|| kind.to_owned(), |format| format!("{kind}, {format}"));
        let always = if rule.is_required { "always" } else { "sometimes" };
        let _ = write!(page, "- `details.{}` ({kind}, {always}): {}", rule.kind.text(), rule.kind.meaning());
        let values = values_of(rule.kind);
        page.push_str(&match values.len() {
            0 => "\n".to_owned(),
            1..=INLINE_VALUES_MAX => format!(" One of {}.\n", values.join(", ")),
            _ => format!(" One of the [values of `{0}`](#values-of-details{0}).\n", rule.kind.text()),
        });
    }
    let texts: Vec<&RefusalText> = scan.refusals.iter().filter(|text| text.code == format!("{code:?}")).collect();
    if texts.is_empty() {
        page.push('\n');
        return;
    }
    page.push_str("\n| Message | Fix |\n|---|---|\n");
    for text in texts {
        let _ = writeln!(page, "| {} | {} |", text.message, text.fix.as_deref().unwrap_or("As above."));
    }
    page.push('\n');
}

/// Returns the whole page.
fn page(scan: &Scan) -> String {
    let mut page = INTRO.to_owned();
    page.push_str("| Status | Code | Meaning | What to do |\n|---|---|---|---|\n");
    for code in ErrorCode::ALL {
        let _ = writeln!(page, "| {} | `{}` | {} | {} |", code.status(), code.text(), code.meaning(), code.fix());
    }
    page.push_str("\n## Details and messages\n\n");
    for code in ErrorCode::ALL {
        code_section(&mut page, *code, scan);
    }
    value_sections(&mut page);
    page.push_str("## Field problems\n\nThe problems in `details.fields` of `invalid_request`. `*` is any field.\n");
    page.push_str(
        "With one problem, `message` is `<field>: <problem>.`; with several, `<number> fields are invalid.`\n\n",
    );
    page.push_str("| Field | Problem | Fix |\n|---|---|---|\n");
    for FieldProblemText { path, problem, fix } in &scan.problems {
        let _ = writeln!(page, "| `{path}` | {problem} | {} |", fix.as_deref().unwrap_or("Correct the field."));
    }
    page.push_str("\n## SMTP replies\n\nThe replies of the SMTP listeners that refuse a command or a message. `…` depends on the error.\n\n");
    page.push_str("| Code | Enhanced code | Text | Cause |\n|---|---|---|---|\n");
    for SmtpReplyText { code, enhanced, text, when } in &scan.replies {
        let _ = writeln!(page, "| {code} | {enhanced} | {text} | {when} |");
    }
    page
}

#[test]
fn every_refusal_is_on_the_error_page() {
    let scan = Scan::of(&super::sources());
    assert!(scan.unresolved.is_empty(), "name the message in the call or in a `let`:\n{}", scan.unresolved.join("\n"));
    let counts = (scan.refusals.len(), scan.problems.len(), scan.replies.len());
    assert!(counts.0 > 80 && counts.1 > 40 && counts.2 > 50, "the search finds too few texts: {counts:?}");
    let page = page(&scan);
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
