// A development server: serves dist/, answers /platform/* from memory, and
// forwards /v1, /dev and /docs to a Posthouse server with an API key as bearer.
//
//   UPSTREAM=http://127.0.0.1:8080 POSTHOUSE_KEY=ph_… node dev/proxy.mjs
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mailHtml } from './mail-html.mjs';
import { Platform } from './platform.mjs';

const upstream = new URL(process.env.UPSTREAM ?? 'http://127.0.0.1:8080');
const key = process.env.POSTHOUSE_KEY ?? '';
const port = Number(process.env.PORT ?? 5180);
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const authorization = `Bearer ${key}`;
const origin = `http://127.0.0.1:${port}`;

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "frame-src 'self'; font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' };

const platform = new Platform({
  account: async () =>
    (await (await fetch(new URL('/v1/account', upstream), { headers: { authorization } })).json()).workspace,
  metrics: async () => (await fetch(new URL('/v1/metrics', upstream), { headers: { authorization } })).json(),
  origin,
});

const server = http.createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent)
      json(response, 502, { error: { code: 'unavailable', message: String(error) } });
    else response.destroy();
  });
});

async function handle(request, response) {
  const url = new URL(request.url, origin);
  if (url.pathname.startsWith('/platform/')) return platform.handle(request, response, url);
  if (/^\/(v1|dev)\//.test(url.pathname)) {
    if (!platform.signedIn(request) && !request.headers.authorization) {
      return json(response, 401, {
        error: { code: 'unauthorized', message: 'Nobody is signed in.', request_id: randomUUID() },
      });
    }
    if (
      request.method !== 'GET' &&
      !request.headers.authorization &&
      request.headers['x-requested-with'] !== 'service-web'
    ) {
      return json(response, 403, {
        error: {
          code: 'csrf',
          message: 'The request lacks X-Requested-With.',
          request_id: randomUUID(),
        },
      });
    }
    const html = /^\/v1\/messages\/([^/]+)\/html$/.exec(url.pathname);
    if (html)
      return mailHtml(response, upstream, authorization, html[1], url.searchParams.get('remote') === 'on');
    return forward(request, response, url);
  }
  if (/^\/(docs|confirm|llms\.txt|healthz)/.test(url.pathname)) return forward(request, response, url);
  return file(response, url.pathname);
}

function forward(request, response, url) {
  const headers = { ...request.headers, host: upstream.host };
  headers.authorization ??= authorization;
  delete headers.cookie;
  delete headers.origin;
  const onward = http.request(
    {
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: url.pathname + url.search,
      headers,
    },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on('error', (error) =>
    json(response, 502, {
      error: { code: 'unavailable', message: error.message, fix: 'Start the server again.' },
    }),
  );
  request.pipe(onward);
}

async function file(response, path) {
  const wanted = extname(path) === '' ? 'index.html' : normalize(path).replace(/^\/+/, '');
  try {
    const bytes = await readFile(join(dist, wanted));
    response.writeHead(200, {
      'content-type': TYPES[extname(wanted)] ?? 'application/octet-stream',
      'content-security-policy': CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': wanted === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
      etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`,
    });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}

function json(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

// The WebSocket is passed through byte by byte.
server.on('upgrade', (request, socket, head) => {
  const onward = net.connect(Number(upstream.port), upstream.hostname, () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (const [name, value] of Object.entries({
      ...request.headers,
      host: upstream.host,
      origin: undefined,
      cookie: undefined,
    })) {
      if (value !== undefined) lines.push(`${name}: ${value}`);
    }
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
});

server.listen(port, '127.0.0.1', () => {
  console.log(`Dashboard   ${origin}`);
  console.log(`Sign in     ${platform.link('owner@example.com')}`);
});
