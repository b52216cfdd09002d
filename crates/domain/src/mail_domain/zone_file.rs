//! Records as lines of a zone file (RFC 1035 §5.1).

use super::Expected;

/// Bytes of one string of a text record (RFC 1035 §3.3.14).
const STRING_BYTES_MAX: usize = 255;
/// Seconds that resolvers may keep the records.
const TTL_SECONDS: u32 = 3_600;

/// One line a record, names in full. Long texts are split into strings.
#[must_use]
pub fn zone_file(records: &[Expected]) -> String {
    let mut text = String::new();
    for record in records {
        let value = match record.key.kind() {
            "MX" => format!("{}.", record.value),
            _ => quoted(&record.value),
        };
        text.push_str(&format!("{}. {TTL_SECONDS} IN {} {value}\n", record.name, record.key.kind()));
    }
    text
}

fn quoted(value: &str) -> String {
    let mut strings: Vec<String> = vec![String::new()];
    let mut bytes = 0;
    for c in value.chars() {
        if bytes + c.len_utf8() > STRING_BYTES_MAX {
            strings.push(String::new());
            bytes = 0;
        }
        bytes += c.len_utf8();
        if let Some(last) = strings.last_mut() {
            if matches!(c, '"' | '\\') {
                last.push('\\');
            }
            last.push(c);
        }
    }
    let each: Vec<String> = strings.iter().map(|string| format!("\"{string}\"")).collect();
    each.join(" ")
}
