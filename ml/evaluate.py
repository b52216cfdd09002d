"""Measures a model file: `evaluate.py MODEL [UNSEEN]`; see README.md for what each set is.

UNSEEN is the file that train.py writes beside the model: answers of networks about sources that they didn't see. All
other sets come from sources that no row of the training data came from. Intervals are 95 %, by bootstrap.
"""
import json
import os
import pathlib
import random
import re
import sys

import numpy as np

import corpora
import generate
from generate import CATEGORIES
from learn import categorise

CORPORA = pathlib.Path(os.environ.get("POSTHOUSE_CORPORA", pathlib.Path(__file__).parent.parent.parent / "shared/data"))
THRESHOLDS = {"injection": 0.8, "phishing": 0.8, "needs_human": 0.7, "auto_reply": 0.8, "category": 0.6}
ROUNDS = 500
# Attacks of each author who isn't in training, of each language.
HELD_OUT = 120
HELD_AUTHORS = {"-held": "another author", "-f": "a second author", "-g": "changed answers by the second author"}
CHANGED = ("Base Encoding|Emoji Substitution|Reverse Text|Language Translation|Substitution Ciphers|Alphanumeric Substitution|"
           "Homophonic Substitution|Misspelling Intentionally|Anagramming|Space Removal & Grouping").split("|")
INSERTED = ("Information Dissemination|Marketing & Advertising|Entertainment|Scams & Fraud|Misinformation & Propaganda|Instruction|"
            "Social Interaction|Persuasion|Clickbait|Malware Distribution").split("|")


def answers(model, rows):
    return [json.loads(line) for line in categorise(model, "answers", rows).decode().splitlines()]


def auc(positive, negative):
    values = np.concatenate([positive, negative])
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return (ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative))


def interval(measure, *samples):
    rng = np.random.default_rng(35)
    samples = [np.asarray(s, "f8") for s in samples]
    found = [measure(*(s[rng.integers(0, len(s), len(s))] for s in samples)) for _ in range(ROUNDS)]
    low, high = np.quantile(found, [0.025, 0.975])
    return f"{measure(*samples):.3f} [{low:.3f}-{high:.3f}]"


def report(name, value, cases, aim=""):
    print(f"{name:<58} {value:<24} n = {cases:<14} {aim}", flush=True)


def share(name, values, threshold, aim=""):
    report(name, interval(np.mean, np.asarray(values) >= threshold), len(values), aim)


def separates(name, positive, negative, aim=""):
    report(name, interval(auc, positive, negative), f"{len(positive)} / {len(negative)}", aim)


def of(found, question):
    return np.array([answer[question] for answer in found])


def calibration_error(p, y):
    """The mean distance of probability and truth over ten equally filled bins."""
    order = np.argsort(p)
    bins = np.array_split(order, 10)
    return sum(len(b) * abs(p[b].mean() - y[b].mean()) for b in bins if len(b)) / len(p)


def rows_of(folder):
    return corpora.ham(folder, 10_000)


def attacks_in_mail(attacks, mails):
    """Every attack in three mails, in the middle or at the end."""
    rng, rows = random.Random(35), []
    for family, texts in sorted(attacks.items()):
        for text in texts:
            for turn in range(3):
                lines = rng.choice(mails).split("\n")
                at = len(lines) if turn == 0 else rng.randrange(1, len(lines) + 1)
                rows.append((family, "\n".join(lines[:at] + [text] + lines[at:])))
    return rows


def held_out(model):
    """Attacks of authors that no training row came from, at the end or in the middle of short mails."""
    for language in generate.LANGUAGES:
        hosts = [row for row in generate.mails(language, 4, 97) if not row["phishing"]]
        plain = of(answers(model, hosts), "injection")
        share(f"injection, other authors in mail: {language}, mails without attacks", plain, 0.8)
        for author, name in HELD_AUTHORS.items():
            rng = random.Random(f"held {language}")
            rows = []
            for attack in generate.attacks(language, HELD_OUT, 97, author):
                host = rng.choice(hosts)
                lines = host["text"].split("\n\n")
                at = rng.choice([len(lines), rng.randrange(1, len(lines) + 1)])
                rows.append(host | {"text": "\n\n".join(lines[:at] + [attack] + lines[at:])})
            found = of(answers(model, rows), "injection")
            separates(f"injection, {name} in mail: {language}, AUC", found, plain)
            share(f"injection, {name} in mail: {language}, recall", found, 0.8, "recall 0.50")


def harmless_texts(model):
    """Harmless texts of an author that no training row came from, which resemble attacks on purpose."""
    about = {"about assistants": ("ai",), "of people, programs and newsletters": ("people", "notice", "tech", "news", "contact")}
    for name, chosen in about.items():
        texts = []
        for language in generate.LANGUAGES:
            grammar = generate.Grammar(f"97 harmless-c {language}")
            parts = generate.sections(f"harmless-c.{language}.txt")
            texts += [grammar.expand(line) for part in chosen for line in parts.get(part, []) for _ in range(3)]
        share(f"injection, false alarms: short texts {name}", of(answers(model, [{"text": text} for text in texts]), "injection"), 0.8)


def injection(model, sets):
    attacks, mails = corpora.bipia()
    plain = of(answers(model, [{"text": mail} for mail in mails]), "injection")
    placed = attacks_in_mail(attacks, mails)
    found = of(answers(model, [{"text": text} for _, text in placed]), "injection")
    families = np.array([family for family, _ in placed])
    groups = [("changes the text", np.isin(families, CHANGED), "AUC 0.97"), ("inserts text", np.isin(families, INSERTED), "AUC 0.97"),
              ("changes or inserts", np.isin(families, CHANGED + INSERTED), "AUC 0.97, recall 0.55"),
              ("questions off the task", ~np.isin(families, CHANGED + INSERTED), "reported only"), ("all", families != "", "AUC 0.93")]
    for name, chosen, aim in groups:
        separates(f"injection, unseen families in mail: {name}, AUC", found[chosen], plain, aim)
        share(f"injection, unseen families in mail: {name}, recall", found[chosen], 0.8)
    share("injection, false alarms: the mails without attacks", plain, 0.8)
    share("injection, false alarms: harmless text about prompts", of(answers(model, [{"text": t} for t in corpora.notinject()]), "injection"), 0.8, "<= 0.05")
    for name, key, aim in (("technical lists", "lists", "<= 0.015"), ("newsletters", "newsletters", "<= 0.05"), ("account mails", "account", "<= 0.005")):
        if sets[key][1]:
            share(f"injection, false alarms: {name}", of(sets[key][1], "injection"), 0.8, aim)


def phishing(sets):
    spam, lists, news = (of(sets[key][1], "phishing") for key in ("spam", "lists", "newsletters"))
    separates("phishing, unwanted mail against lists, AUC", spam, lists, "0.95")
    separates("phishing, unwanted mail against lists and newsletters, AUC", spam, np.r_[lists, news])
    share("phishing, recall on unwanted mail", spam, 0.8)
    share("phishing, false alarms: technical lists", lists, 0.8)
    share("phishing, false alarms: newsletters", news, 0.8)
    if sets["account"][1]:
        share("phishing, false alarms: account mails", of(sets["account"][1], "phishing"), 0.8)


def other(model, sets):
    rows = corpora.email_intent("testSet-qualifiedBatch")
    p = of(answers(model, [{"text": text} for text, _ in rows]), "needs_human")
    y = np.array([ask for _, ask in rows])
    separates("needs_human, sentences of another year, AUC", p[y == 1], p[y == 0], "0.85")
    for name, key in (("lists", "lists"), ("newsletters", "newsletters"), ("account mails", "account")):
        if sets[key][1]:
            share(f"auto_reply, labeled: {name}", of(sets[key][1], "auto_reply"), 0.8)
    rows, found = sets["account"]
    if not found:
        return
    wanted = [CATEGORIES.index("verification" if row["kind"] in ("code", "link") else "notification") for row in rows]
    best = of(found, "category").argmax(1)
    sure = of(found, "category").max(1) >= 0.6
    # Account notices without code or link may be either.
    right = [b == w or row["kind"] not in ("code", "link") and b == 3 for b, w, row in zip(best, wanted, rows)]
    right = np.array(right)
    languages = [row["lang"].split("-")[0] for row in rows]
    ours = np.isin(languages, "en ar de fr it ja nl pl pt tr zh".split())
    report("category, account mails in ten of our languages", interval(np.mean, right[ours]), ours.sum())
    report("category, account mails in other languages", interval(np.mean, right[~ours]), (~ours).sum())
    report("category, account mails, right where labeled", interval(np.mean, right[ours & sure]), (ours & sure).sum())


def written():
    """The mails of data/measure.*.txt: each once, in no template."""
    rows = []
    for language in generate.LANGUAGES:
        for line in generate.lines(f"measure.{language}.txt"):
            if line.startswith("= "):
                kind, needs, auto, sender = line[2:].split(" ", 3)
                rows.append({"kind": kind, "needs_human": int(needs), "auto_reply": int(auto), "from": sender, "language": language})
            else:
                rows[-1][{"S": "subject", "T": "text"}[line[0]]] = line[3:]
    return rows


def by_hand(model):
    rows = written()
    found = answers(model, rows)
    kind, language = (np.array([row[key] for row in rows]) for key in ("kind", "language"))
    attack, scam = kind == "attack", kind == "phishing"
    plain = ~attack & ~scam
    injection, fraud = of(found, "injection"), of(found, "phishing")
    separates("mails written one by one: injection, AUC", injection[attack], injection[~attack])
    share("mails written one by one: injection, recall in English", injection[attack & (language == "en")], 0.8)
    share("mails written one by one: injection, recall in other languages", injection[attack & (language != "en")], 0.8, "0.50")
    share("mails written one by one: injection, false alarms", injection[~attack], 0.8, "<= 0.005")
    separates("mails written one by one: phishing, AUC", fraud[scam], fraud[plain], "0.95")
    share("mails written one by one: phishing, recall", fraud[scam], 0.8)
    share("mails written one by one: phishing, false alarms", fraud[plain], 0.8)
    for question, aim in (("needs_human", "0.85"), ("auto_reply", "0.97")):
        p, y = of(found, question)[plain], np.array([row[question] for row in rows])[plain]
        separates(f"mails written one by one: {question}, AUC", p[y == 1], p[y == 0], aim)
    best = of(found, "category").argmax(1)
    wanted = np.array([CATEGORIES.index(k) if k in CATEGORIES else -1 for k in kind])
    sure = of(found, "category").max(1) >= THRESHOLDS["category"]
    plain &= np.array([row["auto_reply"] == 0 for row in rows])
    report("mails written one by one: category, macro-F1", interval(lambda i: macro_f1(best[i.astype(int)], wanted[i.astype(int)]), np.flatnonzero(plain)), plain.sum(), "0.80")
    report("mails written one by one: category, right where labeled", interval(np.mean, (best == wanted)[plain & sure]), (plain & sure).sum())
    for name in generate.LANGUAGES:
        chosen = plain & (language == name)
        report(f"  {name}: accuracy", interval(np.mean, (best == wanted)[chosen]), chosen.sum(), "0.75")


def unseen(path):
    """Answers about sources and blocks that the networks of the fold didn't see."""
    data = json.load(open(path))
    for question in ("injection", "phishing", "needs_human", "auto_reply"):
        source, p, y = (np.array(data[question][key]) for key in ("source", "p", "y"))
        threshold = THRESHOLDS[question]
        report(f"{question}, unseen sources, calibration error", interval(lambda i: calibration_error(p[i.astype(int)], y[i.astype(int)]), np.arange(len(p))), len(p), "<= 0.15")
        separates(f"{question}, unseen sources, AUC", p[y == 1], p[y == 0])
        # The languages of an author's grammars are one line, but count alone for the mean.
        groups = np.array([re.sub("-(" + "|".join(generate.LANGUAGES) + ")$", "", name) for name in source])
        for name in sorted(set(groups)):
            positive, negative = p[(groups == name) & (y == 1)], p[(groups == name) & (y == 0)]
            if len(positive) >= 20:
                share(f"  {name}: recall", positive, threshold)
            if len(negative) >= 20:
                share(f"  {name}: false alarms", negative, threshold)
        positives = [p[(source == name) & (y == 1)] for name in sorted(set(source))]
        aucs = [auc(positive, p[y == 0]) for positive in positives if len(positive) >= 20]
        report(f"{question}, unseen sources, AUC, mean over sources", f"{np.mean(aucs):.3f}", len(aucs))
    language, best, y = (np.array(data["category"][key]) for key in ("language", "best", "y"))
    report("category, unseen blocks, macro-F1", interval(lambda i: macro_f1(best[i.astype(int)], y[i.astype(int)]), np.arange(len(y))), len(y), "0.80")
    for name in sorted(set(language)):
        report(f"  {name}: accuracy", interval(np.mean, (best == y)[language == name]), (language == name).sum(), "0.75")


def macro_f1(best, y):
    scores = []
    for category in sorted(set(y)):
        hit = ((best == category) & (y == category)).sum()
        scores.append(2 * hit / max((best == category).sum() + (y == category).sum(), 1))
    return np.mean(scores)


def main(model, unseen_path=None):
    sets = {"lists": rows_of("easy-ham-2"), "newsletters": rows_of("hard-ham-1"), "spam": rows_of("spam-2"), "account": []}
    path = CORPORA / "verification/mails.jsonl"
    if path.exists():
        sets["account"] = [json.loads(line) for line in open(path, encoding="utf8")]
    sets = {key: (rows, answers(model, rows) if rows else []) for key, rows in sets.items()}
    injection(model, sets)
    held_out(model)
    harmless_texts(model)
    by_hand(model)
    phishing(sets)
    other(model, sets)
    if unseen_path:
        unseen(unseen_path)


if __name__ == "__main__":
    main(*sys.argv[1:])
