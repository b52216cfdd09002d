//! Small PDF files. The tests of the binary use them, too.

use std::fmt::Write;

/// Returns a file with these objects, numbered from 1; the first one is the catalog.
pub fn of_objects(objects: &[String]) -> Vec<u8> {
    let (mut file, mut offsets) = ("%PDF-1.7\n".to_owned(), Vec::new());
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let start = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    offsets.iter().for_each(|offset| {
        let _ = writeln!(file, "{offset:010} 00000 n ");
    });
    let _ = write!(file, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.into_bytes()
}

/// Returns a stream object.
pub fn stream(entries: &str, content: &str) -> String {
    format!("<< /Length {} {entries} >>\nstream\n{content}\nendstream", content.len())
}
