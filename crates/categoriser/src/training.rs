//! The features of a mail as `ml/` reads them, so that training and inference can't differ.

use crate::features::grams;
use crate::{Mail, Model};

/// One segment of a mail.
#[derive(Debug, Clone)]
pub struct TrainingSegment {
    /// Bytes of the text; 0 and 0 for the subject.
    pub place: (usize, usize),
    /// The input of the segment networks.
    pub values: Vec<f32>,
    /// Hashed n-grams of the tokens.
    pub grams: Vec<u32>,
    /// Number of tokens.
    pub tokens: u32,
}

/// The features of one mail.
#[derive(Debug, Clone)]
pub struct TrainingMail {
    /// The input of the mail networks.
    pub values: Vec<f32>,
    /// The subject and the segments of the text.
    pub segments: Vec<TrainingSegment>,
}

/// Computes what the networks would see.
pub fn training_features(model: &Model, mail: &Mail<'_>) -> TrainingMail {
    let features = model.features(mail);
    let has_subject = !features.subject.tokens.is_empty();
    let segments = features.segments.iter().enumerate().map(|(at, segment)| {
        let tokens = if has_subject && at == 0 { &features.subject.tokens } else { &features.body.tokens };
        let tokens = &tokens[segment.segment.tokens.0..segment.segment.tokens.1];
        TrainingSegment {
            place: (segment.segment.start, segment.segment.end),
            values: segment.values.to_vec(),
            grams: grams(tokens).map(|gram| gram as u32).collect(),
            tokens: tokens.len() as u32,
        }
    });
    TrainingMail { values: features.mail.clone(), segments: segments.collect() }
}
