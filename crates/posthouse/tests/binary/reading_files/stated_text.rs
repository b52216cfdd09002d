//! Text that a PDF states in place of what it draws (`ActualText`).

use super::{pdf, read};

/// Returns the text of a page with this content, in which `/F1` is a font, `/X` an image and `/P` a property list.
fn text_of(content: &str) -> String {
    let mut objects = pdf::page_objects(content);
    objects[2] = objects[2].replace("/Font", "/Properties << /P << /ActualText (named) >> >> /Font");
    let image = "/Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8";
    objects.push(pdf::stream(image, &"0".repeat(16)));
    let result = read("a.pdf", &pdf::of_objects(&objects));
    assert_eq!(result.outcome(), "done", "{content}");
    result.text.trim().to_owned()
}

fn lines(content: &str) -> String {
    format!("BT /F1 12 Tf 72 700 Td 14 TL {content} ET")
}

#[test]
fn the_stated_text_was_ignored() {
    let table = [
        ("(o) Tj /Span << /ActualText (ffi) >> BDC (x) Tj EMC (ce) Tj", "office"),
        ("(o) Tj /Span << /ActualText <FEFF006600660069> >> BDC (x) Tj EMC (ce) Tj", "office"),
        ("/Span << /ActualText <EFBBBFC3A9> >> BDC (x) Tj EMC (t) Tj", "ét"),
        ("/Span << /ActualText (\\240 5) >> BDC (xxx) Tj EMC", "€ 5"),
        ("/Span << /Lang (de) /ActualText <FEFF001B00640065001B006A0061> >> BDC (x) Tj EMC", "ja"),
        ("(exam) Tj /Span << /ActualText <FEFF00AD> >> BDC (-) Tj EMC T* (ple) Tj", "example"),
        ("(well-) Tj T* (known) Tj", "well-\nknown"),
        ("(a) Tj /Span << /ActualText () >> BDC (xyz) Tj EMC", "a"),
        (
            "/Span << /ActualText (outer) >> BDC (in) Tj /Span << /ActualText (inner) >> BDC (ner) Tj EMC EMC ( end) Tj",
            "outer end",
        ),
        ("/P /P BDC (x) Tj EMC", "named"),
        ("/Span /Missing BDC (x) Tj EMC", "x"),
        ("/Span << /ActualText 4 >> BDC (x) Tj EMC", "x"),
        ("/Span << /ActualText (one two) >> BDC (x) Tj T* (y) Tj EMC ( z) Tj", "one two z"),
        ("/Span << /ActualText (open) >> BDC (x) Tj", "open"),
        ("EMC EMC /Span << /ActualText (late) >> BDC (x) Tj EMC EMC (y) Tj", "latey"),
        ("/Span << /ActualText (nothing) >> BDC EMC (x) Tj", "x"),
        ("/Span << /MCID 3 /ActualText (fi) >> BDC /Artifact BMC (x) Tj EMC (y) Tj EMC (t) Tj", "fit"),
        ("/Span << /ActualText (bold) >> BDC (x) Tj EMC -6 0 Td 6 0 Td", "bold"),
        ("3 Tr /Span << /ActualText (layer) >> BDC (x) Tj EMC", "layer"),
        ("/Span << /ActualText (\u{1}\u{2}a\u{7f}) >> BDC (x) Tj EMC", "a"),
    ];
    for (content, expected) in table {
        assert_eq!(text_of(&lines(content)), expected, "{content}");
    }
}

#[test]
fn words_that_are_drawn_without_glyphs_have_their_place() {
    let word = |left: u32, bottom: u32, text: &str, draws: &str| {
        format!("q 60 0 0 12 {left} {bottom} cm /Span << /ActualText ({text}) >> BDC {draws} EMC Q ")
    };
    for draws in ["/X Do", "0 0 1 1 re f", "0 0 m 1 1 l 1 0 l f", "0 0 m 1 1 l S"] {
        let page =
            [word(72, 700, "Two", draws), word(140, 700, "words", draws), word(72, 660, "below", draws)].concat();
        assert_eq!(text_of(&page), "Two words\nbelow", "{draws}");
        let twice = [word(72, 700, "once", draws), word(72, 700, "once", draws)].concat();
        assert_eq!(text_of(&twice), "once", "{draws}");
        let outside = word(9_000, 9_000, "outside", draws);
        assert_eq!(text_of(&outside), "", "{draws}");
    }
    let mixed = format!("{}{}", word(72, 700, "Drawn", "/X Do"), lines("65 0 Td (written) Tj"));
    assert_eq!(text_of(&mixed), "Drawn written");
}

/// Forms that draw others twice needed as long as the process may take.
#[test]
fn a_page_that_draws_forms_without_end_is_cut() {
    let mut objects = pdf::page_objects("BT /F1 12 Tf 72 700 Td (before) Tj ET /X Do");
    for next in 7..67 {
        let entries = "/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources";
        objects.push(pdf::stream(&format!("{entries} << /XObject << /X {next} 0 R >> >>"), "/X Do /X Do"));
    }
    let after = objects.len() + 1;
    objects.push(objects[2].replace("4 0 R", &format!("{} 0 R", after + 1)));
    objects.push(pdf::stream("", "BT /F1 12 Tf 72 700 Td (after) Tj ET"));
    objects[1] = format!("<< /Type /Pages /Kids [3 0 R {after} 0 R] /Count 2 >>");
    let file = pdf::of_objects(&objects);
    let result = read("a.pdf", &file);
    assert_eq!((result.outcome().as_str(), result.text.trim()), ("done", "beforeafter"));
    assert_eq!(result.header.expect("the process ends well")["is_truncated"], true);
    let hints = serde_json::json!({ "filename": "a.pdf", "content_type": "", "rasterizes": false, "wanted_page": 0 });
    assert_eq!(super::read_with(&hints, &file).outcome(), "too_large");
}
