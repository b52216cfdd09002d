"""Features from the crate's own code, and small networks in numpy."""
import json
import os
import pathlib
import subprocess
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from modelfile import GRAM_BITS, HIDDEN, MAIL_SIZE, SEGMENT_SIZE

ROOT = pathlib.Path(__file__).parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def categorise(model, mode, rows):
    """Runs the example `categorise` of the crate over rows."""
    data = "\n".join(json.dumps(row) for row in rows).encode()
    command = [TARGET / "release/examples/categorise", model, mode]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def features(model, rows):
    """The mails' values, and the segments' values, n-grams, places and mail numbers."""
    data = np.frombuffer(categorise(model, "features", rows), "<u4")
    mails, values, places, owners, grams, starts, at = [], [], [], [], [], [0], 0
    for number in range(len(rows)):
        mails.append(data[at : at + MAIL_SIZE])
        count = int(data[at + MAIL_SIZE])
        at += MAIL_SIZE + 1
        for _ in range(count):
            start, end, tokens, length = map(int, data[at : at + 4])
            at += 4
            values.append(data[at : at + SEGMENT_SIZE])
            at += SEGMENT_SIZE
            grams.append(data[at : at + length])
            at += length
            starts.append(starts[-1] + length)
            places.append((start, end, tokens))
            owners.append(number)
    places = np.array(places)
    weights = np.repeat(1 / np.sqrt(np.maximum(places[:, 2], 1)), np.diff(starts))
    matrix = sparse.csr_matrix((weights, np.concatenate(grams), starts), shape=(len(owners), 1 << GRAM_BITS))
    matrix.sum_duplicates()
    return np.stack(mails).view("<f4"), np.stack(values).view("<f4"), matrix, places, np.array(owners)


class Network:
    """One hidden layer and a linear way around it, as in crates/categoriser/src/heads.rs."""

    def __init__(self, inputs, outputs, seed):
        self.random = np.random.default_rng(seed)
        scale = lambda *shape: (self.random.standard_normal(shape) * np.sqrt(1 / shape[1])).astype("f4")
        self.parameters = [scale(HIDDEN, inputs), np.zeros(HIDDEN, "f4"), scale(outputs, HIDDEN) * 0.3,
                           np.zeros((outputs, inputs), "f4"), np.zeros(outputs, "f4")]

    def __call__(self, x):
        b, b0, a, c, c0 = self.parameters
        return np.maximum(x @ b.T + b0, 0) @ a.T + x @ c.T + c0

    def train(self, x, gradient, epochs, rate, decay, drop, batch=256):
        """Adam. `gradient(z, rows)` is the derivative of the loss by the outputs; `drop(random, x)` removes inputs."""
        moments = [[np.zeros_like(p), np.zeros_like(p)] for p in self.parameters]
        steps, total = 0, epochs * (len(x) // batch + 1)
        for _ in range(epochs):
            order = self.random.permutation(len(x))
            for start in range(0, len(x), batch):
                rows = order[start : start + batch]
                b, b0, a, c, c0 = self.parameters
                inputs = drop(self.random, x[rows].copy())
                hidden = np.maximum(inputs @ b.T + b0, 0)
                kept = ((self.random.random(hidden.shape) < 0.75) / 0.75).astype("f4")
                dropped = hidden * kept
                dz = gradient(dropped @ a.T + inputs @ c.T + c0, rows).astype("f4") / len(rows)
                dh = (dz @ a) * kept * (hidden > 0)
                gradients = [dh.T @ inputs, dh.sum(0), dz.T @ dropped, dz.T @ inputs, dz.sum(0)]
                steps += 1
                now = rate * (1 - steps / total) + rate * 0.02
                for number, (p, g, m) in enumerate(zip(self.parameters, gradients, moments)):
                    m[0] += 0.1 * (g - m[0])
                    m[1] += 0.002 * (g * g - m[1])
                    step = (m[0] / (1 - 0.9**steps)) / (np.sqrt(m[1] / (1 - 0.998**steps)) + 1e-7)
                    p -= now * step
                    if number in (0, 2, 3):
                        p *= 1 - now * decay * (4 if number == 3 else 1)

    def bytes(self):
        return np.concatenate([p.ravel() for p in self.parameters]).astype("<f4")


def sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -40, 40)))


def gram_model(matrix, labels, weights, seed):
    """A linear model over n-grams as whole numbers of one byte."""
    model = LogisticRegression(C=0.5, max_iter=40, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(matrix, labels, weights)
    scale = np.abs(model.coef_[0]).max() / 127
    return np.rint(model.coef_[0] / scale).astype("i1"), np.float32(scale)


def top_and_spread(logits, owners, count):
    """The highest logit of each mail, and the mean of its three highest."""
    top, mean = np.full(count, -12.0), np.full(count, -12.0)
    order = np.lexsort((-logits, owners))
    first = np.flatnonzero(np.r_[True, np.diff(owners[order]) != 0])
    ends = np.r_[first[1:], len(order)]
    for start, end in zip(first, ends):
        best = logits[order[start : min(end, start + 3)]]
        top[owners[order[start]]], mean[owners[order[start]]] = best[0], best.mean()
    return top, mean


def platt(logits, labels, weights, anchor=None):
    """Scale and offset of a sigmoid. `anchor` is a (logit, probability) that it passes through."""
    scale, offset = 1.0, 0.0
    for _ in range(3000):
        p = sigmoid(scale * logits + offset)
        error = weights * (p - labels)
        if anchor:
            at, wanted = anchor
            scale -= 0.5 * (error * (logits - at)).sum() / weights.sum() / 4
            scale = max(scale, 0.05)
            offset = np.log(wanted / (1 - wanted)) - scale * at
        else:
            scale -= 0.1 * (error * logits).sum() / weights.sum()
            offset -= 0.3 * error.sum() / weights.sum()
    return float(scale), float(offset)
