//! Parts, hidden text, shapes and objects of OpenDocument.

use crate::{
    FileText,
    tests::{archive, read_named},
};

const FONTS: &str = "<style:font-face style:name='S1' svg:font-family='Symbol'/>\
     <style:font-face style:name='W' svg:font-family='Wingdings'/><style:font-face style:name='A' svg:font-family='Arial'/>";

fn style(name: &str, parent: &str, properties: &str) -> String {
    format!(
        "<style:style style:family='text' style:name='{name}' style:parent-style-name='{parent}'>\
         <style:text-properties {properties}/></style:style>"
    )
}

fn read(styles: &str, content: &str) -> FileText {
    read_parts(styles, &format!("<office:text>{content}</office:text>"), &[])
}

fn read_parts(styles: &str, content: &str, parts: &[(&str, &[u8])]) -> FileText {
    let content = format!("<office:document-content>{content}</office:document-content>");
    let styles = format!("<office:document-styles>{styles}</office:document-styles>");
    let mut all = vec![("content.xml", content.as_bytes()), ("styles.xml", styles.as_bytes())];
    all.extend(parts);
    read_named("a.odt", &archive(&all))
}

#[test]
fn text_that_styles_hide_is_kept_for_the_screen() {
    let styles = [
        style("Base", "", "text:display='none'"),
        style("Child", "Base", "fo:color='#000000'"),
        style("Shown", "Base", "text:display='true'"),
        style("Loop", "Loop", ""),
    ]
    .concat();
    let table = [
        ("<text:p>a<text:span text:style-name='Base'>b</text:span>c</text:p>", "ac", "b"),
        ("<text:p>a<text:span text:style-name='Child'>b<text:s/></text:span>c</text:p>", "ac", "b"),
        ("<text:p>a<text:span text:style-name='Shown'>b</text:span>c</text:p>", "abc", ""),
        ("<text:p>a<text:span text:style-name='Loop'>b</text:span>c</text:p>", "abc", ""),
        ("<text:p text:style-name='Base'>a<text:span text:style-name='Shown'>b</text:span>c</text:p>", "b", "a\nc"),
        ("<text:p text:style-name='Base'>a</text:p><text:p>b</text:p>", "b", "a"),
        ("<text:section text:display='none'><text:p>a</text:p></text:section><text:p>b</text:p>", "b", "a"),
        ("<text:section text:display='condition'><text:p>a</text:p></text:section>", "a", ""),
        ("<text:p>a<text:hidden-text text:is-hidden='true' text:string-value='b'/>c</text:p>", "ac", "b"),
    ];
    for (content, visible, hidden) in table {
        let text = read(&styles, content);
        assert_eq!((&*text.pages.concat(), text.hidden.trim()), (visible, hidden), "{content}");
    }
}

#[test]
fn parts_are_read_in_their_place() {
    let note = |class: &str, text: &str| {
        format!(
            "<text:note text:note-class='{class}'><text:note-citation>7</text:note-citation>\
             <text:note-body><text:p>{text}</text:p></text:note-body></text:note>"
        )
    };
    let comment = "<office:annotation><dc:creator>Ada</dc:creator><text:p>Really?</text:p></office:annotation>";
    let shape = |name: &str| format!("<draw:{name}><text:p>in</text:p><text:p>side</text:p></draw:{name}>");
    let mut table = vec![
        (format!("<text:p>a{}b{}.</text:p>", note("footnote", "x"), note("endnote", " y")), "a[1]b[2].\n[1] x\n[2] y".to_owned()),
        (format!("<text:p>a{comment}b</text:p><text:p>c</text:p>"), "ab\nc\nReally?".to_owned()),
        ("<text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>字</text:p>".to_owned(), "漢字".to_owned()),
        (
            format!("<table:table><table:table-row><table:table-cell><text:p>a{}b</text:p></table:table-cell>\
                     <table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>", note("footnote", "x")),
            "a[1]b\tc\n[1] x".to_owned(),
        ),
    ];
    for name in ["custom-shape", "rect", "text-box"] {
        table.push((
            format!("<text:p>a<draw:frame>{}</draw:frame>b</text:p><text:p>c</text:p>", shape(name)),
            "ab\nin\nside\nc".to_owned(),
        ));
    }
    for (content, expected) in table {
        assert_eq!(read("", &content).pages.concat(), expected, "{content}");
    }
}

#[test]
fn margins_of_pages_are_read_once() {
    let master = |header: &str| {
        format!(
            "<style:master-page><style:header><text:p>{header}</text:p></style:header>\
             <style:header-left style:display='false'><text:p>unused</text:p></style:header-left>\
             <style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page>"
        )
    };
    let styles =
        format!("<office:master-styles>{}{}{}</office:master-styles>", master("Firm"), master("Firm"), master(""));
    assert_eq!(read(&styles, "<text:p>Text</text:p>").pages.concat(), "Firm\nText\nPage 1");
    let sheet = "<office:spreadsheet><table:table table:name='t'/></office:spreadsheet>";
    assert_eq!(read_parts(&styles, sheet, &[]).pages.concat(), "t");
}

#[test]
fn comments_of_a_sheet_name_their_cell() {
    let cell = |repeats: u32, text: &str, comment: &str| {
        let comment = if comment.is_empty() {
            String::new()
        } else {
            format!("<office:annotation><text:p>{comment}</text:p></office:annotation>")
        };
        format!(
            "<table:table-cell table:number-columns-repeated='{repeats}'>{comment}<text:p>{text}</text:p></table:table-cell>"
        )
    };
    let content = format!(
        "<office:spreadsheet><table:table table:name='t'><table:table-row>{}{}</table:table-row>\
         <table:table-row table:number-rows-repeated='1000'>{}</table:table-row>\
         <table:table-row>{}{}</table:table-row></table:table><table:table table:name='u'/></office:spreadsheet>",
        cell(1, "a", ""),
        cell(1, "b", "one"),
        cell(1, "", ""),
        cell(26, "", ""),
        cell(1, "z", "two"),
    );
    let pages = read_parts("", &content, &[]).pages;
    let expected = format!("t\na\tb\n{}z\nB1: one\nAA1002: two", "\t".repeat(26));
    assert_eq!(pages, [expected, "u".to_owned()]);
}

#[test]
fn symbols_have_their_signs() {
    let styles = [
        FONTS.to_owned(),
        style("s", "", "style:font-name='S1'"),
        style("w", "", "style:font-name='W'"),
        style("a", "w", "style:font-name='A'"),
    ]
    .concat();
    let table = [
        ("s", "\u{f061}", "α"),
        ("w", "\u{f0fe}", "☑"),
        ("w", "ü", "✓"),
        ("a", "ü", "ü"),
        ("x", "\u{f0fe}", "\u{f0fe}"),
    ];
    for (name, text, expected) in table {
        let content = format!("<text:p><text:span text:style-name='{name}'>{text}</text:span></text:p>");
        assert_eq!(read(&styles, &content).pages.concat(), expected, "{name}");
    }
}

#[test]
fn objects_are_read_after_their_paragraph() {
    let chart = "<office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title>\
         <table:table table:name='local-table'><table:table-row><table:table-cell/><table:table-cell><text:p>2026</text:p></table:table-cell></table:table-row>\
         <table:table-row><table:table-cell><text:p>EU</text:p></table:table-cell><table:table-cell><text:p>10.5</text:p></table:table-cell></table:table-row>\
         </table:table></chart:chart></office:chart>";
    let sheet = "<office:spreadsheet><table:table table:name='t'><table:table-row><table:table-cell><text:p>7</text:p></table:table-cell>\
         </table:table-row></table:table></office:spreadsheet>";
    let object = "<draw:frame><draw:object xlink:href='./Object 1'/><svg:title>none</svg:title></draw:frame>";
    let of_paragraph = format!("<office:text><text:p>a{object}b</text:p><text:p>c</text:p></office:text>");
    let of_slide = format!(
        "<office:presentation><draw:page>{object}<draw:frame><draw:text-box><text:p>c</text:p></draw:text-box></draw:frame></draw:page></office:presentation>"
    );
    let of_sheet = format!(
        "<office:spreadsheet><table:table table:name='s'><table:shapes>{object}</table:shapes><table:table-row><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"
    );
    for (part, lines) in
        [(chart, "Sales\n\t2026\nEU\t10.5"), (sheet, "t\n7"), ("<office:text><text:p>x</text:p></office:text>", "x")]
    {
        let table = [
            (&of_paragraph, format!("ab\n{lines}\nc")),
            (&of_slide, format!("{lines}\nc")),
            (&of_sheet, format!("s\nc\n{lines}")),
        ];
        for (content, expected) in table {
            let text = read_parts("", content, &[("Object 1/content.xml", part.as_bytes())]);
            assert_eq!(text.pages.concat(), expected, "{content}");
        }
    }
    let file = "<office:text><text:p>a<draw:object-ole xlink:href='./Object 2'/></text:p></office:text>";
    let text = read_parts("", file, &[("Object 2", b"{\\rtf1 words}")]);
    assert_eq!(text.pages.concat(), "a\nEmbedded file: Object 2\nwords");
    // What is damaged or outside costs itself alone.
    for (href, bytes) in
        [("./Object 1", "<a"), ("./Object 1", ""), ("../x", ""), ("https://example.com/", ""), ("", "")]
    {
        let content = format!("<office:text><text:p>a<draw:object xlink:href='{href}'/>b</text:p></office:text>");
        let text = read_parts("", &content, &[("Object 1/content.xml", bytes.as_bytes())]);
        assert_eq!(text.pages.concat(), "ab", "{href}");
    }
}
