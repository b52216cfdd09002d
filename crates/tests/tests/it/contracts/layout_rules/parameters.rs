//! Parameters of functions: each has its own name and type; no tuple replaces several of them.

use super::sizes::closing;
use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation};

const SAMPLE: &str = "crates/store/src/x.rs";

pub(super) const RULES: &[Rule] = &[Rule {
    name: "no parameter is a tuple",
    advice: "Write one parameter per value. Above 7 parameters, or if two of the same type can be swapped, use a struct \
        with named fields.",
    check: no_parameter_is_a_tuple,
    fails: &[
        (SAMPLE, "fn f((workspace, inbox): (WorkspaceId, InboxId)) {}"),
        (SAMPLE, "impl A { pub async fn f(&self, mut a: u8, (mut b, _): (B, C)) {} }"),
        (SAMPLE, "fn f(&(a, b): &(A, B)) {}"),
        (SAMPLE, "fn f((a, b): &Alias) {}"),
        (SAMPLE, "fn f(#[allow(unused)] range: (i64, i64)) {}"),
        (SAMPLE, "fn f<'a, F: Fn(A) -> Vec<B>>(call: F, key: &'a mut (Id, Vec<u8>)) {}"),
        (SAMPLE, "fn f(after: Option<(Time, &str)>) {}"),
        (SAMPLE, "fn f(after: &std::option::Option<&(Time, &str)>) {}"),
        (SAMPLE, "trait T { fn f(&self, _: (&Caller, &IdGenerator)) -> u8; }"),
        (SAMPLE, "fn f(header: Option<(&str, &str)>) {}"),
        (SAMPLE, "fn f(keys: &[(Key, Key)]) {}"),
        (SAMPLE, "fn f(rows: Vec<(&str, u8, &str)>) {}"),
        (SAMPLE, "#[test] fn t() { fn f((a, b): (A, B)) {} }"),
        ("crates/tests/src/x.rs", "fn f(key: (Time, u64)) {}"),
    ],
    passes: &[
        (SAMPLE, "fn f(a: A, b: B) -> (A, B) { g((a, b)); h(|(a, b): (A, B)| a) }"),
        (SAMPLE, "fn f(unit: (), call: impl Fn(A, A) -> B, other: &(dyn Fn(A, A) + Send), third: fn(A, A)) {}"),
        (SAMPLE, "fn f(self: Arc<Self>, Place { a, b }: Place, [c, d]: [u8; 2], map: HashMap<A, B>) {}"),
        (SAMPLE, "fn f(pairs: &[(String, String)], fields: &'static [(&'static str, &'static str)]) {}"),
        (SAMPLE, "fn f(ended: Vec<(Delivery, Outcome)>) {}"),
        (SAMPLE, "#[cfg(test)] mod tests { fn f(table: &[(&str, u8, &str)]) {} }"),
        (SAMPLE, "struct S(A, B); type F = fn(A, B); macro_rules! m { ($name:ident) => { fn $name() {} } }"),
    ],
}];

fn no_parameter_is_a_tuple(source: &SourceFile) -> Vec<Violation> {
    let tokens = &source.tokens;
    let is_named =
        |at: &usize| tokens[*at].is("fn") && tokens.get(at + 1).is_some_and(|name| name.kind == TokenKind::Word);
    let mut violations = Vec::new();
    for at in (0..tokens.len()).filter(is_named) {
        for parameter in parameters(tokens, at) {
            if let Some(what) = stand_in(parameter) {
                let what = format!("fn {}: {what}: `{}`", tokens[at + 1].text, text(parameter));
                violations.push(Violation::new(parameter[0].line, what));
            }
        }
    }
    violations
}

/// Returns what is wrong with a parameter.
fn stand_in(parameter: &[SourceToken]) -> Option<&'static str> {
    let parameter = without_attributes(parameter);
    let colon = top_level(parameter, ":").first().copied()?;
    let (pattern, kind) = (&parameter[..colon], &parameter[colon + 1..]);
    if tuple(behind_references(pattern)).is_some() {
        return Some("a tuple pattern");
    }
    if tuple(behind_references(kind)).is_some() {
        return Some("a tuple");
    }
    let swapped = (0..kind.len()).filter_map(|at| members(kind, at)).any(|members| can_be_swapped(&members));
    (swapped && !parameter[0].in_test).then_some("a list of tuples with two members of one type")
}

/// Returns whether two members have the same type. Pairs of strings are a name and its value, as in the standard
/// library.
fn can_be_swapped(members: &[&[SourceToken]]) -> bool {
    let types: Vec<String> = members.iter().map(|member| text(without_lifetime(member))).collect();
    let is_pair_of_strings = types.len() == 2 && ["String", "& str"].contains(&types[0].as_str());
    (1..types.len()).any(|at| types[..at].contains(&types[at])) && !is_pair_of_strings
}

/// Returns the members of the tuple that begins at `at`. The inputs of a closure or function type are not a tuple.
fn members(tokens: &[SourceToken], at: usize) -> Option<Vec<&[SourceToken]>> {
    let is_call = at > 0
        && ["Fn", "FnMut", "FnOnce", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "fn"]
            .iter()
            .any(|name| tokens[at - 1].is(name));
    if is_call { None } else { tuple(&tokens[at..]) }
}

/// Returns the members if the tokens begin with a tuple. `()` and `(A)` are not tuples.
fn tuple(tokens: &[SourceToken]) -> Option<Vec<&[SourceToken]>> {
    tokens.first().filter(|token| token.is("("))?;
    let inside = &tokens[1..closing(tokens, 0)?];
    (!top_level(inside, ",").is_empty()).then(|| split(inside))
}

/// Returns the parameters of the function at `at`.
fn parameters(tokens: &[SourceToken], at: usize) -> Vec<&[SourceToken]> {
    let after_name = &tokens[at + 2..];
    let generics = if after_name.first().is_some_and(|token| token.is("<")) { angle_end(after_name) } else { 0 };
    let list = &after_name[generics..];
    if !list.first().is_some_and(|token| token.is("(")) {
        return Vec::new();
    }
    closing(list, 0).map_or(Vec::new(), |close| split(&list[1..close]))
}

/// Returns the position behind the `>` that closes the first `<`.
fn angle_end(tokens: &[SourceToken]) -> usize {
    let mut depth = 0_i32;
    for at in 0..tokens.len() {
        depth += angle(tokens, at);
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Returns the change of the depth of angle brackets. The `>` of an arrow doesn't count.
fn angle(tokens: &[SourceToken], at: usize) -> i32 {
    let is_arrow = || at > 0 && (tokens[at - 1].is("-") || tokens[at - 1].is("="));
    i32::from(tokens[at].is("<")) - i32::from(tokens[at].is(">") && !is_arrow())
}

/// Returns the positions of a mark outside brackets.
fn top_level(tokens: &[SourceToken], mark: &str) -> Vec<usize> {
    let (mut depth, mut found) = (0_i32, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        depth +=
            angle(tokens, at) + i32::from(token.kind == TokenKind::Open) - i32::from(token.kind == TokenKind::Close);
        if depth == 0 && token.is(mark) {
            found.push(at);
        }
    }
    found
}

fn split(tokens: &[SourceToken]) -> Vec<&[SourceToken]> {
    let (mut begin, mut parts) = (0, Vec::new());
    for end in top_level(tokens, ",").into_iter().chain([tokens.len()]) {
        parts.push(&tokens[begin..end]);
        begin = end + 1;
        if begin > tokens.len() {
            break;
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn without_attributes(tokens: &[SourceToken]) -> &[SourceToken] {
    match tokens {
        [mark, rest @ ..] if mark.is("#") => {
            closing(rest, 0).map_or(tokens, |close| without_attributes(&rest[close + 1..]))
        }
        _ => tokens,
    }
}

/// Skips `&`, lifetimes, `mut`, `ref` and `Option<`.
fn behind_references(tokens: &[SourceToken]) -> &[SourceToken] {
    match tokens {
        [mark, _, rest @ ..] if mark.is("'") => behind_references(rest),
        [mark, rest @ ..] if ["&", "mut", "ref"].iter().any(|skipped| mark.is(skipped)) => behind_references(rest),
        [word, open, rest @ ..] if word.is("Option") && open.is("<") => behind_references(rest),
        [word, colons, rest @ ..] if word.kind == TokenKind::Word && colons.is("::") => behind_references(rest),
        _ => tokens,
    }
}

fn without_lifetime(tokens: &[SourceToken]) -> Vec<&SourceToken> {
    let is_of_lifetime = |at: usize| tokens[at].is("'") || (at > 0 && tokens[at - 1].is("'"));
    (0..tokens.len()).filter(|at| !is_of_lifetime(*at)).map(|at| &tokens[at]).collect()
}

fn text<'t>(tokens: impl IntoIterator<Item = &'t SourceToken>) -> String {
    tokens.into_iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}
