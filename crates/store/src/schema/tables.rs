//! The tables, as `build.rs` reads them from `migrations/`: their columns, when their rows end, and the structs of rows.

use crate::wipe_rules::{ClearedColumn, ErasedRecord, Lifetime, RecordKind, Reference, TableRule};

/// A table with its columns, for the tokens of statements: `{messages}`, `{m.messages}`, `{insert messages}` and
/// `{set messages}`.
#[derive(Debug)]
pub(crate) struct Table {
    name: &'static str,
    /// The columns that are fields of a row, in the order of [`TableRow::values`](crate::TableRow::values).
    pub(crate) columns: &'static [&'static str],
    /// The other columns.
    others: &'static [&'static str],
    /// The columns of the primary key.
    keys: &'static [&'static str],
    /// Expressions that are read with the columns.
    computed: &'static [&'static str],
}

impl Table {
    /// Returns the table with that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// Returns the columns to select, each with the alias of the table if there is one.
    fn selected(&self, alias: Option<&str>) -> String {
        let prefix = alias.map(|alias| format!("{alias}.")).unwrap_or_default();
        let columns = self.columns.iter().map(|column| format!("{prefix}{column}"));
        columns.chain(self.computed.iter().map(|sql| (*sql).to_owned())).collect::<Vec<_>>().join(", ")
    }

    /// Returns the columns that a statement with these parameters writes, each with the name of its value: a parameter is
    /// named like the column, or without its `_id`.
    fn written<'p>(&self, parameters: &[&'p str]) -> Vec<(&'static str, &'p str)>
    where
        'static: 'p,
    {
        let named =
            |column: &str| parameters.iter().find(|name| **name == column || column.strip_suffix("_id") == Some(name));
        let others = self.others.iter().filter_map(|column| Some((*column, *named(column)?)));
        self.columns.iter().map(|column| (*column, *column)).chain(others).collect()
    }

    /// Returns the start of an `INSERT` of a row.
    fn insert(&self, parameters: &[&str]) -> String {
        let (columns, values): (Vec<&str>, Vec<&str>) = self.written(parameters).into_iter().unzip();
        format!("INSERT INTO {} ({}) VALUES (:{})", self.name, columns.join(", "), values.join(", :"))
    }

    /// Returns the `SET` of an `UPDATE` that writes all columns but the keys.
    fn set(&self, parameters: &[&str]) -> String {
        let changed =
            self.written(parameters).into_iter().filter(|(column, _)| !self.keys.iter().any(|key| key == column));
        format!("SET {}", changed.map(|(column, value)| format!("{column} = :{value}")).collect::<Vec<_>>().join(", "))
    }
}

/// Replaces the tokens of tables: `{messages}` with its columns, `{m.messages}` with its columns and the alias `m`,
/// `{insert messages}` and `{set messages}` with the start of a statement that writes a row. A column that is no field is
/// written if a parameter has its name.
pub(crate) fn expand(text: &str, parameters: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let token = after.split_once('}').and_then(|(token, after)| Some((words(token, parameters)?, after)));
        if let Some((words, after)) = token {
            out.push_str(&words);
            rest = after;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out + rest
}

fn words(token: &str, parameters: &[&str]) -> Option<String> {
    if let Some(name) = token.strip_prefix("insert ") {
        Table::named(name).map(|table| table.insert(parameters))
    } else if let Some(name) = token.strip_prefix("set ") {
        Table::named(name).map(|table| table.set(parameters))
    } else if let Some((alias, name)) = token.split_once('.') {
        Table::named(name).map(|table| table.selected(Some(alias)))
    } else {
        Table::named(token).map(|table| table.selected(None))
    }
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_tables_become_columns_and_other_braces_stay() {
        for (text, expanded) in [
            ("SELECT {users} FROM users", "SELECT id, email, name, created_at FROM users"),
            ("SELECT {u.users}, '{}' {FOR_UPDATE}", "SELECT u.id, u.email, u.name, u.created_at, '{}' {FOR_UPDATE}"),
            (
                "{insert users} ON",
                "INSERT INTO users (id, email, name, created_at) VALUES (:id, :email, :name, :created_at) ON",
            ),
            (
                "UPDATE users {set users} WHERE",
                "UPDATE users SET email = :email, name = :name, created_at = :created_at WHERE",
            ),
        ] {
            assert_eq!(expand(text, &[]), expanded);
        }
    }
}
