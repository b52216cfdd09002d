//! The text of paragraphs and tables in parts of office documents (WordprocessingML and DrawingML).

mod notes;
mod styles;

pub(crate) use self::{notes::NoteMarks, styles::TextStyles};

use super::symbols::SymbolFont;
use crate::{
    FileError,
    limits::ROW_CELLS_MAX,
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

/// What a part of a document shares with its other parts.
pub(crate) struct PartContext<'c> {
    /// Numbers and bullets.
    pub(crate) labels: &'c mut dyn ParagraphLabels,
    /// The styles that the part names.
    pub(crate) styles: &'c TextStyles,
    /// The marks of notes, in the text and before the notes.
    pub(crate) marks: &'c mut NoteMarks,
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
pub(crate) struct NoLabels;

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
    let context = PartContext { labels, styles: &TextStyles::default(), marks: &mut NoteMarks::default() };
    write_styled(source, out, context)
}

/// Writes the text of a part with the labels of its paragraphs, and without what its styles hide.
pub(crate) fn write_styled(source: &str, out: &mut TextWriter, context: PartContext<'_>) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let paragraph = ParagraphState::default();
    let mut reader = ParagraphReader {
        out,
        context,
        is_text: false,
        skipped: 0,
        cells: 0,
        cell: TableCell::default(),
        paragraph,
        outer: Vec::new(),
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
struct ParagraphReader<'o, 'c> {
    out: &'o mut TextWriter,
    context: PartContext<'c>,
    is_text: bool,
    /// Nesting of elements that are left out.
    skipped: usize,
    /// Nesting of cells.
    cells: usize,
    cell: TableCell,
    paragraph: ParagraphState,
    /// The paragraphs around the paragraph, which is in a text box.
    outer: Vec<ParagraphState>,
}

/// A cell of a table.
#[derive(Default)]
struct TableCell {
    text: String,
    /// Columns beyond the first one.
    more_columns: usize,
}

/// The properties of a paragraph and of its run, which is a text with the same properties.
#[derive(Clone, Default)]
struct ParagraphState {
    style: Option<String>,
    is_in_run: bool,
    run_style: Option<String>,
    /// Whether the run itself says that it is hidden.
    is_hidden: Option<bool>,
    font: Option<SymbolFont>,
}

impl ParagraphState {
    fn begin_run(&mut self) {
        *self = Self { style: self.style.take(), is_in_run: true, ..Self::default() };
    }

    fn end_run(&mut self) {
        *self = Self { style: self.style.take(), ..Self::default() };
    }
}

impl ParagraphReader<'_, '_> {
    fn open(&mut self, tag: &XmlTag<'_>) {
        let name = tag.name();
        self.is_text = false;
        if self.skipped > 0 || SKIPPED.contains(&&*name) {
            self.skipped += 1;
            return;
        }
        self.context.labels.open(&name, tag);
        match &*name {
            "t" => self.is_text = true,
            "p" => self.outer.push(std::mem::take(&mut self.paragraph)),
            "r" => self.paragraph.begin_run(),
            "tc" => self.cells += 1,
            "gridSpan" if self.cells == 1 => self.cell.more_columns = columns_of(tag).saturating_sub(1),
            "gridBefore" if self.cells == 0 => (0..columns_of(tag)).for_each(|_| self.out.cell("")),
            "lang" => tag.attribute("val").iter().for_each(|language| self.out.set_language(language)),
            "pStyle" => self.paragraph.style = tag.attribute("val"),
            name if self.paragraph.is_in_run => self.open_in_run(name, tag),
            // Outside of runs, a tab is a place where tabs stop.
            "br" => self.write("\n"),
            name => self.context.marks.begin_note(name, tag),
        }
    }

    fn open_in_run(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "rStyle" => self.paragraph.run_style = tag.attribute("val"),
            "vanish" => self.paragraph.is_hidden = Some(is_on(tag)),
            "rFonts" => self.set_font(tag.attribute("ascii")),
            "latin" => self.set_font(tag.attribute("typeface")),
            "tab" | "ptab" => self.write("\t"),
            "br" | "cr" => self.write("\n"),
            "noBreakHyphen" => self.write("-"),
            "sym" => self.symbol(tag),
            name => {
                if let Some(mark) = self.context.marks.mark(name, tag) {
                    self.write(&mark);
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        self.is_text = false;
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.context.labels.close(name);
        match name {
            "r" => self.paragraph.end_run(),
            "p" => {
                self.paragraph = self.outer.pop().unwrap_or_default();
                if self.cells > 0 { self.cell.text.push(' ') } else { self.out.end_line() }
            }
            "tc" if self.cells == 1 => {
                self.cells = 0;
                let TableCell { text, more_columns } = std::mem::take(&mut self.cell);
                self.out.cell(&text);
                (0..more_columns).for_each(|_| self.out.cell(""));
            }
            "tc" => self.cells = self.cells.saturating_sub(1),
            "tr" if self.cells == 0 => self.out.end_line(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let signs: Option<String> = self.paragraph.font.as_ref().map(|font| {
            let shown = text.chars().map(|c| font.sign(u32::from(c)).unwrap_or(c));
            shown.collect()
        });
        self.words(signs.as_deref().unwrap_or(text));
    }

    /// A sign by its font and its code (ECMA-376 Part 1, §17.3.3.30).
    fn symbol(&mut self, tag: &XmlTag<'_>) {
        let font = tag.attribute("font").and_then(|font| SymbolFont::named(&font));
        let code = tag.attribute("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
        if let Some(sign) = font.zip(code).and_then(|(font, code)| font.sign(code)) {
            self.words(sign.encode_utf8(&mut [0; 4]));
        }
    }

    /// Writes words after the label of their paragraph.
    fn words(&mut self, text: &str) {
        if self.is_hidden() {
            return self.out.hide(text);
        }
        if let Some(label) = self.context.labels.take() {
            self.write(&label);
            self.write(" ");
        }
        self.write(text);
    }

    /// Writes what may also be white space, unless it is hidden.
    fn write(&mut self, text: &str) {
        match text {
            _ if self.is_hidden() => {}
            "\t" | "\n" if self.cells > 0 => self.cell.text.push(' '),
            _ if self.cells > 0 => self.cell.text.push_str(text),
            _ => self.out.push(text),
        }
    }

    fn set_font(&mut self, name: Option<String>) {
        self.paragraph.font = name.and_then(|name| SymbolFont::named(&name));
    }

    /// Returns whether the run is hidden, by itself or by its styles.
    fn is_hidden(&self) -> bool {
        let ParagraphState { style, run_style, is_hidden, is_in_run, .. } = &self.paragraph;
        let by_style = || self.context.styles.hide(style.as_deref(), run_style.as_deref());
        *is_in_run && is_hidden.unwrap_or_else(by_style)
    }
}

/// Returns how many columns of a table a cell or a gap has.
fn columns_of(tag: &XmlTag<'_>) -> usize {
    tag.attribute("val").and_then(|count| count.parse().ok()).unwrap_or(1).min(ROW_CELLS_MAX)
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
    fn styles_hide_text() {
        let styles = "<w:styles><w:style w:type='character' w:styleId='Base'><w:rPr><w:vanish/></w:rPr></w:style>\
             <w:style w:type='character' w:styleId='Child'><w:basedOn w:val='Base'/></w:style>\
             <w:style w:type='character' w:styleId='Shown'><w:basedOn w:val='Base'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>\
             <w:style w:type='paragraph' w:styleId='Para'><w:basedOn w:val='Normal'/><w:rPr><w:vanish/></w:rPr></w:style>\
             <w:style w:type='paragraph' w:styleId='Loop'><w:basedOn w:val='Loop'/></w:style></w:styles>";
        let run = |style: &str, direct: &str| {
            format!("<w:r><w:rPr><w:rStyle w:val='{style}'/>{direct}</w:rPr><w:t>x</w:t></w:r>")
        };
        let table = [
            ("", run("Base", ""), true),
            ("", run("Child", ""), true),
            ("", run("Shown", ""), false),
            ("", run("Unknown", ""), false),
            ("", run("Child", "<w:vanish w:val='0'/>"), false),
            ("Para", "<w:r><w:t>x</w:t></w:r>".to_owned(), true),
            ("Para", "<w:r><w:rPr><w:vanish w:val='false'/></w:rPr><w:t>x</w:t></w:r>".to_owned(), false),
            ("Para", "<w:r><w:rPr><w:b/></w:rPr><w:t>x</w:t></w:r>".to_owned(), true),
            ("Para", run("Child", ""), false),
            ("Para", run("Shown", ""), true),
            ("Loop", run("Loop", ""), false),
        ];
        for (style, runs, is_hidden) in &table {
            for (is_default, style) in
                [(false, *style), (true, "")].into_iter().filter(|(one, _)| !one || *style == "Para")
            {
                let styles =
                    if is_default { styles.replace("'Para'", "'Para' w:default='1'") } else { styles.to_owned() };
                let styles = TextStyles::parse(&styles).expect("styles");
                let properties = if style.is_empty() {
                    String::new()
                } else {
                    format!("<w:pPr><w:pStyle w:val='{style}'/></w:pPr>")
                };
                let mut out = TextWriter::default();
                let (mut labels, mut marks) = (NoLabels, NoteMarks::default());
                let context = PartContext { labels: &mut labels, styles: &styles, marks: &mut marks };
                write_styled(&format!("<w:body><w:p>{properties}{runs}</w:p></w:body>"), &mut out, context)
                    .expect("readable");
                let text = out.finish();
                let expected = if *is_hidden { ("", "x") } else { ("x", "") };
                assert_eq!((text.pages.concat().trim(), text.hidden.trim()), expected, "{style} {runs}");
            }
        }
    }

    #[test]
    fn defaults_may_hide_what_no_style_shows() {
        let styles = "<w:styles><w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>\
             <w:style w:type='character' w:styleId='Shown'><w:rPr><w:vanish w:val='0'/></w:rPr></w:style></w:styles>";
        let styles = TextStyles::parse(styles).expect("styles");
        assert!(styles.hide(None, None) && styles.hide(Some("Unknown"), None));
        assert!(!styles.hide(None, Some("Shown")));
    }

    #[test]
    fn symbols_have_their_signs() {
        let table = [
            ("<w:r><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>", "☑"),
            ("<w:r><w:sym w:font='Symbol' w:char='F061'/></w:r>", "α"),
            ("<w:r><w:sym w:font='Unknown' w:char='F061'/></w:r>", ""),
            ("<w:r><w:sym w:font='Wingdings' w:char='no'/></w:r>", ""),
            ("<w:r><w:rPr><w:rFonts w:ascii='Wingdings'/></w:rPr><w:t>\u{f0fc}\u{f0e0}</w:t></w:r>", "✓→"),
            ("<w:r><w:rPr><w:rFonts w:ascii='Arial'/></w:rPr><w:t>ab</w:t></w:r>", "ab"),
            ("<a:r><a:rPr><a:latin typeface='Wingdings'/></a:rPr><a:t>ü</a:t></a:r><a:r><a:t>ü</a:t></a:r>", "✓ü"),
            ("<w:r><w:rPr><w:vanish/></w:rPr><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>", ""),
        ];
        for (runs, expected) in table {
            assert_eq!(read(&format!("<w:p>{runs}</w:p>")).pages.concat(), expected, "{runs}");
        }
    }

    #[test]
    fn a_cell_over_several_columns_keeps_the_others_in_theirs() {
        let cell = |properties: &str, text: &str| {
            format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
        };
        let table = [
            (format!("{}{}", cell("<w:gridSpan w:val='3'/>", "Total"), cell("", "4")), "Total\t\t\t4"),
            (format!("{}{}", cell("", "a"), cell("<w:gridSpan w:val='2'/>", "b")), "a\tb"),
            (format!("<w:trPr><w:gridBefore w:val='2'/></w:trPr>{}", cell("", "a")), "\t\ta"),
            (format!("{}{}", cell("<w:gridSpan w:val='0'/>", "a"), cell("<w:gridSpan w:val='x'/>", "b")), "a\tb"),
        ];
        for (cells, expected) in table {
            let text = read(&format!("<w:tbl><w:tr>{cells}</w:tr></w:tbl>"));
            assert_eq!(text.pages.concat(), expected, "{cells}");
        }
        let wide = cell("<w:gridSpan w:val='4000000000'/>", "a");
        assert_eq!(read(&format!("<w:tbl><w:tr>{wide}</w:tr></w:tbl>")).pages.concat(), "a");
    }

    #[test]
    fn places_where_tabs_stop_are_no_tabs() {
        let text = read(
            "<w:p><w:pPr><w:tabs><w:tab w:val='left' w:pos='720'/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>",
        );
        assert_eq!(text.pages.concat(), "a\tb");
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
