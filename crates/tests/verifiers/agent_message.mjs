// @ts-check
// Verifies agent messages of Posthouse: the delivery signature (`agent.signature`) and the author signature
// (`author.signature`). Written from docs/reference/agent-messages.md alone; needs Node.js and no packages.
//
// Reads a JSON array of cases from standard input and prints a JSON array of results: "ok" or a failure code.

import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const TOLERANCE_S = 30;
const ACTION_WINDOW_S = 900;

class Failure extends Error {}

/** @param {string} code @returns {never} */
const fail = (code) => {
  throw new Failure(code);
};

/** @param {string | Buffer} data */
const sha256 = (data) => createHash("sha256").update(data).digest("base64url");

/** @param {string} text */
const bare = (text) => (/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim().toLowerCase();

/** Compares by code point, not by UTF-16 code unit. @param {string} a @param {string} b */
const byCodePoint = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** @param {string[]} texts */
const addressSet = (texts) => [...new Set(texts.map(bare))].filter((one) => one !== "").sort(byCodePoint);

/** @param {string} text */
const bodyHash = (text) => sha256(text.replace(/\r\n?/g, "\n"));

/** RFC 8785: JSON.stringify has its form of numbers and text. @param {any} value @returns {string} */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
};

/** @param {any} value */
const dataHash = (value) => sha256(canonical(value));

/** @param {any} message */
const attachments = (message) =>
  message.attachments.map((/** @type {any} */ file) => Buffer.from(file.sha256, "hex").toString("base64url")).sort();

/** @param {any} a @param {any} b */
const same = (a, b) => canonical(a ?? null) === canonical(b ?? null);

/** @param {string} jws */
const parse = (jws) => {
  const compact = jws.replace(/\s/g, "");
  const parts = compact.split(".");
  if (parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]*$/.test(part))) throw new Error("not compact");
  const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  if (![header, claims].every((one) => one !== null && typeof one === "object" && !Array.isArray(one))) {
    throw new Error("not objects");
  }
  const signature = Buffer.from(parts[2] ?? "", "base64url");
  if (signature.toString("base64url") !== parts[2]) throw new Error("not canonical");
  return { compact, header, claims, signature };
};

/** @param {any} jwk @param {string} alg @param {string} compact @param {Buffer} signature */
const genuine = (jwk, alg, compact, signature) => {
  const signed = Buffer.from(compact.slice(0, compact.lastIndexOf(".")));
  const { kty, crv, x, y } = jwk;
  const key = createPublicKey({ key: y === undefined ? { kty, crv, x } : { kty, crv, x, y }, format: "jwk" });
  if (alg === "EdDSA" && crv === "Ed25519") return verify(null, signed, key, signature);
  if (alg !== "ES256" || crv !== "P-256") return false;
  return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
};

/** A part and its claim are both present and equal, or both absent. */
const part = (/** @type {any} */ claim, /** @type {any} */ value, /** @type {(value: any) => string} */ hashed) =>
  value === null ? claim === undefined : claim === hashed(value);

/** @param {any} check */
const verifyDelivery = ({ message, now, keys, issuer, recipient, seen = [] }) => {
  if (!message.agent?.signature) fail("no_signature");
  let parsed;
  try {
    parsed = parse(message.agent.signature);
  } catch {
    return fail("invalid_signature");
  }
  const { compact, header, claims, signature } = parsed;
  if (header.alg !== "ES256" || header.typ !== "service-msg+jwt" || typeof header.kid !== "string") {
    fail("invalid_signature");
  }
  const key = keys.find((/** @type {any} */ one) => one.kid === header.kid) ?? fail("unknown_key");
  if (!genuine(key, "ES256", compact, signature)) fail("invalid_signature");
  if (!Number.isInteger(claims.iat) || typeof claims.nonce !== "string" || typeof claims.aud !== "string") {
    fail("invalid_signature");
  }
  if (key.status === "revoked" && Date.parse(key.revoked_at) / 1000 <= claims.iat) fail("key_revoked");
  if (claims.iss !== issuer) fail("wrong_issuer");
  if (claims.aud !== bare(recipient)) fail("wrong_audience");
  const { author } = message;
  const authorClaim = author
    ? { kid: author.kid, jws_sha256: sha256(author.signature.replace(/\s/g, "")) }
    : undefined;
  const matches = [
    claims.msg_id === message.rfc_message_id,
    claims.from === bare(message.from),
    same(claims.to, addressSet(message.to)),
    same(claims.cc, addressSet(message.cc)),
    part(claims.subject_sha256, message.subject, sha256),
    part(claims.text_sha256, message.text, bodyHash),
    part(claims.html_sha256, message.html, bodyHash),
    part(claims.data_sha256, message.data, dataHash),
    same(claims.att, attachments(message)),
    claims.type === message.type,
    same(claims.in_reply_to, message.in_reply_to),
    same(claims.agent_sig, authorClaim),
  ];
  if (!matches.every(Boolean)) fail("content_mismatch");
  if (claims.iat > now + TOLERANCE_S) fail("issued_in_future");
  if (["task", "event"].includes(claims.type) && now - claims.iat > ACTION_WINDOW_S + TOLERANCE_S) fail("too_old");
  if (seen.includes(claims.nonce)) fail("replayed");
};

/** @param {any} check */
const verifyAuthor = ({ message, author_keys: keys }) => {
  if (!message.author?.signature) fail("no_signature");
  let parsed;
  try {
    parsed = parse(message.author.signature);
  } catch {
    return fail("malformed");
  }
  const { compact, header, claims, signature } = parsed;
  if (claims.v !== 1 || !Number.isInteger(claims.iat)) fail("malformed");
  if (header.typ !== "service-author+jwt") fail("wrong_type");
  const key = keys.find((/** @type {any} */ one) => one.kid === header.kid) ?? fail("unknown_key");
  if (header.alg !== key.alg || !genuine(key.public_jwk, header.alg, compact, signature)) fail("bad_signature");
  if (key.revoked_at && Date.parse(key.revoked_at) / 1000 <= claims.iat) fail("key_revoked");
  if (claims.from !== bare(message.from)) fail("wrong_sender");
  const to = addressSet(message.to);
  const cc = addressSet(message.cc).filter((one) => !to.includes(one));
  const covered = (/** @type {any} */ claim, /** @type {() => boolean} */ matches) => claim == null || matches();
  const matches = [
    covered(claims.subject_sha256, () => claims.subject_sha256 === sha256(message.subject ?? "")),
    covered(claims.to, () => same(addressSet(claims.to), to)),
    covered(claims.cc, () => same(addressSet(claims.cc), cc)),
    covered(claims.in_reply_to, () => claims.in_reply_to === message.in_reply_to),
    covered(claims.text_sha256, () => message.text !== null && claims.text_sha256 === bodyHash(message.text)),
    covered(claims.html_sha256, () => message.html !== null && claims.html_sha256 === bodyHash(message.html)),
    claims.type === message.type,
    same([...(claims.att ?? [])].sort(), attachments(message)),
    part(claims.data_sha256 ?? undefined, message.data, dataHash),
  ];
  if (!matches.every(Boolean)) fail("content_mismatch");
};

const results = JSON.parse(readFileSync(0, "utf8")).map((/** @type {any} */ check) => {
  try {
    (check.what === "author" ? verifyAuthor : verifyDelivery)(check);
    return "ok";
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
});
console.log(JSON.stringify(results));
