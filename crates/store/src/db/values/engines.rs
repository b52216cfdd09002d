//! Values as parameters and columns of the two engines.

use std::{borrow::Cow, error::Error as StdError};

use bytes::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::Value;
use crate::{Error, Result};

/// Returns the value of a column of SQLite.
pub(super) fn from_sqlite(value: ValueRef<'_>) -> Result<Value<'_>> {
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
            other => Err(format!("a parameter of type {ty} can't hold {}", other.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true // checked per value in `to_sql`, whose error names both types
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
                return Err(format!("a column of type {ty} can't be read: cast it (sum() to BIGINT)").into());
            }
        })
    }

    fn accepts(_: &Type) -> bool {
        true // checked in `from_sql`, whose error says how to fix the statement
    }
}
