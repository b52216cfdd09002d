// Writes openapi.json and the API types in src/lib from the document that the server serves.
//
//   npm run types [-- --check]       With --check, writes nothing and fails if a file differs.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { Server } from '../browser/server.mjs';

const BINARY =
  process.env.POSTHOUSE_BINARY ?? fileURLToPath(new URL('../../target/debug/posthouse', import.meta.url));
const HEADER = '// Generated from openapi.json by `npm run types`.\n';

// The server gives examples of `send_at` that are ahead of now, as a schedule must be.
const FUTURE = '2030-01-01T00:00:00.000Z';

/** Makes the examples of `send_at` the same in every run. */
function settled(name, value) {
  if (name !== 'send_at') return value;
  if (typeof value === 'string') return FUTURE;
  return value?.examples ? { ...value, examples: [FUTURE] } : value;
}

async function served() {
  const server = await Server.start(BINARY);
  try {
    const answer = await fetch(`${server.base}/v1/openapi.json`);
    // The address of the server is another one each time.
    const { servers: _, ...document } = JSON.parse(await answer.text(), settled);
    return document;
  } finally {
    await server.remove();
  }
}

const document = await served();
const files = {
  '../openapi.json': JSON.stringify(document, null, 1),
  '../src/lib/api-types.ts': HEADER + astToString(await openapiTS(document)),
};
let differs = false;
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, import.meta.url);
  if (!process.argv.includes('--check')) await writeFile(file, text);
  else if ((await readFile(file, 'utf8')) !== text) {
    console.error(`${fileURLToPath(file)} is not what the server serves`);
    differs = true;
  }
}
process.exit(differs ? 1 : 0);
