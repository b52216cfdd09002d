//! Reads the schema in `migrations/` and the statements in `src/`, and writes what follows from them to `tables.rs`: the
//! columns of each table, when its rows end, how the rows of `@row` tables become structs and back, and the list of all
//! statements. `migrations/0001_schema.sql` describes the annotations.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// A table as its migration declares it.
#[derive(Default)]
struct Table {
    name: String,
    columns: Vec<Column>,
    keys: Vec<String>,
    row: Option<String>,
    ends: String,
    /// Whether statements of their own delete the rows.
    is_apart: bool,
    cleared: Vec<(String, String)>,
    computed: Vec<(String, String)>,
}

/// A column of a table.
struct Column {
    name: String,
    field: String,
    refers_to: Option<String>,
    /// Whether the nil UUID stands for a field that is `None`.
    is_nil: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=src");
    let mut migrations: Vec<PathBuf> =
        fs::read_dir("migrations")?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    migrations.sort();
    let mut tables = Vec::new();
    for path in &migrations {
        read(&fs::read_to_string(path)?, &mut tables)?;
    }
    let mut out = String::new();
    write_migrations(&mut out, &migrations)?;
    write_columns(&mut out, &tables)?;
    write_rules(&mut out, &tables)?;
    for table in tables.iter().filter(|table| table.row.is_some()) {
        write_row(&mut out, table)?;
    }
    write_statements(&mut out)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tables.rs"), out)?;
    Ok(())
}

/// Writes the list of the migrations, in order.
fn write_migrations(out: &mut String, files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    writeln!(out, "/// The schema of this binary.\npub const MIGRATIONS: &[crate::Migration] = &[")?;
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = Path::new(&root).join(file);
        writeln!(out, "    crate::Migration {{ name: {name:?}, text: include_str!({path:?}) }},")?;
    }
    writeln!(out, "];\n")?;
    Ok(())
}

/// Adds the tables of a migration.
fn read(sql: &str, tables: &mut Vec<Table>) -> Result<(), Box<dyn Error>> {
    let mut next = Table::default();
    let (mut open, mut is_shared) = (None, true);
    for line in sql.lines() {
        match line {
            "-- @both" => is_shared = true,
            "-- @sqlite" | "-- @postgres" => is_shared = false,
            _ => {}
        }
        if let Some(name) = line.strip_prefix("CREATE TABLE ").or(line.strip_prefix("CREATE VIRTUAL TABLE ")) {
            let table = Table { name: word(name).to_owned(), ..std::mem::take(&mut next) };
            // A virtual table lists its columns on its line.
            open = (!line.starts_with("CREATE VIRTUAL")).then_some(tables.len());
            tables.push(table);
        } else if line.starts_with(')') {
            open = None;
        } else if let Some(at) = open {
            if is_shared {
                read_column(line, &mut tables[at]);
            }
        } else if let Some(annotation) = line.strip_prefix("-- @") {
            annotate(annotation, &mut next, tables)?;
        } else if let Some(rest) = line.strip_prefix("ALTER TABLE ")
            && let Some((name, column)) = rest.split_once(" ADD COLUMN ")
        {
            let table = tables.iter_mut().find(|table| table.name == name).ok_or("an unknown table gets a column")?;
            read_column(column, table);
        }
    }
    Ok(())
}

/// Reads an annotation above a table.
fn annotate(annotation: &str, table: &mut Table, tables: &mut Vec<Table>) -> Result<(), Box<dyn Error>> {
    let (name, text) = annotation.split_once(' ').unwrap_or((annotation, ""));
    match name {
        "row" => table.row = Some(text.to_owned()),
        "kept" => table.ends = format!("Lifetime::Kept({text:?})"),
        "with" => {
            table.ends = format!("Lifetime::{}", camel(word(text)));
            table.is_apart = text.contains(',');
        }
        "clears" => {
            let (column, with) = text.split_once(" with ").ok_or("write: @clears COLUMN with RECORD")?;
            table.cleared.push((column.to_owned(), camel(with)));
        }
        "reads" => {
            let (field, sql) = text.split_once(" = ").ok_or("write: @reads FIELD = EXPRESSION AS COLUMN")?;
            table.computed.push((field.to_owned(), sql.to_owned()));
        }
        // The table of the migrations themselves.
        "exists" => tables.push(Table { name: text.to_owned(), ..std::mem::take(table) }),
        "both" | "sqlite" | "postgres" => {}
        _ => return Err(format!("unknown annotation @{name}").into()),
    }
    Ok(())
}

/// Reads the line of a column, or of the primary key.
fn read_column(line: &str, table: &mut Table) {
    let line = line.trim();
    if let Some(keys) = line.strip_prefix("PRIMARY KEY (") {
        table.keys = keys.split([',', ')']).map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned).collect();
        return;
    }
    let Some((name, rest)) = line.split_once(" {") else { return };
    let (rest, comment) = rest.split_once(" -- ").unwrap_or((rest, ""));
    if rest.contains("PRIMARY KEY") {
        table.keys = vec![name.to_owned()];
    }
    let is_id = rest.starts_with("ID}");
    let mut field = name.strip_suffix("_id").filter(|_| is_id).unwrap_or(name).to_owned();
    let mut refers_to = is_id.then(|| camel(&field));
    let (mut words, mut is_nil) = (comment.split_whitespace(), false);
    while let Some(annotation) = words.next().and_then(|word| word.strip_prefix('@')) {
        match annotation.split_once('=') {
            Some(("field", name)) => field = name.to_owned(),
            None if annotation == "nil" => is_nil = true,
            _ => refers_to = Some(camel(annotation)),
        }
    }
    table.columns.push(Column { name: name.to_owned(), field, refers_to, is_nil });
}

/// Writes the columns and keys of each table, for the tokens of statements.
fn write_columns(out: &mut String, tables: &[Table]) -> Result<(), Box<dyn Error>> {
    writeln!(out, "/// The tables with their columns.\npub(crate) const TABLES: &[Table] = &[")?;
    for table in tables.iter().filter(|table| !table.columns.is_empty()) {
        let names = |is_field: bool| -> Vec<&String> {
            table
                .columns
                .iter()
                .filter(|column| (column.field != "none") == is_field)
                .map(|column| &column.name)
                .collect()
        };
        let (columns, others) = (names(true), names(false));
        let computed: Vec<&String> = table.computed.iter().map(|(_, sql)| sql).collect();
        let (name, keys) = (&table.name, &table.keys);
        writeln!(
            out,
            "    Table {{ name: {name:?}, columns: &{columns:?}, others: &{others:?}, keys: &{keys:?}, computed: &{computed:?} }},"
        )?;
    }
    writeln!(out, "];\n")?;
    Ok(())
}

/// Writes when the rows of each table end, and the statements that end them.
fn write_rules(out: &mut String, tables: &[Table]) -> Result<(), Box<dyn Error>> {
    writeln!(out, "/// The rule of every table.\npub const RULES: &[TableRule] = &[")?;
    for table in tables.iter().filter(|table| !table.ends.is_empty()) {
        let references = table.columns.iter().filter_map(|column| {
            let to = column.refers_to.as_ref()?;
            Some(format!("Reference {{ column: {:?}, to: RecordKind::{to} }}, ", column.name))
        });
        let cleared = table
            .cleared
            .iter()
            .map(|(column, with)| format!("ClearedColumn {{ column: {column:?}, with: ErasedRecord::{with} }}, "));
        let (references, cleared) = (references.collect::<String>(), cleared.collect::<String>());
        let (name, ends) = (&table.name, &table.ends);
        writeln!(
            out,
            "    TableRule {{ table: {name:?}, lifetime: {ends}, references: &[{references}], cleared: &[{cleared}] }},"
        )?;
    }
    writeln!(out, "];\n")?;
    let of_message = |table: &&Table| table.ends == "Lifetime::Message" && !table.is_apart;
    let of_workspace =
        |table: &&Table| table.name != "addresses" && table.columns.iter().any(|column| column.name == "workspace_id");
    let all_messages = " AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    let deletes: [(&str, &str, Vec<&Table>); 3] = [
        ("of_message", " AND message_id = $2", tables.iter().filter(of_message).collect()),
        ("of_inbox", all_messages, tables.iter().filter(of_message).collect()),
        ("of_workspace", "", tables.iter().rev().filter(of_workspace).collect()),
    ];
    for (module, filter, tables) in deletes {
        writeln!(
            out,
            "/// Statements that delete rows with their record.\npub(crate) mod {module} {{\n    crate::statements! {{"
        )?;
        for Table { name, .. } in tables {
            let constant = name.to_uppercase();
            writeln!(out, "        {constant} = \"DELETE FROM {name} WHERE workspace_id = $1{filter}\";")?;
        }
        writeln!(out, "    }}\n}}\n")?;
    }
    Ok(())
}

/// Writes how a row becomes a struct and back. Columns with the same field are one value of several columns.
fn write_row(out: &mut String, table: &Table) -> Result<(), Box<dyn Error>> {
    let stored: Vec<&Column> = table.columns.iter().filter(|column| column.field != "none").collect();
    let row = format!("posthouse_domain::{}", table.row.as_deref().unwrap_or_default());
    let computed = table.computed.iter().map(|(_, sql)| sql.rsplit(' ').next().unwrap_or_default());
    let names: Vec<&str> = stored.iter().map(|column| column.name.as_str()).chain(computed).collect();
    // The values of each run of single columns, and of each field of several columns.
    let (mut reads, mut values, mut run) = (String::new(), Vec::new(), String::new());
    for columns in stored.chunk_by(|one, next| one.field == next.field) {
        let field = &columns[0].field;
        if columns.len() > 1 {
            write!(reads, "{field}: crate::values::Columns::take(row)?, ")?;
            values.push(format!("vec![{}]", std::mem::take(&mut run)));
            values.push(format!("crate::values::Columns::values(&self.{field})"));
        } else if columns[0].is_nil {
            write!(reads, "{field}: crate::values::Nil::read(row.take()?), ")?;
            write!(run, "crate::values::Nil::value(self.{field}.as_ref()), ")?;
        } else {
            write!(reads, "{field}: row.take()?, ")?;
            write!(run, "self.{field}.to_value(), ")?;
        }
    }
    for (field, _) in &table.computed {
        write!(reads, "{field}: row.take()?, ")?;
    }
    values.push(format!("vec![{run}]"));
    let values = if values.len() == 1 { values.concat() } else { format!("[{}].concat()", values.join(", ")) };
    let name = &table.name;
    writeln!(
        out,
        "impl crate::FromRow for {row} {{
    const COLUMNS: &'static [&'static str] = &{names:?};
    fn from_row(row: &mut crate::Row<'_>) -> crate::Result<Self> {{
        Ok(Self {{ {reads} }})
    }}
}}

impl crate::TableRow for {row} {{
    const TABLE: &'static str = {name:?};
    fn values(&self) -> Vec<crate::Value<'_>> {{
        use crate::ToValue;
        {values}
    }}
}}
"
    )?;
    Ok(())
}

/// Writes the list of the files with statements.
fn write_statements(out: &mut String) -> Result<(), Box<dyn Error>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path)?
                .lines()
                .any(|line| line.ends_with("statements! {") && !line.starts_with([' ', '/']))
            {
                let file = path.with_extension("").strip_prefix("src")?.to_string_lossy().replace('\\', "/");
                files.insert(file.clone(), format!("crate::{}::ALL", file.replace('/', "::")));
            }
        }
    }
    for module in ["of_message", "of_inbox", "of_workspace"] {
        files.insert(format!("wipe_rules/{module}"), format!("{module}::ALL"));
    }
    writeln!(out, "/// File names with their statements.\npub const FILES: &[(&str, &[&crate::Sql])] = &[")?;
    for (file, all) in files {
        writeln!(out, "    ({file:?}, {all}),")?;
    }
    writeln!(out, "];")?;
    Ok(())
}

/// Returns the first word.
fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(text)
}

/// Writes `forwarding_address` as `ForwardingAddress`. A name that is no record's is `Other`.
fn camel(name: &str) -> String {
    let camel: String = name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
    let records = [
        "Workspace",
        "Inbox",
        "Thread",
        "Message",
        "Content",
        "Envelope",
        "Draft",
        "Contact",
        "ForwardingAddress",
        "Event",
        "Webhook",
        "Domain",
        "Key",
        "User",
        "Session",
    ];
    if records.contains(&camel.as_str()) { camel } else { "Other".to_owned() }
}
