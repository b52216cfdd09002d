//! The two engines and the tokens for the few words in which their SQL differs.
//!
//! A statement is one text for both engines. A word that differs is written as a token in braces; if a whole clause
//! differs (full-text search), the statement has a second text for PostgreSQL. No other code in this crate may branch
//! on the engine.

use crate::{Error, Result, tables};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// The database engine behind a [`Store`](crate::Store).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// A SQLite file in the data directory.
    Sqlite,
    /// A PostgreSQL server, or one that speaks its protocol.
    Postgres,
}

/// Number of IDs that `{IDS}` expands to, from `$2` on.
pub const IDS_MAX: usize = 100;

/// Token, SQLite text, PostgreSQL text. The first group is for schemas, the second for statements, the third for
/// lookups of many rows by ID (see [`expand`]). A token's text may contain tokens listed after it.
const TOKENS: &[(&str, &str, &str)] = &[
    ("{ID}", "BLOB", "BYTEA"),
    ("{I64}", "INTEGER", "BIGINT"),
    ("{BOOL}", "INTEGER", "SMALLINT"),
    ("{REAL}", "REAL", "DOUBLE PRECISION"),
    ("{BLOB}", "BLOB", "BYTEA"),
    ("{TEXT}", "TEXT", "TEXT COLLATE \"C\""),
    ("{STRICT}", "STRICT", ""),
    ("{STRICT_KEYED}", "STRICT, WITHOUT ROWID", ""),
    ("{SKIP_LOCKED}", "", "FOR UPDATE SKIP LOCKED"),
    ("{FOR_UPDATE}", "", "FOR UPDATE"),
    ("{LEAST}", "min", "LEAST"),
    ("{GREATEST}", "max", "GREATEST"),
    ("{EACH}", "", "unnest(ARRAY[{IDS}]::BYTEA[]) w (id) CROSS JOIN LATERAL (SELECT * FROM"),
    ("{EACH_TEXT}", "", "unnest(ARRAY[{IDS}]::TEXT[]) w (id) CROSS JOIN LATERAL (SELECT * FROM"),
    ("{AMONG}", "IN ({IDS})", "= w.id OFFSET 0)"),
];

/// Token for the ID placeholders.
const IDS_TOKEN: &str = "{IDS}";
/// The placeholder for a single ID after the first parameter; most lookups by ID have just one.
const ONE_ID: &str = "$2";
/// The placeholders for [`IDS_MAX`] IDs after the first parameter.
static IDS: LazyLock<String> = LazyLock::new(|| {
    let placeholders: Vec<String> = (2..).take(IDS_MAX).map(|number| format!("${number}")).collect();
    placeholders.join(", ")
});

/// Replaces the tokens in `text` with the words of `engine`. `{lite:…}` and `{pg:…}` are kept on that engine only.
/// Braces that aren't tokens (`'{}'`) stay as they are.
///
/// Until its tables have statistics, PostgreSQL considers it cheapest to run `id IN (…)` and joins through the first
/// column of any index. A lookup that must use the whole key is therefore written as a LATERAL subquery that is kept
/// separate by `OFFSET 0`:
///
/// * rows for many IDs: `FROM {EACH} t x WHERE x.workspace_id = $1 AND x.id {AMONG} {pg:x}`;
/// * the row that belongs to each row of an index scan:
///
///   `d CROSS JOIN {pg:LATERAL (SELECT * FROM} t x {lite:ON}{pg:WHERE} x.id = d.id {pg:OFFSET 0) x} WHERE …`;
///
/// * existence checks: `EXISTS (SELECT 1 FROM … LIMIT 1 OFFSET 0)`.
///
/// `ORDER BY` on bare columns scans an index in order. To sort a few rows instead, write `ORDER BY x.at + 0`.
#[must_use]
pub fn expand(engine: Engine, text: &str) -> Cow<'_, str> {
    expand_for(engine, text, &IDS)
}

fn expand_for<'t>(engine: Engine, text: &'t str, ids: &str) -> Cow<'t, str> {
    let mut out = Cow::Borrowed(text);
    for (token, sqlite, postgres) in TOKENS {
        if out.contains(token) {
            out = Cow::Owned(out.replace(token, if engine == Engine::Sqlite { sqlite } else { postgres }));
        }
    }
    if out.contains(IDS_TOKEN) {
        out = Cow::Owned(out.replace(IDS_TOKEN, ids));
    }
    for (opening, is_active) in [("{lite:", engine == Engine::Sqlite), ("{pg:", engine == Engine::Postgres)] {
        while let Some((before, rest)) = out.split_once(opening)
            && let Some((inner, after)) = rest.split_once('}')
        {
            out = Cow::Owned([before, if is_active { inner } else { "" }, after].concat());
        }
    }
    out
}

/// Writes `:name` as `$3` for the third of the names. A colon of a cast (`::`) or of a token (`{pg:x}`) names none.
fn numbered_names<'t>(text: &'t str, names: &[&str]) -> Cow<'t, str> {
    if names.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(':') {
        out.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let is_other = [":", "{pg", "{lite"].iter().any(|before| out.ends_with(before));
        let number = names.iter().position(|name| *name == &after[..end]).filter(|_| end > 0 && !is_other);
        match number {
            Some(at) => {
                out.push_str(&format!("${}", at + 1));
                rest = &after[end..];
            }
            None => {
                out.push(':');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Numbers parameters by their place: `{PARAMETERS}` becomes one for each column of the list before it, from `$1` on, and
/// `{NEXT}` or `{NEXT 3}` the next one or three after the highest number so far.
fn numbered_tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let token = after.split_once('}').and_then(|(token, after)| Some((numbers(token, &out)?, after)));
        match token {
            Some((numbers, after)) => {
                let placeholders: Vec<String> = numbers.map(|number| format!("${number}")).collect();
                out.push_str(&placeholders.join(", "));
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

/// Returns the numbers that a token stands for after `before`.
fn numbers(token: &str, before: &str) -> Option<std::ops::RangeInclusive<usize>> {
    if token == "PARAMETERS" {
        let (list, _) = before.rsplit_once(')')?;
        let (_, columns) = list.rsplit_once('(')?;
        return Some(1..=columns.split(',').count());
    }
    let count = match token.strip_prefix("NEXT")? {
        "" => 1,
        count => count.trim().parse().ok()?,
    };
    let number = |rest: &str| -> usize {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().unwrap_or(0)
    };
    let highest = before.split('$').skip(1).map(number).max().unwrap_or(0);
    Some(highest + 1..=highest + count)
}

/// Writes `$3` as `?3`. SQLite treats `$3` as a named parameter and numbers it by occurrence, but keeps the number of
/// `?3`. Quoted text is unchanged.
fn numbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (segment, is_quoted) in text.split('\'').zip([false, true].into_iter().cycle()) {
        let mut rest = segment;
        while let Some((before, after)) = rest.split_once('$').filter(|_| !is_quoted) {
            out.push_str(before);
            out.push(if after.starts_with(|c: char| c.is_ascii_digit()) { '?' } else { '$' });
            rest = after;
        }
        out.push_str(rest);
        out.push('\'');
    }
    out.pop();
    out
}

/// The final texts for each engine, rendered on first use: for [`IDS_MAX`] IDs and for one ID.
#[derive(Debug, Clone, Default)]
struct RenderedTexts {
    sqlite: [OnceLock<Box<str>>; 2],
    postgres: [OnceLock<Box<str>>; 2],
}

/// A named statement with one text, or one per engine. Created by [`statements!`](crate::statements!).
#[derive(Debug, Clone)]
pub struct Sql {
    name: &'static str,
    text: Cow<'static, str>,
    postgres: Option<&'static str>,
    has_tokens: bool,
    parameters: ParameterNames,
    tagged: RenderedTexts,
    columns: CheckedColumns,
}

/// The names that a text may use for its parameters, in order.
#[derive(Debug, Clone, Copy)]
pub enum ParameterNames {
    /// These.
    Listed(&'static [&'static str]),
    /// The columns of a table that are fields of its rows, and then these.
    Row(&'static str, &'static [&'static str]),
    /// One before the IDs of a lookup, and those after them.
    Ids(&'static str, &'static [&'static str]),
}

impl ParameterNames {
    fn list(self) -> Vec<&'static str> {
        match self {
            Self::Listed(names) => names.to_vec(),
            Self::Row(table, names) => {
                let columns = tables::Table::named(table).map(|table| table.columns).unwrap_or_default();
                [columns, names].concat()
            }
            Self::Ids(owner, names) => [&[owner], &[""; IDS_MAX][..], names].concat(),
        }
    }
}

/// The columns that each engine returns, once they were compared with those of a row type.
type CheckedColumns = [OnceLock<&'static [&'static str]>; 2];

impl Sql {
    /// Creates a constant statement; `postgres` replaces the text on that engine. Use the macro instead of calling
    /// this.
    #[must_use]
    pub const fn constant(name: &'static str, text: &'static str, postgres: Option<&'static str>) -> Self {
        let has_tokens = has_brace(text) || matches!(postgres, Some(p) if has_brace(p));
        let tagged =
            RenderedTexts { sqlite: [OnceLock::new(), OnceLock::new()], postgres: [OnceLock::new(), OnceLock::new()] };
        let columns = [OnceLock::new(), OnceLock::new()];
        let parameters = ParameterNames::Listed(&[]);
        Sql { name, text: Cow::Borrowed(text), postgres, has_tokens, parameters, tagged, columns }
    }

    /// Names the parameters of the text: `:name` in the text is the parameter with that name.
    #[must_use]
    pub const fn with_parameters(mut self, names: ParameterNames) -> Self {
        self.parameters = names;
        self
    }

    /// Returns whether the statement returns rows.
    #[must_use]
    pub(crate) fn returns_rows(&self) -> bool {
        self.text.starts_with("SELECT") || self.text.starts_with("WITH") || self.text.contains("RETURNING")
    }

    /// Creates a statement from constant fragments, for a list with optional filters. Never put values into the text.
    /// Keep the number of different texts small, because each one is prepared and cached.
    #[must_use]
    pub fn from_fragments(name: &'static str, text: String) -> Self {
        let has_tokens = has_brace(&text);
        let (tagged, columns) = (RenderedTexts::default(), CheckedColumns::default());
        let parameters = ParameterNames::Listed(&[]);
        Sql { name, text: Cow::Owned(text), postgres: None, has_tokens, parameters, tagged, columns }
    }

    /// Returns the constant's name, for errors, logs and tests.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the statement text for `engine`.
    #[must_use]
    pub fn text(&self, engine: Engine) -> Cow<'_, str> {
        Cow::Owned(self.render(engine, &IDS))
    }

    /// Returns the text to send with that number of parameters: a lookup by IDs has one text for [`IDS_MAX`] IDs and
    /// one for a single ID.
    pub(crate) fn text_for(&self, engine: Engine, parameters: usize) -> &str {
        let is_one = self.has_tokens && parameters == 2;
        let texts = if engine == Engine::Sqlite { &self.tagged.sqlite } else { &self.tagged.postgres };
        texts[usize::from(is_one)].get_or_init(|| {
            let text = self.render(engine, if is_one { ONE_ID } else { &IDS });
            if engine == Engine::Sqlite { numbered(&text).into() } else { text.into() }
        })
    }

    /// Checks that the statement returns the columns of a row type, in its order. The names are compared once per
    /// statement: the result is remembered.
    ///
    /// # Errors
    /// Returns [`Error::Statement`] if the number or a name differs.
    pub(crate) fn check_columns<'n>(
        &self,
        engine: Engine,
        read: &'static [&'static str],
        returned: impl ExactSizeIterator<Item = &'n str>,
    ) -> Result<()> {
        let checked = &self.columns[usize::from(engine == Engine::Postgres)];
        if checked.get().is_some_and(|columns| std::ptr::eq(*columns, read)) {
            return Ok(());
        }
        if returned.len() != read.len() {
            let (read, returned) = (read.len(), returned.len());
            return Err(Error::db(format_args!("{read} columns are read from a statement that returns {returned}")));
        }
        for (at, (read, returned)) in (1..).zip(read.iter().zip(returned)) {
            if *read != returned && !read.is_empty() {
                return Err(Error::db(format_args!(
                    "column {at} is read as {read}, but the statement returns {returned}"
                )));
            }
        }
        let _ = checked.set(read);
        Ok(())
    }

    /// Returns whether the statement looks up rows by ID and has no parameter after the IDs.
    pub(crate) fn is_by_ids(&self) -> bool {
        let text = self.text(Engine::Sqlite);
        text.contains(IDS.as_str()) && !text.contains(&format!("${}", IDS_MAX + 2))
    }

    /// Returns the text with numbered parameters and without tokens.
    fn render(&self, engine: Engine, ids: &str) -> String {
        let names = self.parameters.list();
        if !self.has_tokens {
            return numbered_names(self.own(engine), &names).into_owned();
        }
        let text = tables::expand(self.own(engine), &names);
        expand_for(engine, &numbered_tokens(&numbered_names(&text, &names)), ids).into_owned()
    }

    fn own(&self, engine: Engine) -> &str {
        match (engine, self.postgres) {
            (Engine::Postgres, Some(own)) => own,
            _ => &self.text,
        }
    }
}

const fn has_brace(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'{' {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_tokens_and_keeps_other_braces() {
        let text = "CREATE TABLE t (id {ID}, n {I64}, j TEXT DEFAULT '{}') {STRICT}";
        assert_eq!(expand(Engine::Sqlite, text), "CREATE TABLE t (id BLOB, n INTEGER, j TEXT DEFAULT '{}') STRICT");
        assert_eq!(expand(Engine::Postgres, text), "CREATE TABLE t (id BYTEA, n BIGINT, j TEXT DEFAULT '{}') ");
    }

    #[test]
    fn expands_lookups_by_ids_for_each_engine() {
        let text = "SELECT x.id FROM {EACH} t x WHERE x.ws = $1 AND x.id {AMONG} {pg:x} ORDER BY x.id";
        let ids = format!("({})", *IDS);
        assert_eq!(
            expand(Engine::Sqlite, text),
            format!("SELECT x.id FROM  t x WHERE x.ws = $1 AND x.id IN {ids}  ORDER BY x.id")
        );
        let postgres = expand(Engine::Postgres, text);
        assert!(postgres.starts_with("SELECT x.id FROM unnest(ARRAY[$2, $3,"), "{postgres}");
        assert!(postgres.ends_with("AND x.id = w.id OFFSET 0) x ORDER BY x.id"), "{postgres}");
        assert_eq!(expand(Engine::Sqlite, "a {lite:ON}{pg:WHERE} b {pg:OFFSET 0) x}"), "a ON b ");
        assert_eq!(expand(Engine::Postgres, "a {lite:ON}{pg:WHERE} b {pg:OFFSET 0) x}"), "a WHERE b OFFSET 0) x");
    }

    #[test]
    fn uses_the_second_text_on_postgres_only() {
        static S: Sql = Sql::constant("S", "a {FOR_UPDATE}", Some("b {FOR_UPDATE}"));
        assert_eq!(S.text(Engine::Sqlite), "a ");
        assert_eq!(S.text(Engine::Postgres), "b FOR UPDATE");
    }

    #[test]
    fn numbers_named_parameters() {
        for (text, numbered) in [
            ("SELECT :b, :a WHERE c = :b", "SELECT $2, $1 WHERE c = $2"),
            ("x = :ab AND y = :a::BYTEA {pg:a} {lite:b}", "x = :ab AND y = $1::BYTEA {pg:a} {lite:b}"),
            ("no parameter", "no parameter"),
        ] {
            assert_eq!(numbered_names(text, &["a", "b"]), numbered);
        }
    }

    #[test]
    fn numbers_parameters_by_their_place() {
        for (text, numbered) in [
            ("INSERT INTO t (a, b, c) VALUES ({PARAMETERS}) x", "INSERT INTO t (a, b, c) VALUES ($1, $2, $3) x"),
            ("SET (a, b) = ({PARAMETERS}) WHERE id = {NEXT}", "SET (a, b) = ($1, $2) WHERE id = $3"),
            ("a = $4 AND b IN ({NEXT 2}) '{}' {pg:x}", "a = $4 AND b IN ($5, $6) '{}' {pg:x}"),
        ] {
            assert_eq!(numbered_tokens(text), numbered);
        }
    }

    #[test]
    fn numbers_sqlite_parameters_explicitly() {
        for (text, numbered) in [
            ("SELECT $2, '$1', $1 WHERE a = $10", "SELECT ?2, '$1', ?1 WHERE a = ?10"),
            ("'it''s $1' || $1 || '$.a' $x", "'it''s $1' || ?1 || '$.a' $x"),
            ("", ""),
        ] {
            assert_eq!(super::numbered(text), numbered);
        }
    }

    #[test]
    fn a_lookup_of_one_id_has_its_own_text() {
        static S: Sql = Sql::constant("S", "SELECT a FROM {EACH} t x WHERE w = $1 AND x.id {AMONG} {pg:x}", None);
        assert!(S.is_by_ids());
        assert_eq!(S.text_for(Engine::Sqlite, 2), "SELECT a FROM  t x WHERE w = ?1 AND x.id IN (?2) ");
        assert!(S.text_for(Engine::Postgres, 2).starts_with("SELECT a FROM unnest(ARRAY[$2]::BYTEA[])"));
        assert!(S.text_for(Engine::Sqlite, 1 + IDS_MAX).ends_with("?100, ?101) "));
        assert_eq!(S.text_for(Engine::Postgres, 1 + IDS_MAX), S.text(Engine::Postgres));
    }
}
