//! Statement parameters and column values, the same for both engines.
//!
//! Five kinds suffice: NULL, 64-bit integer, double, text, bytes. A value whose kind doesn't match the column or
//! parameter is an error and never converted: PostgreSQL infers a parameter's type from the surrounding text, and
//! silently narrowing to 32 bits would overflow a time in milliseconds.

mod engines;

use self::engines::from_sqlite;
use crate::{Error, Result};
use std::borrow::Cow;
use uuid::Uuid;

/// One parameter or one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// INTEGER or BIGINT; booleans are 0 or 1.
    Int(i64),
    /// REAL or DOUBLE PRECISION.
    Real(f64),
    /// TEXT.
    Text(Cow<'a, str>),
    /// BLOB or BYTEA.
    Blob(Cow<'a, [u8]>),
}

/// A type that can be bound as a statement parameter. [`p!`](crate::p) calls it by reference.
pub trait ToValue {
    /// Returns the value to bind, borrowed if possible.
    fn to_value(&self) -> Value<'_>;
}

/// A type that can be read from one column.
pub trait FromColumn: Sized {
    /// Converts a column value.
    ///
    /// # Errors
    /// Returns [`Error::Statement`] if the column holds another kind of value.
    fn from_column(value: Value<'_>) -> Result<Self>;
}

/// A type that can be read from a whole row: a struct declared with [`from_row!`](crate::from_row), or a tuple of one
/// column.
pub trait FromRow: Sized {
    /// The names of the columns, in the order in which they are read. A statement that returns other columns, or these
    /// in another order, is rejected. An empty name accepts any column.
    const COLUMNS: &'static [&'static str];
    /// Reads the columns from left to right.
    ///
    /// # Errors
    /// Returns [`Error::Statement`] if a column holds another kind of value.
    fn from_row(row: &mut Row<'_>) -> Result<Self>;
}

/// A row that is read column by column from the left.
pub struct Row<'r> {
    pub(crate) from: RowSource<'r>,
    pub(crate) next: usize,
}

pub(crate) enum RowSource<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r postgres::Row),
}

impl Row<'_> {
    /// Reads the next column.
    ///
    /// # Errors
    /// Returns [`Error::Statement`] if the column holds another kind of value than `T`, or if no column is left.
    pub fn take<T: FromColumn>(&mut self) -> Result<T> {
        let at = self.next;
        self.next += 1;
        let value = match &self.from {
            RowSource::Sqlite(row) => from_sqlite(row.get_ref(at)?)?,
            RowSource::Postgres(row) => row.try_get::<_, Option<Value<'_>>>(at)?.unwrap_or(Value::Null),
        };
        T::from_column(value).map_err(|e| Error::db(format_args!("column {}: {}", at + 1, e.internal())))
    }
}

impl Value<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Int(_) => "an integer",
            Value::Real(_) => "a real",
            Value::Text(_) => "text",
            Value::Blob(_) => "bytes",
        }
    }

    fn mismatch<T>(&self, wanted: &str) -> Result<T> {
        Err(Error::db(format_args!("expected {wanted}, found {}", self.kind())))
    }
}

/// Implements both directions: `to` converts a reference to a value, `from` lists the kinds it is read from.
macro_rules! column {
    ($ty:ty, $wanted:literal, |$this:ident| $to:expr, $($pattern:pat => $from:expr),+) => {
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> {
                let $this = self;
                $to
            }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> {
                match value {
                    $($pattern => $from,)+
                    other => other.mismatch($wanted),
                }
            }
        }
        $crate::values::row_of_one_column!($ty);
    };
}

/// Implements [`FromRow`] for the type of a column, for statements that return just that one.
macro_rules! row_of_one_column {
    ($ty:ty) => {
        impl $crate::FromRow for $ty {
            const COLUMNS: &'static [&'static str] = &[""];
            fn from_row(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                row.take()
            }
        }
    };
}
pub(crate) use row_of_one_column;

column!(i64, "an integer", |x| Value::Int(*x), Value::Int(i) => Ok(i));
column!(i32, "a 32-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
column!(u32, "a 32-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
column!(u16, "a 16-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
// Counts never go below zero. If a bug makes a stored sum negative, the row must stay readable.
column!(u64, "a count", |x| Value::Int(i64::try_from(*x).unwrap_or(i64::MAX)),
    Value::Int(i) => Ok(u64::try_from(i).unwrap_or(0)));
column!(bool, "0 or 1", |x| Value::Int((*x).into()), Value::Int(i @ (0 | 1)) => Ok(i == 1));
column!(f64, "a real", |x| Value::Real(*x), Value::Real(r) => Ok(r));
column!(String, "text", |x| Value::Text(Cow::Borrowed(x)), Value::Text(t) => Ok(t.into_owned()));
column!(Vec<u8>, "bytes", |x| Value::Blob(Cow::Borrowed(x)), Value::Blob(b) => Ok(b.into_owned()));
column!(Uuid, "16 bytes", |x| Value::Blob(Cow::Borrowed(x.as_bytes())),
    Value::Blob(b) => Uuid::from_slice(&b).map_err(Error::db));

fn narrow<T: TryFrom<i64, Error = std::num::TryFromIntError>>(i: i64) -> Result<T> {
    T::try_from(i).map_err(Error::db)
}

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(Cow::Borrowed(self))
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(Cow::Borrowed(self))
    }
}

impl<const N: usize> FromColumn for [u8; N] {
    fn from_column(value: Value<'_>) -> Result<Self> {
        let bytes = Vec::from_column(value)?;
        let found = bytes.len();
        bytes.try_into().map_err(|_| Error::db(format_args!("expected {N} bytes, found {found}")))
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue + ToOwned + ?Sized> ToValue for Cow<'_, T> {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(value: Value<'_>) -> Result<Self> {
        if value == Value::Null { Ok(None) } else { T::from_column(value).map(Some) }
    }
}

/// JSON stored as text and never queried inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: serde::Serialize> ToValue for Json<T> {
    fn to_value(&self) -> Value<'_> {
        json_text(&self.0)
    }
}

impl<T: serde::de::DeserializeOwned> FromColumn for Json<T> {
    fn from_column(value: Value<'_>) -> Result<Self> {
        match value {
            Value::Text(t) => serde_json::from_str(&t).map(Json).map_err(|e| Error::Inconsistent(e.to_string().into())),
            other => other.mismatch("JSON text"),
        }
    }
}

/// Implements both directions for a type that is stored as JSON.
macro_rules! json_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl $crate::ToValue for $ty {
            fn to_value(&self) -> $crate::Value<'_> {
                $crate::values::json_text(self)
            }
        }
        impl $crate::FromColumn for $ty {
            fn from_column(value: $crate::Value<'_>) -> $crate::Result<Self> {
                $crate::Json::from_column(value).map(|json| json.0)
            }
        }
    )+};
}
pub(crate) use json_columns;

/// Implements both directions for a type whose stored form is another one, as JSON. `$read` makes the type of the stored
/// form.
macro_rules! stored_columns {
    ($ty:ty as $stored:ty, $read:expr) => {
        impl $crate::ToValue for $ty {
            fn to_value(&self) -> $crate::Value<'_> {
                $crate::values::json_text(&<$stored>::from(self))
            }
        }
        impl $crate::FromColumn for $ty {
            fn from_column(value: $crate::Value<'_>) -> $crate::Result<Self> {
                let read: fn($stored) -> $crate::Result<$ty> = $read;
                read($crate::Json::from_column(value)?.0)
            }
        }
    };
}
pub(crate) use stored_columns;

/// Returns the JSON text of a value.
pub(crate) fn json_text<T: serde::Serialize + ?Sized>(value: &T) -> Value<'static> {
    let text = serde_json::to_string(value).expect("stored types have string keys and no failing serializers");
    Value::Text(Cow::Owned(text))
}

impl ToValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        match self {
            Value::Text(text) => text.to_value(),
            Value::Blob(bytes) => bytes.to_value(),
            other => other.clone(),
        }
    }
}

/// An ID that is stored as the nil UUID if it is absent, because null is never equal to null.
pub(crate) trait Nil: FromColumn + ToValue {
    /// Returns the ID of a stored one.
    fn read(stored: Self) -> Option<Self> {
        let is_nil = stored.to_value() == Uuid::nil().to_value();
        Some(stored).filter(|_| !is_nil)
    }

    /// Returns the value to store.
    fn value(id: Option<&Self>) -> Value<'_> {
        id.map_or(Value::Blob(Cow::Borrowed(&[0; 16])), ToValue::to_value)
    }
}

/// A field of a row that several columns hold.
pub(crate) trait Columns: Sized {
    /// Reads the columns.
    fn take(row: &mut Row<'_>) -> Result<Self>;
    /// Returns the values of the columns.
    fn values(&self) -> Vec<Value<'_>>;
}

/// Stores each field of a struct in a column; for `Option<…>`, the columns are null together. Other fields, after `..`,
/// aren't stored.
macro_rules! column_group {
    (Option<$ty:ident> { $($field:ident),+ $(,)? }) => {
        impl $crate::values::Columns for Option<$ty> {
            fn take(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                $(let $field: Option<_> = row.take()?;)+
                Ok((|| Some($ty { $($field: $field?),+ }))())
            }
            fn values(&self) -> Vec<$crate::Value<'_>> {
                vec![$(self.as_ref().map_or($crate::Value::Null, |group| $crate::ToValue::to_value(&group.$field))),+]
            }
        }
    };
    ($ty:ident { $($field:ident),+ $(,)? } $($other:ident: $value:expr),*) => {
        impl $crate::values::Columns for $ty {
            fn take(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                Ok($ty { $($field: row.take()?,)+ $($other: $value),* })
            }
            fn values(&self) -> Vec<$crate::Value<'_>> {
                vec![$($crate::ToValue::to_value(&self.$field)),+]
            }
        }
    };
}
pub(crate) use column_group;

/// Builds a statement's parameters from references: `p![inbox_id, address, now_ms]`.
#[macro_export]
macro_rules! p {
    ($($value:expr),* $(,)?) => { &[$($crate::ToValue::to_value(&$value)),*] };
}

/// Returns the LIKE pattern for a substring, in lower case, escaped with `!`. Without a substring it matches
/// everything.
pub(crate) fn like_pattern(part: Option<&str>) -> String {
    let Some(part) = part else { return "%".to_owned() };
    let mut pattern = String::from("%");
    for c in part.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Joins the columns of two row types that one statement returns.
pub(crate) const fn joined<const N: usize>(first: &[&'static str], second: &[&'static str]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    all
}

/// Implements [`FromRow`](crate::FromRow) for a struct. Lists the columns of its statements in order.
///
/// A field has the name of its column, unless that is stated as `field = column`:
///
/// ```
/// struct Note { id: i64, kind: String, body: Option<String> }
/// posthouse_store::from_row!(Note { id, kind = type, body });
/// ```
///
/// A conversion follows the type of the column. A field of several columns names them:
///
/// ```
/// struct Note { id: i64, tags: Vec<String>, answer: Option<(String, i64)> }
/// posthouse_store::from_row!(Note {
///     id,
///     tags: String => tags.split(' ').map(str::to_owned).collect(),
///     answer(answer: Option<String>, answered_at: Option<i64>) => answer.zip(answered_at),
/// });
/// ```
///
/// The columns after a semicolon are another row: `from_row!(Answer { author; note: Note })`.
///
/// If the row is not its columns, they become variables of an expression:
///
/// ```
/// # use posthouse_store::Json;
/// struct Tags(Vec<String>);
/// posthouse_store::from_row!(Tags { first: String, others: Json<Vec<String>> } => Self([vec![first], others.0].concat()));
/// ```
#[macro_export]
macro_rules! from_row {
    ($ty:ident { $($field:ident $(= $column:ident)? $(: $kind:ty)?),+ $(,)? } => $make:expr) => {
        impl $crate::FromRow for $ty {
            const COLUMNS: &'static [&'static str] = &[$($crate::from_row!(@column $field $($column)?)),+];
            fn from_row(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                $(let $field $(: $kind)? = row.take()?;)+
                Ok($make)
            }
        }
    };
    ($ty:ident { $($field:ident $(= $column:ident)?),+; $rest:ident: $row:ty }) => {
        impl $crate::FromRow for $ty {
            const COLUMNS: &'static [&'static str] = &$crate::values::joined::<{
                [$($crate::from_row!(@column $field $($column)?)),+].len() + <$row as $crate::FromRow>::COLUMNS.len()
            }>(&[$($crate::from_row!(@column $field $($column)?)),+], <$row as $crate::FromRow>::COLUMNS);
            fn from_row(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                $(let $field = row.take()?;)+
                Ok($ty { $($field,)+ $rest: <$row as $crate::FromRow>::from_row(row)? })
            }
        }
    };
    ($ty:ident { $($fields:tt)+ }) => { $crate::from_row!(@fields $ty row [] [] [] $($fields)+,); };
    (@column $field:ident) => { stringify!($field) };
    (@column $field:ident $column:ident) => { stringify!($column) };
    (@fields $ty:ident $row:ident [$($column:ident)+] [$($read:tt)*] [$($field:ident)+] $(,)?) => {
        impl $crate::FromRow for $ty {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),+];
            fn from_row($row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                $($read)*
                Ok($ty { $($field),+ })
            }
        }
    };
    (@fields $ty:ident $row:ident [$($columns:ident)*] [$($reads:tt)*] [$($fields:ident)*]
        $field:ident($($column:ident: $kind:ty),+ $(,)?) => $make:expr, $($rest:tt)*) => {
        $crate::from_row!(@fields $ty $row [$($columns)* $($column)+]
            [$($reads)* let $field = { $(let $column: $kind = $row.take()?;)+ $make };] [$($fields)* $field] $($rest)*);
    };
    (@fields $ty:ident $row:ident [$($columns:ident)*] [$($reads:tt)*] [$($fields:ident)*]
        $field:ident: $kind:ty => $make:expr, $($rest:tt)*) => {
        $crate::from_row!(@fields $ty $row [$($columns)* $field]
            [$($reads)* let $field: $kind = $row.take()?; let $field = $make;] [$($fields)* $field] $($rest)*);
    };
    (@fields $ty:ident $row:ident [$($columns:ident)*] [$($reads:tt)*] [$($fields:ident)*]
        $field:ident = $column:ident: $kind:ty => $make:expr, $($rest:tt)*) => {
        $crate::from_row!(@fields $ty $row [$($columns)* $column]
            [$($reads)* let $field: $kind = $row.take()?; let $field = $make;] [$($fields)* $field] $($rest)*);
    };
    (@fields $ty:ident $row:ident [$($columns:ident)*] [$($reads:tt)*] [$($fields:ident)*]
        $field:ident = $column:ident, $($rest:tt)*) => {
        $crate::from_row!(@fields $ty $row [$($columns)* $column]
            [$($reads)* let $field = $row.take()?;] [$($fields)* $field] $($rest)*);
    };
    (@fields $ty:ident $row:ident [$($columns:ident)*] [$($reads:tt)*] [$($fields:ident)*] $field:ident, $($rest:tt)*) => {
        $crate::from_row!(@fields $ty $row [$($columns)* $field]
            [$($reads)* let $field = $row.take()?;] [$($fields)* $field] $($rest)*);
    };
}

/// Declares a struct for the rows of a statement. Each field has the type of its column, and its name unless that is
/// stated as `field = column`.
///
/// ```
/// posthouse_store::row_struct!(NoteCount { author: String, notes = count: u64 });
/// ```
#[macro_export]
macro_rules! row_struct {
    ($(#[$meta:meta])* $vis:vis $ty:ident { $($(#[$field_meta:meta])* $field:ident $(= $column:ident)?: $kind:ty),+ $(,)? }) => {
        $(#[$meta])*
        $vis struct $ty { $($(#[$field_meta])* $vis $field: $kind),+ }
        $crate::from_row!($ty { $($field $(= $column)?),+ });
    };
}

/// A single column needs no name, because there is no other one to confuse it with.
impl<A: FromColumn> FromRow for (A,) {
    const COLUMNS: &'static [&'static str] = &[""];

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok((row.take()?,))
    }
}
