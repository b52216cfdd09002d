//! The rows that the database holds of a workspace, as text. The tables come from the schema of each engine.

use std::collections::BTreeMap;

use posthouse_domain::id::WorkspaceId;
use posthouse_store::{Engine, Error, Sql, Tx, p, row_struct, schema::RULES, statements, wipe_rules::RecordKind};
use posthouse_tests::TestServer;

/// Columns that a request changes whatever it asks for, and why.
const VOLATILE: [(&str, &str, &str); 3] = [
    ("api_keys", "last_used_at", "the use of a key is recorded, not its effect"),
    ("api_keys", "last_used_ip", "the use of a key is recorded, not its effect"),
    ("api_keys", "last_used_user_agent", "the use of a key is recorded, not its effect"),
];

statements! {
    COLUMNS = "SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name NOT LIKE 'search!_text%' ESCAPE '!' AND c.hidden = 0
        ORDER BY t.name, c.cid"
        / "SELECT CAST(table_name AS TEXT) AS table_name, CAST(column_name AS TEXT) AS column_name
        FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position";
}

row_struct!(
    #[derive(Clone, Debug)]
    SchemaColumn { table_name: String, column_name: String }
);

/// The rows of each table, in the order of their text.
pub(super) type TableRows = BTreeMap<String, Vec<String>>;

/// Returns the rows of all tables that belong to the workspace, and all rows of tables without a workspace.
pub(super) async fn rows_of(server: &TestServer, workspace: WorkspaceId) -> TableRows {
    let read = move |tx: &mut Tx| -> Result<TableRows, Error> {
        let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for SchemaColumn { table_name, column_name } in tx.rows(&COLUMNS, p![])? {
            let is_volatile =
                VOLATILE.iter().any(|(table, column, _)| (*table, *column) == (&*table_name, &*column_name));
            let of_table = columns.entry(table_name).or_default();
            if !is_volatile {
                of_table.push(column_name);
            }
        }
        let mut all = TableRows::new();
        for (table, columns) in columns {
            let statement = statement(tx.engine(), &table, &columns);
            let is_filtered = statement.text(tx.engine()).contains("$1");
            let rows: Vec<(String,)> =
                if is_filtered { tx.rows(&statement, p![workspace])? } else { tx.rows(&statement, p![])? };
            all.insert(table, rows.into_iter().map(|(row,)| row).collect());
        }
        Ok(all)
    };
    server.store().read(read).await.expect("every table can be read")
}

fn statement(engine: Engine, table: &str, columns: &[String]) -> Sql {
    let shown: Vec<String> = columns
        .iter()
        .map(|column| match engine {
            Engine::Sqlite => format!("quote(\"{column}\")"),
            Engine::Postgres => format!("COALESCE(CAST(\"{column}\" AS TEXT), 'NULL')"),
        })
        .collect();
    let rule = RULES.iter().find(|rule| rule.table == table);
    let owners = rule.into_iter().flat_map(|rule| rule.references).filter(|one| one.to == RecordKind::Workspace);
    let filters: Vec<String> = owners.map(|owner| format!("{} = $1", owner.column)).collect();
    let filter = if filters.is_empty() { String::new() } else { format!(" WHERE {}", filters.join(" OR ")) };
    let text = format!("SELECT {} AS row_text FROM {table}{filter} ORDER BY 1", shown.join(" || ', ' || "));
    Sql::from_fragments("ROWS_OF_WORKSPACE", text)
}

/// Describes the tables that differ.
pub(super) fn differences(before: &TableRows, after: &TableRows) -> Vec<String> {
    let of_table = |(table, rows): (&String, &Vec<String>)| {
        let now = &after[table];
        let gone = rows.iter().filter(|row| !now.contains(row)).map(|row| format!("{table} lost ({row})"));
        let new = now.iter().filter(|row| !rows.contains(row)).map(|row| format!("{table} has a new ({row})"));
        gone.chain(new).collect::<Vec<_>>()
    };
    before.iter().flat_map(of_table).collect()
}
