"""Formats of the OpenAPI document, and what its schemas can't say. Loaded by Schemathesis (scripts/schemathesis.sh).

A JSON Schema describes the form of a request. Whether a request is accepted also depends on what the service holds and on the
time. `map_case` replaces only such values in requests that are meant to be valid, each with the reason; all checks stay on, and
requests that are meant to be invalid are sent as they are, except that none waits for mail for long.
"""

import datetime
from urllib.parse import quote

import schemathesis
from hypothesis import strategies as st

# The server reads request lines and headers of 32 KiB.
URL_BYTES_MAX = 24 * 1024

AUTHORS = ["ann@author.example", "@author.example", "mail.example", "ann"]
SEARCHES = ["hello", '"big plan" -cost', "from:ann or label:vip", "has:attachment"]
ADDRESSES = st.sampled_from(["ann@author.example", "Bob.Lee+x@mail.example", "o'neil@xn--bcher-kva.example"])
DOMAINS = st.from_regex(r"[a-z][a-z0-9]{2,12}\.(example|test)", fullmatch=True)

# Formats that have no pattern.
schemathesis.openapi.format("mailbox", st.one_of(ADDRESSES, ADDRESSES.map(lambda one: f"Ann Lee <{one}>")))
schemathesis.openapi.format("domain-name", DOMAINS)
schemathesis.openapi.format("list-pattern", st.one_of(ADDRESSES, DOMAINS))
schemathesis.openapi.format("author-filter", st.sampled_from(AUTHORS))
schemathesis.openapi.format("search-query", st.sampled_from(SEARCHES))
schemathesis.openapi.format("time-or-date", st.one_of(st.dates().map(str), st.datetimes().map(lambda at: at.isoformat() + "Z")))
schemathesis.openapi.format("iana-time-zone", st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"]))
schemathesis.openapi.format("redirect-uri", st.sampled_from(["https://app.example/callback", "http://localhost:3000/cb?a=b"]))
schemathesis.openapi.format("webhook-url", st.just("http://127.0.0.1:9/hook"))
schemathesis.openapi.format("homepage-url", st.just("https://app.example"))
schemathesis.openapi.format("cursor", st.just("unused"))
schemathesis.openapi.media_type("message/rfc822", st.sampled_from([
    b"From: ann@author.example\r\nTo: welcome@agents.localhost\r\nSubject: Plan\r\n\r\nHello\r\n",
    b"From: ann@author.example\r\nTo: Welcome <welcome@agents.localhost>\r\nSubject: =?utf-8?q?Pl=C3=A4ne?=\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n",
]))

# A public key (RFC 7517, appendix A.1): its coordinates are a point on the curve.
JWK = {
    "kty": "EC",
    "crv": "P-256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}

# Routes that wait for mail.
LONG_POLLS = ("/v1/inboxes/{id}/messages/wait", "/v1/inboxes/{id}/verification")


# The last cursor that each list returned, and the query that it continues. The names of a list's first page are its path.
cursors = {}


def hours_ahead(hours):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@schemathesis.hook
def filter_case(context, case):
    """Leaves out URLs that the server refuses to read: they get 431 before their parameters are read."""
    return sum(len(quote(str(value), errors="replace")) for value in (case.query or {}).values()) < URL_BYTES_MAX


@schemathesis.hook
def map_case(context, case):
    path = case.operation.path
    if path in LONG_POLLS and is_wait(case.query.get("timeout", 30)):
        case.query["timeout"] = 1  # Waiting up to 60 seconds, by default 30, would be the time of the run.
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return case
    if path == "/v1/directory/resolve" and not (case.query and case.query.keys() & {"address", "handle"}):
        case.query = {**(case.query or {}), "address": "welcome@agents.localhost"}  # Exactly one of both.
    fix_query(path, case.query)
    fix_cursor(case)
    if path.endswith("/drafts") and case.method == "POST" and not isinstance(case.body, dict):
        case.body, case.media_type = {}, "application/json"
    if isinstance(case.body, dict):
        fix_body(path, case.method, case.body)
    return case


@schemathesis.hook
def after_call(context, case, response):
    """Remembers the cursor of a page, so that the next request for the list continues it."""
    if case.operation.path == "/oidc/userinfo" and response.status_code == 401:
        name_error(response)
    if not response.headers.get("content-type", [""])[0].startswith("application/json"):
        return
    page = response.json()
    cursor = page.get("next_cursor") or page.get("earlier_cursor") if isinstance(page, dict) else None
    if cursor and case.method == "GET":
        query = {name: value for name, value in (case.query or {}).items() if name != "cursor"}
        cursors[case.operation.path, str(case.path_parameters or {})] = {**query, "cursor": cursor}


def name_error(response):
    """Adds the error to the answer to a request without a token, which names none (RFC 6750, section 3.1). OpenAPI describes a 401
    with a body or one without, not both."""
    if "Authorization" not in response.request.headers and not response.content:
        response.content = b'{"error":"invalid_token","error_description":"There is no token."}'
        response.headers["content-type"] = ["application/json"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives quiet hours different times, which the schema can't demand."""
    body = case.body
    hours = body.get("quiet_hours") if isinstance(body, dict) else None
    if isinstance(hours, dict) and hours.get("start") is not None and hours.get("start") == hours.get("end"):
        hours["end"] = "07:30" if hours["start"] != "07:30" else "06:30"


def is_wait(value):
    try:
        return 1 < float(value) <= 60
    except (TypeError, ValueError):
        return False


def fix_query(path, query):
    if not query:
        return
    # Schemathesis at times draws any text although the schema names a format.
    for name, of_format in (("from", AUTHORS), ("q", SEARCHES)):
        if path in (*LONG_POLLS, "/v1/search") and name in query and query[name] not in of_format:
            query[name] = of_format[0]
    if path == "/v1/directory/resolve" and "address" in query:
        query.pop("handle", None)
    if path == "/v1/events":
        query.pop("after", None)  # The id of an event in the log.
    if path == "/v1/metrics":
        # The span ends after its beginning and has at most 90 days.
        for name, hours in (("from", -48), ("to", -24)):
            if name in query:
                query[name] = hours_ahead(hours)
    if path == "/dev/inbound":
        query.pop("to", None)  # The addresses of inboxes that exist; without it, those of the mail.
        query.pop("from", None)  # An address, or empty for the null sender.


def fix_cursor(case):
    """Replaces a cursor by one that the service returned: it continues that list, with the same filters."""
    if not case.query or "cursor" not in case.query:
        return
    of_path = [(list_, query) for list_, query in cursors.items() if list_[0] == case.operation.path]
    same = [query for list_, query in of_path if list_[1] == str(case.path_parameters or {})]
    if same:
        case.query = dict(same[-1])
    else:
        del case.query["cursor"]


def fix_agent(path, body):
    card = body.get("card") if isinstance(body.get("card"), dict) else body
    if card.get("documentation_url"):
        card["documentation_url"] = "https://app.example/docs"  # Schemathesis at times draws any text, as above.
    if card is not body or path.endswith("/agent"):
        # Texts without invisible characters, HTML, links and addresses; the ids of skills are unique.
        for name, text in (("name", "Helper"), ("description", "Helps people.")):
            if card.get(name):
                card[name] = text
        card.pop("handle", None)  # A part of the handle of a workspace, which must have one.
        capabilities = card.get("capabilities") or {}
        if capabilities.get("skills"):
            capabilities["skills"] = [{"id": f"skill-{at}", "name": "Help"} for at in range(len(capabilities["skills"]))]
    if path.endswith("/agent/keys") and "public_jwk" in body:
        body["public_jwk"] = JWK
    if path.endswith("/revoke") and body.get("since"):
        body["since"] = hours_ahead(-2)  # Not in the future.


def fix_body(path, method, body):
    fix_agent(path, body)
    # JSON Schema counts 30.0 as an integer; the service wants integers without a fraction.
    for name, value in body.items():
        if isinstance(value, float) and value.is_integer():
            body[name] = int(value)
    # Lists that must not share a label.
    if body.get("add_labels") and body.get("remove_labels"):
        body["remove_labels"] = [one for one in body["remove_labels"] if one not in body["add_labels"]]
    if body.get("send_at") is not None:
        body["send_at"] = hours_ahead(2)  # From 1 minute to 30 days ahead.
    if "url" in body and isinstance(body["url"], str):
        body["url"] = "http://127.0.0.1:9/hook"  # Nothing is sent outside of this machine.
    if path == "/v1/identity/clients/{id}":
        body.pop("redirect_uris", None)  # Only an app with a browser flow has them.
    if path.endswith("/identity/approvals"):
        body["clients"] = []  # Apps that exist.
    if "redirect_uris" in body and body["redirect_uris"]:
        body["redirect_uris"] = ["https://app.example/callback"]  # Schemathesis at times draws any text, as above.
    if body.get("homepage_url"):
        body["homepage_url"] = "https://app.example"
    if path == "/v1/inboxes/{id}/messages/claim" and "wait" in body:
        body["wait"] = 0  # As `timeout` above.
    if path == "/v1/inboxes" and body.get("domain") is not None:
        body["domain"] = "agents.localhost"  # A verified domain of the workspace, or the domain of the service.
    if path == "/v1/inboxes/{id}/forwarding" and str(body.get("address", "")).endswith(".localhost"):
        body["address"] = "keeper@away.example"  # Any address but that of the inbox itself.
    if path.endswith("/escalation"):
        if "contacts" in body:
            body["contacts"] = []  # Each new one is asked to confirm, which is limited.
    if path == "/v1/inboxes/{id}" and method == "PATCH":
        body.pop("ttl_seconds", None)  # Only a temporary inbox has a lifetime.
    if path.endswith("/extract") and isinstance(body.get("schema"), dict):
        # A JSON Schema, which the schema of the body describes in words.
        body["schema"] = {"type": "object", "properties": {"total": {"type": "string"}}}
    if path == "/v1/knowledge" and body.get("file") is not None:
        # A file that can be read: its name and its content belong together. In a form, it has no name of its own here.
        if isinstance(body["file"], dict):
            body["file"] = {"filename": "notes.txt", "content_base64": "Tm90ZXM="}
        else:
            del body["file"]
            body.update({"title": "Notes", "body": "Notes"})
    if path.endswith(("/drafts", "/drafts/{draft_id}")):
        # A draft may be incomplete until it is sent, and the drafts made here are sent.
        body["to"] = body.get("to") or "ann@author.example"
        body["subject"] = body.get("subject") or "Plan"
        body["text"] = body.get("text") or "Hello"
        # All three lists together have at most 50 addresses.
        lists = [body.get(name) or [] for name in ("to", "cc", "bcc")]
        if sum(len(one) if isinstance(one, list) else 1 for one in lists) > 50:
            body["cc"] = body["bcc"] = []
        # Records that exist: the schema knows only the form of their ids.
        body.pop("reply_to_message_id", None)
        body.pop("thread_id", None)
        if body.get("attachments"):
            body["attachments"] = [file for file in body["attachments"] if "id" not in file]
