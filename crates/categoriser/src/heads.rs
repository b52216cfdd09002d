//! The networks above the features.

use crate::features::dot;
use crate::file::{ModelFileError, Sections};

/// Hidden units of a network.
const HIDDEN: usize = 64;

/// A network with one hidden layer and a linear way around it: `out = A·relu(B·x + b) + C·x + c`.
pub(crate) struct Network {
    inputs: usize,
    outputs: usize,
    hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    output: Vec<f32>,
    linear: Vec<f32>,
    bias: Vec<f32>,
}

/// The numbers of values of a network.
#[derive(Clone, Copy)]
pub(crate) struct NetworkSize {
    /// That it reads.
    pub(crate) inputs: usize,
    /// That it answers.
    pub(crate) outputs: usize,
}

impl Network {
    /// Reads a network: the hidden layer, its bias, the output layer, the linear layer and the bias, one after another.
    pub(crate) fn read(sections: &Sections<'_>, name: &'static str, size: NetworkSize) -> Result<Self, ModelFileError> {
        let NetworkSize { inputs, outputs } = size;
        let all = sections.floats(name)?;
        if all.len() != HIDDEN * inputs + HIDDEN + outputs * (HIDDEN + inputs + 1) {
            return Err(ModelFileError::Length(name));
        }
        let mut rest = all.as_slice();
        let mut next = |count: usize| {
            let (part, after) = rest.split_at(count);
            rest = after;
            part.to_vec()
        };
        Ok(Self {
            inputs,
            outputs,
            hidden: next(HIDDEN * inputs),
            hidden_bias: next(HIDDEN),
            output: next(outputs * HIDDEN),
            linear: next(outputs * inputs),
            bias: next(outputs),
        })
    }

    /// The weights of the linear way of the first output.
    pub(crate) fn linear(&self) -> &[f32] {
        &self.linear[..self.inputs]
    }

    /// The first output without its linear way.
    pub(crate) fn hidden(&self, input: &[f32]) -> f32 {
        dot(&self.output[..HIDDEN], &self.units(input)) + self.bias[0]
    }

    fn units(&self, input: &[f32]) -> [f32; HIDDEN] {
        let mut units = [0.0; HIDDEN];
        let rows = self.hidden.chunks_exact(self.inputs).zip(&self.hidden_bias);
        for (unit, (row, bias)) in units.iter_mut().zip(rows) {
            *unit = (dot(row, input) + bias).max(0.0);
        }
        units
    }

    /// Adds the outputs to `sums`.
    pub(crate) fn add(&self, input: &[f32], sums: &mut [f32]) {
        let units = self.units(input);
        for (at, sum) in sums.iter_mut().enumerate().take(self.outputs) {
            let output = &self.output[at * HIDDEN..(at + 1) * HIDDEN];
            let linear = &self.linear[at * self.inputs..(at + 1) * self.inputs];
            *sum += dot(output, &units) + dot(linear, input) + self.bias[at];
        }
    }
}

/// `scale * x + offset` in a sigmoid.
#[derive(Clone, Copy)]
pub(crate) struct Calibration {
    pub(crate) scale: f32,
    pub(crate) offset: f32,
}

impl Calibration {
    pub(crate) fn apply(self, logit: f32) -> f32 {
        1.0 / (1.0 + (-(self.scale * logit + self.offset)).exp())
    }
}

/// Turns logits into probabilities.
pub(crate) fn softmax(logits: &mut [f32], scale: f32) {
    let top = logits.iter().fold(f32::NEG_INFINITY, |top, logit| top.max(*logit));
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = ((*logit - top) * scale).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|logit| *logit /= sum);
}
