//! A model file in memory, and its answers.

use crate::features::{Features, GRAM_BITS, MAIL_SIZE, SEGMENT_SIZE, SegmentFeatures, dot, features, grams, mean};
use crate::file::{ModelFileError, Sections};
use crate::heads::{Calibration, Network, NetworkSize, softmax};
use crate::scan::scan;
use crate::vocabulary::Vocabulary;
use crate::{Answers, DIMENSIONS, MAX_SUBJECT, MAX_TEXT, Mail};

/// Segments whose hidden layer is computed: those with the highest linear score.
const READ_SEGMENTS: usize = 16;

/// Outputs of the mail network: categories, urgencies, phishing, needs-human, auto-reply.
const MAIL_OUTPUTS: usize = 8 + 4 + 3;

static BUILTIN: &[u8] = include_bytes!("../model/builtin.bin");

/// A categoriser.
pub struct Model {
    pub(crate) vocabulary: Vocabulary,
    version: String,
    segment_networks: [Network; 2],
    /// The mean of the linear ways of the segment networks.
    segment_linear: Vec<f32>,
    mail_networks: [Network; 2],
    grams: Vec<i8>,
    gram_scale: f32,
    injection: Calibration,
    /// Weight of the mean of the three highest segments against the highest alone.
    spread: f32,
    phishing: Calibration,
    needs_human: Calibration,
    auto_reply: Calibration,
    category_scale: f32,
    urgency_scale: f32,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Cuts a text at a character boundary.
fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl Model {
    /// Reads the model in the binary. Takes some 10 ms; call it once.
    ///
    /// # Panics
    /// If the file in the repository is damaged, which a test excludes.
    #[expect(clippy::expect_used, reason = "the file is part of the binary, and a test reads it")]
    pub fn builtin() -> Self {
        Self::parse(BUILTIN).expect("the model in the binary is whole")
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`ModelFileError`] if the file is damaged or of another version.
    pub fn parse(file: &[u8]) -> Result<Self, ModelFileError> {
        let sections = Sections::parse(file)?;
        let segment = NetworkSize { inputs: SEGMENT_SIZE, outputs: 1 };
        let mail = NetworkSize { inputs: MAIL_SIZE, outputs: MAIL_OUTPUTS };
        let calibration = sections.floats("calibration")?;
        let [gram_scale, spread, category_scale, urgency_scale, rest @ ..] = calibration.as_slice() else {
            return Err(ModelFileError::Length("calibration"));
        };
        let [injection, phishing, needs_human, auto_reply] = rest.as_chunks::<2>().0 else {
            return Err(ModelFileError::Length("calibration"));
        };
        let pair = |[scale, offset]: &[f32; 2]| Calibration { scale: *scale, offset: *offset };
        let grams: Vec<i8> = sections.bytes("grams")?.iter().map(|byte| byte.cast_signed()).collect();
        if grams.len() != 1 << GRAM_BITS {
            return Err(ModelFileError::Length("grams"));
        }
        let segment_networks =
            [Network::read(&sections, "segment 0", segment)?, Network::read(&sections, "segment 1", segment)?];
        let [first, second] = &segment_networks;
        let segment_linear = first.linear().iter().zip(second.linear()).map(|(a, b)| (a + b) / 2.0).collect();
        Ok(Self {
            vocabulary: Vocabulary::read(&sections)?,
            version: String::from_utf8_lossy(sections.bytes("version")?).into_owned(),
            segment_networks,
            segment_linear,
            mail_networks: [Network::read(&sections, "mail 0", mail)?, Network::read(&sections, "mail 1", mail)?],
            grams,
            gram_scale: *gram_scale,
            spread: *spread,
            category_scale: *category_scale,
            urgency_scale: *urgency_scale,
            injection: pair(injection),
            phishing: pair(phishing),
            needs_human: pair(needs_human),
            auto_reply: pair(auto_reply),
        })
    }

    /// The version of the model file, such as `builtin-1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The vector of a text for search: its dot product with another one is their similarity from -1 to 1.
    pub fn embed(&self, text: &str) -> [f32; DIMENSIONS] {
        mean(&scan(cut(text, MAX_TEXT), &self.vocabulary).tokens, &self.vocabulary)
    }

    /// Answers all questions about a mail.
    pub fn answer(&self, mail: &Mail<'_>) -> Answers {
        let features = self.features(mail);
        let (top, injection) = self.injection(&features);
        let mut out = [0.0; MAIL_OUTPUTS];
        for network in &self.mail_networks {
            network.add(&features.mail, &mut out);
        }
        out.iter_mut().for_each(|logit| *logit /= self.mail_networks.len() as f32);
        let mut category = [0.0; 8];
        category.copy_from_slice(&out[..8]);
        softmax(&mut category, self.category_scale);
        let mut urgency = [0.0; 4];
        urgency.copy_from_slice(&out[8..12]);
        softmax(&mut urgency, self.urgency_scale);
        Answers {
            category,
            urgency,
            injection: self.injection.apply(injection),
            injection_at: top.filter(|at| at.1 > at.0),
            phishing: self.phishing.apply(out[12]),
            needs_human: self.needs_human.apply(out[13]),
            auto_reply: self.auto_reply.apply(out[14]),
            complete: mail.text.len() <= MAX_TEXT,
        }
    }

    pub(crate) fn features<'a>(&self, mail: &Mail<'a>) -> Features<'a> {
        features(mail, cut(mail.subject, MAX_SUBJECT), cut(mail.text, MAX_TEXT), &self.vocabulary)
    }

    /// The most suspicious place and the logit of the mail.
    fn injection(&self, features: &Features<'_>) -> (Option<(usize, usize)>, f32) {
        let mut scored: Vec<(f32, &SegmentFeatures)> = Vec::with_capacity(features.segments.len());
        let has_subject = !features.subject.tokens.is_empty();
        for (at, segment) in features.segments.iter().enumerate() {
            let tokens = if has_subject && at == 0 { &features.subject.tokens } else { &features.body.tokens };
            let grams = self.gram_score(&tokens[segment.segment.tokens.0..segment.segment.tokens.1]);
            scored.push((dot(&self.segment_linear, &segment.values) + grams, segment));
        }
        if scored.len() > READ_SEGMENTS {
            scored.select_nth_unstable_by(READ_SEGMENTS - 1, |a, b| b.0.total_cmp(&a.0));
            scored.truncate(READ_SEGMENTS);
        }
        let mut logits: Vec<(f32, (usize, usize))> = Vec::with_capacity(scored.len());
        for (linear, segment) in scored {
            let hidden: f32 = self.segment_networks.iter().map(|network| network.hidden(&segment.values)).sum();
            let logit = linear + hidden / self.segment_networks.len() as f32;
            logits.push((logit, (segment.segment.start, segment.segment.end)));
        }
        logits.sort_by(|a, b| b.0.total_cmp(&a.0));
        let Some((top, place)) = logits.first() else { return (None, -12.0) };
        let next = logits.iter().take(3).map(|(logit, _)| logit).sum::<f32>() / logits.len().min(3) as f32;
        (Some(*place), top * (1.0 - self.spread) + next * self.spread)
    }

    fn gram_score(&self, tokens: &[u32]) -> f32 {
        let sum: i32 = grams(tokens).map(|gram| i32::from(self.grams[gram])).sum();
        self.gram_scale * sum as f32 / (tokens.len().max(1) as f32).sqrt()
    }
}
