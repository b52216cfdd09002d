//! Renders a domain and its records for a terminal of 80 columns.
//!
//! A value begins at the left margin and has its lines to itself, so that it can be copied. A value of several lines is
//! broken without a space.

use serde_json::Value;

/// Width of a terminal.
const COLUMNS: usize = 80;
/// Width of the columns before the name.
const BEFORE_NAME: usize = 38;

/// The records whose values are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Values {
    /// All records.
    All,
    /// Records that are missing or wrong.
    NotOk,
}

/// Renders a domain with its records.
pub(super) fn domain(view: &Value, values: Values) -> String {
    let records = records(view);
    let mut lines: Vec<String> = pieces(&title(view), COLUMNS).map(str::to_owned).collect();
    lines.push(format!("id {}", text(view, "id")));
    lines.push(format!("workspace {}", text(view, "workspace_id")));
    lines.push(String::new());
    lines.push(row(["RECORD", "TYPE", "NEEDED", "FOUND"], "NAME"));
    for record in records {
        let needed = if record["required"] == true { "yes" } else { "no" };
        let cells = [text(record, "key"), text(record, "type"), needed, text(record, "status")];
        let mut names = pieces(text(record, "name"), COLUMNS - BEFORE_NAME);
        lines.push(row(cells, names.next().unwrap_or_default()));
        lines.extend(names.map(|rest| format!("{:BEFORE_NAME$}{rest}", "")));
    }
    for remark in records.iter().flat_map(remarks) {
        lines.extend(pieces(&remark, COLUMNS).map(str::to_owned));
    }
    let shown: Vec<&Value> =
        records.iter().filter(|record| values == Values::All || record["status"] != "ok").collect();
    if !shown.is_empty() {
        lines.push(String::new());
        lines.push("Values to publish (join the lines of a value without spaces):".to_owned());
    }
    for record in shown {
        lines.push(String::new());
        let host = format!("{} {} at {}", text(record, "key"), text(record, "type"), text(record, "host"));
        lines.extend(pieces(&host, COLUMNS).map(str::to_owned));
        lines.extend(pieces(text(record, "value"), COLUMNS).map(str::to_owned));
    }
    lines.join("\n")
}

/// Counts the required records that are missing or wrong.
pub(super) fn count_wrong(view: &Value) -> usize {
    records(view).iter().filter(|record| record["required"] == true && record["status"] != "ok").count()
}

fn records(view: &Value) -> &[Value] {
    view["records"].as_array().map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}

/// Renders name and status in one line.
pub(super) fn title(view: &Value) -> String {
    let receiving = match (text(view, "status"), view["receiving"] == true) {
        ("disabled", _) => "neither receives nor sends mail",
        (_, true) => "receives and sends mail",
        (_, false) => "only sends mail",
    };
    let mut title = format!("{} is {} and {receiving}", text(view, "domain"), text(view, "status"));
    if let Some(provider) = view["dns"]["provider"]["name"].as_str() {
        title.push_str(&format!("; its DNS is at {provider}"));
    }
    title
}

fn row([record, kind, needed, found]: [&str; 4], name: &str) -> String {
    format!("{record:<13} {kind:<5} {needed:<7} {found:<9} {name}").trim_end().to_owned()
}

/// Lists the values that were found instead, the mistake, and what to change.
fn remarks(record: &Value) -> Vec<String> {
    let key = text(record, "key");
    let found = record["found"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut lines: Vec<String> = found.map(|value| format!("{key}: found instead: {value}")).collect();
    lines.extend(["message", "fix"].iter().filter_map(|part| Some(format!("{key}: {}", record[*part].as_str()?))));
    lines
}

/// Splits a text into pieces of at most `columns` characters.
fn pieces(text: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(columns).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_fit_and_split_values_can_be_joined() {
        let (name, value) =
            (format!("s1._domainkey.{}.example", "a".repeat(60)), format!("v=DKIM1; p={}", "B".repeat(400)));
        let record = |key: &str, status: &str| json!({ "key": key, "type": "TXT", "name": name, "host": name, "value": value, "required": true, "status": status });
        let id = "01a1fc1c-b8d4-7000-8381-31e717a32a3e";
        let view = json!({
            "id": id, "workspace_id": id, "domain": "a.example", "status": "pending", "receiving": true,
            "records": [record("dkim_previous", "mismatch"), record("dkim", "ok")],
        });
        let shown = domain(&view, Values::All);
        assert!(shown.lines().all(|line| line.chars().count() <= COLUMNS), "{shown}");
        let (_, values) = shown.split_once("dkim_previous TXT at").expect("the values follow the table");
        let joined: String = values.lines().skip(2).take_while(|line| !line.is_empty()).collect();
        assert_eq!(joined, value);
        assert_eq!(domain(&view, Values::NotOk).matches("v=DKIM1").count(), 1);
        assert_eq!(count_wrong(&view), 1);
    }
}
