//! The two engines and the tokens for the few words in which their SQL differs.
//!
//! A statement is one text for both engines. A word that differs is written as a token in braces; if a whole clause
//! differs (full-text search), the statement has a second text for PostgreSQL. No other code in this crate may branch
//! on the engine.

use crate::{Error, Result};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The database engine behind a [`Store`](crate::Store).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// A SQLite file in the data directory.
    Sqlite,
    /// A PostgreSQL server, or one that speaks its protocol.
    Postgres,
}

/// Number of IDs that `{IDS}` expands to: placeholders `$2` to `$101`.
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
const IDS: &str = "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80, $81, $82, $83, $84, $85, $86, $87, $88, $89, $90, $91, $92, $93, $94, $95, $96, $97, $98, $99, $100, $101";

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
    expand_for(engine, text, IDS)
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
    tagged: RenderedTexts,
    columns: CheckedColumns,
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
        Sql { name, text: Cow::Borrowed(text), postgres, has_tokens, tagged, columns }
    }

    /// Creates a statement from constant fragments, for a list with optional filters. Never put values into the text.
    /// Keep the number of different texts small, because each one is prepared and cached.
    #[must_use]
    pub fn from_fragments(name: &'static str, text: String) -> Self {
        let has_tokens = has_brace(&text);
        let (tagged, columns) = (RenderedTexts::default(), CheckedColumns::default());
        Sql { name, text: Cow::Owned(text), postgres: None, has_tokens, tagged, columns }
    }

    /// Returns the constant's name, for errors, logs and tests.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the statement text for `engine`.
    #[must_use]
    pub fn text(&self, engine: Engine) -> Cow<'_, str> {
        let text = self.own(engine);
        if self.has_tokens { expand(engine, text) } else { Cow::Borrowed(text) }
    }

    /// Returns the text to send with that number of parameters: a lookup by IDs has one text for [`IDS_MAX`] IDs and
    /// one for a single ID.
    pub(crate) fn text_for(&self, engine: Engine, parameters: usize) -> &str {
        let is_one = self.has_tokens && parameters == 2;
        let texts = if engine == Engine::Sqlite { &self.tagged.sqlite } else { &self.tagged.postgres };
        texts[usize::from(is_one)].get_or_init(|| {
            let text = expand_for(engine, self.own(engine), if is_one { ONE_ID } else { IDS });
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
        text.contains(IDS) && !text.contains(&format!("${}", IDS_MAX + 2))
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

/// Declares statements as named constants and lists them in `ALL`, so that a test can prepare each on both engines.
///
/// ```
/// posthouse_store::statements! {
///     /// Counts the notes of a workspace.
///     COUNT_NOTES = "SELECT count(*) FROM notes WHERE workspace_id = $1";
///     CLAIM = "SELECT id FROM jobs WHERE run_at <= $1 ORDER BY run_at LIMIT $2 {SKIP_LOCKED}";
///     FIND = "SELECT rowid FROM words WHERE words MATCH $1" / "SELECT id FROM words WHERE body @@ to_tsquery($1)";
/// }
/// assert_eq!(ALL.len(), 3);
/// assert_eq!(ALL[0].name(), "COUNT_NOTES");
/// ```
#[macro_export]
macro_rules! statements {
    ($($(#[$meta:meta])* $name:ident = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;)*) => {
        $($(#[$meta])* pub(crate) static $name: $crate::Sql =
            $crate::Sql::constant(stringify!($name), $text $(! $args)?, $crate::statements!(@postgres $($postgres)?));)*
        /// All statements of this file.
        pub(crate) static ALL: &[&$crate::Sql] = &[$(&$name),*];
    };
    (@postgres) => { None };
    (@postgres $postgres:literal) => { Some($postgres) };
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
        let ids = format!("({IDS})");
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
