//! Texts that elements of the structure state for the content of a page.

use super::{
    super::{FileHints, read},
    writer::{of_objects, stream},
};

/// Returns the text of a page whose contents 0 to 3 belong to elements: `first` is that of 0 and 1, `second` of 2, and 3 is
/// within an element of `second`.
fn text_of(content: &str, first: &str, second: &str, tree: &str) -> String {
    let file = of_objects(&[
        "<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 6 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /StructParents 7 \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        stream("", &format!("BT /F1 12 Tf 72 700 Td 14 TL {content} ET")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Type /StructTreeRoot /ParentTree {tree} >>"),
        format!("<< /Type /StructElem /S /Span /P 10 0 R {first} >>"),
        format!("<< /Type /StructElem /S /Span /P 10 0 R {second} >>"),
        "<< /Type /StructElem /S /Span /P 8 0 R >>".to_owned(),
        "<< /Type /StructElem /S /P /P 10 0 R >>".to_owned(),
        "[7 0 R 7 0 R 8 0 R 9 0 R]".to_owned(),
        "<< /Limits [7 9] /Nums [7 11 0 R 9 7 0 R] >>".to_owned(),
    ]);
    read(&FileHints::default(), &file).expect("readable").pages.concat()
}

const LEAF: &str = "<< /Nums [3 null 7 11 0 R] >>";

fn content(number: i32, text: &str) -> String {
    format!("/Span << /MCID {number} >> BDC ({text}) Tj EMC ")
}

#[test]
fn the_text_of_an_element_replaces_its_content() {
    let table = [
        ("/ActualText (ffi)", format!("(o) Tj {}(ce) Tj", content(0, "x")), "office"),
        ("/ActualText <FEFF00660069>", format!("{}(t) Tj", content(0, "x")), "fit"),
        ("/ActualText (whole word)", format!("{}{}( end) Tj", content(0, "x"), content(1, "y")), "whole word end"),
        ("/ActualText (once)", format!("{}(, ) Tj {}( end) Tj", content(0, "x"), content(1, "y")), "once,  end"),
        ("/ActualText <FEFF00AD>", format!("(exam) Tj {} T* (ple) Tj", content(0, "-")), "example"),
        ("/ActualText ()", format!("(a) Tj {}", content(0, "x")), "a"),
        ("", format!("(a) Tj {}", content(0, "x")), "ax"),
        ("/ActualText 4", content(0, "x"), "x"),
        ("/Alt (picture)", content(0, "x"), "x"),
        ("/ActualText (no)", content(4, "x"), "x"),
        ("/ActualText (no)", content(-1, "x"), "x"),
        ("/ActualText (no)", "/Span << /MCID 0 /ActualText (own) >> BDC (x) Tj EMC".to_owned(), "own"),
        ("/ActualText (no)", "/Span << /MCID (0) >> BDC (x) Tj EMC".to_owned(), "x"),
        ("/ActualText (no)", "/Span BMC (x) Tj EMC".to_owned(), "x"),
    ];
    for (first, drawn, expected) in table {
        for tree in [LEAF, "12 0 R", "<< /Kids [12 0 R] >>", "<< /Kids [2 0 R 12 0 R null] >>"] {
            assert_eq!(text_of(&drawn, first, "", tree), expected, "{first} {drawn} {tree}");
        }
    }
}

#[test]
fn the_text_of_an_element_replaces_what_is_within() {
    let drawn = format!("{}{}(!) Tj", content(2, "x"), content(3, "y"));
    assert_eq!(text_of(&drawn, "", "/ActualText (outer)", LEAF), "outer!");
    assert_eq!(text_of(&drawn, "", "", LEAF), "xy!");
}

#[test]
fn a_damaged_tree_leaves_the_text_that_is_drawn() {
    let trees = [
        "null",
        "4",
        "[]",
        "<< >>",
        "<< /Nums 3 >>",
        "<< /Nums [7] >>",
        "<< /Nums [7 8 0 R] >>",
        "<< /Nums [7 99 0 R] >>",
        "<< /Kids [6 0 R 99 0 R] >>",
        "<< /Nums [(7) 11 0 R] >>",
        "99 0 R",
        "<< /Nums [7 [null 4 (a) << >>]] >>",
    ];
    for tree in trees {
        assert_eq!(text_of(&content(0, "x"), "/ActualText (no)", "", tree), "x", "{tree}");
    }
    for loops in ["/P 7 0 R", "/P 9 0 R", "/P 99 0 R", "/P 4"] {
        assert_eq!(text_of(&content(0, "x"), loops, loops, LEAF), "x", "{loops}");
    }
}

/// A node that names itself twice would cost without end.
#[test]
fn a_tree_of_loops_ends() {
    for tree in ["<< /Kids [12 0 R 13 0 R 13 0 R] >>", "13 0 R"] {
        let file = of_objects(&[
            "<< /Type /Catalog /Pages 2 0 R /StructTreeRoot << /ParentTree 13 0 R >> >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /StructParents 7 \
             /Resources << /Font << /F1 5 0 R >> >> >>"
                .to_owned(),
            stream("", "BT /F1 12 Tf 72 700 Td /Span << /MCID 0 >> BDC (x) Tj EMC ET"),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
            tree.to_owned(),
            "null".to_owned(),
            "null".to_owned(),
            "null".to_owned(),
            "null".to_owned(),
            "null".to_owned(),
            "<< /Nums [8 9 0 R] >>".to_owned(),
            "<< /Kids [13 0 R 13 0 R 13 0 R 6 0 R] >>".to_owned(),
        ]);
        assert_eq!(read(&FileHints::default(), &file).expect("readable").pages.concat(), "x");
    }
}
