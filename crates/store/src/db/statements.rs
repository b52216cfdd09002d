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

/// Whether there are rows, or rows changed.
impl Returned for bool {
    fn run(tx: &mut Tx, sql: &Sql, parameters: &[Value<'_>]) -> Result<Self> {
        if sql.returns_rows() {
            Ok(!tx.rows::<Ignored>(sql, parameters)?.is_empty())
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

/// Makes rows of a type a result of statements: the first row, or else the default.
macro_rules! first_or_default {
    ($($row:ty),+ $(,)?) => {$(
        impl $crate::Returned for $row {
            fn run(tx: &mut $crate::Tx, sql: &$crate::Sql, parameters: &[$crate::Value<'_>]) -> $crate::Result<Self> {
                Ok(tx.one(sql, parameters)?.unwrap_or_default())
            }
        }
    )+};
}
pub(crate) use first_or_default;

first_or_default!(i64);

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
/// [`Returned`]; a list of several columns without a type of its own is a `Vec<(column: Type, …)>`).
///
/// A parameter that is a struct lists what the text uses of it: `note: &Note { id, body: note.text() }` are `:id` and
/// `:body`. After a semicolon follow values that no caller passes: `(now: Time; day = now.day())`. A parameter `each`
/// looks up the rows of up to 100 IDs (`{EACH}` and `{AMONG}`, see [`expand`](crate::dialect::expand)). A parameter `row` is
/// the row of a table, for `{insert table}` and `{set table}`; these write a column without a field if it is a parameter.
///
/// A statement of several functions, or with values that are computed, is a constant with `$1`, `$2`.
///
/// ```
/// use posthouse_store::{Result, Tx, Value, statements};
///
/// pub struct Note { id: i64, text: String }
///
/// statements! {
///     /// Returns the number of notes of an author.
///     pub fn count(author: &str) -> u64 = "SELECT count(*) FROM notes WHERE author = :author";
///     /// Changes the text of a note; returns whether it existed.
///     pub fn change(note: &Note { id, text }, now: i64) -> bool =
///         "UPDATE notes SET text = :text, changed_at = :now WHERE id = :id";
///     CLAIM = "SELECT id FROM jobs WHERE run_at <= $1 ORDER BY run_at LIMIT $2 {SKIP_LOCKED}";
///     FIND = "SELECT rowid FROM words WHERE words MATCH $1" / "SELECT id FROM words WHERE body @@ to_tsquery($1)";
/// }
/// # fn main() {
/// let _: fn(&mut Tx, &Note, i64) -> Result<bool> = change;
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
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $vis:vis fn $name:ident $parameters:tt
        -> Vec<($($column:ident: $type:ty),+)> = $text:tt $(! $args:tt)? $(/ $postgres:literal)?; $($rest:tt)*) => {
        $crate::signature! { [function [$(#[$meta])* $vis] [rows $($column: $type),+]] $name [] [] [] $parameters }
        $crate::statements! { @next [$($function)*
            $crate::signature! { [text [$text $(! $args)?] [$($postgres)?]] $name [] [] [] $parameters }
        ] [$($all,)* &sql::$name,] $($rest)* }
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $vis:vis fn $name:ident $parameters:tt
        $(-> $returned:ty)? = $text:tt $(! $args:tt)? $(/ $postgres:literal)?; $($rest:tt)*) => {
        $crate::signature! { [function [$(#[$meta])* $vis] [$($returned)?]] $name [] [] [] $parameters }
        $crate::statements! { @next [$($function)*
            $crate::signature! { [text [$text $(! $args)?] [$($postgres)?]] $name [] [] [] $parameters }
        ] [$($all,)* &sql::$name,] $($rest)* }
    };
    (@next [$($function:tt)*] [$($all:expr,)*] $(#[$meta:meta])* $name:ident = $text:tt $(! $args:tt)? $(/ $postgres:literal)?;
        $($rest:tt)*) => {
        $(#[$meta])*
        pub(crate) static $name: $crate::Sql =
            $crate::Sql::constant(stringify!($name), $text $(! $args)?, $crate::signature!(@postgres $($postgres)?));
        $crate::statements! { @next [$($function)*] [$($all,)* &$name,] $($rest)* }
    };
    ($($statement:tt)*) => { $crate::statements! { @next [] [] $($statement)* } };
}

/// Writes the function of a statement or its text. The lists are the parameters of the function, the values that are
/// bound and their names; the last group has the parameters that are still to be read.
#[doc(hidden)]
#[macro_export]
macro_rules! signature {
    ($mode:tt $name:ident [$($signature:tt)*] [$($value:tt)*] $bound:tt ($parameter:ident: row &$row:ty $(, $($rest:tt)*)?)) => {
        $crate::signature! {
            $mode $name [$($signature)*, $parameter: &$row] [@row $parameter $row; $($value)*] $bound ($($($rest)*)?)
        }
    };
    ($mode:tt $name:ident [$($signature:tt)*] [$($value:tt)*] $bound:tt ($parameter:ident: row &$row:ty; $($rest:tt)*)) => {
        $crate::signature! {
            $mode $name [$($signature)*, $parameter: &$row] [@row $parameter $row; $($value)*] $bound (; $($rest)*)
        }
    };
    ($mode:tt $name:ident [] [] [] ($owner:ident: $owner_type:ty, $ids:ident: each $id:ty $(, $($rest:tt)*)?)) => {
        $crate::signature! {
            $mode $name [, $owner: $owner_type, $ids: &[$id]] [@each $owner $ids;] [$owner] ($($($rest)*)?)
        }
    };
    ($mode:tt $name:ident [$($signature:tt)*] [$($value:tt)*] [$($bound:ident)*]
        ($parameter:ident: $type:ty { $($field:ident $(: $expression:expr)?),* $(,)? } $($rest:tt)*)) => {
        $crate::signature! {
            $mode $name [$($signature)*, $parameter: $type]
            [$($value)* $($crate::signature!(@field $parameter $field $($expression)?),)*] [$($bound)* $($field)*] ($($rest)*)
        }
    };
    ($mode:tt $name:ident [$($signature:tt)*] [$($value:tt)*] [$($bound:ident)*] ($parameter:ident: $type:ty; $($rest:tt)*)) => {
        $crate::signature! {
            $mode $name [$($signature)*, $parameter: $type] [$($value)* $parameter,] [$($bound)* $parameter] (; $($rest)*)
        }
    };
    ($mode:tt $name:ident [$($signature:tt)*] [$($value:tt)*] [$($bound:ident)*] ($parameter:ident: $type:ty $(, $($rest:tt)*)?)) => {
        $crate::signature! {
            $mode $name [$($signature)*, $parameter: $type] [$($value)* $parameter,] [$($bound)* $parameter] ($($($rest)*)?)
        }
    };
    ($mode:tt $name:ident $signature:tt $values:tt $bound:tt (, $($rest:tt)*)) => {
        $crate::signature! { $mode $name $signature $values $bound ($($rest)*) }
    };
    ($mode:tt $name:ident $signature:tt [$($value:tt)*] [$($bound:ident)*] (; $($computed:ident = $expression:expr),+ $(,)?)) => {
        $crate::signature! {
            $mode $name $signature [$($value)* $($expression,)*] [$($bound)* $($computed)*] ()
        }
    };
    ([function [$($head:tt)*] [rows $($column:ident: $type:ty),+]] $name:ident [$($signature:tt)*] $values:tt $bound:tt ()) => {
        $($head)* fn $name(tx: &mut $crate::Tx $($signature)*) -> $crate::Result<Vec<($($type),+)>> {
            $crate::row_struct!(Columns { $($column: $type),+ });
            let rows: Vec<Columns> = $crate::signature!(@run tx $name $values)?;
            Ok(rows.into_iter().map(|row| ($(row.$column),+)).collect())
        }
    };
    ([function [$($head:tt)*] [$($returned:ty)?]] $name:ident [$($signature:tt)*] $values:tt $bound:tt ()) => {
        $($head)* fn $name(tx: &mut $crate::Tx $($signature)*) -> $crate::Result<$crate::signature!(@returned $($returned)?)> {
            $crate::signature!(@run tx $name $values)
        }
    };
    ([text [$($text:tt)*] [$($postgres:literal)?]] $name:ident $signature:tt $values:tt $bound:tt ()) => {
        pub(crate) static $name: $crate::Sql =
            $crate::Sql::constant(stringify!($name), $($text)*, $crate::signature!(@postgres $($postgres)?))
                .with_parameters($crate::signature!(@names $values $bound));
    };
    (@names [@row $parameter:ident $row:ty; $($value:expr,)*] [$($bound:ident)*]) => {
        $crate::dialect::ParameterNames::Row(<$row as $crate::TableRow>::TABLE, &[$(stringify!($bound)),*])
    };
    (@names [@each $parameter:ident $ids:ident; $($value:expr,)*] [$owner:ident $($bound:ident)*]) => {
        $crate::dialect::ParameterNames::Ids(stringify!($owner), &[$(stringify!($bound)),*])
    };
    (@names $values:tt [$($bound:ident)*]) => { $crate::dialect::ParameterNames::Listed(&[$(stringify!($bound)),*]) };
    (@run $tx:ident $name:ident [@row $row:ident $type:ty;]) => {
        $crate::Returned::run($tx, &sql::$name, &$crate::TableRow::values($row))
    };
    (@run $tx:ident $name:ident [@row $row:ident $type:ty; $($value:expr,)+]) => {
        $crate::Returned::run(
            $tx, &sql::$name, &[$crate::TableRow::values($row).as_slice(), $crate::p![$($value),+].as_slice()].concat())
    };
    (@run $tx:ident $name:ident [@each $owner:ident $ids:ident; $($value:expr,)*]) => {
        $crate::many::rows($tx, &sql::$name, $owner, $ids, $crate::p![$($value),*])
    };
    (@run $tx:ident $name:ident [$($value:expr,)*]) => {
        $crate::Returned::run($tx, &sql::$name, $crate::p![$($value),*])
    };
    (@returned) => { () };
    (@returned $returned:ty) => { $returned };
    (@postgres) => { None };
    (@postgres $postgres:literal) => { Some($postgres) };
    (@field $parameter:ident $field:ident) => { $parameter.$field };
    (@field $parameter:ident $field:ident $expression:expr) => { $expression };
}
