//! Formulas of documents: MathML (W3C MathML 3) within the text, or in a part of its own.

use crate::xml::{XmlStep, XmlSteps};

/// Bytes of the text of a formula.
const FORMULA_BYTES_MAX: usize = 10_000;

/// A formula while it is read.
#[derive(Default)]
pub(super) struct Formula {
    /// Nesting of elements of the formula.
    depth: usize,
    /// Nesting of elements that repeat the formula in another form.
    annotations: usize,
    /// For each element, the sign before its second child, and how many children it has had.
    signs: Vec<(&'static str, usize)>,
    text: String,
}

impl Formula {
    /// Begins an element. Returns whether it is of a formula.
    pub(super) fn open(&mut self, name: &str) -> bool {
        if self.depth == 0 && name != "math" {
            return false;
        }
        self.depth += 1;
        if self.annotations > 0 || name.starts_with("annotation") {
            self.annotations += 1;
            return true;
        }
        if let Some((sign, children)) = self.signs.last_mut() {
            let sign = if *children == 0 { "" } else { *sign };
            *children += 1;
            self.text.push_str(sign);
        }
        let sign = match name {
            "mfrac" => "/",
            "msup" | "mover" => "^",
            "msub" | "munder" => "_",
            "mtr" => " ",
            "mtable" => "; ",
            _ => "",
        };
        self.text.push_str(if name == "msqrt" || name == "mroot" { "\u{221a}" } else { "" });
        self.signs.push((sign, 0));
        true
    }

    /// Ends an element. Returns the formula if this was its end.
    pub(super) fn close(&mut self, _: &str) -> Option<String> {
        if self.depth == 0 {
            return None;
        }
        self.depth -= 1;
        if self.annotations > 0 {
            self.annotations -= 1;
        } else {
            self.signs.pop();
        }
        (self.depth == 0).then(|| std::mem::take(&mut self.text))
    }

    /// Adds text. Returns whether it is of a formula.
    pub(super) fn text(&mut self, text: &str) -> bool {
        // White space between elements is layout.
        if self.depth > 0 && self.annotations == 0 && self.text.len() + text.len() <= FORMULA_BYTES_MAX {
            self.text.push_str(text.trim());
        }
        self.depth > 0
    }
}

/// Returns the formula that a part is; `None` if it is something else, such as a chart.
pub(super) fn of_part(source: &str) -> Option<String> {
    let (mut steps, mut formula) = (XmlSteps::new(source), Formula::default());
    while let Ok(Some(step)) = steps.next() {
        match step {
            XmlStep::Open(tag) => {
                if !formula.open(&tag.name()) {
                    return None;
                }
            }
            XmlStep::Close(name) => {
                if let Some(text) = formula.close(&name) {
                    return Some(text);
                }
            }
            XmlStep::Text(text) => drop(formula.text(&text)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::{FileHints, read};

    fn document(content: &str, object: &str) -> Vec<u8> {
        let parts = [
            ("mimetype", "application/vnd.oasis.opendocument.text".to_owned()),
            ("content.xml", format!("<office:text><text:p>{content}</text:p></office:text>")),
            ("Object 1/content.xml", object.to_owned()),
        ];
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, text) in &parts {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
            std::io::Write::write_all(&mut zip, text.as_bytes()).expect("written");
        }
        zip.finish().expect("an archive").into_inner()
    }

    fn text_of(bytes: &[u8]) -> String {
        let hints = FileHints { filename: Some("a.odt".to_owned()), ..FileHints::default() };
        read(&hints, bytes).expect("readable").pages.concat()
    }

    #[test]
    fn formulas_are_text_in_their_place() {
        let row = "<mi>a</mi><mo>=</mo><mn>2</mn>";
        for (math, expected) in [
            (row.to_owned(), "a=2"),
            (format!("<mrow>{row}</mrow>"), "a=2"),
            (
                format!(
                    "<semantics><mrow>{row}</mrow><annotation encoding=\"StarMath 5.0\">a = 2</annotation></semantics>"
                ),
                "a=2",
            ),
            ("<msup><mi>c</mi><mn>2</mn></msup>".to_owned(), "c^2"),
            ("<msub><mi>x</mi><mn>1</mn></msub>".to_owned(), "x_1"),
            ("<mfrac><mn>1</mn><mn>2</mn></mfrac>".to_owned(), "1/2"),
            ("<msqrt><mi>x</mi></msqrt>".to_owned(), "\u{221a}x"),
            ("<mi>E</mi>\n  <mo>&lt;</mo>\n  <mn>3</mn>".to_owned(), "E<3"),
            ("<mtext>net total</mtext>".to_owned(), "net total"),
            ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>".to_owned(), "a+b/2"),
        ] {
            for (open, close) in [("<math>", "</math>"), ("<math:math>", "</math:math>")] {
                let math = format!("{open}{math}{close}");
                let by_part = "x <draw:frame><draw:object xlink:href=\"./Object 1\"/></draw:frame> y";
                let within = format!("x <draw:frame><draw:object>{math}</draw:object></draw:frame> y");
                assert_eq!(text_of(&document(by_part, &math)), format!("x {expected} y"), "{math}");
                assert_eq!(text_of(&document(&within, "")), format!("x {expected} y"), "{math}");
            }
        }
        for other in ["<office:chart/>", "", "<math>", "not XML"] {
            let by_part = "x <draw:object xlink:href=\"./Object 1\"/>y";
            assert_eq!(text_of(&document(by_part, other)), "x y", "{other}");
        }
    }
}
