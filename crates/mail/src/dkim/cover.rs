//! The bytes a signature covers: the chosen header fields in canonical form, then the signature's own field without
//! its signature (RFC 6376 §3.7, §5.4.2).

use super::canon::{Canon, push_field, push_relaxed};
use super::message::{Field, Message};
use super::signature::without_signature;
use std::collections::HashMap;

/// Canonical header data of a signature field over `names`. Repeated names take fields from the bottom up; a name
/// without a (further) field contributes nothing.
pub(crate) fn header_data(message: &Message<'_>, names: &[String], own: &Field<'_>, canon: Canon) -> Vec<u8> {
    let mut data = covered(message, names, canon);
    push_own(own, canon, &mut data);
    data
}

/// The part of [`header_data`] that is the same for every signature over these names.
pub(super) fn covered(message: &Message<'_>, names: &[String], canon: Canon) -> Vec<u8> {
    let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
    for name in names {
        positions.entry(name.to_ascii_lowercase()).or_default();
    }
    for (at, field) in message.fields.iter().enumerate() {
        let name = String::from_utf8_lossy(field.name).to_ascii_lowercase();
        if let Some(list) = positions.get_mut(&name) {
            list.push(at);
        }
    }
    let mut data = Vec::with_capacity(1024);
    for name in names {
        let position = positions.get_mut(&name.to_ascii_lowercase()).and_then(Vec::pop);
        if let Some(field) = position.and_then(|at| message.fields.get(at)) {
            push_field(field, canon, &mut data);
        }
    }
    data
}

/// Appends a signature's own field with an empty `b=` and without a line end.
pub(crate) fn push_own(own: &Field<'_>, canon: Canon, data: &mut Vec<u8>) {
    let value = without_signature(own.value);
    match canon {
        Canon::Relaxed => push_relaxed(own.name, &value, data),
        Canon::Simple => {
            let head = own.raw.len() - own.value.len();
            let raw = [own.raw.get(..head).unwrap_or_default(), &value].concat();
            push_field(&Field { raw: &raw, ..*own }, canon, data);
            data.truncate(data.len() - 2);
        }
    }
}
