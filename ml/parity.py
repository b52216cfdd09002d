"""Answers of a model file computed in numpy, for the crate's tests: `parity.py MODEL OUT`."""
import json
import sys

import numpy as np

import generate
import modelfile
from learn import Network, features, sigmoid, top_and_spread

SEED = 71


def network(data, inputs, outputs):
    numbers, found = np.frombuffer(data, "<f4"), Network.__new__(Network)
    shapes = [(modelfile.HIDDEN, inputs), (modelfile.HIDDEN,), (outputs, modelfile.HIDDEN), (outputs, inputs), (outputs,)]
    found.parameters = []
    for shape in shapes:
        size = int(np.prod(shape))
        found.parameters.append(numbers[:size].reshape(shape))
        numbers = numbers[size:]
    return found


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def answers(path, rows):
    sections = modelfile.read(path)
    gram_scale, spread, category, urgency, *pairs = np.frombuffer(sections["calibration"], "<f4")
    mails, values, grams, places, owners = features(path, rows)
    logits = sum(network(sections[f"segment {n}"], modelfile.SEGMENT_SIZE, 1)(values)[:, 0] for n in (0, 1)) / 2
    logits = logits + gram_scale * (grams @ np.frombuffer(sections["grams"], "i1").astype("f4"))
    top, mean = top_and_spread(logits, owners, len(rows))
    out = sum(network(sections[f"mail {n}"], modelfile.MAIL_SIZE, 15)(mails) for n in (0, 1)) / 2
    found = {"category": softmax(out[:, :8] * category), "urgency": softmax(out[:, 8:12] * urgency)}
    for number, (name, z) in enumerate((("injection", top * (1 - spread) + mean * spread), ("phishing", out[:, 12]), ("needs_human", out[:, 13]), ("auto_reply", out[:, 14]))):
        found[name] = sigmoid(pairs[2 * number] * z + pairs[2 * number + 1])
    return found


def main(model, out):
    rows = []
    for language in generate.LANGUAGES:
        mails = generate.mails(language, 1, SEED)
        rows += [mails[3], mails[-2]]
        rows.append(mails[0] | {"text": mails[0]["text"] + "\n\n" + next(iter(generate.attacks(language, 1, SEED)))})
    keep = ("from", "subject", "text", "attachments", "facts")
    rows = [{key: row[key] for key in keep} for row in rows] + [{"text": ""}, {"subject": "?", "text": "\u200b"}]
    found = answers(model, rows)
    with open(out, "w", encoding="utf8") as file:
        for number, row in enumerate(rows):
            expected = {name: np.round(value[number], 5).tolist() for name, value in found.items()}
            file.write(json.dumps({"mail": row, "answers": expected}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
