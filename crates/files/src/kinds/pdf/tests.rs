//! Small files, whose font has capital letters for those of Hebrew where it is `/F2`, and for Chinese ones where it is `/F4`.

mod rows;
mod structure;
mod tables;
mod vertical;
#[allow(unreachable_pub)]
mod writer;

use self::writer::{of_objects, stream};
use super::*;

/// Returns the map of a font whose capital letters are those from a code on.
fn map(capitals: &str) -> String {
    format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <ff> \
         endcodespacerange 3 beginbfrange <20> <40> <0020> <41> <5a> <{capitals}> <61> <7a> <0061> endbfrange endcmap end end"
    )
}

/// Returns the text of a page.
fn text_of(content: &str) -> String {
    let file = of_objects(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 8 0 R /F4 9 0 R >> >> >>"
            .to_owned(),
        stream("", content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>".to_owned(),
        stream("", &map("05d0")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R >>".to_owned(),
        stream("", &map("4e00")),
    ]);
    read(&FileHints::default(), &file).expect("readable").pages.concat()
}

fn hebrew(text: &str) -> String {
    let letter = |c: char| char::from_u32(0x5d0 + u32::from(c) - u32::from('A')).unwrap_or(c);
    text.chars().map(|c| if c.is_ascii_uppercase() { letter(c) } else { c }).collect()
}

#[test]
fn bold_text_that_is_drawn_twice_is_read_once() {
    for size in [8.0, 11.0, 12.0, 24.0] {
        for tenths in 1..=7 {
            for (right, down) in [(1.0, 0.0), (0.0, -1.0), (0.7, -0.7)] {
                let x = 72.0 + f64::from(tenths) * 0.37;
                let shift = f64::from(tenths) / 10.0;
                let draw = |by: f64| {
                    let (x, y) = (x + right * by, 700.0 + down * by);
                    format!("BT /F1 {size} Tf {x} {y} Td (Total: 1,100.00 all will) Tj ET ")
                };
                let text = text_of(&format!("{}{}", draw(0.0), draw(shift)));
                assert_eq!(text, "Total: 1,100.00 all will", "{size} {shift} {right} {down}");
            }
        }
    }
}

#[test]
fn hebrew_is_read_from_right_to_left() {
    let table = [
        ("FED CBA", "ABC DEF"),
        ("FED 4711 CBA", "ABC 4711 DEF"),
        ("FED 1,234.50 CBA", "ABC 1,234.50 DEF"),
        ("hello CBA world", "hello ABC world"),
        ("only latin", "only latin"),
    ];
    for (shown, expected) in table {
        let text = text_of(&format!("BT /F2 12 Tf 72 700 Td ({shown}) Tj 0 -20 Td ({shown}) Tj ET"));
        assert_eq!(text, hebrew(&format!("{expected}\n{expected}")), "{shown}");
    }
}

/// Each part of a line may be drawn on its own, in the order in which it is read.
#[test]
fn parts_of_a_hebrew_line_are_put_in_their_order() {
    let parts = [
        "BT /F2 12 Tf 200 700 Td (CBA) Tj ET ",
        "BT /F2 12 Tf 160 700 Td (4711) Tj ET ",
        "BT /F2 12 Tf 130 700 Td (ED) Tj ET ",
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
        let content = order.map(|at| parts[at]).concat();
        assert_eq!(text_of(&content), hebrew("ABC 4711 DE"), "{order:?}");
    }
}

#[test]
fn latin_that_is_drawn_back_is_another_line() {
    assert_eq!(text_of("BT /F1 12 Tf 200 700 Td (one) Tj ET BT /F1 12 Tf 72 700 Td (two) Tj ET"), "one\ntwo");
}

#[test]
fn each_encryption_that_needs_a_password_is_named() {
    let key = "<28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A>";
    let file = |encrypt: &str| {
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>".to_owned(),
            format!("<< /Filter /Standard {encrypt} /O {key} /U {key} /P -44 >>"),
        ];
        let text = String::from_utf8(of_objects(&objects)).expect("text");
        text.replace("/Root 1 0 R", "/Root 1 0 R /Encrypt 4 0 R /ID [<00> <00>]").into_bytes()
    };
    for version in 0..=6 {
        for revision in 1..=7 {
            let encrypt = format!("/V {version} /R {revision} /Length 40");
            let error = read(&FileHints::default(), &file(&encrypt)).expect_err("a password is needed");
            assert_eq!(error.code, FileErrorCode::Encrypted, "{encrypt}");
        }
    }
    let error = read(&FileHints::default(), b"%PDF-1.4 /Encrypted and /Encrypt none").expect_err("no PDF");
    assert_eq!(error.code, FileErrorCode::ParseError);
}

#[test]
fn no_space_is_left_before_the_gap_between_cells() {
    for size in [6, 8, 10, 12, 14, 18] {
        for spaces in 0..4 {
            let first = format!("Name{}", " ".repeat(spaces));
            let text = text_of(&format!("BT /F1 {size} Tf 72 700 Td ({first}) Tj 200 0 Td (Total) Tj ET"));
            assert_eq!(text, "Name\tTotal", "{size} {spaces}");
        }
    }
}
