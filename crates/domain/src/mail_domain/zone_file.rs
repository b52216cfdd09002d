//! Formats records as lines of a zone file (RFC 1035 §5.1).

use super::ExpectedRecord;

/// The maximum number of bytes in one string of a TXT record (RFC 1035 §3.3.14).
const STRING_BYTES_MAX: usize = 255;
/// The time to live of the records, in seconds.
const TTL_SECONDS: u32 = 3_600;

/// Formats one line per record, with full names. Long texts are split into several strings.
#[must_use]
pub fn zone_file(records: &[ExpectedRecord]) -> String {
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
