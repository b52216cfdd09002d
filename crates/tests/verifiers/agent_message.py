"""Verifies agent messages of Posthouse: the delivery signature (`agent.signature`) and the author signature
(`author.signature`). Written from docs/reference/agent-messages.md alone; needs the package `cryptography`.

Reads a JSON array of cases from standard input and prints a JSON array of results: "ok" or a failure code.
"""

import base64
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

TOLERANCE_S = 30
ACTION_WINDOW_S = 900


class Failure(Exception):
    pass


def fail(code):
    raise Failure(code)


def unbase64(text):
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(data):
    return to_base64(hashlib.sha256(data).digest())


def bare(text):
    match = re.search(r"<([^<>]*)>\s*$", text)
    return (match.group(1) if match else text).strip().lower()


def address_set(texts):
    return sorted({bare(text) for text in texts} - {""})


def body_hash(text):
    return sha256(text.replace("\r\n", "\n").replace("\r", "\n").encode())


def es_number(value):
    """The decimal form of ECMAScript (Number.prototype.toString)."""
    value = float(value)
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0)
    if whole == "0":
        point = int(exponent or 0) - (len(fraction) - len(fraction.lstrip("0")))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def canonical(value):
    """RFC 8785."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return es_number(value)
    if isinstance(value, str):
        escapes = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
        plain = (escapes.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 else c) for c in value)
        return '"' + "".join(plain) + '"'
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"


def data_hash(value):
    return sha256(canonical(value).encode())


def attachments(message):
    return sorted(to_base64(bytes.fromhex(file["sha256"])) for file in message["attachments"])


def parse(jws):
    compact = re.sub(r"\s", "", jws)
    header, payload, signature = compact.split(".")
    header, claims = json.loads(unbase64(header)), json.loads(unbase64(payload))
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise ValueError("not objects")
    return compact, header, claims, unbase64(signature)


def genuine(jwk, alg, compact, signature):
    signed = compact.rsplit(".", 1)[0].encode()
    try:
        if alg == "EdDSA" and jwk["crv"] == "Ed25519":
            ed25519.Ed25519PublicKey.from_public_bytes(unbase64(jwk["x"])).verify(signature, signed)
            return True
        if alg == "ES256" and jwk["crv"] == "P-256" and len(signature) == 64:
            x, y = (int.from_bytes(unbase64(jwk[name]), "big") for name in "xy")
            key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
            r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
            key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
            return True
    except (InvalidSignature, ValueError):
        pass
    return False


def instant(text):
    from datetime import datetime

    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def part(claims, name, value, hashed):
    """A part and its claim are both present and equal, or both absent."""
    claim = claims.get(name)
    return claim is None if value is None else claim == hashed(value)


def verify_delivery(case):
    message, now = case["message"], case["now"]
    agent = message.get("agent") or {}
    if not agent.get("signature"):
        fail("no_signature")
    try:
        compact, header, claims, signature = parse(agent["signature"])
    except (ValueError, AttributeError):
        fail("invalid_signature")
    if header.get("alg") != "ES256" or header.get("typ") != "service-msg+jwt" or not isinstance(header.get("kid"), str):
        fail("invalid_signature")
    key = next((key for key in case["keys"] if key["kid"] == header["kid"]), None)
    if key is None:
        fail("unknown_key")
    if not genuine(key, "ES256", compact, signature):
        fail("invalid_signature")
    if type(claims.get("iat")) is not int or not all(isinstance(claims.get(n), str) for n in ("nonce", "aud")):
        fail("invalid_signature")
    if key["status"] == "revoked" and instant(key["revoked_at"]) <= claims["iat"]:
        fail("key_revoked")
    if claims.get("iss") != case["issuer"]:
        fail("wrong_issuer")
    if claims["aud"] != bare(case["recipient"]):
        fail("wrong_audience")
    author = message.get("author")
    agent_sig = claims.get("agent_sig")
    matches = [
        claims.get("msg_id") == message["rfc_message_id"],
        claims.get("from") == bare(message["from"]),
        claims.get("to") == address_set(message["to"]),
        claims.get("cc") == address_set(message["cc"]),
        part(claims, "subject_sha256", message["subject"], lambda text: sha256(text.encode())),
        part(claims, "text_sha256", message["text"], body_hash),
        part(claims, "html_sha256", message["html"], body_hash),
        part(claims, "data_sha256", message["data"], data_hash),
        claims.get("att") == attachments(message),
        claims.get("type") == message["type"],
        claims.get("in_reply_to") == message["in_reply_to"],
        (author is None) == (agent_sig is None),
    ]
    if author and agent_sig:
        whole = re.sub(r"\s", "", author["signature"])
        matches.append(agent_sig == {"kid": author["kid"], "jws_sha256": sha256(whole.encode())})
    if not all(matches):
        fail("content_mismatch")
    if claims["iat"] > now + TOLERANCE_S:
        fail("issued_in_future")
    if claims["type"] in ("task", "event") and now - claims["iat"] > ACTION_WINDOW_S + TOLERANCE_S:
        fail("too_old")
    if claims["nonce"] in case.get("seen", []):
        fail("replayed")


def verify_author(case):
    message = case["message"]
    author = message.get("author") or {}
    if not author.get("signature"):
        fail("no_signature")
    try:
        compact, header, claims, signature = parse(author["signature"])
    except (ValueError, AttributeError):
        fail("malformed")
    if claims.get("v") != 1 or type(claims.get("iat")) is not int:
        fail("malformed")
    if header.get("typ") != "service-author+jwt":
        fail("wrong_type")
    key = next((key for key in case["author_keys"] if key["kid"] == header.get("kid")), None)
    if key is None:
        fail("unknown_key")
    if header.get("alg") != key["alg"] or not genuine(key["public_jwk"], header["alg"], compact, signature):
        fail("bad_signature")
    if key["revoked_at"] and instant(key["revoked_at"]) <= claims["iat"]:
        fail("key_revoked")
    if claims.get("from") != bare(message["from"]):
        fail("wrong_sender")
    to = address_set(message["to"])
    optional = {
        "subject_sha256": lambda claim: claim == sha256((message["subject"] or "").encode()),
        "to": lambda claim: address_set(claim) == to,
        "cc": lambda claim: address_set(claim) == [one for one in address_set(message["cc"]) if one not in to],
        "in_reply_to": lambda claim: claim == message["in_reply_to"],
        "text_sha256": lambda claim: message["text"] is not None and claim == body_hash(message["text"]),
        "html_sha256": lambda claim: message["html"] is not None and claim == body_hash(message["html"]),
    }
    matches = [check(claims[name]) for name, check in optional.items() if claims.get(name) is not None]
    matches += [
        claims.get("type") == message["type"],
        sorted(claims.get("att") or []) == attachments(message),
        part(claims, "data_sha256", message["data"], data_hash),
    ]
    if not all(matches):
        fail("content_mismatch")


def result(case):
    try:
        {"delivery": verify_delivery, "author": verify_author}[case["what"]](case)
        return "ok"
    except Failure as failure:
        return failure.args[0]


if __name__ == "__main__":
    print(json.dumps([result(case) for case in json.load(sys.stdin)]))
