//! The tables, as `build.rs` reads them from `migrations/`: their columns, when their rows end, and the structs of rows.

use crate::wipe_rules::{ClearedColumn, ErasedRecord, Lifetime, RecordKind, Reference, TableRule};

/// A table with its columns, for the tokens of statements: `{messages}`, `{m.messages}`, `{insert messages}` and
/// `{set messages}`.
#[derive(Debug)]
pub(crate) struct Table {
    name: &'static str,
    /// The columns in the order of the migration, which is that of [`TableRow::values`](crate::TableRow::values).
    pub(crate) columns: &'static [&'static str],
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

    /// Returns the start of an `INSERT` of a row.
    fn insert(&self) -> String {
        let values: Vec<String> = (1..=self.columns.len()).map(|number| format!("${number}")).collect();
        format!("INSERT INTO {} ({}) VALUES ({})", self.name, self.columns.join(", "), values.join(", "))
    }

    /// Returns the `SET` of an `UPDATE` that writes all columns but the keys.
    fn set(&self) -> String {
        let set = |(number, column): (usize, &&str)| format!("{column} = ${number}");
        let changed = (1..).zip(self.columns).filter(|(_, column)| !self.keys.contains(column));
        format!("SET {}", changed.map(set).collect::<Vec<_>>().join(", "))
    }
}

/// Replaces the tokens of tables: `{messages}` with its columns, `{m.messages}` with its columns and the alias `m`,
/// `{insert messages}` and `{set messages}` with the start of a statement that writes a row.
pub(crate) fn expand(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let token = after.split_once('}').and_then(|(token, after)| Some((words(token)?, after)));
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

fn words(token: &str) -> Option<String> {
    if let Some(name) = token.strip_prefix("insert ") {
        Table::named(name).map(Table::insert)
    } else if let Some(name) = token.strip_prefix("set ") {
        Table::named(name).map(Table::set)
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
            ("{insert users} ON", "INSERT INTO users (id, email, name, created_at) VALUES ($1, $2, $3, $4) ON"),
            ("UPDATE users {set users} WHERE", "UPDATE users SET email = $2, name = $3, created_at = $4 WHERE"),
        ] {
            assert_eq!(expand(text), expanded);
        }
    }
}
