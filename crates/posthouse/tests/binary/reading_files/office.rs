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
