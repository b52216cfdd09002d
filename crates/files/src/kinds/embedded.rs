//! Files inside of an office document: workbooks and documents that it embeds (ECMA-376 Part 1 §15.2.10 and §15.2.11), packed
//! as objects of OLE or not ([MS-OLEDS]).

use std::io::{Cursor, Read};

use cfb::CompoundFile;

use super::{mail::field, relations::related, text::write_lines};
use crate::{
    FileError, FileErrorCode, FileHints,
    archive::Archive,
    limits::{MAIL_DEPTH_MAX, STREAM_BYTES_MAX},
    output::TextWriter,
};

/// Embedded files that are read.
const FILES_MAX: usize = 50;
/// Streams of an object that are a file.
const FILE_STREAMS: [&str; 2] = ["/Package", "/CONTENTS"];
/// The stream of an object that has a file after its names.
const NATIVE_STREAM: &str = "/\u{1}Ole10Native";

/// The embedded files of a document while it is read.
pub(crate) struct EmbeddedFiles {
    /// Levels of files around the document.
    depth: usize,
    /// The names of the parts that were read.
    known: Vec<String>,
}

impl EmbeddedFiles {
    pub(crate) fn new(depth: usize) -> Self {
        Self { depth, known: Vec::new() }
    }

    /// Writes the text of the files that a part embeds, each after a line with its name. Objects without text are left out.
    pub(crate) fn write(
        &mut self,
        archive: &mut Archive<'_>,
        part: &str,
        out: &mut TextWriter,
    ) -> Result<(), FileError> {
        for (relation, name) in related(archive, part)? {
            let is_object = relation.kind.ends_with("/oleObject");
            if !(is_object || relation.kind.ends_with("/package")) || self.known.contains(&name) || out.is_full() {
                continue;
            }
            if self.known.len() >= FILES_MAX || self.depth >= MAIL_DEPTH_MAX {
                out.leave_out();
                break;
            }
            match archive.read_embedded(&name) {
                Ok(Some(bytes)) => self.write_file(EmbeddedFile::of(&name, bytes), out),
                Ok(None) => {}
                Err(_) => out.leave_out(),
            }
            self.known.push(name);
        }
        Ok(())
    }

    /// Writes the text of an embedded file that is a part of a document of another kind.
    pub(crate) fn write_part(&self, name: &str, bytes: Vec<u8>, out: &mut TextWriter) {
        if self.depth >= MAIL_DEPTH_MAX {
            return out.leave_out();
        }
        self.write_file(EmbeddedFile::of(name, bytes), out);
    }

    fn write_file(&self, file: EmbeddedFile, out: &mut TextWriter) {
        let hints = FileHints { filename: Some(file.name.clone()), ..FileHints::default() };
        match crate::read_nested(&hints, &file.bytes, self.depth + 1) {
            Ok(text) if !text.is_empty() => {
                out.end_line();
                field(out, "embedded file", &file.name);
                text.pages.iter().for_each(|page| write_lines(out, page));
                out.end_line();
                out.hide(&text.hidden);
                if text.is_truncated {
                    out.leave_out();
                }
            }
            Err(error) if error.code == FileErrorCode::TooLarge => out.leave_out(),
            Ok(_) | Err(_) => {}
        }
    }
}

/// An embedded file.
#[derive(PartialEq, Eq, Debug)]
struct EmbeddedFile {
    name: String,
    bytes: Vec<u8>,
}

impl EmbeddedFile {
    /// Returns the file in a part, without the object around it.
    fn of(part: &str, bytes: Vec<u8>) -> Self {
        let name = part.rsplit('/').next().unwrap_or(part).to_owned();
        let Ok(mut object) = CompoundFile::open(Cursor::new(bytes.as_slice())) else { return Self { name, bytes } };
        let mut stream = |path: &str| {
            let mut content = Vec::new();
            object.open_stream(path).ok()?.take(STREAM_BYTES_MAX).read_to_end(&mut content).ok()?;
            Some(content)
        };
        if let Some(content) = FILE_STREAMS.into_iter().find_map(&mut stream) {
            return Self { name, bytes: content };
        }
        match stream(NATIVE_STREAM).and_then(|content| Self::of_native(&content)) {
            Some(file) => file,
            None => Self { name, bytes },
        }
    }

    /// Returns the file in a stream that has its size, its name, its paths and then its bytes.
    fn of_native(stream: &[u8]) -> Option<Self> {
        let after_text = |rest: &[u8]| rest.iter().position(|byte| *byte == 0).map(|end| end + 1);
        let (_, rest) = stream.split_at_checked(6)?;
        let (name, rest) = rest.split_at_checked(after_text(rest)?)?;
        let (_, rest) = rest.split_at_checked(after_text(rest)?)?;
        let (_, rest) = rest.split_at_checked(4)?;
        let (_, rest) = sized(rest)?;
        let (bytes, _) = sized(rest)?;
        let name = String::from_utf8_lossy(&name[..name.len() - 1]);
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        Some(Self { name, bytes: bytes.to_vec() })
    }
}

/// Splits bytes after their length from what follows.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*size)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{archive, read_named, workbook_of};

    /// Returns an object with a stream.
    fn object(path: &str, content: &[u8]) -> Vec<u8> {
        let mut file = CompoundFile::create(Cursor::new(Vec::new())).expect("an object");
        std::io::Write::write_all(&mut file.create_stream(path).expect("a stream"), content).expect("written");
        file.flush().expect("written");
        file.into_inner().into_inner()
    }

    fn native(name: &str, content: &[u8]) -> Vec<u8> {
        let text = |text: &str| [text.as_bytes(), b"\0"].concat();
        let sized = |bytes: &[u8]| [&u32::try_from(bytes.len()).expect("small").to_le_bytes(), bytes].concat();
        let rest = [
            b"\x02\0".to_vec(),
            text(name),
            text(&format!("C:\\{name}")),
            b"\0\0\x03\0".to_vec(),
            sized(&text("C:\\temp")),
            sized(content),
        ];
        sized(&rest.concat())
    }

    fn relations(kind: &str, target: &str) -> String {
        format!(r#"<Relationships><Relationship Id="r9" Type="x/{kind}" Target="{target}"/></Relationships>"#)
    }

    fn document(kind: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
        archive(&[
            ("word/document.xml", b"<w:document><w:p><w:t>Report</w:t></w:p></w:document>".as_slice()),
            ("word/_rels/document.xml.rels", relations(kind, &format!("embeddings/{name}")).as_bytes()),
            (&format!("word/embeddings/{name}"), bytes),
        ])
    }

    fn slides(kind: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
        let part = format!("ppt/embeddings/{name}");
        archive(&[
            ("ppt/presentation.xml", br#"<p:sldId r:id="s"/>"#.as_slice()),
            ("ppt/_rels/presentation.xml.rels", br#"<Relationship Id="s" Type="x/slide" Target="slides/s.xml"/>"#),
            ("ppt/slides/s.xml", b"<p:sld><a:p><a:r><a:t>Report</a:t></a:r></a:p></p:sld>"),
            ("ppt/slides/_rels/s.xml.rels", relations(kind, &format!("../embeddings/{name}")).as_bytes()),
            (&part, bytes),
        ])
    }

    fn sheet(kind: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
        workbook_of(&[
            ("xl/_rels/s.xml.rels", relations(kind, &format!("embeddings/{name}")).as_bytes()),
            (&format!("xl/embeddings/{name}"), bytes),
        ])
    }

    #[test]
    fn embedded_files_are_read_after_the_text() {
        let book = workbook_of(&[]);
        let table = [
            ("package", "Book1.xlsx", book.clone(), "Embedded file: Book1.xlsx\na\ncell"),
            ("oleObject", "o.bin", object("/Package", &book), "Embedded file: o.bin\na\ncell"),
            ("oleObject", "o.bin", object("/CONTENTS", b"{\\rtf1 words}"), "Embedded file: o.bin\nwords"),
            (
                "oleObject",
                "o.bin",
                object("/\u{1}Ole10Native", &native("plan.txt", b"words")),
                "Embedded file: plan.txt\nwords",
            ),
            ("package", "a.txt", b"words".to_vec(), "Embedded file: a.txt\nwords"),
            ("oleObject", "o.bin", object("/Equation Native", b"x"), ""),
            ("oleObject", "o.bin", object("/\u{1}Ole10Native", &native("plan.txt", b"words")[..30]), ""),
            ("package", "a.xlsx", b"PK\x03\x04 damaged".to_vec(), ""),
            ("package", "a.txt", Vec::new(), ""),
            ("image", "a.txt", b"words".to_vec(), ""),
        ];
        for (kind, name, bytes, expected) in &table {
            for (file, of, text) in [
                ("a.docx", document as fn(&str, &str, &[u8]) -> Vec<u8>, "Report"),
                ("a.pptx", slides, "Report"),
                ("a.xlsx", sheet, "a\ncell"),
            ] {
                let read = read_named(file, &of(kind, name, bytes)).pages.concat();
                assert_eq!(read, format!("{text}\n{expected}").trim_end(), "{file} {kind} {name}");
            }
        }
    }

    #[test]
    fn files_that_are_nested_too_deeply_are_left_out() {
        let mut file = b"innermost".to_vec();
        let mut name = "a.txt";
        for depth in 0..7 {
            let read = read_named(name, &file);
            assert_eq!(read.is_truncated, depth > MAIL_DEPTH_MAX, "{depth}");
            assert_eq!(read.pages.concat().contains("innermost"), depth <= MAIL_DEPTH_MAX, "{depth}");
            file = document("package", name, &file);
            name = "a.docx";
        }
    }

    /// A large file inside must not use what the document itself may unpack to.
    #[test]
    fn a_large_embedded_file_costs_itself_alone() {
        let large = vec![0; 50 * 1024 * 1024];
        for of in [document, slides] {
            let read = read_named("a.docx", &of("oleObject", "o.bin", &large));
            assert!(read.is_truncated);
            assert_eq!(read.pages.concat(), "Report");
        }
    }
}
