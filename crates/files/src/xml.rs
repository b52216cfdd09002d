//! XML without document types, entities of its own and external references: none of them is ever resolved.

use std::borrow::Cow;

use encoding_rs::Encoding;
use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use crate::{FileError, limits::XML_DEPTH_MAX};

/// A step through a document.
pub(crate) enum XmlStep<'a> {
    /// An element begins.
    Open(XmlTag<'a>),
    /// The innermost element ends.
    Close(String),
    /// Text.
    Text(Cow<'a, str>),
}

/// The start tag of an element.
pub(crate) struct XmlTag<'a>(BytesStart<'a>);

impl XmlTag<'_> {
    /// Returns the name without its prefix.
    pub(crate) fn name(&self) -> String {
        self.0.local_name().as_ref().to_owned()
    }

    /// Returns the value of an attribute by its name without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// Returns the value of an attribute by its prefix and name.
    pub(crate) fn attribute_of(&self, prefix: &str, name: &str) -> Option<String> {
        self.find(|key| key.split_once(':') == Some((prefix, name)))
    }

    fn find(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let found = self.0.attributes().with_checks(false).flatten().find(|one| is_wanted(one.key.as_ref()))?;
        Some(found.normalized_value(XmlVersion::Implicit1_0).map_or_else(|_| found.value.to_string(), Cow::into_owned))
    }
}

/// Reads a document step by step. An empty element opens and closes.
pub(crate) struct XmlSteps<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    is_closing: Option<String>,
}

impl<'a> XmlSteps<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self { reader, depth: 0, is_closing: None }
    }

    /// Returns the next step; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<XmlStep<'a>>, FileError> {
        if let Some(name) = self.is_closing.take() {
            return Ok(Some(XmlStep::Close(name)));
        }
        loop {
            let event =
                self.reader.read_event().map_err(|_| FileError::parse("A part of the file is not valid XML."))?;
            return Ok(Some(match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > XML_DEPTH_MAX {
                        return Err(FileError::too_large("The file nests elements too deeply."));
                    }
                    XmlStep::Open(XmlTag(tag))
                }
                Event::Empty(tag) => {
                    self.is_closing = Some(tag.local_name().as_ref().to_owned());
                    XmlStep::Open(XmlTag(tag))
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    XmlStep::Close(tag.local_name().as_ref().to_owned())
                }
                Event::Text(text) => XmlStep::Text(text.xml10_content()),
                Event::CData(text) => XmlStep::Text(text.xml10_content()),
                Event::GeneralRef(reference) => match resolve(&reference) {
                    Some(c) => XmlStep::Text(Cow::Owned(c.to_string())),
                    None => continue,
                },
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            }));
        }
    }
}

/// Returns the character of a reference. Entities that a document declares have none.
fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok().flatten();
    }
    match reference.xml10_content().as_ref() {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => None,
    }
}

/// Decodes the bytes of a document by its byte order mark or declaration.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let label =
        head.split("encoding=").nth(1).and_then(|rest| rest.get(1..)).and_then(|rest| rest.split(['"', '\'']).next());
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(bytes).0
}
