// Generates src/lib/api-types.ts from the committed OpenAPI document.
// `npm run types -- http://127.0.0.1:8080` fetches the document first.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../openapi.json', import.meta.url);
const base = process.argv[2];
if (base) {
  const answer = await fetch(new URL('/v1/openapi.json', base));
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  const { servers: _, ...rest } = await answer.json();
  await writeFile(document, JSON.stringify(rest, null, 1));
}
const parsed = JSON.parse(await readFile(document, 'utf8'));
const header = '// Generated from openapi.json by `npm run types`.\n';
await writeFile(
  new URL('../src/lib/api-types.ts', import.meta.url),
  header + astToString(await openapiTS(document)),
);
const parameters = parsed.paths['/v1/events'].get.parameters ?? [];
const summaries = parameters.some((one) => one.name === 'view');
await writeFile(
  new URL('../src/lib/api-features.ts', import.meta.url),
  `${header}\n/** Whether lists accept \`view=summary\`. */\nexport const SUMMARIES: boolean = ${summaries};\n`,
);
