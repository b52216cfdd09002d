//! Values that go into statements and come out of rows, on both engines alike.
//!
//! Five kinds are enough: NULL, 64-bit integer, double, text, bytes. A kind that does not fit the column or parameter is
//! refused with an error, never converted: PostgreSQL infers a parameter's type from the text around it, and a silent
//! narrowing there would overflow milliseconds.

use crate::{Error, Result};
use bytes::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use rusqlite::types::{ToSqlOutput, ValueRef};
use std::borrow::Cow;
use std::error::Error as StdError;
use uuid::Uuid;

/// One parameter or one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// INTEGER, BIGINT; also 0/1 for a boolean.
    Int(i64),
    /// REAL, DOUBLE PRECISION.
    Real(f64),
    /// TEXT.
    Text(Cow<'a, str>),
    /// BLOB, BYTEA.
    Blob(Cow<'a, [u8]>),
}

/// What can be a parameter of a statement. [`p!`](crate::p) calls it, by reference.
pub trait ToValue {
    /// The value to bind; borrows where it can.
    fn to_value(&self) -> Value<'_>;
}

/// What a single column can be read as.
pub trait FromColumn: Sized {
    /// Takes the value or refuses its kind.
    ///
    /// # Errors
    /// [`Error::Db`] where the column holds another kind than expected.
    fn from_column(value: Value<'_>) -> Result<Self>;
}

/// What a whole row can be read as: tuples up to 24 columns, and structs by [`from_row!`](crate::from_row).
pub trait FromRow: Sized {
    /// How many columns it reads; checked against the statement.
    const COLUMNS: usize;
    /// Takes the columns from left to right.
    ///
    /// # Errors
    /// [`Error::Db`] where a column holds another kind than expected.
    fn from_row(row: &mut Row<'_>) -> Result<Self>;
}

/// A row being read, column after column from the left.
pub struct Row<'r> {
    pub(crate) from: RowFrom<'r>,
    pub(crate) next: usize,
}

pub(crate) enum RowFrom<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r postgres::Row),
}

impl Row<'_> {
    /// The next column.
    ///
    /// # Errors
    /// [`Error::Db`] where the column holds another kind than `T` or there is none left.
    pub fn take<T: FromColumn>(&mut self) -> Result<T> {
        let at = self.next;
        self.next += 1;
        let value = match &self.from {
            RowFrom::Sqlite(row) => from_sqlite(row.get_ref(at)?)?,
            RowFrom::Postgres(row) => row.try_get::<_, Option<Value<'_>>>(at)?.unwrap_or(Value::Null),
        };
        T::from_column(value).map_err(|e| Error::db(format_args!("column {}: {}", at + 1, e.internal())))
    }
}

fn from_sqlite(value: ValueRef<'_>) -> Result<Value<'_>> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(i) => Value::Int(i),
        ValueRef::Real(r) => Value::Real(r),
        ValueRef::Text(t) => Value::Text(Cow::Borrowed(
            std::str::from_utf8(t).map_err(|e| Error::damaged(format_args!("text is not UTF-8: {e}")))?,
        )),
        ValueRef::Blob(b) => Value::Blob(Cow::Borrowed(b)),
    })
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(i) => ValueRef::Integer(*i),
            Value::Real(r) => ValueRef::Real(*r),
            Value::Text(t) => ValueRef::Text(t.as_bytes()),
            Value::Blob(b) => ValueRef::Blob(b),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(i) if *ty == Type::INT8 => i.to_sql(ty, out),
            Value::Int(i) if *ty == Type::INT2 => i16::try_from(*i)?.to_sql(ty, out),
            Value::Real(r) if *ty == Type::FLOAT8 => r.to_sql(ty, out),
            Value::Text(t) if *ty == Type::TEXT || *ty == Type::VARCHAR => t.as_ref().to_sql(ty, out),
            Value::Blob(b) if *ty == Type::BYTEA => b.as_ref().to_sql(ty, out),
            other => Err(format!("a parameter of type {ty} cannot take {}", other.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true // decided per value in `to_sql`, which can name what does not fit
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Value::Int(bool::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::FLOAT4 => Value::Real(f32::from_sql(ty, raw)?.into()),
            Type::BYTEA => Value::Blob(Cow::Borrowed(<&[u8]>::from_sql(ty, raw)?)),
            _ if <&str as FromSql<'_>>::accepts(ty) => Value::Text(Cow::Borrowed(<&str>::from_sql(ty, raw)?)),
            _ => {
                return Err(format!("a column of type {ty} cannot be read: cast it (sum() to BIGINT)").into());
            }
        })
    }

    fn accepts(_: &Type) -> bool {
        true // decided in `from_sql`, which can say what to do
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

    fn refuse<T>(&self, wanted: &str) -> Result<T> {
        Err(Error::db(format_args!("expected {wanted}, found {}", self.kind())))
    }
}

/// `to`: how a reference becomes a value; `from`: the kinds it is read from.
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
                    other => other.refuse($wanted),
                }
            }
        }
    };
}

column!(i64, "an integer", |x| Value::Int(*x), Value::Int(i) => Ok(i));
column!(i32, "a 32-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
column!(u32, "a 32-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
column!(u16, "a 16-bit integer", |x| Value::Int((*x).into()), Value::Int(i) => narrow(i));
// What is counted never falls below zero; a sum that does, by a mistake of ours, must not keep anybody from reading the row.
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

/// JSON kept as text, never queried inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: serde::Serialize> ToValue for Json<T> {
    fn to_value(&self) -> Value<'_> {
        let text = serde_json::to_string(&self.0).expect("stored types have string keys and no failing serialisers");
        Value::Text(Cow::Owned(text))
    }
}

impl<T: serde::de::DeserializeOwned> FromColumn for Json<T> {
    fn from_column(value: Value<'_>) -> Result<Self> {
        match value {
            Value::Text(t) => serde_json::from_str(&t).map(Json).map_err(|e| Error::Corrupt(e.to_string().into())),
            other => other.refuse("JSON text"),
        }
    }
}

/// The parameters of a statement, borrowed: `p![inbox_id, address, now_ms]`.
#[macro_export]
macro_rules! p {
    ($($value:expr),* $(,)?) => { &[$($crate::ToValue::to_value(&$value)),*] };
}

/// The LIKE pattern of a part, in lower case; `!` escapes. Of none it is what everything fits.
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

/// Lets a struct be read from a row: the fields in the order of the columns, named once.
///
/// ```
/// struct Note { id: i64, body: Option<String> }
/// posthouse_store::from_row!(Note { id, body });
/// ```
#[macro_export]
macro_rules! from_row {
    ($ty:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::FromRow for $ty {
            const COLUMNS: usize = [$(stringify!($field)),+].len();
            fn from_row(row: &mut $crate::Row<'_>) -> $crate::Result<Self> {
                Ok($ty { $($field: row.take()?),+ })
            }
        }
    };
}

macro_rules! tuples {
    ($head:ident $($tail:ident)*) => {
        impl<$head: FromColumn, $($tail: FromColumn),*> FromRow for ($head, $($tail,)*) {
            const COLUMNS: usize = [stringify!($head), $(stringify!($tail)),*].len();
            fn from_row(row: &mut Row<'_>) -> Result<Self> {
                Ok((row.take::<$head>()?, $(row.take::<$tail>()?,)*))
            }
        }
        tuples!($($tail)*);
    };
    () => {};
}
tuples!(A B C D E F G H I J K L M N O P Q R S T U V W X);
