//! The text of paragraphs and tables in parts of office documents (WordprocessingML and DrawingML).

use crate::{
    FileError,
    output::TextWriter,
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Elements whose text is not of the document: deleted text, the second form of something that is there twice, properties
/// before a change, and how a word is pronounced.
const SKIPPED: [&str; 9] =
    ["del", "moveFrom", "Fallback", "instrText", "delText", "pPrChange", "rPrChange", "sectPrChange", "rt"];

/// Writes the text of a part: a line for each paragraph, and for each row of a table.
pub(crate) fn write(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    write_labeled(source, out, &mut NoLabels)
}

/// Numbers and bullets of paragraphs. A program shows them before the text, but the text doesn't have them.
pub(crate) trait ParagraphLabels {
    /// An element begins.
    fn open(&mut self, name: &str, tag: &XmlTag<'_>);

    /// An element ends.
    fn close(&mut self, name: &str);

    /// Returns what stands before the text that begins; `None` within a paragraph.
    fn take(&mut self) -> Option<String>;
}

/// Paragraphs without numbers and bullets.
struct NoLabels;

impl ParagraphLabels for NoLabels {
    fn open(&mut self, _: &str, _: &XmlTag<'_>) {}

    fn close(&mut self, _: &str) {}

    fn take(&mut self) -> Option<String> {
        None
    }
}

/// Writes the text of a part with the labels of its paragraphs.
pub(crate) fn write_labeled(
    source: &str,
    out: &mut TextWriter,
    labels: &mut dyn ParagraphLabels,
) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let mut reader = ParagraphReader {
        out,
        labels,
        is_text: false,
        skipped: 0,
        cells: 0,
        cell: String::new(),
        run: RunState::Outside,
    };
    while let Some(step) = steps.next()? {
        if reader.out.is_full() {
            return Ok(());
        }
        match step {
            XmlStep::Open(tag) => reader.open(&tag),
            XmlStep::Close(name) => reader.close(&name),
            XmlStep::Text(text) if reader.is_text => reader.text(&text),
            XmlStep::Text(_) => {}
        }
    }
    Ok(())
}

/// Reads the text of a part.
struct ParagraphReader<'o> {
    out: &'o mut TextWriter,
    labels: &'o mut dyn ParagraphLabels,
    is_text: bool,
    /// Nesting of elements that are left out.
    skipped: usize,
    /// Nesting of cells.
    cells: usize,
    cell: String,
    run: RunState,
}

/// A run of text with the same properties.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunState {
    Outside,
    Visible,
    /// Its properties hide it from readers.
    Hidden,
}

impl ParagraphReader<'_> {
    fn open(&mut self, tag: &XmlTag<'_>) {
        let name = tag.name();
        self.is_text = false;
        if self.skipped > 0 || SKIPPED.contains(&&*name) {
            self.skipped += 1;
            return;
        }
        self.labels.open(&name, tag);
        match &*name {
            "t" => self.is_text = true,
            "r" => self.run = RunState::Visible,
            "vanish" if self.run == RunState::Visible && is_on(tag) => self.run = RunState::Hidden,
            "tab" | "br" | "cr" | "noBreakHyphen" if self.run == RunState::Hidden => {}
            "tab" if self.cells == 0 => self.out.push_char('\t'),
            "br" | "cr" if self.cells == 0 => self.out.push_char('\n'),
            "tab" | "br" | "cr" => self.cell.push(' '),
            "noBreakHyphen" if self.cells == 0 => self.out.push_char('-'),
            "noBreakHyphen" => self.cell.push('-'),
            "tc" => self.cells += 1,
            "lang" => tag.attribute("val").iter().for_each(|language| self.out.set_language(language)),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.is_text = false;
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.labels.close(name);
        match name {
            "r" => self.run = RunState::Outside,
            "p" if self.cells > 0 => self.cell.push(' '),
            "p" => self.out.end_line(),
            "tc" if self.cells == 1 => {
                self.cells = 0;
                self.out.cell(&std::mem::take(&mut self.cell));
            }
            "tc" => self.cells = self.cells.saturating_sub(1),
            "tr" if self.cells == 0 => self.out.end_line(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.run == RunState::Hidden {
            return self.out.hide(text);
        }
        let label = self.labels.take().map(|label| label + " ");
        for piece in label.as_deref().into_iter().chain([text]) {
            if self.cells > 0 { self.cell.push_str(piece) } else { self.out.push(piece) }
        }
    }
}

/// Returns whether a property that is on or off is on.
fn is_on(tag: &XmlTag<'_>) -> bool {
    tag.attribute("val").is_none_or(|value| !matches!(&*value, "0" | "false" | "off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> crate::FileText {
        let mut out = TextWriter::default();
        write(&format!("<w:body>{body}</w:body>"), &mut out).expect("readable");
        out.finish()
    }

    #[test]
    fn hidden_text_is_kept_for_the_screen() {
        let run = |properties: &str, text: &str| format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>");
        let table = [
            (run("<w:vanish/>", "unseen"), "a", "unseen"),
            (run("<w:b/><w:vanish w:val=\"1\"/><w:i/>", "unseen"), "a", "unseen"),
            (run("<w:vanish w:val=\"true\"/>", "unseen"), "a", "unseen"),
            (run("<w:vanish w:val=\"0\"/>", " b"), "a b", ""),
            (run("<w:vanish w:val=\"false\"/>", " b"), "a b", ""),
            (run("<w:vanish w:val=\"off\"/>", " b"), "a b", ""),
            (run("<w:webHidden/>", " b"), "a b", ""),
            (run("<w:specVanish/>", " b"), "a b", ""),
            (format!("{}{}", run("<w:vanish/>", "unseen"), run("", " b")), "a b", "unseen"),
            ("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t> b</w:t></w:r>".to_owned(), "a b", ""),
            (run("<w:vanish/>", "one</w:t><w:tab/><w:br/><w:noBreakHyphen/><w:t>two"), "a", "one\ntwo"),
        ];
        for (runs, expected, hidden) in &table {
            for (open, close) in [("", ""), ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>")] {
                let text = read(&format!("{open}<w:p><w:r><w:t>a</w:t></w:r>{runs}</w:p>{close}"));
                assert_eq!((&*text.pages.concat(), text.hidden.trim()), (*expected, *hidden), "{runs}");
            }
        }
    }
}
