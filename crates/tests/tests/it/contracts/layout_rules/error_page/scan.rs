//! Finds the texts of refusals, field problems and SMTP replies in the sources.
//!
//! A text is a string literal in the call, in the `let` or `const` that an argument names, or in a call of the function
//! that the argument is a parameter of.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::source::{SourceFile, SourceToken, TokenKind};

/// The crates whose refusals reach clients.
const CRATES: &[&str] = &[
    "crates/domain/src",
    "crates/store/src",
    "crates/api/src",
    "crates/app/src",
    "crates/call/src",
    "crates/operations/src",
    "crates/http/src",
    "crates/pages/src",
];
/// The modules that send SMTP replies.
const SMTP: &[&str] = &["crates/mail/src/smtp", "crates/server/src/smtp"];
/// How the problem of a field begins.
const PROBLEM_STARTS: &[&str] =
    &["must ", "is not ", "is required", "is unknown", "is longer", "can't be combined", "exceeds ", "would exceed"];

/// A refusal whose message is the text of an error type, with the file and the variants of that type.
struct ErrorTypeMessage {
    /// The file of the refusal.
    refusal: &'static str,
    code: &'static str,
    /// The file of the error type.
    of: &'static str,
    /// The variants; an empty list means every one.
    variants: &'static [&'static str],
}

/// Every refusal whose message is the text of an error type.
const ERROR_TYPES: &[ErrorTypeMessage] = &[
    ErrorTypeMessage {
        refusal: "crates/store/src/db/error.rs",
        code: "StoreDamaged",
        of: "crates/store/src/db/error.rs",
        variants: &["DatabaseDamaged"],
    },
    ErrorTypeMessage {
        refusal: "crates/store/src/db/error.rs",
        code: "Unavailable",
        of: "crates/store/src/db/error.rs",
        variants: &[
            "Overloaded",
            "StatementTime",
            "TooManyReads",
            "Unavailable",
            "StorageFull",
            "Conflict",
            "BlobStore",
        ],
    },
    ErrorTypeMessage {
        refusal: "crates/app/src/inbound/receive.rs",
        code: "InvalidRequest",
        of: "crates/mail/src/author.rs",
        variants: &[],
    },
    ErrorTypeMessage {
        refusal: "crates/app/src/inbound/receive.rs",
        code: "InvalidRequest",
        of: "crates/mail/src/header/block.rs",
        variants: &[],
    },
    ErrorTypeMessage {
        refusal: "crates/app/src/outbound/submission.rs",
        code: "InvalidRequest",
        of: "crates/mail/src/submission.rs",
        variants: &[],
    },
];

/// A message with the code and the fix that it is sent with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RefusalText {
    /// The variant of `ErrorCode`.
    pub(super) code: String,
    pub(super) message: String,
    pub(super) fix: Option<String>,
}

/// A problem in `details.fields`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FieldProblemText {
    pub(super) path: String,
    pub(super) problem: String,
    pub(super) fix: Option<String>,
}

/// An SMTP reply that refuses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SmtpReplyText {
    pub(super) code: String,
    pub(super) enhanced: String,
    pub(super) text: String,
    pub(super) when: String,
}

/// The texts of the sources.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) refusals: BTreeSet<RefusalText>,
    pub(super) problems: BTreeSet<FieldProblemText>,
    pub(super) replies: BTreeSet<SmtpReplyText>,
    /// Calls whose text wasn't found.
    pub(super) unresolved: Vec<String>,
}

impl Scan {
    /// Scans the production code.
    pub(super) fn of(sources: &[SourceFile]) -> Self {
        let mut scan = Self::default();
        for source in sources {
            let is_error = source.is_in("crates/domain/src/error");
            if CRATES.iter().any(|root| source.path.starts_with(root)) && !is_error {
                Code::of(source).refusals(&mut scan);
            }
            if SMTP.iter().any(|root| source.is_in(root)) {
                Code::of(source).replies(&mut scan);
            }
        }
        for row in ERROR_TYPES {
            let source = sources.iter().find(|source| source.path == row.of);
            let texts = source.map(|source| Code::of(source).error_texts(row.variants)).unwrap_or_default();
            if texts.is_empty() {
                scan.unresolved.push(format!("{}: no messages of errors", row.of));
            }
            let keep = |message| RefusalText { code: row.code.to_owned(), message, fix: None };
            scan.refusals.extend(texts.into_iter().map(keep));
        }
        let named: BTreeSet<String> =
            scan.problems.iter().filter(|p| p.path != "*").map(|p| p.problem.clone()).collect();
        scan.problems.retain(|problem| problem.path != "*" || !named.contains(&problem.problem));
        scan
    }
}

/// The production tokens of a file.
struct Code<'a> {
    path: &'a str,
    tokens: Vec<&'a SourceToken>,
    /// The bodies of functions, with their names.
    functions: Vec<(String, Range<usize>)>,
}

/// A fix, and the code that it is limited to.
struct Fix {
    code: Option<String>,
    text: String,
}

/// A call: its first token and its arguments.
struct Call {
    at: usize,
    args: Vec<Range<usize>>,
}

impl<'a> Code<'a> {
    fn of(source: &'a SourceFile) -> Self {
        let tokens = source.tokens.iter().filter(|token| !token.in_test).collect();
        let mut code = Self { path: &source.path, tokens, functions: Vec::new() };
        for at in 0..code.tokens.len().saturating_sub(1) {
            if code.is(at, "fn") && code.tokens[at + 1].kind == TokenKind::Word {
                let mut open = at + 2;
                while open < code.tokens.len() && !code.is(open, "{") && !code.is(open, ";") {
                    open = if code.is_open(open) { code.close(open) + 1 } else { open + 1 };
                }
                if open < code.tokens.len() && code.is(open, "{") {
                    code.functions.push((code.tokens[at + 1].text.clone(), at..code.close(open)));
                }
            }
        }
        code
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn is_open(&self, at: usize) -> bool {
        self.tokens[at].kind == TokenKind::Open
    }

    /// Returns the token that closes the group that begins at `open`.
    fn close(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        self.tokens.len() - 1
    }

    /// Returns the parts of a group between its commas.
    fn args(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.close(open);
        let (mut args, mut from, mut at) = (Vec::new(), open + 1, open + 1);
        while at < close {
            if self.is(at, ",") {
                args.push(from..at);
                from = at + 1;
            }
            at = if self.is_open(at) { self.close(at) + 1 } else { at + 1 };
        }
        if from < close {
            args.push(from..close);
        }
        args
    }

    /// Returns the calls of `path`, such as `["Refusal", "::", "new"]`.
    fn calls(&self, path: &[&str]) -> Vec<Call> {
        let is_call = |at: &usize| {
            path.iter().enumerate().all(|(offset, text)| self.is(at + offset, text))
                && self.is(at + path.len(), "(")
                && !(*at > 0 && self.is(at - 1, "fn"))
        };
        let calls = (0..self.tokens.len()).filter(is_call);
        calls.map(|at| Call { at, args: self.args(at + path.len()) }).collect()
    }

    /// Returns the innermost function around a token.
    fn function(&self, at: usize) -> Option<&(String, Range<usize>)> {
        self.functions.iter().filter(|(_, body)| body.contains(&at)).min_by_key(|(_, body)| body.len())
    }

    /// Returns the string literals with letters, with placeholders as `…`.
    fn literals(&self, range: Range<usize>) -> Vec<String> {
        let is_doc = |at: usize| at > 1 && self.is(at - 1, "=") && self.is(at - 2, "doc");
        let literals = range.filter(|at| self.tokens[*at].kind == TokenKind::Literal && !is_doc(*at));
        let texts = literals.filter_map(|at| {
            let text = self.tokens[at].text.strip_prefix('"')?.strip_suffix('"')?;
            let is_format = at > 2 && self.is(at - 2, "!") && self.is(at - 3, "format");
            Some(readable(text, is_format))
        });
        texts.filter(|text| text.chars().filter(char::is_ascii_alphabetic).count() > 1).collect()
    }

    fn words(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        range.filter(|at| self.tokens[*at].kind == TokenKind::Word && !self.is(at + 1, "!") && !self.is(at + 1, "("))
    }

    /// Returns the statement that binds `name` before `at`, in the same function or as a constant of the file.
    fn binding(&self, name: &str, at: usize) -> Option<Range<usize>> {
        let body = self.function(at).map_or(0..at, |(_, body)| body.start..at);
        let is_let = |from: &usize| {
            let end = (*from..at).find(|next| self.is(*next, "=")).unwrap_or(*from);
            let is_condition = *from > 0 && (self.is(from - 1, "if") || self.is(from - 1, "while"));
            self.is(*from, "let") && !is_condition && (*from..end).any(|next| self.is(next, name))
        };
        let found = body.rev().find(is_let);
        let constant = || (0..self.tokens.len()).find(|from| self.is(*from, "const") && self.is(from + 1, name));
        found.or_else(constant).map(|from| self.statement(from))
    }

    /// Returns the statement or item that begins at `from`.
    fn statement(&self, from: usize) -> Range<usize> {
        let mut end = from;
        while end < self.tokens.len() && !self.is(end, ";") {
            end = if self.is_open(end) { self.close(end) + 1 } else { end + 1 };
        }
        from..end
    }

    /// Returns the texts of an argument.
    fn texts(&self, range: Range<usize>) -> Vec<String> {
        let own = self.literals(range.clone());
        if !own.is_empty() {
            return own;
        }
        for at in self.words(range.clone()) {
            if let Some(statement) = self.binding(&self.tokens[at].text, range.start) {
                let own = self.literals(statement.clone());
                if !own.is_empty() {
                    return own;
                }
            }
        }
        Vec::new()
    }

    /// Returns the texts of an argument that are sentences, not the name of a part of one.
    fn messages(&self, range: Range<usize>) -> Vec<String> {
        let mut texts = self.texts(range);
        texts.retain(|text| !text.starts_with(|first: char| first.is_ascii_lowercase()));
        texts
    }

    /// Returns the variants of `ErrorCode` that an argument names.
    fn codes(&self, range: Range<usize>) -> Vec<String> {
        let is_code = |at: &usize| self.is(*at, "ErrorCode") && self.is(at + 1, "::");
        range.filter(is_code).map(|at| self.tokens[at + 2].text.clone()).collect()
    }

    /// Returns the name of the closure or function whose parameters the call at `at` uses.
    fn wrapper(&self, at: usize) -> Option<String> {
        let (name, body) = self.function(at)?;
        let is_closure = |from: &usize| self.is(*from, "let") && self.is(from + 2, "=") && self.is(from + 3, "|");
        let closure = (body.start..at).rev().find(|from| is_closure(from) && self.statement(*from).contains(&at));
        Some(closure.map_or_else(|| name.clone(), |from| self.tokens[from + 1].text.clone()))
    }

    /// Returns the codes and messages of `Refusal::new`.
    fn pairs(&self, call: &Call) -> Vec<(String, String)> {
        let [code, message, ..] = call.args.as_slice() else { return Vec::new() };
        let (codes, texts) = (self.codes(code.clone()), self.messages(message.clone()));
        if let ([code], false) = (codes.as_slice(), texts.is_empty()) {
            return texts.into_iter().map(|text| (code.clone(), text)).collect();
        }
        let mut pairs = Vec::new();
        let calls = self.wrapper(call.at).map(|name| self.calls(&[&name])).unwrap_or_default();
        for outer in calls {
            let of_call = outer.args.iter().flat_map(|arg| self.codes(arg.clone())).next();
            let code = codes.first().cloned().or(of_call);
            let texts = outer.args.iter().map(|arg| self.messages(arg.clone())).find(|texts| !texts.is_empty());
            let texts = texts.unwrap_or_default();
            pairs.extend(
                code.into_iter().flat_map(|code| texts.clone().into_iter().map(move |text| (code.clone(), text))),
            );
        }
        if pairs.is_empty() && codes.is_empty() {
            let rows = (0..self.tokens.len()).filter(|at| self.is(*at, "ErrorCode") && self.is(at + 3, ","));
            let row = |at: usize| Some((self.tokens[at + 2].text.clone(), self.literals(at + 4..at + 5).pop()?));
            pairs.extend(rows.filter_map(row));
        }
        pairs
    }

    /// Returns the texts of variants with `#[error("…")]`, as sentences.
    fn error_texts(&self, variants: &[&str]) -> Vec<String> {
        let is_variant = |at: &usize| {
            let is_wanted = variants.is_empty() || variants.iter().any(|variant| self.is(*at, variant));
            is_wanted && self.is(at - 1, "]") && self.is(at - 2, ")") && self.is(at - 5, "error")
        };
        let texts = (5..self.tokens.len()).filter(is_variant).filter_map(|at| {
            let text = self.tokens[at - 3].text.trim_matches('"');
            let text = readable(text, true);
            let first = text.chars().next()?;
            first.is_alphabetic().then(|| format!("{}{}.", first.to_uppercase(), &text[first.len_utf8()..]))
        });
        texts.collect()
    }

    /// Returns the code of the match arm whose expression is `name.call` at `at`.
    fn arm_code(&self, at: usize) -> Option<String> {
        let is_arm = at > 7 && self.is(at - 3, ">") && self.is(at - 7, "ErrorCode");
        is_arm.then(|| self.tokens[at - 5].text.clone())
    }

    /// Returns the fix that follows a refusal before the next one.
    fn fix(&self, at: usize, next: usize) -> Option<Fix> {
        let end = self.function(at).map_or(self.tokens.len(), |(_, body)| body.end).min(next);
        let call = self.calls(&["with_fix"]).into_iter().find(|call| (at..end).contains(&call.at))?;
        let text = self.texts(call.args.first()?.clone()).join(" / ");
        (!text.is_empty()).then(|| Fix { code: self.arm_code(call.at), text })
    }

    fn refusals(&self, scan: &mut Scan) {
        let kinds = [("Refusal", "new"), ("Refusal", "not_found"), ("Refusal", "invalid_field"), ("Self", "new")];
        let mut found = Vec::new();
        for (of, name) in kinds {
            found.extend(self.calls(&[of, "::", name]).into_iter().map(|call| (name, of, call)));
        }
        found.retain(|(_, of, call)| {
            *of == "Refusal" || call.args.first().is_some_and(|arg| self.is(arg.start, "ErrorCode"))
        });
        found.sort_by_key(|(.., call)| call.at);
        for (at, (name, _, call)) in found.iter().enumerate() {
            let next = found.get(at + 1).map_or(self.tokens.len(), |(.., next)| next.at);
            let fix = self.fix(call.at, next);
            let has_type = ERROR_TYPES.iter().any(|row| row.refusal == self.path);
            let is_found = match *name {
                "new" if has_type && self.pairs(call).is_empty() => true,
                "new" => self.keep_messages(call, fix, scan),
                "not_found" => self.keep_not_found(call, fix.map(|fix| fix.text), scan),
                _ => self.keep_problem(call, fix.map(|fix| fix.text), scan),
            };
            if !is_found {
                scan.unresolved.push(format!("{}:{}", self.path, self.tokens[call.at].line));
            }
        }
        for text in self.literals(0..self.tokens.len()) {
            if PROBLEM_STARTS.iter().any(|start| text.starts_with(start)) && !text.ends_with('.') {
                scan.problems.insert(FieldProblemText { path: "*".to_owned(), problem: text, fix: None });
            }
        }
    }

    fn keep_messages(&self, call: &Call, fix: Option<Fix>, scan: &mut Scan) -> bool {
        let pairs = self.pairs(call);
        let is_found = !pairs.is_empty();
        let keep = |(code, message): (String, String)| {
            let fix = fix.as_ref().filter(|fix| fix.code.as_ref().is_none_or(|only| *only == code));
            RefusalText { code, message, fix: fix.map(|fix| fix.text.clone()) }
        };
        scan.refusals.extend(pairs.into_iter().map(keep));
        is_found
    }

    fn keep_not_found(&self, call: &Call, fix: Option<String>, scan: &mut Scan) -> bool {
        let Some(arg) = call.args.first() else { return false };
        let message = |what: String| format!("No such {what}, or this key can't access it.");
        let mut whats = self.texts(arg.clone());
        if whats.is_empty() {
            whats.push("…".to_owned());
        }
        let keep = |what| RefusalText { code: "NotFound".to_owned(), message: message(what), fix: fix.clone() };
        scan.refusals.extend(whats.into_iter().map(keep));
        true
    }

    fn keep_problem(&self, call: &Call, fix: Option<String>, scan: &mut Scan) -> bool {
        let [path, problem] = call.args.as_slice() else { return false };
        let path = self.literals(path.clone()).pop().unwrap_or_else(|| "*".to_owned());
        let mut problems = self.texts(problem.clone());
        problems.retain(|text| text.contains(' '));
        if problems.is_empty() {
            // The problem is the error of a parser, whose texts are listed for any field.
            return true;
        }
        let keep = |problem| FieldProblemText { path: path.clone(), problem, fix: fix.clone() };
        scan.problems.extend(problems.into_iter().map(keep));
        true
    }

    fn replies(&self, scan: &mut Scan) {
        for name in ["fixed", "new"] {
            for call in self.calls(&["ServerReply", "::", name]) {
                let [code, enhanced, text] = call.args.as_slice() else { continue };
                let number = &self.tokens[code.start].text;
                if !number.starts_with(['4', '5']) {
                    continue;
                }
                let digits = enhanced.clone().filter(|at| self.tokens[*at].kind == TokenKind::Literal);
                let digits: Vec<&str> = digits.map(|at| self.tokens[at].text.as_str()).collect();
                let mut text = self.texts(text.clone()).join(" / ");
                if text.is_empty() {
                    "…".clone_into(&mut text);
                }
                if self.doc(call.at).is_none() {
                    scan.unresolved.push(format!("{}:{}: no doc comment", self.path, self.tokens[call.at].line));
                }
                scan.replies.insert(SmtpReplyText {
                    code: number.clone(),
                    enhanced: if digits.is_empty() { "…".to_owned() } else { digits.join(".") },
                    text: text.replace('\n', " "),
                    when: self.doc(call.at).unwrap_or_default(),
                });
            }
        }
    }

    /// Returns the doc comment of the constant or function around a token.
    fn doc(&self, at: usize) -> Option<String> {
        let constant = (at.saturating_sub(8)..at).rev().find(|from| self.is(*from, "const"));
        let item = constant.or_else(|| self.function(at).map(|(_, body)| body.start))?;
        let mut from = item;
        while from > 0
            && (self.is(from - 1, "pub")
                || self.is(from - 1, "super")
                || self.is(from - 1, "(")
                || self.is(from - 1, ")"))
        {
            from -= 1;
        }
        let mut lines = Vec::new();
        while from >= 6 && self.is(from - 1, "]") && self.is(from - 4, "doc") {
            let text = &self.tokens[from - 2].text;
            lines.push(readable(text.trim_start_matches('r').trim_matches('"'), false).trim().to_owned());
            from -= 6;
        }
        lines.reverse();
        let text = lines.join(" ");
        let when = ["The reply to ", "Returns the reply to "]
            .iter()
            .find_map(|start| text.strip_prefix(start))
            .unwrap_or(&text);
        let first = when.chars().next()?;
        Some(format!("{}{}", first.to_uppercase(), &when[first.len_utf8()..]))
    }
}

/// Returns the value of a literal, with placeholders as `…` and safe in a table.
fn readable(text: &str, is_format: bool) -> String {
    let mut lines = text.split("\\\n");
    let mut whole = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        whole.push_str(line.trim_start());
    }
    let whole = whole.replace("\\\"", "\"").replace("\\\\", "\\").replace("\\n", " ").replace('|', "\\|");
    if !is_format {
        return whole;
    }
    let whole = whole.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut parts = whole.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push('…');
        text.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    text.replace('\u{1}', "{").replace('\u{2}', "}")
}
