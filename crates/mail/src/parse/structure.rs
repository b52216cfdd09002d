//! Splits a message into its MIME parts (RFC 2046 §5.1) in one pass over its lines.
//!
//! A delimiter must be a whole line, as the RFC requires. Each line is compared only with the open boundaries, of which
//! there are at most [`NESTING_DEPTH_MAX`], and no line is searched twice. So the time is linear for any
//! arrangement of boundaries. Attached messages aren't split.

use std::ops::Range;

use super::charset::{self, CharsetDetector, CharsetHints};
use super::content::PartHeader;
use super::{NESTING_DEPTH_MAX, PARTS_MAX};
use crate::header::{self, HeaderBlock};

/// Maximum length of a guessed boundary, in bytes (RFC 2046 §5.1.1).
const GUESSED_BOUNDARY_BYTES_MAX: usize = 70;

/// A MIME part: a leaf, or a multipart with children.
#[derive(Debug, Default)]
pub(crate) struct MimePart {
    pub(crate) content: PartHeader,
    pub(crate) body: Range<usize>,
    pub(crate) children: Vec<usize>,
    /// Whether this is a multipart that was split and has at least one part.
    pub(crate) is_multipart: bool,
}

/// All parts of a message. The first is the root.
#[derive(Debug, Default)]
pub(crate) struct MimeTree {
    pub(crate) nodes: Vec<MimePart>,
    pub(crate) limits_hit: bool,
}

impl MimeTree {
    /// Returns the first 8-bit character set that a text part declares.
    fn eight_bit_charset(&self) -> Option<&str> {
        let texts = self.nodes.iter().filter(|node| node.content.media_type.starts_with("text/"));
        texts.filter_map(|node| node.content.charset.as_deref()).find(|label| charset::is_eight_bit(label))
    }

    /// Returns what the message shows about the character set of its texts that don't state theirs: its raw header
    /// values, and the text parts without a known character set. `top_level` is the last label of the author's domain.
    pub(crate) fn charset_hints(
        &self,
        raw: &[u8],
        block: &HeaderBlock<'_>,
        top_level: Option<&str>,
    ) -> CharsetHints<'_> {
        let mut detector = CharsetDetector::new();
        for field in block.fields().filter(|field| charset::is_eight_bit_text(field.value)) {
            detector.add(field.value);
        }
        let texts = self.nodes.iter().filter(|node| node.content.media_type.starts_with("text/"));
        // Nearly all text that is stated to be UTF-8 is, so it's only decoded for the sake of raw header values.
        let reads_utf8 = !detector.is_empty();
        let is_stated = |label: &str| match charset::is_utf8(label) {
            true => !reads_utf8,
            false => charset::is_eight_bit(label) || charset::is_stateful(label),
        };
        let bodies = texts.filter(|node| !node.content.is_attachment && node.content.filename.is_none());
        let unstated = bodies.filter(|node| !node.content.charset.as_deref().is_some_and(is_stated));
        for node in unstated {
            if detector.bytes_left() == 0 {
                break;
            }
            // Quoted-printable needs at most three bytes for each.
            let bytes_max = 3 * detector.bytes_left();
            let body = &raw[node.body.clone()];
            let text = node.content.encoding.decode(&body[..body.len().min(bytes_max)]);
            if charset::is_eight_bit_text(&text) {
                detector.add(&text);
            }
        }
        let detected = (!detector.is_empty()).then(|| detector.encoding(top_level));
        CharsetHints { stated: self.eight_bit_charset(), detected }
    }
}

/// A multipart whose closing delimiter hasn't been reached.
struct OpenMultipart {
    node: usize,
    boundary: Vec<u8>,
}

/// A delimiter line.
struct Delimiter {
    /// Index of its multipart among the open multiparts.
    level: usize,
    closes: bool,
}

/// A line of a header section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// A field that belongs to the section, or its continuation.
    Expected,
    /// Another field, which may be text with a colon.
    OtherField,
    /// Not a field.
    Text,
}

struct Splitter<'a> {
    raw: &'a [u8],
    tree: MimeTree,
    open: Vec<OpenMultipart>,
    /// The leaf whose body is being scanned.
    leaf: Option<usize>,
}

/// Splits a message, which begins with its header section.
pub(crate) fn split(raw: &[u8]) -> MimeTree {
    let mut splitter = Splitter { raw, tree: MimeTree::default(), open: Vec::new(), leaf: None };
    let body = splitter.message_body();
    splitter.begin_part(PartHeader::read(&raw[..body]), body);
    splitter.run(body);
    splitter.tree
}

/// Returns whether a field belongs to the header of a part: only the `Content-` fields have a meaning there (RFC 2046
/// §5.1), and mail programs add their own.
fn is_part_field(name: &str) -> bool {
    let begins = |prefix: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    begins("content-") || begins("x-") || name.eq_ignore_ascii_case("mime-version")
}

/// Returns the boundary that a right-trimmed line may delimit (RFC 2046 §5.1.1). Excludes boundaries that no mailer
/// generates: those with spaces, those of dashes only, and those that end with dashes, as in
/// `-----Original Message-----`.
fn boundary_of(line: &[u8]) -> Option<&[u8]> {
    let boundary = line.strip_prefix(b"--")?;
    let is_legal = boundary.iter().all(|byte| byte.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(byte));
    let is_likely = boundary.iter().any(u8::is_ascii_alphanumeric) && !boundary.ends_with(b"--");
    (is_legal && is_likely && boundary.len() <= GUESSED_BOUNDARY_BYTES_MAX).then_some(boundary)
}

impl Splitter<'_> {
    fn run(&mut self, start: usize) {
        let mut position = start;
        while !self.open.is_empty() && position < self.raw.len() {
            let end = header::line_end(self.raw, position);
            let Some(delimiter) = self.delimiter(position, end) else {
                position = end;
                continue;
            };
            self.end_leaf(position);
            self.close_down_to(delimiter.level + usize::from(!delimiter.closes), position);
            position = end;
            if !delimiter.closes {
                if self.tree.nodes.len() >= PARTS_MAX {
                    self.attach_rest(end);
                    return;
                }
                position = self.read_part(end);
            }
        }
        self.end_leaf(self.raw.len());
        self.close_down_to(0, self.raw.len());
    }

    fn delimiter(&self, start: usize, end: usize) -> Option<Delimiter> {
        let line = self.raw[start..end].strip_prefix(b"--")?;
        for (level, open) in self.open.iter().enumerate().rev() {
            let Some(tail) = line.strip_prefix(&*open.boundary) else {
                continue;
            };
            if tail.starts_with(b"--") {
                return Some(Delimiter { level, closes: true });
            }
            if tail.iter().all(u8::is_ascii_whitespace) {
                return Some(Delimiter { level, closes: false });
            }
        }
        None
    }

    /// Reads the header section at `start` and begins its part. Returns the offset of the body.
    fn read_part(&mut self, start: usize) -> usize {
        let first = &self.raw[start..header::line_end(self.raw, start)];
        let has_header = header::is_blank(first) || header::field_name(first).is_some();
        let body = if has_header { self.read_header(start, is_part_field) } else { start };
        self.begin_part(PartHeader::read(&self.raw[start..body]), body);
        body
    }

    /// Returns the offset of the body of the message: after its header, or at a delimiter directly below its fields.
    fn message_body(&self) -> usize {
        let body = header::body_offset(self.raw);
        let fields_end = self.read_header(0, |_| true);
        let begins_with_part = self.raw[fields_end..].strip_prefix(b"--").is_some_and(|line| {
            let boundary = PartHeader::read(&self.raw[..fields_end]).boundary;
            boundary.is_some_and(|boundary| line.starts_with(&boundary))
        });
        if begins_with_part || body == self.raw.len() { fields_end } else { body }
    }

    /// Returns the offset of the body below the header section at `start`: after its empty line (RFC 2046 §5.1).
    ///
    /// A section may lack that line. It then ends below its last field that `is_expected`: at a line that begins with
    /// `--`, which is a delimiter, or if a line follows that isn't a field.
    fn read_header(&self, start: usize, is_expected: impl Fn(&str) -> bool) -> usize {
        let mut position = start;
        let mut fields_end = start;
        let mut line_before = LineKind::Text;
        let mut has_text = false;
        while position < self.raw.len() {
            let end = header::line_end(self.raw, position);
            let line = &self.raw[position..end];
            if header::is_blank(line) {
                return if has_text { fields_end } else { end };
            }
            if line.starts_with(b"--") {
                return fields_end;
            }
            line_before = match header::field_name(line) {
                _ if line.starts_with(b" ") || line.starts_with(b"\t") => line_before,
                Some((name, _)) if is_expected(name) => LineKind::Expected,
                Some(_) => LineKind::OtherField,
                // A line that a mailer folded without the blank of a continuation.
                None if line_before == LineKind::Expected
                    && self.raw[start..position].trim_ascii_end().ends_with(b";") =>
                {
                    line_before
                }
                None => LineKind::Text,
            };
            if line_before == LineKind::Expected {
                (fields_end, has_text) = (end, false);
            }
            has_text |= line_before == LineKind::Text;
            position = end;
        }
        fields_end
    }

    fn begin_part(&mut self, mut content: PartHeader, body: usize) {
        let index = self.tree.nodes.len();
        let in_digest =
            self.open.last().is_some_and(|open| self.tree.nodes[open.node].content.media_type == "multipart/digest");
        if content.media_type.is_empty() {
            let implied = if in_digest { "message/rfc822" } else { "text/plain" };
            content.media_type = implied.to_owned();
        }
        if let Some(open) = self.open.last() {
            self.tree.nodes[open.node].children.push(index);
        }
        let mut boundary = content.boundary.take().filter(|_| content.is_multipart());
        let too_deep = self.open.len() >= NESTING_DEPTH_MAX;
        if boundary.is_none() && content.is_multipart() && !too_deep {
            boundary = self.guessed_boundary(body);
            if boundary.is_none() {
                content.media_type = "text/plain".to_owned();
            }
        }
        self.tree.limits_hit |= too_deep && boundary.is_some();
        match boundary {
            Some(boundary) if !too_deep => self.open.push(OpenMultipart { node: index, boundary }),
            _ => self.leaf = Some(index),
        }
        self.tree.nodes.push(MimePart { content, body: body..self.raw.len(), ..MimePart::default() });
    }

    /// Guesses the boundary of a multipart without a `boundary` parameter: the first line of the body at `start` that
    /// looks like a delimiter. The search ends at a delimiter of an open multipart, so that no line is searched for two
    /// parts.
    fn guessed_boundary(&self, start: usize) -> Option<Vec<u8>> {
        let mut position = start;
        let mut after_text = false;
        while position < self.raw.len() {
            let end = header::line_end(self.raw, position);
            if self.delimiter(position, end).is_some() {
                return None;
            }
            let line = self.raw[position..end].trim_ascii_end();
            // After text, the line might be a ruler or a signature separator, unless a part begins on the next line.
            if let Some(boundary) = boundary_of(line).filter(|_| !after_text || self.begins_part(end)) {
                return Some(boundary.to_vec());
            }
            after_text |= !line.is_empty();
            position = end;
        }
        None
    }

    fn begins_part(&self, position: usize) -> bool {
        let line = &self.raw[position..header::line_end(self.raw, position)];
        header::is_blank(line) || header::field_name(line).is_some()
    }

    /// Ends the current leaf before the delimiter at `position`. The preceding line end belongs to the delimiter.
    fn end_leaf(&mut self, position: usize) {
        let Some(index) = self.leaf.take() else {
            return;
        };
        let start = self.tree.nodes[index].body.start;
        self.tree.nodes[index].body = start..self.part_end(start, position);
    }

    fn part_end(&self, start: usize, position: usize) -> usize {
        if position == self.raw.len() {
            return position;
        }
        let body = &self.raw[start.min(position)..position];
        let body = body.strip_suffix(b"\n").unwrap_or(body);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        start.min(position) + body.len()
    }

    /// Closes the innermost multiparts until only `depth` are open.
    fn close_down_to(&mut self, depth: usize, position: usize) {
        while self.open.len() > depth {
            let Some(open) = self.open.pop() else {
                return;
            };
            let node = &mut self.tree.nodes[open.node];
            node.is_multipart = !node.children.is_empty();
            node.body.end = position.max(node.body.start);
            if !node.is_multipart {
                // Declared as multipart but without any parts: treat the body as text.
                node.content.media_type = "text/plain".to_owned();
            }
        }
    }

    /// Handles the part limit: everything from `start` on becomes one last attachment.
    fn attach_rest(&mut self, start: usize) {
        self.tree.limits_hit = true;
        let content = PartHeader {
            media_type: "application/octet-stream".to_owned(),
            is_attachment: true,
            ..PartHeader::default()
        };
        self.begin_part(content, start);
        self.end_leaf(self.raw.len());
        self.close_down_to(0, self.raw.len());
    }
}
