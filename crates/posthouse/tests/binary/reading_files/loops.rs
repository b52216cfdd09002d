//! Files whose parts refer to each other without end, or to far more than there is.

use super::{hostile::HostileFile, office, pdf};

fn file(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> HostileFile {
    HostileFile { name: name.into(), bytes: bytes.into() }
}

/// Returns all of them.
/// Archives whose entries share their bytes, have other sizes than they say, or are in themselves.
pub(crate) fn overlaps() -> Vec<HostileFile> {
    let base = office::archive(&[("word/document.xml", "<w:p><w:t>x</w:t></w:p>".repeat(200_000).as_bytes())]);
    let directory = base.windows(4).rposition(|at| at == b"PK\x01\x02").expect("a central directory");
    let end = base.windows(4).rposition(|at| at == b"PK\x05\x06").expect("an end");
    let mut files = Vec::new();
    // Many names of the same bytes.
    for count in [100_u16, 9_000] {
        let mut bytes = base[..directory].to_vec();
        for at in 0..count {
            let mut entry = base[directory..end].to_vec();
            // The first one keeps the name of the document.
            if at > 0 {
                entry[46..63].copy_from_slice(format!("word/header{at:05}x").as_bytes());
            }
            bytes.extend_from_slice(&entry);
        }
        let size = u32::try_from(bytes.len() - directory).expect("small");
        let mut tail = base[end..].to_vec();
        tail[8..10].copy_from_slice(&count.to_le_bytes());
        tail[10..12].copy_from_slice(&count.to_le_bytes());
        tail[12..16].copy_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(&tail);
        files.push(file(format!("overlap-{count}.docx"), bytes));
    }
    for size in [0_u32, 1, u32::MAX - 1, u32::MAX] {
        let mut bytes = base.clone();
        bytes[directory + 24..directory + 28].copy_from_slice(&size.to_le_bytes());
        files.push(file(format!("size-{size}.docx"), bytes.clone()));
        bytes[directory + 42..directory + 46].copy_from_slice(&size.to_le_bytes());
        files.push(file(format!("offset-{size}.docx"), bytes));
    }
    let mut inner = office::docx("<w:p/>");
    for _ in 0..40 {
        inner = office::archive(&[("word/document.xml", b"<w:p/>"), ("word/embeddings/a.docx", &inner)]);
    }
    files.push(file("matryoshka.docx", inner));
    files
}

/// Lists, styles and charts that count, nest or refer to themselves.
pub(crate) fn lists() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let pattern = "%1".repeat(100_000);
    let numbering = format!(
        r#"<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="9223372036854775807"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="{pattern}"/></w:lvl><w:lvl w:ilvl="999999"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>"#
    );
    let item = r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>"#;
    let styles = r#"<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>"#;
    let styled = r#"<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>y</w:t></w:r></w:p>"#;
    let document = [item, styled].concat().repeat(50_000);
    files.push(file(
        "numbers.docx",
        office::archive(&[
            ("word/document.xml", document.as_bytes()),
            ("word/numbering.xml", numbering.as_bytes()),
            ("word/styles.xml", styles.as_bytes()),
        ]),
    ));
    let many: String =
        (0..200_000).map(|at| format!(r#"<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>"#)).collect();
    files.push(file(
        "uses.docx",
        office::archive(&[("word/document.xml", item.as_bytes()), ("word/numbering.xml", many.as_bytes())]),
    ));
    let nested = "<text:list text:style-name=\"L\"><text:list-item>".repeat(100);
    files.push(file("lists.odt", office::odt(&format!("{nested}<text:p>x</text:p>"))));
    files.push(file("lists-200000.odt", office::odt(&"<text:list><text:list-item/></text:list>".repeat(200_000))));
    // Each slide refers to one large chart, and the chart to itself.
    let chart = format!("<c:ser><c:val>{}</c:val></c:ser>", "<c:v>1</c:v>".repeat(500_000)).repeat(2);
    let slide = |id: usize| format!(r#"<Relationship Id="r{id}" Type="x/chart" Target="../charts/c.xml"/>"#);
    let all: String = (0..1_000).map(slide).collect();
    let rels = format!("<Relationships>{all}</Relationships>");
    files.push(file(
        "charts.pptx",
        office::archive(&[
            ("ppt/presentation.xml", br#"<p:sldId r:id="s"/>"#),
            ("ppt/_rels/presentation.xml.rels", br#"<Relationship Id="s" Type="x/slide" Target="slides/s.xml"/>"#),
            ("ppt/slides/s.xml", b"<a:p/>"),
            ("ppt/slides/_rels/s.xml.rels", rels.as_bytes()),
            ("ppt/charts/c.xml", chart.as_bytes()),
            ("ppt/charts/_rels/c.xml.rels", rels.as_bytes()),
        ]),
    ));
    files
}

/// Sheets with far cells, huge numbers and shared strings.
pub(crate) fn sheets() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let cells = ["XFD1048576", "ZZZZZZZZ1", "A99999999999", "", "1", "A0", "é1"];
    let row: String = cells.iter().map(|cell| format!(r#"<c r="{cell}"><v>1e308</v></c>"#)).collect();
    files.push(file("far.xlsx", office::xlsx(&format!("<row>{row}</row>").repeat(20_000))));
    for value in ["1e400", "-1e400", "NaN", "inf", "1e-400", "99999999999999999999999999999999"] {
        for style in ["0", "1", "4294967295"] {
            let row = format!(r#"<row><c r="A1" s="{style}"><v>{value}</v></c></row>"#);
            files.push(file(format!("number-{value}-{style}.xlsx"), office::xlsx(&row)));
        }
    }
    // One string of a megabyte, in many cells.
    let strings = format!("<sst><si><t>{}</t></si></sst>", "s".repeat(1 << 20));
    let sheet = format!("<row>{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(1_000)).repeat(100);
    files.push(file(
        "strings.xlsx",
        office::archive(&[
            ("xl/workbook.xml", br#"<sheet name="a" r:id="s"/>"#),
            ("xl/_rels/workbook.xml.rels", br#"<Relationship Id="s" Type="x/worksheet" Target="s.xml"/>"#),
            ("xl/s.xml", sheet.as_bytes()),
            ("xl/sharedStrings.xml", strings.as_bytes()),
        ]),
    ));
    // A sheet that is its own drawing and its own comments.
    let own = r#"<Relationship Id="s" Type="x/worksheet" Target="s.xml"/><Relationship Id="d" Type="x/drawing" Target="s.xml"/><Relationship Id="c" Type="x/comments" Target="s.xml"/>"#;
    files.push(file(
        "own.xlsx",
        office::archive(&[
            ("xl/workbook.xml", br#"<sheet name="a" r:id="s"/>"#.repeat(500).as_slice()),
            ("xl/_rels/workbook.xml.rels", own.as_bytes()),
            ("xl/_rels/s.xml.rels", own.repeat(2_000).as_bytes()),
            ("xl/s.xml", "<comment ref=\"A1\"><t>x</t></comment>".repeat(20_000).as_bytes()),
        ]),
    ));
    let repeated = r#"<table:table-row table:number-rows-repeated="2147483647"><table:table-cell table:number-columns-repeated="2147483647" office:date-value="T"><text:p>x</text:p></table:table-cell></table:table-row>"#;
    files.push(file("repeats.ods", office::ods(&repeated.repeat(500))));
    files
}

/// Fonts, character maps and forms of a PDF that use themselves.
pub(crate) fn fonts() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let ranges = "<00> <ff> <0000>\n".repeat(20_000);
    let maps = [
        ("self", "/Self usecmap\n".repeat(1_000)),
        ("ranges", format!("100 beginbfrange\n{ranges}endbfrange\n")),
        ("wide", "1 begincodespacerange <00000000> <ffffffff> endcodespacerange\n1 begincidrange <00000000> <ffffffff> 0 endcidrange\n".to_owned()),
    ];
    for (name, map) in maps {
        let mut objects = pdf::page_objects("BT /F1 12 Tf (xyz) Tj ET");
        let number = objects.len() + 1;
        let font = format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding {number} 0 R /ToUnicode {number} 0 R /DescendantFonts [ {} 0 R ] >>",
            number + 1
        );
        objects.push(pdf::stream("/Type /CMap /CMapName /Self /UseCMap /Self", &map));
        objects.push(font.clone());
        objects[2] = objects[2].replace("/F1 5 0 R", &format!("/F1 {} 0 R", number + 1));
        files.push(file(format!("cmap-{name}.pdf"), pdf::of_objects(&objects)));
    }
    // Each form draws the next one twice.
    let depth = 1_000;
    let mut objects = pdf::page_objects("/X0 Do");
    let first = objects.len() + 1;
    for at in 0..depth {
        let next = first + (at + 1) % depth;
        objects.push(pdf::stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X0 {next} 0 R >> >>"),
            "/X0 Do /X0 Do",
        ));
    }
    objects[2] = objects[2].replace("/X 6 0 R", &format!("/X0 {first} 0 R"));
    files.push(file(format!("forms-{depth}.pdf"), pdf::of_objects(&objects)));
    files
}

/// Calendars and rich text with floods of repetitions.
pub(crate) fn calendars() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let rule = "RRULE:FREQ=SECONDLY;INTERVAL=1;COUNT=2147483647\n";
    files.push(file("rules.ics", format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{}END:VEVENT\n", rule.repeat(200_000))));
    files.push(file(
        "line.ics",
        format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{}\nEND:VEVENT\n", "x\n ".repeat(2_000_000)),
    ));
    files.push(file("quotes.ics", format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nATTENDEE{}:a\n", ";CN=\"".repeat(500_000))));
    files.push(file(
        "fonts.rtf",
        format!(
            "{{\\rtf1{{\\fonttbl{}}}",
            (0..300_000).map(|at| format!("{{\\f{at}\\fcharset128 x;}}")).collect::<String>()
        ),
    ));
    files.push(file("switches.rtf", format!("{{\\rtf1{}", "\\f1 \\'93\\plain\\htmlrtf\\htmlrtf0".repeat(500_000))));
    files.push(file("unicode.rtf", format!("{{\\rtf1\\uc8{}", "\\u-10179\\u99999999999".repeat(500_000))));
    files.push(file("binary.rtf", "{\\rtf1\\bin99999999999 x\\bin-1 y}".repeat(1_000)));
    files
}
