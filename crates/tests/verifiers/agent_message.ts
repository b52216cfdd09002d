/**
 * Verifies agent messages of Posthouse: the service's delivery signature on a
 * recipient's copy, and the author signature an agent made with its own key.
 * Written from the specification alone, sharing no code with the service, so that
 * an error in one of the two shows up as a disagreement.
 *
 * Standards: RFC 7515 (JWS), RFC 7517 (JWK), RFC 7518 (ES256), RFC 8037 (EdDSA),
 * RFC 8785 (JCS), RFC 4648 (base64url), RFC 3339 (times).
 *
 * Reads a JSON array of cases on standard input, prints a JSON array of results on
 * one line, "ok" or a failure code for each.
 */

import { createHash, createPublicKey, verify } from "node:crypto";

type Json = null | boolean | number | string | Json[] | JsonObject;
type JsonObject = { [name: string]: Json };
/** A field as read from an object: undefined when it is absent. */
type Field = Json | undefined;
type Code =
  | "invalid_signature"
  | "unknown_key"
  | "revoked_key"
  | "wrong_issuer"
  | "wrong_audience"
  | "issued_in_future"
  | "too_old"
  | "replayed"
  | "content_mismatch";
type Token = { alg: string; kid: string; claims: JsonObject; signed: Buffer; signature: Buffer };

const DELIVERY_TYP = "service-msg+jwt";
const AUTHOR_TYP = "service-author+jwt";
const VERSION = 1;
/** Seconds by which two honest clocks may differ. */
const CLOCK_SKEW = 30;
/** Seconds for which a task or an event may be acted upon. */
const MAX_AGE = 900;
/** Nesting accepted in JSON, so that recursion stays bounded. */
const MAX_DEPTH = 200;

// ASCII only: what each language calls "white space" beyond ASCII differs.
const WHITESPACE = /[ \t\n\v\f\r]+/g;
const OUTER_WHITESPACE = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g;
/** A surrogate standing alone, which has no UTF-8 form. */
const SURROGATE = /\p{Surrogate}/u;
const RFC3339 =
  /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:(\.\d{1,3})\d*)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Ends a verification with its failure code. */
class Failure extends Error {
  constructor(readonly code: Code) {
    super(code);
  }
}

/** Goes on only when the condition holds. */
function need(condition: boolean, code: Code): asserts condition {
  if (!condition) throw new Failure(code);
}

function isObject(value: Field): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Decodes unpadded base64url, or returns undefined. Encoding again refuses padding,
 * foreign characters and stray trailing bits (RFC 4648, section 3.5): every token
 * has exactly one spelling.
 */
function fromBase64url(value: Field): Buffer | undefined {
  if (typeof value !== "string") return undefined;
  const raw = Buffer.from(value, "base64url");
  return raw.toString("base64url") === value ? raw : undefined;
}

/** Base64url SHA-256 of a string's UTF-8 bytes; an absent part has none. */
function sha256(value: Field): string | null {
  if (value === undefined || value === null) return null;
  need(typeof value === "string" && !SURROGATE.test(value), "content_mismatch");
  return createHash("sha256").update(value, "utf8").digest("base64url");
}

/** A token may have been folded on its way through a mail header. */
function stripWhitespace(text: string): string {
  return text.replace(WHITESPACE, "");
}

/** The text of UTF-8 bytes; throws on bytes that are not UTF-8. */
function utf8(raw: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
}

/**
 * The canonical text of a JSON value (RFC 8785). Numbers and strings are written as
 * ECMAScript writes them, by reference from sections 3.2.2.2 and 3.2.2.3 there.
 */
function canonicalize(value: Json, depth = 1): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    need(Number.isFinite(value), "content_mismatch");
    return String(value); // minus zero becomes "0"
  }
  if (typeof value === "string") {
    need(!SURROGATE.test(value), "content_mismatch"); // an error there
    return JSON.stringify(value);
  }
  need(depth <= MAX_DEPTH, "content_mismatch");
  if (Array.isArray(value)) {
    return "[" + value.map((item) => canonicalize(item, depth + 1)).join(",") + "]";
  }
  // sort() compares UTF-16 code units, as section 3.2.3 asks.
  const members = Object.keys(value)
    .sort()
    .map((name) => canonicalize(name) + ":" + canonicalize(value[name] ?? null, depth + 1));
  return "{" + members.join(",") + "}";
}

/** The address inside a trailing <...>, else the whole; trimmed, lower-case. */
function bareAddress(value: Field): string {
  need(typeof value === "string", "content_mismatch");
  let address = value.replace(OUTER_WHITESPACE, "");
  const opening = address.lastIndexOf("<");
  if (address.endsWith(">") && opening >= 0) {
    address = address.slice(opening + 1, -1).replace(OUTER_WHITESPACE, "");
  }
  return address.toLowerCase();
}

/** A list field; absent and null mean an empty list. */
function listOf(value: Field): Json[] {
  if (value === undefined || value === null) return [];
  need(Array.isArray(value), "content_mismatch");
  return value;
}

/** Order by code point; UTF-8 bytes have that order, UTF-16 units do not. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, "utf8"), Buffer.from(right, "utf8"));
}

/** Distinct bare addresses, sorted by code point. */
function addressSet(value: Field): string[] {
  const distinct = new Set(listOf(value).map(bareAddress));
  return [...distinct].filter((address) => address !== "").sort(byCodePoint);
}

/** Hash of a body part: mail transport rewrites line ends, so all become LF. */
function textHash(value: Field): string | null {
  return sha256(typeof value === "string" ? value.replace(/\r\n?/g, "\n") : value);
}

/** Hash of structured data, independent of member order and number spelling. */
function dataHash(value: Field): string | null {
  return value === undefined || value === null ? null : sha256(canonicalize(value));
}

/** Sorted base64url digests, from the hexadecimal ones of the attachments. */
function attachmentHashes(value: Field): string[] {
  const digests = listOf(value).map((item) => {
    const digest = isObject(item) ? item.sha256 : undefined;
    need(typeof digest === "string" && /^[0-9a-fA-F]{64}$/.test(digest), "content_mismatch");
    return Buffer.from(digest, "hex").toString("base64url");
  });
  return digests.sort(byCodePoint);
}

/** What the delivery signature says of the author signature, if there is one. */
function authorBinding(author: Field): JsonObject | null {
  const signature = isObject(author) ? author.signature : author;
  if (signature === undefined || signature === null) return null;
  need(isObject(author) && typeof signature === "string", "content_mismatch");
  return { kid: author.kid ?? null, jws_sha256: sha256(stripWhitespace(signature)) };
}

/** Each claim must equal its expected value, null standing for an absent one. */
function checkClaims(claims: JsonObject, expected: JsonObject): void {
  for (const [name, value] of Object.entries(expected)) {
    need(canonicalize(claims[name] ?? null) === canonicalize(value), "content_mismatch");
  }
}

/** The JSON object in UTF-8 bytes; anything else is a malformed token. */
function jsonObject(raw: Buffer): JsonObject {
  const openings = raw.filter((byte) => byte === 0x5b || byte === 0x7b).length;
  need(openings <= MAX_DEPTH, "invalid_signature");
  let value: Json;
  try {
    value = JSON.parse(utf8(raw)) as Json;
  } catch {
    throw new Failure("invalid_signature");
  }
  need(isObject(value), "invalid_signature");
  return value;
}

/**
 * Splits a compact JWS (RFC 7515, section 7.1); checks its protected header. The
 * algorithm comes from a fixed list and `typ` is compared exactly, so that no token
 * made for another purpose passes here (RFC 8725, sections 3.1 and 3.11).
 */
function parseToken(block: Field, typ: string, algorithms: readonly string[]): Token {
  const token = isObject(block) ? block.signature : undefined;
  need(typeof token === "string", "invalid_signature");
  const parts = stripWhitespace(token).split(".");
  const [head, body, signature] = parts.map(fromBase64url);
  const whole = parts.length === 3 && !!head?.length && !!body?.length && !!signature?.length;
  need(whole && head !== undefined && body !== undefined && signature !== undefined, "invalid_signature");
  const header = jsonObject(head);
  const claims = jsonObject(body);
  const { alg, kid } = header;
  need(typeof alg === "string" && algorithms.includes(alg) && header.typ === typ, "invalid_signature");
  need(typeof kid === "string" && kid !== "", "invalid_signature");
  // No extension is understood here, so a critical one is refused (section 4.1.11).
  need(!Object.hasOwn(header, "crit"), "invalid_signature");
  return { alg, kid, claims, signed: Buffer.from(`${parts[0]}.${parts[1]}`, "ascii"), signature };
}

/** The first key with this id. */
function findKey(keys: Field, kid: string): JsonObject {
  const listed = Array.isArray(keys) ? keys : [];
  const key = listed.filter(isObject).find((item) => item.kid === kid);
  need(key !== undefined, "unknown_key");
  return key;
}

/**
 * Whether the signature verifies; an unusable key verifies nothing. The key must be
 * of the type the algorithm needs, whatever the header claims. Coordinates are full
 * size (RFC 7518, section 6.2.1.2) and an ES256 signature is R and S side by side,
 * 32 bytes each (RFC 7518, section 3.4).
 */
function signatureHolds(token: Token, jwk: Field): boolean {
  if (!isObject(jwk) || (jwk.alg ?? token.alg) !== token.alg) return false;
  const { kty, crv, x, y } = jwk;
  if ((jwk.use ?? "sig") !== "sig" || token.signature.length !== 64) return false;
  if (typeof x !== "string" || fromBase64url(x)?.length !== 32) return false;
  try {
    if (token.alg === "EdDSA" && kty === "OKP" && crv === "Ed25519") {
      const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
      return verify(null, token.signed, key, token.signature);
    }
    if (token.alg === "ES256" && kty === "EC" && crv === "P-256") {
      if (typeof y !== "string" || fromBase64url(y)?.length !== 32) return false;
      const key = createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
      return verify("sha256", token.signed, { key, dsaEncoding: "ieee-p1363" }, token.signature);
    }
  } catch {
    // A point that is not on the curve ends here.
  }
  return false;
}

/** Unix seconds of an RFC 3339 time (or of a number); undefined if it is neither. */
function secondsOf(value: Json): number | undefined {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? RFC3339.exec(value.toUpperCase()) : null;
  if (!match) return undefined;
  const [, date = "", time = "", fraction = "", zone = ""] = match;
  // Date rolls 31 February over into March instead of refusing it.
  const midnight = new Date(date + "T00:00:00Z");
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  return Date.parse(date + time + fraction + zone) / 1000;
}

/** A revocation counts from its time on, without a readable time from the start. */
function checkNotRevoked(key: JsonObject, iat: number): void {
  const since = key.revoked_since ?? key.revoked_at ?? null;
  if (since === null) {
    need(key.status !== "revoked", "revoked_key");
  } else {
    const moment = secondsOf(since);
    need(moment !== undefined && moment > iat, "revoked_key");
  }
}

/** The claim `iat`. Another version might mean something else by the same claims. */
function issuedAt(claims: JsonObject): number {
  need(claims.v === VERSION, "invalid_signature");
  need(typeof claims.iat === "number" && Number.isInteger(claims.iat), "invalid_signature");
  return claims.iat;
}

/** Verifies the service's signature on this recipient's copy. */
function verifyDelivery(input: JsonObject, message: JsonObject): void {
  const token = parseToken(message.agent, DELIVERY_TYP, ["ES256"]);
  const key = findKey(input.keys, token.kid);
  need(signatureHolds(token, key), "invalid_signature");
  const { claims } = token;
  const iat = issuedAt(claims);
  const { nonce, aud } = claims;
  need(typeof nonce === "string" && nonce !== "" && typeof aud === "string", "invalid_signature");
  checkNotRevoked(key, iat);
  const { issuer, recipient, now } = input;
  need(typeof issuer === "string" && claims.iss === issuer, "wrong_issuer");
  need(typeof recipient === "string" && aud === bareAddress(recipient), "wrong_audience");
  checkDeliveredContent(claims, message);
  need(typeof now === "number" && iat <= now + CLOCK_SKEW, "issued_in_future");
  // Mail may be read at any later time; what makes an agent act must be fresh.
  need(claims.type === "message" || now - iat <= MAX_AGE + CLOCK_SKEW, "too_old");
  const seen = input.seen ?? [];
  need(Array.isArray(seen) && !seen.includes(nonce), "replayed");
}

/** Every part must match its claim, and an absent part must have none. */
function checkDeliveredContent(claims: JsonObject, message: JsonObject): void {
  need(typeof claims.msg_id === "string" && typeof claims.type === "string", "content_mismatch");
  checkClaims(claims, {
    msg_id: message.rfc_message_id ?? null,
    from: bareAddress(message.from),
    to: addressSet(message.to),
    cc: addressSet(message.cc),
    subject_sha256: sha256(message.subject),
    text_sha256: textHash(message.text),
    html_sha256: textHash(message.html),
    data_sha256: dataHash(message.data),
    att: attachmentHashes(message.attachments),
    type: message.type ?? null,
    in_reply_to: message.in_reply_to ?? null,
    agent_sig: authorBinding(message.author),
  });
}

/**
 * Verifies the agent's own signature, long after sending if need be. Freshness and
 * the nonce were checked by the service when the message was sent; every recipient
 * gets the same signature, so it is no replay here.
 */
function verifyAuthor(input: JsonObject, message: JsonObject): void {
  const token = parseToken(message.author, AUTHOR_TYP, ["EdDSA", "ES256"]);
  const iat = issuedAt(token.claims);
  const key = findKey(input.author_keys, token.kid);
  need((key.alg ?? token.alg) === token.alg, "invalid_signature");
  need(signatureHolds(token, key.public_jwk), "invalid_signature");
  checkNotRevoked(key, iat);
  checkAuthoredContent(token.claims, message);
}

/**
 * Parts the author covered must match; data and html must be covered. Text need not
 * be: the service writes one for a message that has only data.
 */
function checkAuthoredContent(claims: JsonObject, message: JsonObject): void {
  const { att, type } = claims;
  need(Array.isArray(att) && att.every((digest) => typeof digest === "string"), "content_mismatch");
  need(typeof type === "string", "content_mismatch");
  const to = addressSet(message.to);
  const expected: JsonObject = {
    from: bareAddress(message.from),
    type: message.type ?? null,
    att: attachmentHashes(message.attachments),
    html_sha256: textHash(message.html),
    data_sha256: dataHash(message.data),
  };
  const optional: JsonObject = {
    text_sha256: textHash(message.text),
    subject_sha256: sha256(message.subject),
    in_reply_to: message.in_reply_to ?? null,
    to,
    // An author names each address once, so one that is in `to` is not in `cc`.
    cc: addressSet(message.cc).filter((address) => !to.includes(address)),
  };
  // An author's lists count as sets: the order in which they were signed is free.
  const signed: JsonObject = { ...claims, att: att.map(String).sort(byCodePoint) };
  for (const [name, value] of Object.entries(optional)) {
    if ((claims[name] ?? null) === null) continue;
    expected[name] = value;
    if (name === "to" || name === "cc") signed[name] = addressSet(claims[name]);
  }
  checkClaims(signed, expected);
}

/** The result for one case; malformed input gives a code, never an exception. */
function verifyCase(input: Json): "ok" | Code {
  try {
    need(isObject(input) && isObject(input.message), "invalid_signature");
    need(input.what === "delivery" || input.what === "author", "invalid_signature");
    (input.what === "author" ? verifyAuthor : verifyDelivery)(input, input.message);
    return "ok";
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

/** Reads the cases, prints the results. */
async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  let cases: Json = null;
  try {
    cases = JSON.parse(utf8(Buffer.concat(chunks))) as Json;
  } catch {
    // Reported below as malformed.
  }
  console.log(JSON.stringify(Array.isArray(cases) ? cases.map(verifyCase) : ["invalid_signature"]));
}

void main();
