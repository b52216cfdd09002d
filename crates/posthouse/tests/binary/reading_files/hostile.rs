//! Files made to harm the process that reads them.

use super::{office, pdf};

/// A hostile file.
pub(crate) struct HostileFile {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Steps of a generator of numbers.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap_or(0)
    }
}

fn file(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> HostileFile {
    HostileFile { name: name.into(), bytes: bytes.into() }
}

/// Archives that unpack to much more than they are.
pub(crate) fn bombs() -> Vec<HostileFile> {
    let mut files = Vec::new();
    for megabytes in [8, 60] {
        let filler = "a".repeat(megabytes << 20);
        files.push(file(format!("bomb-{megabytes}.docx"), office::docx(&format!("<w:p><w:t>{filler}</w:t></w:p>"))));
        files.push(file(format!("bomb-{megabytes}.odt"), office::odt(&format!("<text:p>{filler}</text:p>"))));
        files.push(file(format!("bomb-{megabytes}.epub"), office::epub(&[&filler])));
        files.push(file(format!("bomb-{megabytes}.pptx"), office::pptx(&[&filler])));
        let rows = format!(r#"<row><c t="str"><v>{filler}</v></c></row>"#);
        files.push(file(format!("bomb-{megabytes}.xlsx"), office::xlsx(&rows)));
        let many = "<w:p/>".repeat((megabytes << 20) / 6);
        files.push(file(format!("tags-{megabytes}.docx"), office::docx(&many)));
    }
    for entries in [1_000, 20_000] {
        let names: Vec<String> = (0..entries).map(|at| format!("word/header{at}.xml")).collect();
        let mut parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"<w:t>h</w:t>"[..])).collect();
        parts.push(("word/document.xml", b"<w:document/>"));
        files.push(file(format!("entries-{entries}.docx"), office::archive(&parts)));
    }
    let inner = office::docx(&"<w:p/>".repeat(1 << 20));
    files.push(file("inner.zip", office::archive(&[("word/document.xml", &inner)])));
    files.push(file("slides.pptx", office::pptx(&vec!["x"; 5_000])));
    files.push(file("chapters.epub", office::epub(&vec!["<p>x</p>"; 5_000])));
    files
}

/// Formats that nest without end.
pub(crate) fn nesting() -> Vec<HostileFile> {
    let mut files = Vec::new();
    for depth in [200, 5_000, 500_000] {
        let open = |tag: &str| tag.repeat(depth);
        files.push(file(format!("deep-{depth}.docx"), office::docx(&open("<w:tbl>"))));
        files.push(file(format!("deep-{depth}.odt"), office::odt(&open("<text:span>"))));
        files.push(file(format!("deep-{depth}.xlsx"), office::xlsx(&open("<row>"))));
        files.push(file(format!("deep-{depth}.pptx"), office::pptx(&[&open("<a:p>")])));
        files.push(file(format!("deep-{depth}.epub"), office::epub(&[&open("<div>")])));
        files.push(file(format!("deep-{depth}.html"), format!("<html>{}", open("<table><tr><td>"))));
        files.push(file(format!("deep-{depth}.rtf"), format!("{{\\rtf1{}", open("{"))));
        files.push(file(format!("array-{depth}.pdf"), pdf::of_objects(&pdf::page_objects(&open("[")))));
        files.push(file(format!("dict-{depth}.pdf"), pdf::of_objects(&pdf::page_objects(&open("<< /A ")))));
        files.push(file(format!("state-{depth}.pdf"), pdf::of_objects(&pdf::page_objects(&open("q ")))));
        files.push(file(format!("text-{depth}.pdf"), pdf::of_objects(&pdf::page_objects(&open("BT ")))));
        let mut objects = pdf::page_objects("BT /F1 12 Tf (x) Tj ET");
        objects[0] = format!("<< /Type /Catalog /Pages 2 0 R /Names {} >>", open("[ "));
        files.push(file(format!("catalog-{depth}.pdf"), pdf::of_objects(&objects)));
        files.push(file(format!("calendar-{depth}.ics"), format!("BEGIN:VCALENDAR\n{}", open("BEGIN:VEVENT\n"))));
    }
    files
}

/// Entities, external references, formulas and macros.
pub(crate) fn entities() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let laughs: String =
        (1..12).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10))).collect();
    let types = [
        ("file", "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>".to_owned()),
        ("http", "<!DOCTYPE x [<!ENTITY e SYSTEM \"http://127.0.0.1:1/PWNED\">]>".to_owned()),
        ("laughs", format!("<!DOCTYPE x [<!ENTITY l0 \"lol\">{laughs}<!ENTITY e \"&l11;\">]>")),
        ("parameter", "<!DOCTYPE x [<!ENTITY % p SYSTEM \"file:///etc/passwd\">%p;]>".to_owned()),
        ("loop", "<!DOCTYPE x [<!ENTITY e \"&e;&e;\">]>".to_owned()),
    ];
    for (name, kind) in &types {
        let document = format!("<?xml version=\"1.0\"?>{kind}<w:document><w:p><w:t>a&e;b</w:t></w:p></w:document>");
        files.push(file(format!("{name}.docx"), office::archive(&[("word/document.xml", document.as_bytes())])));
        let content = format!("<?xml version=\"1.0\"?>{kind}<office:text><text:p>a&e;b</text:p></office:text>");
        files.push(file(format!("{name}.odt"), office::archive(&[("content.xml", content.as_bytes())])));
        let workbook = format!("<?xml version=\"1.0\"?>{kind}<workbook><sheet name=\"&e;\"/></workbook>");
        files.push(file(format!("{name}.xlsx"), office::archive(&[("xl/workbook.xml", workbook.as_bytes())])));
        let html = format!("{kind}<html><body>&e;</body></html>");
        files.push(file(format!("{name}.html"), html));
    }
    let formulas =
        ["=WEBSERVICE(\"http://127.0.0.1/PWN\")", "=cmd|' /C calc'!A0", "=HYPERLINK(\"file:///etc/passwd\")"];
    for (at, formula) in formulas.iter().enumerate() {
        let row = format!("<row><c r=\"A1\"><f>{}</f><v>1</v></c></row>", formula.replace('"', "&quot;"));
        files.push(file(format!("formula-{at}.xlsx"), office::xlsx(&row)));
        files.push(file(format!("formula-{at}.csv"), format!("a,{formula}\n")));
    }
    let outside = "<Relationships><Relationship Id=\"rId1\" TargetMode=\"External\" Type=\"x/worksheet\" Target=\"file:///etc/passwd\"/><Relationship Id=\"rId2\" Type=\"x/slide\" Target=\"../../../../etc/passwd\"/></Relationships>";
    let workbook =
        "<workbook><sheets><sheet name=\"a\" r:id=\"rId1\"/><sheet name=\"b\" r:id=\"rId2\"/></sheets></workbook>";
    files.push(file(
        "external.xlsx",
        office::archive(&[
            ("xl/workbook.xml", workbook.as_bytes()),
            ("xl/_rels/workbook.xml.rels", outside.as_bytes()),
            ("xl/vbaProject.bin", b"PWNED"),
        ]),
    ));
    files
        .push(file("include.html", "<html><iframe src=file:///etc/passwd></iframe><object data=/etc/passwd></object>"));
    files.push(file("object.rtf", "{\\rtf1{\\object\\objdata 50574e4544}{\\*\\template file:///etc/passwd}x}"));
    files
}

/// Broken structure of PDF.
pub(crate) fn pdf_structure() -> Vec<HostileFile> {
    let plain = pdf::of_lines(&["Some text", "and more of it"]);
    let mut files = Vec::new();
    for tenth in 1..10 {
        files.push(file(format!("cut-{tenth}.pdf"), &plain[..plain.len() * tenth / 10]));
    }
    let with = |at: usize, object: &str| {
        let mut objects = pdf::page_objects("BT /F1 12 Tf 72 700 Td (x) Tj ET /X Do");
        objects.push(pdf::stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
            "/X Do /X Do",
        ));
        objects[at] = object.to_owned();
        pdf::of_objects(&objects)
    };
    let changes = [
        ("form-loop", 4, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
        ("kids-loop", 1, "<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 3 >>"),
        ("kids-self", 1, "<< /Type /Pages /Kids 2 0 R /Count 1 >>"),
        ("count", 1, "<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>"),
        ("negative", 1, "<< /Type /Pages /Kids [3 0 R] /Count -5 >>"),
        ("pages-self", 0, "<< /Type /Catalog /Pages 1 0 R >>"),
        ("reference-self", 3, "4 0 R"),
        ("length-self", 3, "<< /Length 4 0 R >>\nstream\nBT (x) Tj ET\nendstream"),
        ("length-huge", 3, "<< /Length 99999999999 >>\nstream\nBT (x) Tj ET\nendstream"),
        ("filters", 3, &format!("<< /Length 3 /Filter [{}] >>\nstream\nabc\nendstream", "/FlateDecode ".repeat(1_000))),
        (
            "predictor",
            3,
            "<< /Length 3 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 /Colors 99 >> >>\nstream\nabc\nendstream",
        ),
        ("font-self", 4, "<< /Type /Font /Subtype /Type0 /BaseFont /X /DescendantFonts [5 0 R] /Encoding 5 0 R >>"),
        (
            "type3-self",
            4,
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /x 4 0 R >> /Encoding << /Differences [0 /x 120 /x] >> /FirstChar 0 /LastChar 120 /Widths [1] >>",
        ),
        ("unicode-self", 4, "<< /Type /Font /Subtype /TrueType /BaseFont /X /ToUnicode 4 0 R >>"),
        ("box", 2, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1e30 1e30] /Contents 4 0 R /Resources << >> >>"),
        ("box-nan", 2, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 -1 0] /UserUnit 1e30 /Contents 4 0 R >>"),
        ("parent-self", 2, "<< /Type /Page /Parent 3 0 R /Contents [4 0 R 3 0 R 4 0 R] >>"),
    ];
    for (name, at, object) in changes {
        files.push(file(format!("{name}.pdf"), with(at, object)));
    }
    let text = String::from_utf8(plain.clone()).expect("ASCII");
    let tail = text.rfind("startxref").expect("there");
    for (name, replaced) in [("zero", "0"), ("far", "99999999"), ("self", "9"), ("minus", "-1")] {
        files.push(file(format!("xref-{name}.pdf"), format!("{}startxref\n{replaced}\n%%EOF", &text[..tail])));
    }
    let looped = text.replace("/Root 1 0 R", &format!("/Root 1 0 R /Prev {}", text.find("xref\n").unwrap_or(0)));
    files.push(file("prev-loop.pdf", looped));
    files.push(file(
        "encrypted.pdf",
        text.replace("/Root", "/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 >> /Root"),
    ));
    let pages = 10_000;
    let kids: String = (0..pages).map(|_| "3 0 R ").collect();
    let mut objects = pdf::page_objects("BT /F1 12 Tf 72 700 Td (page) Tj ET");
    objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {pages} >>");
    files.push(file("pages.pdf", pdf::of_objects(&objects)));
    files
}

/// Content of PDF that takes long.
pub(crate) fn pdf_content() -> Vec<HostileFile> {
    let of = |content: &str| pdf::of_objects(&pdf::page_objects(content));
    let text = |body: &str| of(&format!("BT /F1 12 Tf 72 700 Td {body} ET"));
    let mut files = vec![
        file("glyphs.pdf", text(&"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ".repeat(20_000))),
        file("moves.pdf", text(&"1 0 Td (a) Tj ".repeat(200_000))),
        file("paths.pdf", of(&"0 0 m 9 9 l S ".repeat(200_000))),
        file("curves.pdf", of(&"0 0 m 1e9 1e9 -1e9 5 7 1e9 c f ".repeat(20_000))),
        file("clips.pdf", of(&"0 0 9 9 re W n ".repeat(100_000))),
        file("numbers.pdf", of(&"999999999999999999999999999999 ".repeat(100_000))),
        file("nan.pdf", text("1e39 Ts 0 Tz 1e39 1e39 1e39 1e39 1e39 1e39 Tm (x) Tj")),
        file("zero-size.pdf", text("/F1 0 Tf (invisible) Tj")),
        file("hex.pdf", text(&format!("<{}> Tj", "4142".repeat(500_000)))),
        file("names.pdf", of(&format!("/{} gs", "a".repeat(1_000_000)))),
        file("strings.pdf", text(&format!("({}) Tj", "(".repeat(300_000)))),
        file("inline.pdf", of(&"BI /W 9999 /H 9999 /BPC 8 /CS /RGB ID x EI ".repeat(2_000))),
    ];
    for (name, entries) in [
        ("gray", "/Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8"),
        ("rgb", "/Width 2147483647 /Height 2147483647 /ColorSpace /DeviceRGB /BitsPerComponent 16"),
        ("jpx", "/Width 60000 /Height 60000 /Filter /JPXDecode"),
        ("jbig2", "/Width 60000 /Height 60000 /Filter /JBIG2Decode /ImageMask true"),
        (
            "ccitt",
            "/Width 60000 /Height 60000 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >> /ImageMask true",
        ),
        ("dct", "/Width 60000 /Height 60000 /Filter /DCTDecode /ColorSpace /DeviceCMYK"),
        ("mask", "/Width 9 /Height 9 /SMask 6 0 R /ColorSpace /DeviceGray /BitsPerComponent 8"),
        ("space", "/Width 9 /Height 9 /ColorSpace [/Indexed 6 0 R 255 6 0 R] /BitsPerComponent 8"),
    ] {
        let mut objects = pdf::page_objects("q 595 0 0 842 0 0 cm /X Do Q");
        objects.push(pdf::stream(&format!("/Type /XObject /Subtype /Image {entries}"), &"\0".repeat(64)));
        files.push(file(format!("image-{name}.pdf"), pdf::of_objects(&objects)));
    }
    files
}

/// Tables that state more cells than they have.
pub(crate) fn tables() -> Vec<HostileFile> {
    let mut files = Vec::new();
    for repeats in [1_000, 1_000_000, 2_147_483_647_u32] {
        let cell = format!(
            r#"<table:table-row table:number-rows-repeated="{repeats}"><table:table-cell table:number-columns-repeated="{repeats}"><text:p>x</text:p></table:table-cell></table:table-row>"#
        );
        files.push(file(format!("repeat-{repeats}.ods"), office::ods(&cell.repeat(50))));
        files.push(file(
            format!("spaces-{repeats}.odt"),
            office::odt(&format!(r#"<text:p><text:s text:c="{repeats}"/></text:p>"#)),
        ));
    }
    for reference in ["XFD1048576", "ZZZZZZZZZZZ1", "A99999999999", "", "1"] {
        let row = format!(r#"<row r="1"><c r="{reference}"><v>1</v></c></row>"#).repeat(1_000);
        files.push(file(format!("cell-{reference}.xlsx"), office::xlsx(&row)));
    }
    for value in ["1e400", "-1e400", "NaN", "99999999999", "-1", ""] {
        files.push(file(
            format!("date-{value}.xlsx"),
            office::xlsx(&format!(r#"<row><c s="1"><v>{value}</v></c><c t="s"><v>{value}</v></c></row>"#)),
        ));
    }
    files.push(file("columns.csv", "a,".repeat(2_000_000)));
    files.push(file("quotes.csv", "\"".repeat(3_000_000)));
    files.push(file("quoted.csv", format!("\"{}", "a\n".repeat(1_000_000))));
    files.push(file("lines.txt", "\n".repeat(5_000_000)));
    files.push(file("line.txt", "a".repeat(10_000_000)));
    files.push(file("marks.txt", "\u{300}".repeat(2_000_000)));
    files.push(file("tags.html", "<a>".repeat(500_000)));
    files.push(file("attributes.html", format!("<html><p {}>x", "a=b ".repeat(500_000))));
    files.push(file("comment.html", format!("<html><!--{}", "-".repeat(3_000_000))));
    files.push(file("control.rtf", format!("{{\\rtf1 {}", "\\u-3913?\\'ff\\bin999999999 ".repeat(100_000))));
    files.push(file("fold.ics", format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{}", "a\n ".repeat(1_000_000))));
    files.push(file(
        "attendees.ics",
        format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{}", "ATTENDEE:mailto:a@b\n".repeat(200_000)),
    ));
    files
}

/// Images, mail and files of two kinds.
pub(crate) fn images_and_mail() -> Vec<HostileFile> {
    let mut files = Vec::new();
    let png = |width: u32, height: u32| {
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &height.to_be_bytes(), b"\x08\x06\0\0\0"]
            .concat()
    };
    files.push(file("huge.png", png(u32::MAX, u32::MAX)));
    files.push(file("wide.png", png(100_000_000, 1)));
    files.push(file("empty.png", png(0, 0)));
    files.push(file("huge.gif", b"GIF89a\xff\xff\xff\xff\0\0\0".to_vec()));
    files.push(file("huge.bmp", [b"BM".as_slice(), &[0; 16], &[0xff; 8]].concat()));
    files.push(file("loop.jpg", [b"\xff\xd8".as_slice(), &b"\xff\xe0\0\0".repeat(100_000)].concat()));
    files.push(file("loop.tif", b"II*\0\x08\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0".to_vec()));
    let mut mail = "From: a@b\r\n\r\nend".to_owned();
    for depth in 0..60 {
        mail = format!(
            "From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b{depth}\r\n\r\n--b{depth}\r\n\
             Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n{mail}\r\n--b{depth}--\r\n"
        );
    }
    files.push(file("nested.eml", mail));
    files.push(file(
        "parts.eml",
        format!(
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}",
            "--b\r\n\r\nx\r\n".repeat(100_000)
        ),
    ));
    files.push(file("header.eml", format!("Subject: {}\r\n\r\nx", "=?utf-8?q?a?= ".repeat(100_000))));
    let bomb = office::docx(&"<w:p/>".repeat(1 << 20));
    let encoded: String = bomb.iter().map(|byte| format!("={byte:02X}")).collect();
    files.push(file("bomb.eml", format!("MIME-Version: 1.0\r\nContent-Type: application/octet-stream; name=a.docx\r\nContent-Disposition: attachment; filename=a.docx\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{encoded}")));
    let compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    for fill in [0_u8, 1, 0xfe, 0xff] {
        files.push(file(format!("compound-{fill}.msg"), [compound.as_slice(), &vec![fill; 8_192]].concat()));
    }
    let mut header = vec![0_u8; 512];
    header[..8].copy_from_slice(compound);
    header[24..34].copy_from_slice(&[0x3e, 0, 3, 0, 0xfe, 0xff, 9, 0, 6, 0]);
    // Every sector is followed by itself.
    files.push(file(
        "chain-loop.msg",
        [header, (0..2_048_u32).flat_map(|at| (at % 4).to_le_bytes()).collect()].concat(),
    ));
    let (pdf, docx) = (pdf::of_lines(&["x"]), office::docx("<w:p><w:t>x</w:t></w:p>"));
    files.push(file("pdf-zip.pdf", [pdf.clone(), docx.clone()].concat()));
    files.push(file("zip-pdf.docx", [docx.clone(), pdf.clone()].concat()));
    files.push(file("gif-zip.gif", [b"GIF89a".as_slice(), &docx].concat()));
    files.push(file("html-pdf.html", [b"<html><script>PWN</script>".as_slice(), &pdf].concat()));
    files.push(file("rtf-pdf.pdf", [b"{\\rtf1 x}".as_slice(), &pdf].concat()));
    files.push(file("elf.docx", b"\x7fELF\x02\x01\x01".to_vec()));
    files.push(file("empty.pdf", Vec::new()));
    files
}

/// Valid files with bytes changed.
pub(crate) fn mutations() -> Vec<HostileFile> {
    let seeds = [
        ("pdf", pdf::of_lines(&["Some text", "and more of it"])),
        ("docx", office::docx("<w:p><w:r><w:t>Some text</w:t></w:r></w:p>")),
        ("xlsx", office::xlsx(r#"<row r="1"><c r="A1" t="s"><v>0</v></c></row>"#)),
        (
            "ods",
            office::ods("<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"),
        ),
        ("scan.pdf", pdf::of_image(16, 16)),
    ];
    let (mut noise, mut files) = (Noise(0x9e37_79b9_7f4a_7c15), Vec::new());
    for (kind, seed) in &seeds {
        for round in 0..12 {
            let mut bytes = seed.clone();
            for _ in 0..=noise.next(12) {
                let at = noise.next(bytes.len());
                bytes[at] = u8::try_from(noise.next(256)).unwrap_or(0);
            }
            files.push(file(format!("changed-{round}.{kind}"), bytes));
        }
    }
    files
}
