//! The two engines and the few words in which their SQL differs.
//!
//! A statement is one text for both engines. Where a word differs it is written as a token in braces; where a whole
//! clause differs (full-text search) a second text stands beside it. Nothing else in the crate may branch on the engine.

use std::borrow::Cow;
use std::sync::OnceLock;

/// The database engine behind a [`Store`](crate::Store).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// An SQLite file in the data directory.
    Sqlite,
    /// A PostgreSQL server, or one that speaks its protocol.
    Postgres,
}

/// How many ids `{IDS}` stands for: the placeholders `$2` to `$101`.
pub const IDS_MAX: usize = 100;

/// Token, word on SQLite, word on PostgreSQL. The first block is for schemas, the second for statements, the third for
/// look-ups of many rows by id (see [`expand`]); tokens may hold tokens that come after them.
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

/// Stands for the placeholders of the ids.
const IDS_TOKEN: &str = "{IDS}";
/// The placeholder of one id behind a first parameter: most look-ups of many rows are of one.
const ONE_ID: &str = "$2";
/// The placeholders of [`IDS_MAX`] ids behind a first parameter.
const IDS: &str = "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80, $81, $82, $83, $84, $85, $86, $87, $88, $89, $90, $91, $92, $93, $94, $95, $96, $97, $98, $99, $100, $101";

/// Replaces the tokens of `text` by the words of `engine`. `{lite:…}` and `{pg:…}` are for one of them alone. Braces that are
/// no token (`'{}'`) stay as they are.
///
/// While its tables have no statistics, PostgreSQL takes `id IN (…)` and joins for cheaper by the first column of any index.
/// A look-up that must go by the whole key therefore stands in a LATERAL query that `OFFSET 0` keeps apart:
///
/// * rows of many ids: `FROM {EACH} t x WHERE x.workspace_id = $1 AND x.id {AMONG} {pg:x}`;
/// * the row that belongs to each row of a walk:
///   `d CROSS JOIN {pg:LATERAL (SELECT * FROM} t x {lite:ON}{pg:WHERE} x.id = d.id {pg:OFFSET 0) x} WHERE …`;
/// * whether there is one: `EXISTS (SELECT 1 FROM … LIMIT 1 OFFSET 0)`.
///
/// And `ORDER BY` bare columns is a walk along an index; where few rows are meant to be sorted, say `ORDER BY x.at + 0`.
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
    for (opening, is_meant) in [("{lite:", engine == Engine::Sqlite), ("{pg:", engine == Engine::Postgres)] {
        while let Some((before, rest)) = out.split_once(opening)
            && let Some((inner, after)) = rest.split_once('}')
        {
            out = Cow::Owned([before, if is_meant { inner } else { "" }, after].concat());
        }
    }
    out
}

/// Writes `$3` as `?3`: SQLite gives a parameter of that form its own number, and would number a name anew. Text in quotes stays.
fn numbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (part, is_quoted) in text.split('\'').zip([false, true].into_iter().cycle()) {
        let mut rest = part;
        while let Some((before, behind)) = rest.split_once('$').filter(|_| !is_quoted) {
            out.push_str(before);
            out.push(if behind.starts_with(|c: char| c.is_ascii_digit()) { '?' } else { '$' });
            rest = behind;
        }
        out.push_str(rest);
        out.push('\'');
    }
    out.pop();
    out
}

/// The texts that a connection was given, made at the first need: of many ids, of one.
#[derive(Debug, Clone, Default)]
struct Told {
    sqlite: [OnceLock<Box<str>>; 2],
    postgres: [OnceLock<Box<str>>; 2],
}

/// A statement: its name and its text, or its two texts. Made by [`statements!`](crate::statements!).
#[derive(Debug, Clone)]
pub struct Sql {
    name: &'static str,
    text: Cow<'static, str>,
    postgres: Option<&'static str>,
    has_tokens: bool,
    told: Told,
}

impl Sql {
    /// A constant statement; `postgres` replaces the text on that engine. Written by the macro, not by hand.
    #[must_use]
    pub const fn constant(name: &'static str, text: &'static str, postgres: Option<&'static str>) -> Self {
        let has_tokens = has_brace(text) || matches!(postgres, Some(p) if has_brace(p));
        let told = Told { sqlite: [OnceLock::new(), OnceLock::new()], postgres: [OnceLock::new(), OnceLock::new()] };
        Sql { name, text: Cow::Borrowed(text), postgres, has_tokens, told }
    }

    /// A statement put together from constant pieces, for a list with optional filters. Values never go into the text.
    /// The number of different texts must be small, for each is prepared and cached.
    #[must_use]
    pub fn built(name: &'static str, text: String) -> Self {
        let has_tokens = has_brace(&text);
        Sql { name, text: Cow::Owned(text), postgres: None, has_tokens, told: Told::default() }
    }

    /// The constant's name, for errors, logs and tests.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The text `engine` is given.
    #[must_use]
    pub fn text(&self, engine: Engine) -> Cow<'_, str> {
        let text = self.own(engine);
        if self.has_tokens { expand(engine, text) } else { Cow::Borrowed(text) }
    }

    /// The text as a connection is given it, with so many parameters: a look-up by ids has one for [`IDS_MAX`] and one for a
    /// single id.
    pub(crate) fn told(&self, engine: Engine, parameters: usize) -> &str {
        let is_one = self.has_tokens && parameters == 2;
        let texts = if engine == Engine::Sqlite { &self.told.sqlite } else { &self.told.postgres };
        texts[usize::from(is_one)].get_or_init(|| {
            let text = expand_for(engine, self.own(engine), if is_one { ONE_ID } else { IDS });
            if engine == Engine::Sqlite { numbered(&text).into() } else { text.into() }
        })
    }

    /// Whether it looks rows up by ids and has no parameter behind them.
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
///     /// How many notes a workspace has.
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
        /// Every statement of this file.
        pub(crate) static ALL: &[&$crate::Sql] = &[$(&$name),*];
    };
    (@postgres) => { None };
    (@postgres $postgres:literal) => { Some($postgres) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_words_and_other_braces_stay() {
        let text = "CREATE TABLE t (id {ID}, n {I64}, j TEXT DEFAULT '{}') {STRICT}";
        assert_eq!(expand(Engine::Sqlite, text), "CREATE TABLE t (id BLOB, n INTEGER, j TEXT DEFAULT '{}') STRICT");
        assert_eq!(expand(Engine::Postgres, text), "CREATE TABLE t (id BYTEA, n BIGINT, j TEXT DEFAULT '{}') ");
    }

    #[test]
    fn look_ups_of_many_ids_are_told_to_each_engine() {
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
    fn second_text_is_for_postgres_alone() {
        static S: Sql = Sql::constant("S", "a {FOR_UPDATE}", Some("b {FOR_UPDATE}"));
        assert_eq!(S.text(Engine::Sqlite), "a ");
        assert_eq!(S.text(Engine::Postgres), "b FOR UPDATE");
    }

    #[test]
    fn parameters_of_sqlite_have_their_own_numbers() {
        for (text, numbered) in [
            ("SELECT $2, '$1', $1 WHERE a = $10", "SELECT ?2, '$1', ?1 WHERE a = ?10"),
            ("'it''s $1' || $1 || '$.a' $x", "'it''s $1' || ?1 || '$.a' $x"),
            ("", ""),
        ] {
            assert_eq!(super::numbered(text), numbered);
        }
    }

    #[test]
    fn a_look_up_of_one_row_has_a_text_of_its_own() {
        static S: Sql = Sql::constant("S", "SELECT a FROM {EACH} t x WHERE w = $1 AND x.id {AMONG} {pg:x}", None);
        assert!(S.is_by_ids());
        assert_eq!(S.told(Engine::Sqlite, 2), "SELECT a FROM  t x WHERE w = ?1 AND x.id IN (?2) ");
        assert!(S.told(Engine::Postgres, 2).starts_with("SELECT a FROM unnest(ARRAY[$2]::BYTEA[])"));
        assert!(S.told(Engine::Sqlite, 1 + IDS_MAX).ends_with("?100, ?101) "));
        assert_eq!(S.told(Engine::Postgres, 1 + IDS_MAX), S.text(Engine::Postgres));
    }
}
