"""Writes mails and attacks from the grammars in data/."""
import pathlib
import random
import string

DATA = pathlib.Path(__file__).parent / "data"
LANGUAGES = "en de fr es pt it nl pl tr ja zh ar".split()
CATEGORIES = "support sales billing verification notification newsletter personal other".split()
URGENCIES = "low normal high critical".split()
DENSE = ("ja", "zh")


def lines(name):
    path = DATA / name
    text = path.read_text(encoding="utf8") if path.exists() else ""
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


class Grammar:
    """Expands `{one|of|these}` and `{slot}`."""

    def __init__(self, seed, own=()):
        self.random = random.Random(seed)
        self.values = dict(line.split(": ", 1) for line in [*lines("common.txt"), *own])

    def slot(self, name):
        r, digits = self.random, lambda n: "".join(self.random.choice(string.digits) for _ in range(n))
        if name in self.values:
            return self.expand(r.choice(self.values[name].split("|")))
        word = lambda: "".join(r.choice("bcdfglmnprst") + r.choice("aeiou") for _ in range(r.randint(2, 4)))
        brand = lambda: r.choice("PayPal Amazon Microsoft DHL Netflix Apple FedEx Google HSBC Coinbase DocuSign UPS".split())
        match name:
            case "n": return str(r.choice([2, 3, 5, 7, 10, 12, 15, 20, 24, 30, 40, 50, 80, 100, 404, 500]))
            case "d": return digits(1)
            case "code": return r.choice([digits(6), digits(4), digits(3) + "-" + digits(3), digits(8)])
            case "number": return r.choice([digits(5), digits(9), "DE" + digits(18), f"{word().upper()}-{digits(4)}", "+1 555 " + digits(7)])
            case "token": return "".join(r.choice(string.ascii_letters + string.digits) for _ in range(r.choice([8, 12, 34])))
            case "money": return r.choice(["${}", "{} EUR", "€{}", "£{}", "{} USD"]).format(r.choice([9, 19, 49, 120, 350, 999, 2400, 15000]))
            case "date": return r.choice([f"{r.randint(1, 28)}.{r.randint(1, 12)}.", f"{r.randint(1, 12)}/{r.randint(1, 28)}", f"2026-0{r.randint(1, 9)}-1{digits(1)}"])
            case "mail": return f"{word()}{r.choice(['', digits(2), '.' + word()])}@{word()}{r.choice(['.com', '.net', '.io', '-mail.org', '.example'])}"
            case "url": return f"https://{r.choice(['', 'www.', 'go.', 'app.'])}{word()}.{r.choice(['com', 'net', 'io', 'org', 'de'])}/{word()}"
            case "badurl":
                host = r.choice([f"{brand().lower()}-{word()}.{r.choice(['xyz', 'top', 'info', 'com'])}", f"{word()}{word()}.{r.choice(['click', 'site', 'ru', 'net', 'com'])}", f"{digits(2)}.{digits(2)}.{digits(2)}.{digits(2)}", "bit.ly", f"secure.{brand().lower()}.{word()}-{word()}.com"])
                return f"http{r.choice(['', 's'])}://{host}/{word()}"
            case "brand": return brand()
        raise ValueError(f"no slot {name}")

    def expand(self, text):
        """One random form of a line."""
        out, at = [], 0
        while at < len(text):
            c = text[at]
            if c == "\\":
                out.append(text[at + 1])
                at += 2
            elif c == "{":
                depth, end, cuts = 1, at + 1, [at]
                while depth:
                    depth += (text[end] == "{") - (text[end] == "}")
                    if depth == 1 and text[end] == "|":
                        cuts.append(end)
                    end += 1
                parts = [text[a + 1 : b] for a, b in zip(cuts, cuts[1:] + [end - 1])]
                out.append(self.slot(parts[0]) if len(parts) == 1 else self.expand(self.random.choice(parts)))
                at = end
            else:
                out.append(c)
                at += 1
        return "".join(out)


def sections(name):
    """The lines below each `[heading]`; those before the first one, the slots of the file, below ""."""
    found = {}
    current = found.setdefault("", [])
    for line in lines(name):
        if line.startswith("[") and line.endswith("]") and " " not in line:
            current = found.setdefault(line[1:-1], [])
        else:
            current.append(line)
    return found


# How the parts of an attack are put together.
OTHER_PLANS = (
    ["order"] * 5 + ["lead order"] * 6 + ["order tail"] * 3 + ["lead order tail"] * 3 + ["order order"] * 2
    + ["lead order order tail", "whole tail", "lead whole"] + ["whole"] * 4
)
PLANS = (
    ["open act"] * 4 + ["open override act", "override act", "override act hide", "act hide", "open act hide"] * 2
    + ["open act why", "why act", "override act why hide", "open why act", "role", "override role", "role act", "open role"]
    + ["soft"] * 6 + ["soft hide", "open soft", "override", "open override", "open task", "override task", "task"]
    + ["change", "open change", "override change", "change change", "insert", "open insert", "insert hide"] * 2
)


def attacks(language, count, seed, author=""):
    """Distinct attacks of one language. An author is a set of grammars, such as `-b`."""
    parts = sections(f"attacks{author}.{language}.txt")
    grammar = Grammar(f"{seed} attacks{author} {language}", parts[""])
    plans = [plan for plan in (OTHER_PLANS if author else PLANS) if all(name in parts for name in plan.split())]
    found = {}
    for _ in range(count * 3 if plans else 0):
        plan = grammar.random.choice(plans)
        joint = "" if language in DENSE else " "
        joint = grammar.random.choice([joint, joint, "\n", "\n\n"])
        text = joint.join(grammar.expand(grammar.random.choice(parts[name])).strip() for name in plan.split())
        style = grammar.random.random()
        text = text.upper() if style < 0.03 else text.lower() if style < 0.1 else text
        found.setdefault(text, plan)
        if len(found) == count:
            break
    return found


def blocks(name):
    """Blocks of subjects and body lines with the words of their heading."""
    found = []
    for line in lines(name):
        if line.startswith("= "):
            found.append((line[2:].split(), [], []))
        else:
            found[-1][1 if line.startswith("S: ") else 2].append(line[3:])
    return found


# Mailboxes of senders that don't look like a program.
MORE_ROLES = {"notification": ["info", "service", "office", "booking"], "newsletter": ["info", "contact"]}


def sender(grammar, category, auto, wide):
    """A `From` that suits the category, and sometimes one that doesn't."""
    r, name, firm = grammar.random, grammar.slot("name"), grammar.slot("firm")
    domain = firm.lower().replace(" ", "").replace("&", "") + r.choice([".com", ".io", ".net", ".example", ".de"])
    role = {
        "billing": ["billing", "invoice", "accounts"], "verification": ["noreply", "security", "account"],
        "notification": ["noreply", "notifications", "orders", "alerts"], "newsletter": ["news", "newsletter", "hello", "marketing"],
    }.get(category)
    if role and wide:
        role = role + MORE_ROLES.get(category, [])
    if auto and category == "support":
        role = ["support", "help", "noreply"]
    if role and r.random() < 0.8:
        return f"{r.choice([firm, firm + ' ' + r.choice(['Team', 'Billing', 'Support', 'News']), name + ' from ' + firm])} <{r.choice(role)}@{domain}>"
    local = r.choice([name.lower(), f"{name}.{grammar.slot('name')}".lower()])
    domain = r.choice(["gmail.com", "gmx.de", "outlook.com", "yahoo.com"]) if r.random() < (0.7 if category == "personal" else 0.25) else domain
    return r.choice([f"{name} <{local}@{domain}>", f"{local}@{domain}"])


def facts(random, kind):
    """What a receiving server would have found out; often nothing."""
    if random.random() < 0.45:
        return {}
    bad = kind == "phishing"
    check = lambda good, fail: random.choices(["pass", "fail", "none"], [good, fail, 1 - good - fail])[0]
    found = {"spf": check(0.45, 0.2), "dkim": check(0.35, 0.15), "dmarc": check(0.3, 0.35)} if bad else {
        "spf": check(0.85, 0.03), "dkim": check(0.85, 0.02), "dmarc": check(0.75, 0.02)}
    found["link_mismatch"] = random.random() < (0.25 if bad else 0.02)
    found["lookalike_domain"] = random.random() < (0.2 if bad else 0.004)
    found["list_header"] = random.random() < {"newsletter": 0.7, "notification": 0.3, "phishing": 0.08}.get(kind, 0.03)
    found["automatic_header"] = random.random() < {"auto": 0.6, "notification": 0.12}.get(kind, 0.005)
    return found


def mail(grammar, block, language, phishing, wide):
    head, subjects, body = block
    r, category = grammar.random, head[0]
    urgency, needs, auto = ("normal", None, 0) if phishing else (head[1], int(head[2]), int(head[3]))
    chosen = [line for line in body if r.random() < 0.75] or body[:1]
    if r.random() < 0.15:
        r.shuffle(chosen)
    greeting = grammar.expand(grammar.values[f"greeting.{language}"])
    closing = grammar.expand(grammar.values[f"closing.{language}"])
    joint = "" if language in DENSE else " "
    paragraphs = r.choice([joint, joint, "\n\n", "\n"]).join(grammar.expand(line).strip() for line in chosen)
    parts = [greeting] * (r.random() < 0.6) + [paragraphs] + [closing + "\n" + grammar.slot("name")] * (r.random() < 0.6)
    kind = "phishing" if phishing else "auto" if auto and category != "newsletter" else category
    return {
        "from": sender(grammar, category, auto, wide), "subject": grammar.expand(r.choice(subjects)) if r.random() < 0.96 else "",
        "text": "\n\n".join(parts), "attachments": [grammar.slot("file")] if r.random() < 0.07 else [],
        "facts": facts(r, kind), "language": language,
        "source": f"own-{language}", "block": f"{language}/{head[0]}/{subjects[0][:30]}",
        "category": None if phishing and r.random() < 0.5 else CATEGORIES.index(category), "urgency": URGENCIES.index(urgency) if not phishing else None,
        "needs_human": needs, "auto_reply": auto, "phishing": int(phishing),
    }


def mails(language, each, seed, names=("mail", "phishing"), wide=False):
    """`each` mails of every block of a language; `wide` for more kinds of senders."""
    grammar = Grammar(f"{seed} mails {language}")
    found = []
    for name in names:
        for block in blocks(f"{name}.{language}.txt"):
            found += [mail(grammar, block, language, name.startswith("phishing"), wide) for _ in range(each)]
    return found


def harmless(language, each, seed):
    """Sentences that mention assistants or give orders to people."""
    grammar = Grammar(f"{seed} harmless {language}")
    return list(dict.fromkeys(
        grammar.expand(line) for part in sections(f"harmless.{language}.txt").values() for line in part for _ in range(each)))


def everyday(language, count, seed, parts, author="-b"):
    """`count` harmless texts of each section of an author, as (section, part, text).

    The lines are dealt out to `parts` by their number, alike in all languages, and a text has lines of one part only.
    "other" is the language of notices in languages beyond the twelve.
    """
    grammar = Grammar(f"{seed} {language}")
    r, joint, found = grammar.random, "" if language in DENSE else " ", []
    if language == "other" and author != "-b":
        return []
    name = "harmless-other.txt" if language == "other" else f"harmless{author}.{language}.txt"
    for section, all_lines in sections(name).items():
        for _ in range(count if all_lines else 0):
            part = r.randrange(min(parts, len(all_lines)))
            lines = [line for number, line in enumerate(all_lines) if number % parts == part]
            chosen = r.sample(lines, min(len(lines), r.choice([1, 1, 2, 3, 4])))
            text = r.choice([joint, joint, "\n", "\n\n"]).join(grammar.expand(line).strip() for line in chosen)
            if r.random() < 0.3 and language != "other":
                text = f"{grammar.expand(grammar.values['greeting.' + language])}\n\n{text}"
            if r.random() < 0.2 and language != "other":
                text = f"{text}\n\n{grammar.expand(grammar.values['closing.' + language])}\n{grammar.slot('name')}"
            found.append((section, part, text))
    return found


def newsletters(language, counts, seed, parts):
    """Newsletters, mails of shops and notices of accounts, `counts` of each kind, for the question of phishing only.

    The lines are dealt out as in `everyday`.
    """
    found = []
    pieces = sections(f"newsletters.{language}.txt")
    grammar = Grammar(f"{seed} newsletters {language}", pieces[""])
    r, kinds = grammar.random, [kind for kind, count in counts.items() for _ in range(count)]
    for kind in kinds:
        part = r.randrange(parts)
        dealt = {name: [line for number, line in enumerate(all_lines) if number % parts == part] for name, all_lines in pieces.items()}
        draw = lambda name, low, high: [grammar.expand(r.choice(dealt[name])) for _ in range(r.randint(low, high))]
        if kind == "letter":
            body = draw("item", 2, 14) + draw("offer", 0, 4)
        else:
            body = draw(kind, 1, 2 if kind == "account" else 7)
        r.shuffle(body)
        rule = r.choice(["\n\n", "\n\n", "\n", "\n\n----\n\n", "\n\n* ", "\n\n" + "=" * 40 + "\n"])
        text = rule.join(draw("head", 0 if kind == "account" else 1, 2) + body + draw("foot", 0 if r.random() < 0.2 else 1, 3))
        category = "notification" if kind == "account" else "newsletter"
        bare = r.random() < (0.4 if kind == "account" else 0.1)
        found.append({
            "from": "" if bare else sender(grammar, category, 0, True), "subject": grammar.expand(r.choice(pieces["subject"])),
            "text": text, "facts": {} if bare else facts(r, category), "language": language,
            "source": f"newsletters-{language}", "part": part, "phishing": 0})
    return found
