//! The shapes of mails that could be dear.

/// A shape: a mail of any size.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    kind: ShapeKind,
}

/// What is repeated until the mail has its size. `@` in a unit is a number that differs each time.
enum ShapeKind {
    /// The HTML body.
    Html(&'static str),
    /// The HTML body inside [`DEPTH`] elements that these tags open.
    Deep(&'static str, &'static str),
    /// The plain text body.
    Text(&'static str),
    /// Header fields, whole lines.
    Fields(&'static str),
    /// A header field with this start.
    Field(&'static str, &'static str),
    /// The content after this header, with its blank line.
    Body(&'static str, &'static str),
}

/// Elements that are open, fewer than the view's bound.
const DEPTH: usize = 500;

const fn html(name: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Html(unit) }
}

const fn deep(name: &'static str, tag: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Deep(tag, unit) }
}

const fn text(name: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Text(unit) }
}

const fn fields(name: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Fields(unit) }
}

const fn field(name: &'static str, start: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Field(start, unit) }
}

const fn body(name: &'static str, header: &'static str, unit: &'static str) -> Shape {
    Shape { name, kind: ShapeKind::Body(header, unit) }
}

const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\r\n\r\n";
const REPORT: &str = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\
    Content-Type: text/plain\r\n\r\nfailed\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n\
    Reporting-MTA: dns; mx.example\r\n\r\n";
const FEEDBACK: &str = "Content-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\n\
    Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n";
const CALENDAR: &str = "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\n";

pub(crate) const SHAPES: &[Shape] = &[
    html("div", "<div>"),
    html("div closed", "<div></div>"),
    deep("ends without a start", "<div>", "</b>"),
    deep("ends that are created again", "<p><b id=@>", "</i>"),
    deep("ends outside a cell", "<i><table><tr><td>", "</i>"),
    deep("items in blocks", "<div>", "<li>"),
    deep("rules in a paragraph", "<p><td><span>", "<hr>"),
    html("lists", "<ul><li>"),
    html("ordered lists", "<ol start=5><li>x"),
    html("items", "<li>x"),
    html("quotes", "<blockquote>"),
    html("quotes with text", "<blockquote>x\n"),
    html("quotes with breaks", "<blockquote type=cite><br>"),
    html("blank quotes", "<blockquote><br></blockquote><br>"),
    html("blank quotes of fillers", "<blockquote>&#8203;</blockquote>&#8203;<br>"),
    html("quotes with class", "<blockquote class=gmail_quote type=cite>On Monday @ wrote:<br>"),
    html("formatting in paragraphs", "<p><b id=@>"),
    html("fonts in paragraphs", "<p><font size=@>x"),
    html("links in paragraphs", "<p><a href=https://x.example/@>x"),
    html("misnested", "<b><i></b></i>"),
    html("adoption", "<a><p></a>"),
    html("spans", "<span>x"),
    html("breaks", "<br>"),
    html("paragraphs", "<p>x"),
    html("preformatted", "<pre>\n"),
    html("blank lines in pre", "<pre>x\n\n\n\n \n"),
    html("spaces", "x          "),
    html("rulers", "<hr>"),
    html("tables", "<table><tr><td>"),
    html("cells", "<td>x"),
    html("foster parenting", "<table>x<div>y"),
    html("rows", "<tr><td>x</td></tr>"),
    html("many attributes", "<p a@ b@ c@ d@ e@ f@ g@ h@>"),
    html("unclosed attribute", "<p title=\""),
    html("style attributes", "<p style=\"color:red;width:@px;display:none\">x</p>"),
    html("hidden", "<div style=display:none>x"),
    html("entities", "&amp;&lt;&#@;"),
    html("ampersands", "&"),
    html("bare entities", "&nbsp&copy"),
    html("long entity", "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    html("comments", "<!-- x -->"),
    html("unclosed comments", "<!-- x --"),
    html("comment ends", "<!---->-->"),
    html("open tags", "<"),
    html("end tags", "</b>"),
    html("unclosed tags", "<a href=https://x.example/"),
    html("scripts", "<script>x</script>"),
    html("unclosed scripts", "<script>"),
    html("css", "<style>p { color: red }</style>"),
    html("unclosed css", "<style>a{"),
    html("svg", "<svg><g>"),
    html("svg closed", "<svg><g></g></svg>"),
    html("mathml", "<math><mi>x"),
    html("templates", "<template><div>"),
    html("templates closed", "<template>x</template>"),
    html("objects", "<object><iframe>"),
    html("images", "<img alt=@ src=cid:a>"),
    html("data urls", "<img src=data:image/png;base64,AAAA>"),
    html("codes", "<p>Your code is 123@56</p>"),
    html("verification links", "<a href=https://x.example/verify?token=@>Verify your email</a>"),
    html("select", "<select><option>x"),
    html("tokens", "<p><a href=https://h/claim/pht0123456789abcdef0123456789abcdef@>x</a>"),
    html("headings", "<h1>x<h2>y"),
    html("wide text", "<p>\u{202e}\u{200b}é中"),
    text("quoted lines", "> > > > > > > > x\n"),
    text("deep quotes", ">"),
    text("attributions", "On Monday @, a@b.example wrote:\n> x\n"),
    text("header blocks", "From: a@b.example\nSent: Monday\nTo: c@d.example\nSubject: s\n"),
    text("rulers of text", "---\n"),
    text("rulers and blank lines", "___\n\n"),
    text("signatures", "-- \nName\n"),
    text("one line", "word "),
    text("tokens of text", "https://h/claim/pht0123456789abcdef0123456789abcdef@\n> "),
    text("starts of tokens", "p pht0 "),
    text("blank lines", "\n"),
    text("spaces of text", " "),
    text("codes of text", "Your code is 123@56\n"),
    text("links of text", "https://x.example/verify?token=@ "),
    text("bounces of text", "<a@@b.example>: host mx.example said: 550 5.1.1 User unknown\n"),
    fields("fields", "X-A@: b\r\n"),
    fields("addresses in fields", "To: a@@b.example, \"B\" <c@@d.example>\r\n"),
    fields("signature fields", "DKIM-Signature: v=1; a=rsa-sha256; d=x@.example; s=s; h=from; bh=AAAA; b=AAAA\r\n"),
    fields("received fields", "Received: from a by b; Mon, 1 Jan 2024 00:00:00 +0000\r\n"),
    field("addresses", "To: ", "a@@b.example,\r\n "),
    field("wide commas of addresses", "To: ", "、"),
    field("groups", "To: ", "g: a@@b.example;,\r\n "),
    field("comments of addresses", "To: ", "("),
    field("quotes of addresses", "To: ", "\"\\\\\r\n "),
    field("routes", "To: ", "<@@a,"),
    field("encoded words", "Subject: ", "=?utf-8?q?=41?=\r\n "),
    field("unclosed encoded words", "Subject: ", "=?utf-8?q?"),
    field("base64 words", "Subject: ", "=?utf-8?b?QQ==?=\r\n "),
    field("references", "References: ", "<a@@b.example>\r\n "),
    field("parameters", "Content-Type: text/plain", "; a@=b"),
    field("parts of parameters", "Content-Disposition: attachment", "; filename*@*=%41"),
    field("long parameter", "Content-Type: text/plain; charset=\"", "aaaaaaaaaa"),
    field("results", "Authentication-Results: x.example", "; spf=pass (c) smtp.mailfrom=a@.example"),
    body("parts", MIXED, "--b\r\n\r\nx\r\n"),
    body("parts with names", MIXED, "--b\r\nContent-Disposition: attachment; filename=a@\r\n\r\nx\r\n"),
    body("nested parts", MIXED, "--b\r\nContent-Type: multipart/mixed; boundary=b@\r\n\r\n--b@\r\n"),
    body("almost boundaries", MIXED, "--bx\r\n--\r\n-\r\n"),
    body("messages", MIXED, "--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\n"),
    body("html parts", MIXED, "--b\r\nContent-Type: text/html\r\n\r\n<b>x\r\n"),
    body(
        "quoted-printable",
        "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
        "=3Cp=3E=\r\n",
    ),
    body("base64", "Content-Transfer-Encoding: base64\r\n\r\n", "QUFB\r\n"),
    body("utf-7", "Content-Type: text/plain; charset=utf-7\r\n\r\n", "+AGE-"),
    body("iso-2022-jp", "Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n", "\u{1b}$B%\u{1b}(B"),
    body("calendar", CALENDAR, "BEGIN:VEVENT\r\nATTENDEE:mailto:a@@b.example\r\n"),
    body("calendar lines", CALENDAR, "DESCRIPTION:x\r\n y\r\n"),
    body("delivery status", REPORT, "Final-Recipient: rfc822; a@@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"),
    body("delivery status fields", REPORT, "X-A@: b\r\n"),
    body("feedback", FEEDBACK, "Original-Rcpt-To: a@@b.example\r\n"),
];

impl Shape {
    /// Returns a mail of about this size.
    pub(crate) fn mail(&self, size: usize) -> Vec<u8> {
        const START: &str = "From: a@b.example\r\nTo: c@d.example\r\nSubject: s\r\nMIME-Version: 1.0\r\n";
        let filled = |unit: &str| filled(unit, size);
        match self.kind {
            ShapeKind::Html(unit) => format!("{START}Content-Type: text/html\r\n\r\n{}", filled(unit)),
            ShapeKind::Deep(tags, unit) => {
                let times = DEPTH / tags.matches('<').count();
                let around: String = (0..times).map(|at| tags.replace('@', &at.to_string())).collect();
                format!("{START}Content-Type: text/html\r\n\r\n{around}{}", filled(unit))
            }
            ShapeKind::Text(unit) => format!("{START}Content-Type: text/plain\r\n\r\n{}", filled(unit)),
            ShapeKind::Fields(unit) => format!("{START}{}\r\ntext", filled(unit)),
            ShapeKind::Field(start, unit) => format!("{START}{start}{}\r\n\r\ntext", filled(unit)),
            ShapeKind::Body(header, unit) => format!("{START}{header}{}", filled(unit)),
        }
        .into_bytes()
    }
}

/// Returns the unit as often as fits in a size. `@@` is an at sign after a number.
fn filled(unit: &str, size: usize) -> String {
    let mut out = String::with_capacity(size + 100);
    let mut at = 0;
    while out.len() < size {
        out.push_str(&unit.replace("@@", &format!("{at}\u{0}")).replace('@', &at.to_string()).replace('\u{0}', "@"));
        at += 1;
    }
    out
}
