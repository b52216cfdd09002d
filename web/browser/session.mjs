// Shared by the browser tests: starts Chromium, signs in, knows the screens.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

/** The address of the server under test. */
export const base = process.env.BASE_URL ?? '';

/** Static screens; `selections` finds the others. */
export const screens = {
  overview: '/',
  inbox: '/inbox/all',
  search: '/search?q=lamp',
  compose: '/compose',
  approvals: '/approvals',
  held: '/held',
  queue: '/queue',
  contacts: '/contacts',
  suppressions: '/suppressions',
  knowledge: '/knowledge',
  lists: '/lists',
  domains: '/domains',
  webhooks: '/webhooks',
  events: '/events',
  keys: '/keys',
  agents: '/agents',
  'approve-sign-in': '/agents/approve',
  directory: '/find-agents',
  apps: '/apps',
  connectors: '/connectors',
  'approve-connector': '/connectors/approve',
  usage: '/usage',
  settings: '/settings',
  'on-call': '/settings/on-call',
  members: '/settings/members',
  sessions: '/settings/sessions',
  forwarding: '/settings/forwarding',
  you: '/settings/you',
  invitations: '/invitations',
  captured: '/captured',
};

/** Fails a test with words. */
export function check(condition, words) {
  if (!condition) throw new Error(words);
}

/** Measures up to five times, because other programs use the machine too, and fails if no value is below the limit. */
export async function bestOfFive(what, below, measure) {
  const values = [];
  while (values.length < 5) {
    values.push(await measure());
    if (values.at(-1) < below) break;
  }
  console.log(`     ${what}: ${values.map((value) => value.toFixed(0)).join(', ')} ms`);
  check(values.at(-1) < below, `${what}: not below ${below} ms`);
}

export function launch() {
  const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? installed,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** Signs in by a link and its button, and returns the state to start other contexts from. */
export async function signIn(browser, link) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: /^(Sign in|See the invitation)$/ }).click();
  await page.waitForURL(/\/(inbox|invitations)/);
  if (page.url().endsWith('/invitations')) await page.getByRole('button', { name: /^Join / }).click();
  await page.waitForURL(/\/inbox/);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Calls the API inside the page, with its session. */
export function callApi(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const raw = typeof body === 'string';
      const response = await fetch(path, {
        method,
        headers: {
          'X-Requested-With': 'service-web',
          'Content-Type': raw ? 'message/rfc822' : 'application/json',
        },
        body: body === undefined || body === null ? undefined : raw ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    [method, path, body],
  );
}

/** Creates an inbox with the key of the server. */
export async function newInbox(server, name) {
  const answer = await server.call('POST', '/v1/inboxes', {
    username: `${name}-${crypto.randomUUID().slice(0, 8)}`,
  });
  check(answer.status === 201, `inbox: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Delivers a mail to an inbox. */
export async function inject(server, to, mail) {
  const { from = 'Dana Doe <dana@example.com>', subject, body = 'Hello', html, headers = [], id } = mail;
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: ${id ?? `<${crypto.randomUUID()}@example.com>`}`,
    'MIME-Version: 1.0',
    ...headers,
  ];
  const parts = [
    'Content-Type: multipart/alternative; boundary=a',
    '',
    '--a',
    'Content-Type: text/plain; charset=utf-8',
    '',
    body,
    '--a',
    'Content-Type: text/html; charset=utf-8',
    '',
    html,
    '--a--',
    '',
  ];
  const text = ['Content-Type: text/plain; charset=utf-8', '', body, ''];
  const path = `/dev/inbound?to=${encodeURIComponent(to)}&from=dana@example.com`;
  const answer = await server.call('POST', path, [...head, ...(html ? parts : text)].join('\r\n'));
  check(answer.status < 300, `mail: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const inFlight = new WeakMap();

/** Counts the requests of a page that have no answer yet. Call it before the page opens anything. */
export function watch(page) {
  const open = new Set();
  inFlight.set(page, open);
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return page;
}

/** Waits until the screen has loaded what it shows: no request is open, and no skeleton is left. */
export async function settled(page) {
  const open = inFlight.get(page);
  const quiet = () =>
    page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() =>
            requestAnimationFrame(() =>
              resolve(document.querySelector('main') !== null && !document.querySelector('.loading')),
            ),
          ),
        ),
    );
  // A long poll of the browser itself must not keep a test waiting for ever.
  const end = Date.now() + 10_000;
  do {
    if (open.size > 0) await page.waitForEvent('requestfinished', { timeout: 500 }).catch(() => undefined);
  } while ((open.size > 0 || !(await quiet()) || open.size > 0) && Date.now() < end);
}

/** Paths of one of each kind that has a screen. */
export async function selections(server) {
  const list = async (path) => (await server.call('GET', path)).body?.data ?? [];
  const found = {};
  const thread = (await list('/v1/threads?limit=50')).find((one) => one.message_count > 1);
  if (thread) found.thread = `/inbox/${thread.inbox_id}/${thread.id}`;
  const [draft] = (await list('/v1/drafts?status=draft&limit=25')).filter((one) => one.reply_to_message_id);
  if (draft) found.draft = `/approvals/${draft.inbox_id}/${draft.id}`;
  for (const kind of ['domains', 'webhooks', 'contacts']) {
    const [one] = await list(`/v1/${kind}?limit=1`);
    if (one) found[kind.slice(0, -1)] = `/${kind}/${one.id}`;
  }
  const [event] = await list('/v1/events?limit=1');
  if (event) found.event = `/events/${event.id}`;
  const inboxes = await list('/v1/inboxes?limit=100');
  const support = inboxes.find((one) => one.username === 'support');
  const orders = inboxes.find((one) => one.username === 'orders');
  if (support && orders) {
    found.category = `/inbox/${support.id}?category=support`;
    found.agent = `/agents/${support.id}`;
    found['agent-keys'] = `/agents/${orders.id}/keys`;
    found['agent-sign-in'] = `/agents/${support.id}/sign-in`;
    found['agent-manage'] = `/agents/${support.id}/manage`;
    found['found-agent'] = `/find-agents/${encodeURIComponent(support.address)}`;
    const { data: waiting } = (await server.call('GET', `/v1/inboxes/${support.id}/identity/approvals`)).body;
    if (waiting[0]) found['sign-in-request'] = `/agents/approve?agent=${support.id}&code=${waiting[0].code}`;
    const tasks = await list(`/v1/threads?inbox_id=${support.id}&limit=50`);
    const task = tasks.find((one) => one.subject === 'Refund for order 1042');
    const signed = tasks.find((one) => one.subject === 'Check order 1042');
    if (task) found.task = `/inbox/${support.id}/${task.id}`;
    if (signed) found['signed-message'] = `/inbox/${support.id}/${signed.id}`;
  }
  const [identity] = await list('/v1/identities?limit=1');
  if (identity) found.identity = `/agents/${identity.id}/manage`;
  const [app] = await list('/v1/identity/clients?limit=1');
  if (app) found.app = `/apps/${app.id}`;
  const [mail] = await list('/dev/outbox?limit=1');
  if (mail) found['captured-mail'] = `/captured/${mail.id}`;
  return found;
}

export async function axeSource() {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}
