//! Small PDF files.

#[path = "../../../../files/src/kinds/pdf/tests/writer.rs"]
#[allow(unreachable_pub)]
mod writer;

use std::fmt::Write;

pub(crate) use self::writer::{of_objects, stream};

/// Returns the objects of a file with one page: catalog, pages, page, content, font.
pub(crate) fn page_objects(content: &str) -> Vec<String> {
    vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>"
            .to_owned(),
        stream("", content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ]
}

/// Returns a page with lines of text.
pub(crate) fn of_lines(lines: &[&str]) -> Vec<u8> {
    let mut content = "BT /F1 12 Tf 72 770 Td 14 TL ".to_owned();
    lines.iter().for_each(|line| {
        let _ = write!(content, "({line}) Tj T* ");
    });
    content.push_str("ET");
    of_objects(&page_objects(&content))
}

/// Returns a page that an image covers.
pub(crate) fn of_image(width: usize, height: usize) -> Vec<u8> {
    of_drawn_image(width, height, "q 595 0 0 842 0 0 cm /X Do Q")
}

/// Returns a page that draws the image `/X`.
pub(crate) fn of_drawn_image(width: usize, height: usize, content: &str) -> Vec<u8> {
    let mut objects = page_objects(content);
    let pixels = "0".repeat(width * height);
    let entries = format!(
        "/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8"
    );
    objects.push(stream(&entries, &pixels));
    of_objects(&objects)
}
