//! Small office documents.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Returns an archive with these parts.
pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in parts {
        zip.start_file(*name, options).expect("a part");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    archive(&[("word/document.xml", document.as_bytes())])
}

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

pub(crate) fn xlsx(rows: &str) -> Vec<u8> {
    let workbook = format!(
        r#"<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="Sums" sheetId="1" r:id="rId1"/></sheets></workbook>"#
    );
    let rels = format!(
        r#"<Relationships><Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#
    );
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let styles = r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;
    archive(&[
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", rels.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", b"<sst><si><t>Name</t></si></sst>"),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}

pub(crate) fn pptx(slides: &[&str]) -> Vec<u8> {
    let (mut ids, mut rels, mut parts) = (String::new(), String::new(), Vec::new());
    for (at, text) in slides.iter().enumerate() {
        ids.push_str(&format!(r#"<p:sldId id="{}" r:id="rId{at}"/>"#, 256 + at));
        rels.push_str(&format!(
            r#"<Relationship Id="rId{at}" Type="{RELATIONS}/slide" Target="slides/slide{at}.xml"/>"#
        ));
        let slide = format!("<p:sld><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
        parts.push((format!("ppt/slides/slide{at}.xml"), slide));
    }
    parts.push((
        "ppt/presentation.xml".to_owned(),
        format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"),
    ));
    parts.push(("ppt/_rels/presentation.xml.rels".to_owned(), format!("<Relationships>{rels}</Relationships>")));
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    archive(&parts)
}

pub(crate) fn odt(text: &str) -> Vec<u8> {
    odf(&format!("<office:text>{text}</office:text>"))
}

pub(crate) fn ods(rows: &str) -> Vec<u8> {
    odf(&format!(r#"<office:spreadsheet><table:table table:name="T">{rows}</table:table></office:spreadsheet>"#))
}

fn odf(body: &str) -> Vec<u8> {
    let content = format!("<office:document-content><office:body>{body}</office:body></office:document-content>");
    archive(&[("content.xml", content.as_bytes())])
}

pub(crate) fn epub(chapters: &[&str]) -> Vec<u8> {
    let (mut items, mut spine, mut parts) = (String::new(), String::new(), Vec::new());
    for (at, chapter) in chapters.iter().enumerate() {
        items.push_str(&format!(r#"<item id="c{at}" href="c{at}.xhtml"/>"#));
        spine.push_str(&format!(r#"<itemref idref="c{at}"/>"#));
        parts.push((format!("OEBPS/c{at}.xhtml"), format!("<html><body>{chapter}</body></html>")));
    }
    parts.push((
        "OEBPS/book.opf".to_owned(),
        format!("<package><manifest>{items}</manifest><spine>{spine}</spine></package>"),
    ));
    let container = r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;
    parts.push(("META-INF/container.xml".to_owned(), container.to_owned()));
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    archive(&parts)
}

/// A file with its name, and the text that it should have.
type ShownFile = (&'static str, Vec<u8>, &'static str);

/// Returns files that show more than their main text.
pub(crate) fn shown_beside_the_text() -> Vec<ShownFile> {
    vec![
        (
            "lists.docx",
            numbered_docx(),
            "1. One\n1.a) Two\n1.b) Three\n2. Four\n• Five\nI. Styled\n7. Again\n京\n8. Six",
        ),
        ("chart.pptx", chart_pptx(), "Slide\nSales & more\n\tNorth\tSouth\nMay\t1\t3\nJune\t2\t4.1\nConfidential"),
        ("beside.xlsx", commented_xlsx(), "Sums\n1000\t3%\nA1: Ask Ada First\nNote"),
        ("lists.odt", listed_odt(), "i. One\ni.1 Two\n• Three\nii. Four\niii. Five"),
        (
            "dates.ods",
            ods(
                r#"<table:table-row><table:table-cell office:value-type="date" office:date-value="2027-01-15T08:00:00"><text:p>15 Jan</text:p></table:table-cell><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"#,
            ),
            "T\n2027-01-15 08:00:00\tx",
        ),
    ]
}

fn numbered_docx() -> Vec<u8> {
    let level = |at: u8, form: &str, text: &str| {
        format!(
            r#"<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>"#
        )
    };
    let numbering = format!(
        r#"<w:numbering><w:abstractNum w:abstractNumId="0">{}{}</w:abstractNum><w:abstractNum w:abstractNumId="1">{}</w:abstractNum><w:abstractNum w:abstractNumId="2">{}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>"#,
        level(0, "decimal", "%1."),
        level(1, "lowerLetter", "%1.%2)"),
        level(0, "bullet", "\u{f0b7}"),
        level(0, "upperRoman", "%1."),
    );
    let styles = r#"<w:styles><w:style w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style><w:style w:styleId="Chapter"><w:basedOn w:val="Base"/></w:style></w:styles>"#;
    let item = |list: &str, level: u8, text: &str| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr><w:pPrChange><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:pPrChange></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let body = [
        item("1", 0, "One"),
        item("1", 1, "Two"),
        item("1", 1, "Three"),
        item("1", 0, "Four"),
        item("2", 0, "Five"),
        r#"<w:p><w:pPr><w:pStyle w:val="Chapter"/></w:pPr><w:r><w:t>Styled</w:t></w:r></w:p>"#.to_owned(),
        item("4", 0, "Again"),
        "<w:p><w:ruby><w:rt><w:r><w:t>kyo</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>京</w:t></w:r></w:rubyBase></w:ruby></w:p>".to_owned(),
        // Word goes on counting in the list, of which another use started again.
        item("1", 0, "Six"),
    ]
    .concat();
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    archive(&[
        ("word/document.xml", document.as_bytes()),
        ("word/numbering.xml", numbering.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
    ])
}

fn chart_pptx() -> Vec<u8> {
    let series = |name: &str, values: [&str; 2]| {
        format!(
            "<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>\
             <c:cat><c:pt><c:v>May</c:v></c:pt><c:pt><c:v>June</c:v></c:pt></c:cat>\
             <c:val><c:pt><c:v>{}</c:v></c:pt><c:pt><c:v>{}</c:v></c:pt></c:val></c:ser>",
            values[0], values[1]
        )
    };
    let chart = format!(
        "<c:chartSpace><c:title><c:tx><a:p><a:r><a:t>Sales &amp; more</a:t></a:r></a:p></c:tx></c:title>{}{}</c:chartSpace>",
        series("North", ["1", "2"]),
        series("South", ["3", "4.100000000000001"])
    );
    let rels = |kind: &str, target: &str| {
        format!(
            r#"<Relationships><Relationship Id="rId0" Type="{RELATIONS}/{kind}" Target="{target}"/></Relationships>"#
        )
    };
    let layout_rel =
        format!(r#"<Relationship Id="rId1" Type="{RELATIONS}/slideLayout" Target="../slideLayouts/layout1.xml"/>"#);
    let slide_rels = rels("chart", "../charts/chart1.xml").replace("</Rel", &format!("{layout_rel}</Rel"));
    let layout = b"<p:sld><p:sp><p:nvPr/><a:p><a:r><a:t>Confidential</a:t></a:r></a:p></p:sp><p:sp><p:nvPr><p:ph/></p:nvPr><a:p><a:r><a:t>Click to add</a:t></a:r></a:p></p:sp></p:sld>";
    archive(&[
        (
            "ppt/presentation.xml",
            br#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId0"/></p:sldIdLst></p:presentation>"#,
        ),
        ("ppt/_rels/presentation.xml.rels", rels("slide", "slides/slide1.xml").as_bytes()),
        ("ppt/slides/slide1.xml", b"<p:sld><a:p><a:r><a:t>Slide</a:t></a:r></a:p></p:sld>"),
        ("ppt/slides/_rels/slide1.xml.rels", slide_rels.as_bytes()),
        ("ppt/slideLayouts/layout1.xml", layout),
        ("ppt/charts/chart1.xml", chart.as_bytes()),
    ])
}

fn commented_xlsx() -> Vec<u8> {
    let workbook = format!(
        r#"<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="Sums" sheetId="1" r:id="rId1"/></sheets></workbook>"#
    );
    let rels = |targets: &[(&str, &str)]| {
        let one = |(kind, target): &(&str, &str)| {
            format!(r#"<Relationship Id="rId1" Type="{RELATIONS}/{kind}" Target="{target}"/>"#)
        };
        format!("<Relationships>{}</Relationships>", targets.iter().map(one).collect::<String>())
    };
    let sheet = r#"<worksheet><sheetData><row><c r="A1"><v>1000.0</v></c><c r="B1" s="1"><v>0.025</v></c></row></sheetData></worksheet>"#;
    archive(&[
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", rels(&[("worksheet", "worksheets/sheet1.xml")]).as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        (
            "xl/worksheets/_rels/sheet1.xml.rels",
            rels(&[("drawing", "../a/drawing1.xml"), ("comments", "../comments1.xml")]).as_bytes(),
        ),
        ("xl/a/drawing1.xml", b"<xdr:wsDr><a:p><a:r><a:t>Note</a:t></a:r></a:p></xdr:wsDr>"),
        (
            "xl/comments1.xml",
            b"<comments><comment ref=\"A1\"><text><r><t>Ask Ada\nFirst</t></r></text></comment></comments>",
        ),
        ("xl/styles.xml", br#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs></styleSheet>"#),
    ])
}

fn listed_odt() -> Vec<u8> {
    let styles = r#"<office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="i" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/></text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style></office:automatic-styles>"#;
    let list = |style: &str, more: &str, items: &str| {
        format!(r#"<text:list text:style-name="{style}"{more}>{items}</text:list>"#)
    };
    let item = |text: &str, more: &str| format!("<text:list-item><text:p>{text}</text:p>{more}</text:list-item>");
    let inner = format!("<text:list>{}</text:list>", item("Two", ""));
    let body = [
        list("L", "", &item("One", &inner)),
        list("B", "", &item("Three", "")),
        list("L", r#" text:continue-numbering="true""#, &[item("Four", ""), item("Five", "")].concat()),
    ]
    .concat();
    let content = format!(
        "<office:document-content>{styles}<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    archive(&[("content.xml", content.as_bytes())])
}
