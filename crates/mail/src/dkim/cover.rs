//! The bytes that a signature covers: the selected header fields in canonical form, then the signature field itself
//! with an empty `b=` (RFC 6376 §3.7, §5.4.2).

use super::canon::{Canonicalization, push_field, push_relaxed};
use super::message::{SignedField, SignedMessage};
use super::signature::without_signature;
use std::collections::HashMap;

/// Returns the canonical header data that a signature field covers. A name that is repeated in `names` selects fields
/// from the bottom up; a name without a matching field contributes nothing.
pub(crate) fn header_data(
    message: &SignedMessage<'_>,
    names: &[String],
    own: &SignedField<'_>,
    canon: Canonicalization,
) -> Vec<u8> {
    let mut data = covered(message, names, canon);
    push_own(own, canon, &mut data);
    data
}

/// Returns the part of [`header_data`] that is the same for every signature over these names.
pub(super) fn covered(message: &SignedMessage<'_>, names: &[String], canon: Canonicalization) -> Vec<u8> {
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

/// Appends the signature field itself with an empty `b=` and without a line end.
pub(crate) fn push_own(own: &SignedField<'_>, canon: Canonicalization, data: &mut Vec<u8>) {
    let value = without_signature(own.value);
    match canon {
        Canonicalization::Relaxed => push_relaxed(own.name, &value, data),
        Canonicalization::Simple => {
            let head = own.raw.len() - own.value.len();
            let raw = [own.raw.get(..head).unwrap_or_default(), &value].concat();
            push_field(&SignedField { raw: &raw, ..*own }, canon, data);
            data.truncate(data.len() - 2);
        }
    }
}
