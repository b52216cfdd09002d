//! Statements with a signature: [`statements!`](crate::statements!) writes the function of each, and binds its parameters
//! by name.

use crate::{FromRow, Result, Row, Sql, Tx, Value};

/// A struct that is the row of a table. `build.rs` implements it for each `@row` of a migration.
pub trait TableRow {
    /// The table.
    const TABLE: &'static str;

    /// Returns the values of the stored columns, in the order of the table.
    fn values(&self) -> Vec<Value<'_>>;
}

/// What a statement returns.
pub trait Returned: Sized {
    /// Runs the statement.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self>;
}

/// A column that is not read, such as that of a statement that locks rows.
struct Ignored;

impl FromRow for Ignored {
    const COLUMNS: &'static [&'static str] = &[""];

    fn from_row(_: &mut Row<'_>) -> Result<Self> {
        Ok(Self)
    }
}

impl Returned for () {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        if sql.returns_rows() {
            tx.rows::<Ignored>(sql, parameters).map(drop)
        } else {
            tx.exec(sql, parameters).map(drop)
        }
    }
}

/// The value of a statement that returns one, or whether rows changed.
impl Returned for bool {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        if sql.returns_rows() {
            Ok(tx.value(sql, parameters)?.unwrap_or(false))
        } else {
            Ok(tx.exec(sql, parameters)? > 0)
        }
    }
}

/// The value of a statement that returns one, such as a count, or the number of rows that changed.
impl Returned for u64 {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        if sql.returns_rows() { Ok(tx.value(sql, parameters)?.unwrap_or(0)) } else { tx.exec(sql, parameters) }
    }
}

/// The first row.
impl<T: FromRow> Returned for Option<T> {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        tx.one(sql, parameters)
    }
}

/// All rows.
impl<T: FromRow> Returned for Vec<T> {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        tx.rows(sql, parameters)
    }
}

/// Declares statements and lists them in `ALL`, so that a test can prepare each on both engines.
///
/// A statement is a function: it has a name, parameters that the text names as `:parameter`, and what it returns (see
/// [`Returned`]). A parameter `each` looks up the rows of up to 100 IDs (`{EACH}` and `{AMONG}`, see
/// [`expand`](crate::dialect::expand)). The parameter of a statement that writes a row is `row`; the text then names its
/// columns. A statement of several functions, or with values that are computed, is a constant with `$1`, `$2`.
///
/// ```
/// use posthouse_store::{Result, Tx, Value, statements};
///
/// statements! {
///     /// Returns the number of notes of an author.
///     pub fn count(author: &str) -> u64 = "SELECT count(*) FROM notes WHERE author = :author";
///     /// Deletes a note; returns whether it existed.
///     pub fn delete(id: i64) -> bool = "DELETE FROM notes WHERE id = :id";
///     CLAIM = "SELECT id FROM jobs WHERE run_at <= $1 ORDER BY run_at LIMIT $2 {SKIP_LOCKED}";
///     FIND = "SELECT rowid FROM words WHERE words MATCH $1" / "SELECT id FROM words WHERE body @@ to_tsquery($1)";
/// }
/// # fn main() {
/// let _: fn(&mut Tx, &str) -> Result<u64> = count;
/// assert_eq!(ALL.len(), 4);
/// assert_eq!(ALL[0].name(), "count");
/// # }
/// ```
#[macro_export]
macro_rules! statements {
    // Every statement is listed.
    (@next [$($function:tt)*] [$($all:expr,)*]) => {
        /// The texts of the functions.
        #[allow(non_upper_case_globals, unused_imports)]
        pub(crate) mod sql {
            use super::*;
            $($function)*
        }
        /// All statements of this file.
        pub(crate) static ALL: &[&$crate::Sql] = &[$($all),*];
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $vis:vis fn $name:ident(
        $owner:ident: $owner_type:ty, $ids:ident: each $id:ty $(,)?) -> Vec<$row:ty> = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;
        $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name(tx: &mut $crate::Tx, $owner: $owner_type, $ids: &[$id]) -> $crate::Result<Vec<$row>> {
            $crate::many::rows(tx, &sql::$name, $owner, $ids)
        }
        $crate::statements! { @next [$($function)*
            pub(crate) static $name: $crate::Sql = $crate::Sql::constant(
                stringify!($name), $text $(! $args)?, $crate::statements!(@postgres $($postgres)?)).with_parameters(&[stringify!($owner)]);
        ] [$($all,)* &sql::$name,] $($rest)* }
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $vis:vis fn $name:ident(
        row: &$row:ty $(,)?) $(-> $returned:ty)? = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;
        $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name(tx: &mut $crate::Tx, row: &$row) -> $crate::Result<$crate::statements!(@returned $($returned)?)> {
            $crate::Returned::run(tx, &sql::$name, &$crate::TableRow::values(row))
        }
        $crate::statements! { @next [$($function)*
            pub(crate) static $name: $crate::Sql = $crate::Sql::constant(
                stringify!($name), $text $(! $args)?, $crate::statements!(@postgres $($postgres)?)).with_row(<$row as $crate::TableRow>::TABLE);
        ] [$($all,)* &sql::$name,] $($rest)* }
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $vis:vis fn $name:ident(
        $($parameter:ident: $type:ty),* $(,)?) $(-> $returned:ty)? = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;
        $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name(tx: &mut $crate::Tx $(, $parameter: $type)*) -> $crate::Result<$crate::statements!(@returned $($returned)?)> {
            $crate::Returned::run(tx, &sql::$name, $crate::p![$($parameter),*])
        }
        $crate::statements! { @next [$($function)*
            pub(crate) static $name: $crate::Sql = $crate::Sql::constant(
                stringify!($name), $text $(! $args)?, $crate::statements!(@postgres $($postgres)?)).with_parameters(&[$(stringify!($parameter)),*]);
        ] [$($all,)* &sql::$name,] $($rest)* }
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $name:ident = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;
        $($rest:tt)*) => {
        $(#[$meta])*
        pub(crate) static $name: $crate::Sql =
            $crate::Sql::constant(stringify!($name), $text $(! $args)?, $crate::statements!(@postgres $($postgres)?));
        $crate::statements! { @next [$($function)*] [$($all,)* &$name,] $($rest)* }
    };
    (@returned) => { () };
    (@returned $returned:ty) => { $returned };
    (@postgres) => { None };
    (@postgres $postgres:literal) => { Some($postgres) };
    ($($statement:tt)*) => { $crate::statements! { @next [] [] $($statement)* } };
}
