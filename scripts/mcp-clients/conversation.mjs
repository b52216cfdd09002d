// What the conversations of the TypeScript clients share. A conversation creates an inbox, waits for a mail, reads it,
// replies, drafts an answer that is approved over the API, and gets a code. `call` calls a tool and returns the text of its
// result.
import assert from "node:assert/strict";

export const url = process.env.POSTHOUSE_URL;
export const headers = { Authorization: `Bearer ${process.env.POSTHOUSE_KEY}` };
export const endpoint = new URL(`${url}/mcp`);

const marker = "UNTRUSTED MESSAGE CONTENT";
const since = "2020-01-01T00:00:00Z";

export async function api(method, path, body) {
  const sent = { method, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(url + path, sent);
  assert(response.ok, `${path}: ${response.status}`);
  return response.json();
}

export async function inject(to, subject, text) {
  const id = subject.replaceAll(" ", "-");
  const mail = `From: ada@example.com\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@test>\r\n\r\n${text}\r\n`;
  const sent = { method: "POST", headers: { "Content-Type": "message/rfc822" }, body: mail };
  assert((await fetch(`${url}/dev/inbound`, sent)).ok);
}

function valueOf(text) {
  if (!text.startsWith(marker)) return JSON.parse(text);
  return JSON.parse(text.split("\n").slice(2, -1).join("\n"));
}

/** Returns the text of a result that is no failure. */
export function textOf(result) {
  assert(!result.isError, JSON.stringify(result.content));
  return result.content[0].text;
}

export async function converse(callForText, username) {
  const call = async (name, given) => valueOf(await callForText(name, given));
  const inbox = await call("create_inbox", { username });
  const waiting = call("wait_for_email", { inbox_id: inbox.id, since });
  await inject(inbox.address, `Order of ${username}`, "When will my lamps come?");
  const message = await waiting;
  assert.match(message.extracted_text, /^When will my lamps come\?/);
  assert.equal((await call("get_message", { message_id: message.id })).id, message.id);
  const answered = { inbox_id: inbox.id, message_id: message.id, text: "On Thursday." };
  assert.equal((await call("reply_to_email", answered)).thread_id, message.thread_id);
  const written = { inbox_id: inbox.id, reply_to_message_id: message.id, text: "They are on their way." };
  const draft = await call("create_draft", written);
  const approved = { content_sha256: draft.content_sha256 };
  await api("POST", `/v1/inboxes/${inbox.id}/drafts/${draft.id}/approve`, approved);
  assert.equal((await call("get_draft", { inbox_id: inbox.id, draft_id: draft.id })).status, "sent");
  // Mail from outside isn't proven here, because no DNS server answers.
  const shop = await call("create_inbox", { username: `${username}-shop` });
  const code = { inbox_id: shop.id, to: inbox.address, subject: "Your code", text: "Your verification code is 482913." };
  await call("send_email", code);
  assert.equal((await call("get_verification_code", { inbox_id: inbox.id, since })).code, "482913");
  return inbox;
}
