// Holds a conversation with the official clients for TypeScript: the one of the stateless revision, and the one before it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as SdkTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { converse, endpoint, headers, textOf } from "./conversation.mjs";

const clients = [
  ["client", Client, StreamableHTTPClientTransport],
  ["sdk", SdkClient, SdkTransport],
];
for (const [name, OfficialClient, Transport] of clients) {
  const client = new OfficialClient({ name: "posthouse-mcp-clients", version: "1.0.0" });
  await client.connect(new Transport(endpoint, { requestInit: { headers } }));
  // The clients check structured results against the schemas of their tools, which they read here.
  await client.listTools();
  await converse(async (tool, given) => textOf(await client.callTool({ name: tool, arguments: given })), `ts-${name}`);
  await client.close();
  console.log(`mcp-clients: a conversation with \`@modelcontextprotocol/${name}\``);
}
