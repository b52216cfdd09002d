//! Parameters of a MIME field value: `; name=value; name="value"` (RFC 2045 §5.1, RFC 2231). Never fails: a quote that is
//! not closed ends with the text. Every character is read once. Comments are not known here.

/// One parameter as it stands in the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name in lower case, with the stars of RFC 2231; may be any text.
    pub(crate) name: String,
    /// The value without its quotes and escapes.
    pub(crate) value: String,
}

/// Iterator over the parameters of a field; made by [`parameters`].
#[derive(Debug, Clone)]
pub(crate) struct Parameters<'a> {
    rest: &'a str,
}

/// The parameters of an unfolded value, in order: what stands behind its first semicolon. Words without `=` are none.
pub(crate) fn parameters(value: &str) -> Parameters<'_> {
    Parameters { rest: after_semicolon(value) }
}

impl Iterator for Parameters<'_> {
    type Item = Parameter;

    fn next(&mut self) -> Option<Parameter> {
        while !self.rest.is_empty() {
            let end = self.rest.find(['=', ';']).unwrap_or(self.rest.len());
            let (name, tail) = self.rest.split_at(end);
            let Some(tail) = tail.strip_prefix('=') else {
                self.rest = after_semicolon(tail);
                continue;
            };
            let (value, rest) = value(tail.trim_start());
            self.rest = rest;
            return Some(Parameter { name: name.trim().to_ascii_lowercase(), value });
        }
        None
    }
}

/// The value at the start of `text`, and what stands behind the semicolon that ends it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let value = text.split(';').next().unwrap_or_default();
        return (value.trim_end().to_owned(), after_semicolon(&text[value.len()..]));
    };
    let mut value = String::new();
    let mut rest = quoted.chars();
    while let Some(next) = rest.next() {
        match next {
            '"' => break,
            '\\' => value.extend(rest.next()),
            other => value.push(other),
        }
    }
    (value, after_semicolon(rest.as_str()))
}

fn after_semicolon(text: &str) -> &str {
    text.split_once(';').map_or("", |(_, rest)| rest)
}
