"""Verifies agent messages of Posthouse: the service's delivery signature on a
recipient's copy, and the author signature an agent made with its own key.
Written from the specification alone, sharing no code with the service, so that
an error in one of the two shows up as a disagreement.
Standards: RFC 7515 (JWS), RFC 7517 (JWK), RFC 7518 (ES256), RFC 8037 (EdDSA),
RFC 8785 (JCS), RFC 4648 (base64url), RFC 3339 (times).

Reads a JSON array of cases on standard input, prints a JSON array of results on
one line, "ok" or a failure code for each.
"""

import base64
import hashlib
import json
import math
import re
import sys
from datetime import datetime
from decimal import Decimal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

DELIVERY_TYP = "service-msg+jwt"
AUTHOR_TYP = "service-author+jwt"
VERSION = 1
CLOCK_SKEW = 30  # seconds by which two honest clocks may differ
MAX_AGE = 900  # seconds for which a task or an event may be acted upon
MAX_DEPTH = 200  # nesting accepted in JSON, so that recursion stays bounded

# ASCII only: what each language calls "white space" beyond ASCII differs.
WHITESPACE = " \t\n\v\f\r"
SURROGATE = re.compile("[\ud800-\udfff]")  # alone: has no UTF-8 form
SHA256_HEX = re.compile("[0-9a-fA-F]{64}")
HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
RFC3339 = re.compile(
    rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{HOUR_MINUTE}:[0-5][0-9])"
    rf"(?:(\.[0-9]{{1,3}})[0-9]*)?(Z|[+-]{HOUR_MINUTE})"
)


class Failure(Exception):
    """Ends a verification; its only argument is the failure code."""


def need(condition, code):
    """Goes on only when the condition holds."""
    if not condition:
        raise Failure(code)


def b64url(raw):
    """Base64url without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def unb64url(text):
    """Decodes unpadded base64url, or returns None.

    Encoding again refuses padding, foreign characters and stray trailing bits
    (RFC 4648, section 3.5): every token has exactly one spelling.
    """
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return raw if b64url(raw) == text else None
    except (TypeError, ValueError):
        return None


def sha256(value):
    """Base64url SHA-256 of a string's UTF-8 bytes; an absent part has none."""
    if value is None:
        return None
    need(isinstance(value, str) and not SURROGATE.search(value), "content_mismatch")
    return b64url(hashlib.sha256(value.encode("utf-8")).digest())


def strip_whitespace(text):
    """A token may have been folded on its way through a mail header."""
    return text.translate({ord(char): None for char in WHITESPACE})


def parse_json(text):
    """Parses JSON with all numbers as IEEE 754 doubles, as RFC 8785 wants."""
    # int() refuses NaN and Infinity, which are not JSON though Python knows them.
    return json.loads(text, parse_int=float, parse_constant=int)


def ecmascript_number(value):
    """Number::toString of ECMAScript (RFC 8785, section 3.2.2.3).

    repr() gives the shortest digits that round-trip, as ECMAScript demands; only
    the layout differs. The value is 0.DIGITS times ten to the power of `point`.
    """
    need(math.isfinite(value), "content_mismatch")
    if value <= 0:
        return "-" + ecmascript_number(-value) if value else "0"  # minus zero too
    parts = Decimal(repr(value)).as_tuple()
    padded = "".join(map(str, parts.digits))
    point = len(padded) + parts.exponent
    digits = padded.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits if count == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonicalize(value, depth=1):
    """The canonical text of a value from parse_json (RFC 8785)."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        return ecmascript_number(value)
    if isinstance(value, str):
        # Without ensure_ascii dumps() escapes just what section 3.2.2.2 asks: quote,
        # backslash, \b \t \n \f \r, other controls as \u00xx. A lone surrogate fails.
        need(not SURROGATE.search(value), "content_mismatch")
        return json.dumps(value, ensure_ascii=False)
    need(depth <= MAX_DEPTH, "content_mismatch")
    if isinstance(value, list):
        return "[" + ",".join([canonicalize(item, depth + 1) for item in value]) + "]"
    # Sorted by UTF-16 code units, not by code points (RFC 8785, section 3.2.3).
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    members = [canonicalize(name) + ":" + canonicalize(value[name], depth + 1) for name in names]
    return "{" + ",".join(members) + "}"


def bare_address(value):
    """The address inside a trailing <...>, else the whole; trimmed, lower-case."""
    need(isinstance(value, str), "content_mismatch")
    address = value.strip(WHITESPACE)
    opening = address.rfind("<")
    if address.endswith(">") and opening >= 0:
        address = address[opening + 1 : -1].strip(WHITESPACE)
    return address.lower()


def list_of(value):
    """A list field; absent and null mean an empty list."""
    if value is None:
        return []
    need(isinstance(value, list), "content_mismatch")
    return value


def address_set(value):
    """Distinct bare addresses, sorted by code point."""
    return sorted({bare_address(item) for item in list_of(value)} - {""})


def text_hash(value):
    """Hash of a body part: mail transport rewrites line ends, so all become LF."""
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return sha256(value)


def data_hash(value):
    """Hash of structured data, independent of member order and number spelling."""
    return None if value is None else sha256(canonicalize(value))


def attachment_hashes(value):
    """Sorted base64url digests, from the hexadecimal ones of the attachments."""
    result = []
    for item in list_of(value):
        digest = item.get("sha256") if isinstance(item, dict) else None
        need(isinstance(digest, str) and SHA256_HEX.fullmatch(digest), "content_mismatch")
        result.append(b64url(bytes.fromhex(digest)))
    return sorted(result)


def author_binding(author):
    """What the delivery signature says of the author signature, if there is one."""
    signature = author.get("signature") if isinstance(author, dict) else author
    if signature is None:
        return None
    need(isinstance(author, dict) and isinstance(signature, str), "content_mismatch")
    return {"kid": author.get("kid"), "jws_sha256": sha256(strip_whitespace(signature))}


def check_claims(claims, expected):
    """Each claim must equal its expected value, None standing for an absent one."""
    for name, value in expected.items():
        need(canonicalize(claims.get(name)) == canonicalize(value), "content_mismatch")


def json_object(raw):
    """The JSON object in UTF-8 bytes; anything else is a malformed token."""
    need(raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH, "invalid_signature")
    try:
        value = parse_json(raw.decode("utf-8"))
    except ValueError:
        raise Failure("invalid_signature") from None
    need(isinstance(value, dict), "invalid_signature")
    return value


def parse_token(block, typ, algorithms):
    """Splits a compact JWS (RFC 7515, section 7.1); checks its protected header.

    The algorithm comes from a fixed list and `typ` is compared exactly, so that no
    token made for another purpose passes here (RFC 8725, sections 3.1 and 3.11).
    """
    token = block.get("signature") if isinstance(block, dict) else None
    need(isinstance(token, str), "invalid_signature")
    parts = strip_whitespace(token).split(".")
    raw = [unb64url(part) for part in parts]
    need(len(parts) == 3 and all(raw), "invalid_signature")
    header, claims = json_object(raw[0]), json_object(raw[1])
    need(header.get("alg") in algorithms and header.get("typ") == typ, "invalid_signature")
    need(isinstance(header.get("kid"), str) and header["kid"], "invalid_signature")
    # No extension is understood here, so a critical one is refused (section 4.1.11).
    need("crit" not in header, "invalid_signature")
    return header, claims, (parts[0] + "." + parts[1]).encode("ascii"), raw[2]


def find_key(keys, kid):
    """The first key with this id."""
    listed = keys if isinstance(keys, list) else []
    key = next((item for item in listed if isinstance(item, dict) and item.get("kid") == kid), None)
    need(key, "unknown_key")
    return key


def signature_holds(alg, jwk, signed, signature):
    """Whether the signature verifies; an unusable key verifies nothing.

    The key must be of the type the algorithm needs, whatever the header claims.
    Coordinates are full size (RFC 7518, section 6.2.1.2) and an ES256 signature is
    R and S side by side, 32 bytes each (RFC 7518, section 3.4).
    """
    if not isinstance(jwk, dict) or jwk.get("alg") not in (None, alg):
        return False
    kind = (alg, jwk.get("kty"), jwk.get("crv"))
    x, y = unb64url(jwk.get("x")) or b"", unb64url(jwk.get("y")) or b""
    if jwk.get("use") not in (None, "sig") or len(x) != 32 or len(signature) != 64:
        return False
    try:
        if kind == ("EdDSA", "OKP", "Ed25519"):
            ed25519.Ed25519PublicKey.from_public_bytes(x).verify(signature, signed)
        elif kind == ("ES256", "EC", "P-256") and len(y) == 32:
            point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + x + y)
            r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
            point.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        else:
            return False
        return True
    except (InvalidSignature, ValueError):
        return False


def seconds_of(value):
    """Unix seconds of an RFC 3339 time (or of a number); None if it is neither."""
    if isinstance(value, float):
        return value
    match = RFC3339.fullmatch(value.upper()) if isinstance(value, str) else None
    try:
        return match and datetime.fromisoformat("".join(match.groups(""))).timestamp()
    except (ValueError, OverflowError):
        return None


def check_not_revoked(key, iat):
    """A revocation counts from its time on, without a readable time from the start."""
    since = key.get("revoked_since")
    since = key.get("revoked_at") if since is None else since
    moment = seconds_of(since)
    if since is None:
        need(key.get("status") != "revoked", "revoked_key")
    else:
        need(moment is not None and moment > iat, "revoked_key")


def check_version_and_time(claims):
    """Another version might mean something else by the same claims."""
    version, iat = claims.get("v"), claims.get("iat")
    need(isinstance(version, float) and version == VERSION, "invalid_signature")
    need(isinstance(iat, float) and iat.is_integer(), "invalid_signature")


def verify_delivery(case, message):
    """Verifies the service's signature on this recipient's copy."""
    header, claims, signed, signature = parse_token(message.get("agent"), DELIVERY_TYP, ("ES256",))
    key = find_key(case.get("keys"), header["kid"])
    need(signature_holds(header["alg"], key, signed, signature), "invalid_signature")
    check_version_and_time(claims)
    iat, nonce, audience = claims["iat"], claims.get("nonce"), claims.get("aud")
    need(isinstance(nonce, str) and nonce and isinstance(audience, str), "invalid_signature")
    check_not_revoked(key, iat)
    issuer, recipient = case.get("issuer"), case.get("recipient")
    need(isinstance(issuer, str) and claims.get("iss") == issuer, "wrong_issuer")
    need(isinstance(recipient, str) and audience == bare_address(recipient), "wrong_audience")
    check_delivered_content(claims, message)
    now, seen = case.get("now"), case.get("seen")
    need(isinstance(now, float) and iat <= now + CLOCK_SKEW, "issued_in_future")
    # Mail may be read at any later time; what makes an agent act must be fresh.
    fresh = now - iat <= MAX_AGE + CLOCK_SKEW
    need(fresh or claims["type"] == "message", "too_old")
    need(seen is None or (isinstance(seen, list) and nonce not in seen), "replayed")


def check_delivered_content(claims, message):
    """Every part must match its claim, and an absent part must have none."""
    msg_id, kind = claims.get("msg_id"), claims.get("type")
    need(isinstance(msg_id, str) and isinstance(kind, str), "content_mismatch")
    check_claims(claims, {
        "msg_id": message.get("rfc_message_id"),
        "from": bare_address(message.get("from")),
        "to": address_set(message.get("to")),
        "cc": address_set(message.get("cc")),
        "subject_sha256": sha256(message.get("subject")),
        "text_sha256": text_hash(message.get("text")),
        "html_sha256": text_hash(message.get("html")),
        "data_sha256": data_hash(message.get("data")),
        "att": attachment_hashes(message.get("attachments")),
        "type": message.get("type"),
        "in_reply_to": message.get("in_reply_to"),
        "agent_sig": author_binding(message.get("author")),
    })


def verify_author(case, message):
    """Verifies the agent's own signature, long after sending if need be.

    Freshness and the nonce were checked by the service when the message was sent;
    every recipient gets the same signature, so it is no replay here.
    """
    header, claims, signed, signature = parse_token(message.get("author"), AUTHOR_TYP, ("EdDSA", "ES256"))
    check_version_and_time(claims)
    key = find_key(case.get("author_keys"), header["kid"])
    need(key.get("alg") in (None, header["alg"]), "invalid_signature")
    need(signature_holds(header["alg"], key.get("public_jwk"), signed, signature), "invalid_signature")
    check_not_revoked(key, claims["iat"])
    check_authored_content(claims, message)


def check_authored_content(claims, message):
    """Parts the author covered must match; data and html must be covered.

    Text need not be: the service writes one for a message that has only data.
    """
    att = claims.get("att")
    listed = isinstance(att, list) and all(isinstance(digest, str) for digest in att)
    need(listed and isinstance(claims.get("type"), str), "content_mismatch")
    to, cc = address_set(message.get("to")), address_set(message.get("cc"))
    expected = {
        "from": bare_address(message.get("from")),
        "type": message.get("type"),
        "att": attachment_hashes(message.get("attachments")),
        "html_sha256": text_hash(message.get("html")),
        "data_sha256": data_hash(message.get("data")),
    }
    optional = {
        "text_sha256": text_hash(message.get("text")),
        "subject_sha256": sha256(message.get("subject")),
        "in_reply_to": message.get("in_reply_to"),
        "to": to,
        # An author names each address once, so one that is in `to` is not in `cc`.
        "cc": [address for address in cc if address not in to],
    }
    covered = {name: value for name, value in optional.items() if claims.get(name) is not None}
    # An author's lists count as sets: the order in which they were signed is free.
    lists = {name: address_set(claims[name]) for name in ("to", "cc") if name in covered}
    check_claims({**claims, **lists, "att": sorted(att)}, {**expected, **covered})


def verify_case(case):
    """The result for one case; malformed input gives a code, never an exception."""
    message = case.get("message") if isinstance(case, dict) else None
    try:
        known = isinstance(message, dict) and case.get("what") in ("delivery", "author")
        need(known, "invalid_signature")
        (verify_author if case["what"] == "author" else verify_delivery)(case, message)
        return "ok"
    except Failure as failure:
        return failure.args[0]


def main():
    """Reads the cases, prints the results."""
    sys.setrecursionlimit(100 * MAX_DEPTH)  # the parser recurses before MAX_DEPTH is seen
    try:
        cases = parse_json(sys.stdin.buffer.read().decode("utf-8"))
    except (ValueError, RecursionError):
        cases = None
    results = [verify_case(case) for case in cases] if isinstance(cases, list) else ["invalid_signature"]
    print(json.dumps(results, separators=(",", ":")))


if __name__ == "__main__":
    main()
