// Holds a conversation with the AI SDK, and gets an event by webhook.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { experimental_createMCPClient as createClient, experimental_createMCPEventWebhook as createWebhook } from "@ai-sdk/mcp";

import { converse, endpoint, headers, inject, textOf } from "./conversation.mjs";

/** Keeps subscriptions in memory. */
class Store {
  #all = new Map();
  get = async (key) => this.#all.get(key);
  getById = async (id) => [...this.#all.values()].find((one) => one.id === id);
  set = async (one) => void this.#all.set(one.key, one);
  update = async (key, patch) => void this.#all.set(key, { ...this.#all.get(key), ...patch });
  delete = async (key) => void this.#all.delete(key);
}

const store = new Store();
const received = Promise.withResolvers();
const webhook = createWebhook({
  store,
  onEvent: async ({ event }) => received.resolve(event),
  onError: received.reject,
});
const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url: path } = request;
  const asked = new Request(`${callback.origin}${path}`, { method, headers: request.headers, body: Buffer.concat(chunks) });
  const answer = await webhook(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
const callback = new URL(`http://127.0.0.1:${receiver.address().port}/events`);

const transport = { type: "http", url: endpoint.href, headers };
const client = await createClient({ transport, experimental_events: { store } });
const tools = await client.tools();
const options = { toolCallId: "1", messages: [] };
const inbox = await converse(async (name, given) => textOf(await tools[name].execute(given, options)), "ai-sdk");

const names = (await client.experimental_events.list()).events.map((event) => event.name);
assert(names.includes("message.received"), names.join());
const subscription = await client.experimental_events.subscribe({
  name: "message.received",
  arguments: { inbox_id: inbox.id },
  delivery: { mode: "webhook", url: callback.href, allowInsecureLocalhost: true },
});
await inject(inbox.address, "Event of the AI SDK", "Is it still on its way?");
const event = await received.promise;
assert.equal(event.data.message.subject, "Event of the AI SDK");
await client.experimental_events.unsubscribe({ id: subscription.id });
await client.close();
receiver.close();
receiver.closeAllConnections();
console.log("mcp-clients: a conversation with `@ai-sdk/mcp`, an event by webhook");
