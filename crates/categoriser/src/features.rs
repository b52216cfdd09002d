//! The numbers that the networks see: text vectors and features of form.

use crate::links::{Author, author, host, registrable, traits};
use crate::scan::{Counts, Scan, Segment, scan};
use crate::vocabulary::{Vocabulary, special};
use crate::{Authentication, DIMENSIONS, Mail};

/// Word lists of ml/lexicon.txt, by the bit of their flag.
pub(crate) const CLASSES: usize = 28;
const ASSISTANT: u32 = 1;
const OVERRIDE: u32 = 1 << 1;
const INSTRUCTION: u32 = 1 << 2;
const PRIOR: u32 = 1 << 3;
const SECRET: u32 = 1 << 4;
const TOOL: u32 = 1 << 5;
const REVEAL: u32 = 1 << 6;
const ROLE: u32 = 1 << 7;
const YOU: u32 = 1 << 8;
const GREETING: u32 = 1 << 23;
const BRAND: u32 = 1 << 26;

/// Features of form of a segment.
pub(crate) const SEGMENT_FORM: usize = 48;
/// Numbers of a segment.
pub(crate) const SEGMENT_SIZE: usize = DIMENSIONS + SEGMENT_FORM;
/// Features of form of a mail.
pub(crate) const MAIL_FORM: usize = 96;
/// Numbers of a mail: subject, body, opening and form.
pub(crate) const MAIL_SIZE: usize = 3 * DIMENSIONS + MAIL_FORM;

/// Tokens of the opening.
const OPENING: usize = 60;

/// Values of the hash of a token n-gram.
pub(crate) const GRAM_BITS: u32 = 19;

pub(crate) type Vector = [f32; DIMENSIONS];

pub(crate) struct SegmentFeatures {
    pub(crate) segment: Segment,
    pub(crate) values: [f32; SEGMENT_SIZE],
}

pub(crate) struct Features<'a> {
    pub(crate) subject: Scan<'a>,
    pub(crate) body: Scan<'a>,
    pub(crate) mail: Vec<f32>,
    /// The subject, then the segments of the text.
    pub(crate) segments: Vec<SegmentFeatures>,
}

/// Scales a vector to length 1.
pub(crate) fn normalize(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 1e-6 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// The dot product, with sixteen sums that the compiler can keep in registers.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    let mut sums = [0.0f32; 16];
    for (a, b) in a.iter().zip(b) {
        for at in 0..16 {
            sums[at] += a[at] * b[at];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// The vector of tokens.
pub(crate) fn mean(tokens: &[u32], vocabulary: &Vocabulary) -> Vector {
    let mut sum = [0.0; DIMENSIONS];
    for token in tokens {
        vocabulary.add(*token, &mut sum);
    }
    normalize(&mut sum);
    sum
}

/// The hashes of the token 1-, 2- and 3-grams of a segment.
pub(crate) fn grams(tokens: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let mix = |hash: u32, token: u32| (hash ^ token).wrapping_mul(0x9e37_79b1).rotate_left(13);
    (0..tokens.len()).flat_map(move |start| {
        let mut hash = 0;
        (1..=3usize.min(tokens.len() - start)).map(move |length| {
            hash = mix(hash, tokens[start + length - 1] + length as u32 * 7_919);
            (hash.wrapping_mul(0x85eb_ca6b) >> (32 - GRAM_BITS)) as usize
        })
    })
}

/// Computes all features of a mail. `subject` and `text` are already cut to their limits.
pub(crate) fn features<'a>(mail: &Mail<'_>, subject: &'a str, text: &'a str, vocabulary: &Vocabulary) -> Features<'a> {
    let subject_scan = scan(subject, vocabulary);
    let body = scan(text, vocabulary);
    let author = author(mail.from);
    let subject_vector = mean(&subject_scan.tokens, vocabulary);
    let mut total = [0.0; DIMENSIONS];
    let mut segments = Vec::with_capacity(body.segments.len() + 1);
    for segment in &body.segments {
        let mut vector = [0.0; DIMENSIONS];
        for token in &body.tokens[segment.tokens.0..segment.tokens.1] {
            vocabulary.add(*token, &mut vector);
        }
        for (sum, value) in total.iter_mut().zip(&vector) {
            *sum += value;
        }
        normalize(&mut vector);
        let mut values = [0.0; SEGMENT_SIZE];
        values[..DIMENSIONS].copy_from_slice(&vector);
        segments.push(SegmentFeatures { segment: *segment, values });
    }
    normalize(&mut total);
    let opening = mean(&body.tokens[..body.tokens.len().min(OPENING)], vocabulary);
    let mut addressed = false;
    for features in &mut segments {
        let tokens = &body.tokens[features.segment.tokens.0..features.segment.tokens.1];
        let (vector, form) = features.values.split_at_mut(DIMENSIONS);
        let similarity = dot(vector, &total);
        addressed =
            segment_form(tokens, &features.segment.counts, vocabulary, form, SegmentContext { similarity, addressed });
    }
    if !subject_scan.tokens.is_empty() {
        segments.insert(0, subject_segment(&subject_scan, &subject_vector, &total, vocabulary));
    }
    let mut values = Vec::with_capacity(MAIL_SIZE);
    values.extend_from_slice(&subject_vector);
    values.extend_from_slice(&total);
    values.extend_from_slice(&opening);
    let mut form = [0.0; MAIL_FORM];
    mail_form(mail, &author, &subject_scan, &body, vocabulary, &mut form);
    link_form(&author, &body, vocabulary, &mut form);
    brand_form(&author, subject, &subject_scan, vocabulary, &mut form);
    values.extend_from_slice(&form);
    Features { subject: subject_scan, body, mail: values, segments }
}

fn subject_segment(scan: &Scan<'_>, vector: &Vector, total: &Vector, vocabulary: &Vocabulary) -> SegmentFeatures {
    let mut counts = Counts::default();
    scan.segments.iter().for_each(|segment| counts.add(&segment.counts));
    let segment = Segment { start: 0, end: 0, tokens: (0, scan.tokens.len()), counts };
    let mut values = [0.0; SEGMENT_SIZE];
    values[..DIMENSIONS].copy_from_slice(vector);
    let form = &mut values[DIMENSIONS..];
    let context = SegmentContext { similarity: dot(vector, total), addressed: false };
    segment_form(&scan.tokens, &counts, vocabulary, form, context);
    SegmentFeatures { segment, values }
}

fn ratio(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

fn capped(value: u32) -> f32 {
    value.min(3) as f32 / 3.0
}

fn log(value: u32) -> f32 {
    (value as f32).ln_1p()
}

/// What the rest of the mail says about a segment.
#[derive(Clone, Copy)]
struct SegmentContext {
    /// The cosine to the rest of the mail.
    similarity: f32,
    /// Whether an earlier segment named an assistant.
    addressed: bool,
}

/// Fills the form of a segment. Returns whether it names an assistant.
fn segment_form(
    tokens: &[u32],
    counts: &Counts,
    vocabulary: &Vocabulary,
    form: &mut [f32],
    context: SegmentContext,
) -> bool {
    let mut all = 0;
    let mut start = 0;
    let mut blob = false;
    for (at, token) in tokens.iter().enumerate() {
        let flags = vocabulary.flags(*token);
        all |= flags;
        blob |= *token == special::BLOB;
        if at < 4 {
            start |= flags;
        }
        let mut rest = flags;
        while rest != 0 {
            let class = rest.trailing_zeros() as usize;
            form[class] = (form[class] + 1.0 / 3.0).min(1.0);
            rest &= rest - 1;
        }
    }
    let any = |classes: u32| all & classes != 0;
    let rest = [
        capped(counts.addresses),
        capped(counts.links),
        log(counts.words) / 4.0,
        ratio(counts.capitals, counts.letters),
        capped(counts.exclamations),
        capped(counts.questions),
        log(counts.code) / 3.0,
        capped(counts.quoted),
        context.similarity,
        flag(start & (TOOL | OVERRIDE | REVEAL | ROLE) != 0),
        flag(any(ASSISTANT) && any(TOOL | OVERRIDE | REVEAL | SECRET)),
        flag(any(OVERRIDE) && any(INSTRUCTION | PRIOR)),
        flag(any(OVERRIDE) && any(INSTRUCTION) && any(PRIOR)),
        flag(any(TOOL) && (any(SECRET) || counts.addresses > 0)),
        flag(any(YOU) && any(ROLE)),
        flag(start & ASSISTANT != 0),
        flag(context.addressed),
        flag(any(REVEAL) && any(INSTRUCTION | SECRET)),
        flag(blob),
        ratio(counts.other_script, counts.letters),
    ];
    form[CLASSES..].copy_from_slice(&rest);
    any(ASSISTANT)
}

/// The number of attachments, and whether one of them may run code or is a document.
fn attachment_form(names: &[&str]) -> [f32; 3] {
    let ends = |endings: &[&str]| {
        let ends = |name: &&str| endings.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
        flag(names.iter().any(ends))
    };
    let risky = ends(&[".html", ".htm", ".exe", ".zip", ".js", ".iso", ".scr", ".rar", ".docm", ".xlsm", ".lnk"]);
    let documents = ends(&[".pdf", ".docx", ".xlsx", ".doc", ".csv"]);
    [log(names.len() as u32) / 2.0, risky, documents]
}

/// Counts the tokens of each class.
fn class_counts(body: &Scan<'_>, vocabulary: &Vocabulary) -> [u32; CLASSES] {
    let mut classes = [0u32; CLASSES];
    for token in &body.tokens {
        let mut rest = vocabulary.flags(*token);
        while rest != 0 {
            classes[rest.trailing_zeros() as usize % CLASSES] += 1;
            rest &= rest - 1;
        }
    }
    classes
}

fn mail_form(
    mail: &Mail<'_>,
    author: &Author<'_>,
    subject: &Scan<'_>,
    body: &Scan<'_>,
    vocabulary: &Vocabulary,
    form: &mut [f32; MAIL_FORM],
) {
    let mut counts = Counts::default();
    body.segments.iter().for_each(|segment| counts.add(&segment.counts));
    for (class, count) in class_counts(body, vocabulary).iter().enumerate() {
        form[class] = log(*count) / log(counts.words).max(1.0);
    }
    let subject_flags = subject.tokens.iter().fold(0, |all, token| all | vocabulary.flags(*token));
    for class in 0..CLASSES {
        form[CLASSES + class] = flag(subject_flags & (1 << class) != 0);
    }
    let facts = &mail.facts;
    let has = |tokens: &[u32], wanted: u32| tokens.iter().filter(|token| **token == wanted).count() as u32;
    let codes = has(&body.tokens, special::CODE) + has(&subject.tokens, special::CODE);
    let start = mail.subject.trim_start().get(..4).unwrap_or("").to_ascii_lowercase();
    let greeted = body.segments.first().is_some_and(|first| {
        body.tokens[first.tokens.0..first.tokens.1].iter().any(|token| vocabulary.flags(*token) & GREETING != 0)
    });
    let [attachments, risky, documents] = attachment_form(mail.attachment_names);
    let mut subject_counts = Counts::default();
    subject.segments.iter().for_each(|segment| subject_counts.add(&segment.counts));
    let values = [
        flag(facts.list_header),
        flag(facts.automatic_header),
        flag(facts.spf == Authentication::Pass),
        flag(facts.spf == Authentication::Fail),
        flag(facts.dkim == Authentication::Pass),
        flag(facts.dkim == Authentication::Fail),
        flag(facts.dmarc == Authentication::Pass),
        flag(facts.dmarc == Authentication::Fail),
        flag(facts.link_mismatch),
        flag(facts.lookalike_domain),
        flag(start.starts_with("re:") || start.starts_with("aw:") || start.starts_with("sv:")),
        flag(start.starts_with("fw")),
        log(counts.words) / 8.0,
        log(counts.links) / 3.0,
        log(counts.addresses) / 3.0,
        capped(counts.questions),
        capped(counts.exclamations),
        ratio(counts.capitals, counts.letters),
        attachments,
        risky,
        documents,
        flag(author.no_reply),
        flag(author.role),
        flag(author.free_mail),
        capped(codes),
        capped(has(&body.tokens, special::CURRENCY) + has(&subject.tokens, special::CURRENCY)),
        ratio(subject_counts.capitals, subject_counts.letters),
        flag(counts.words == 0),
        ratio(counts.lines, counts.words) * 3.0,
        ratio(counts.other_script, counts.letters),
        ratio(counts.quoted, counts.lines),
        log(counts.code) / 5.0,
        log(body.segments.len() as u32) / 5.0,
        flag(greeted),
    ];
    form[2 * CLASSES..2 * CLASSES + values.len()].copy_from_slice(&values);
}

/// Values from here on are set by [`link_form`] and [`brand_form`].
const LINK_FORM: usize = MAIL_FORM - 6;

fn link_form(author: &Author<'_>, body: &Scan<'_>, vocabulary: &Vocabulary, form: &mut [f32; MAIL_FORM]) {
    let own = registrable(author.domain);
    let mut elsewhere = 0;
    for link in &body.links {
        let traits = traits(link);
        let host = host(link);
        form[LINK_FORM] = form[LINK_FORM].max(flag(traits.odd_host));
        form[LINK_FORM + 1] = form[LINK_FORM + 1].max(flag(traits.cheap));
        form[LINK_FORM + 2] = form[LINK_FORM + 2].max(flag(traits.shortener));
        elsewhere += u32::from(!registrable(host).eq_ignore_ascii_case(own));
        let labels = scan(host, vocabulary);
        let branded = labels.tokens.iter().any(|token| foreign_brand(*token, registrable(host), vocabulary));
        form[LINK_FORM + 3] = form[LINK_FORM + 3].max(flag(branded));
    }
    form[LINK_FORM + 4] = ratio(elsewhere, body.links.len() as u32);
}

/// A token is the name of a brand that isn't the domain's main label.
fn foreign_brand(token: u32, domain: &str, vocabulary: &Vocabulary) -> bool {
    if vocabulary.flags(token) & BRAND == 0 {
        return false;
    }
    let label = domain.split('.').next().unwrap_or("").to_ascii_lowercase();
    vocabulary.name(token) != label
}

fn brand_form(
    author: &Author<'_>,
    subject: &str,
    subject_scan: &Scan<'_>,
    vocabulary: &Vocabulary,
    form: &mut [f32; MAIL_FORM],
) {
    let domain = registrable(author.domain);
    let name = scan(author.name.get(..author.name.len().min(200)).unwrap_or(""), vocabulary);
    let foreign = |token: &u32| foreign_brand(*token, domain, vocabulary) && !domain.is_empty();
    let named = name.tokens.iter().any(foreign);
    let subject_named = !subject.is_empty() && author.name.len() < 200 && subject_scan.tokens.iter().any(foreign);
    form[LINK_FORM + 5] = flag(named) + 0.5 * flag(subject_named);
}
