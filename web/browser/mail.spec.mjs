// Reading mail: hostile HTML, live updates, two tabs, reply, keyboard, windowing.
import { base, callApi, settled } from './session.mjs';

const check = (condition, words) => {
  if (!condition) throw new Error(words);
};

/** Creates an inbox for a test and returns it. */
async function inbox(page, name) {
  await page.goto(base);
  const answer = await callApi(page, 'POST', '/v1/inboxes', {
    username: `${name}-${Date.now().toString(36)}`,
  });
  check(answer.status === 201, `inbox: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function inject(page, to, { from = 'Dana Doe <dana@example.com>', subject, body = 'Hello', html }) {
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@example.com>`,
    'MIME-Version: 1.0',
  ];
  const mail = html
    ? [
        ...head,
        'Content-Type: multipart/alternative; boundary=a',
        '',
        '--a',
        'Content-Type: text/plain',
        '',
        body,
        '--a',
        'Content-Type: text/html; charset=utf-8',
        '',
        html,
        '--a--',
        '',
      ]
    : [...head, 'Content-Type: text/plain; charset=utf-8', '', body, ''];
  return callApi(
    page,
    'POST',
    `/dev/inbound?to=${encodeURIComponent(to)}&from=dana@example.com`,
    mail.join('\r\n'),
  );
}

const HOSTILE = `<script>top.document.title='owned';fetch('https://evil.example/x')</script>
<img src="https://evil.example/pixel.png" onerror="top.document.title='owned'">
<form action="https://evil.example/f"><input name=a><button>Go</button></form>
<style>@import url(https://evil.example/c.css);body{background:url(https://evil.example/b.png)}</style>
<link rel=stylesheet href="https://evil.example/l.css">
<a href="javascript:top.document.title='owned'">Click</a>
<svg onload="top.document.title='owned'"><image href="https://evil.example/i.svg"/></svg>
<meta http-equiv=refresh content="0;url=https://evil.example/m"><base href="https://evil.example/">
<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/o"></object><p>Visible text</p>`;

export default {
  'hostile HTML runs nothing and loads nothing': async ({ context, page, errors }) => {
    const box = await inbox(page, 'hostile');
    await inject(page, box.address, { subject: 'Hostile', html: HOSTILE });
    const foreign = [];
    // What the policy refuses is reported before anything is sent; only real requests count.
    await context.route(/evil\.example/, (route) => {
      foreign.push(route.request().url());
      return route.abort();
    });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByRole('button', { name: 'HTML', exact: true }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Visible text').waitFor();
    const link = frame.getByText('Click');
    if (await link.count()) await link.click({ timeout: 1000 }).catch(() => undefined);
    await page.waitForTimeout(800);
    check(!(await page.title()).includes('owned'), 'a script ran');
    check((await page.locator('iframe').getAttribute('sandbox')) === '', 'the frame is not sandboxed');
    check(page.url().startsWith(base), 'the page was led away');
    check(foreign.length === 0, `requests left: ${foreign.join(', ')}`);
    errors.length = 0; // The refusals themselves are logged.
  },

  'a new mail shows within 300 ms in two tabs': async ({ context, page }) => {
    const box = await inbox(page, 'live');
    await inject(page, box.address, { subject: 'First' });
    await inject(page, box.address, { subject: 'Second', from: 'Lee <lee@example.com>' });
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto(`${base}/inbox/${box.id}`);
      await tab.getByText('Second').first().waitFor();
      await tab.locator('.live.live').waitFor();
    }
    await page.waitForTimeout(400);
    await Promise.all(
      [page, other].map((tab) =>
        tab.evaluate(() => {
          new MutationObserver(() => {
            if (!window.seen && document.body.innerText.includes('Arrived live')) window.seen = Date.now();
          }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }),
      ),
    );
    await inject(page, box.address, { subject: 'Arrived live', from: 'Mara <mara@example.com>' });
    const accepted = Date.now();
    for (const tab of [page, other]) {
      await tab.waitForFunction(() => window.seen, null, { timeout: 5000 });
      const seen = await tab.evaluate(() => window.seen);
      check(seen - accepted < 300, `shown after ${seen - accepted} ms`);
    }
  },

  'a broken connection resumes without losing mail': async ({ context, page }) => {
    const box = await inbox(page, 'resume');
    await inject(page, box.address, { subject: 'Before one' });
    await inject(page, box.address, { subject: 'Before two', from: 'Lee <lee@example.com>' });
    // Remembers the sockets, so that one can be cut.
    await page.addInitScript(() => {
      const Original = window.WebSocket;
      window.sockets = [];
      window.WebSocket = class extends Original {
        constructor(...parts) {
          super(...parts);
          window.sockets.push(this);
        }
      };
    });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.locator('.live.live').waitFor();
    await inject(page, box.address, { subject: 'Seen live', from: 'Ann <ann@example.com>' });
    await page.getByText('Seen live').first().waitFor();
    await page.evaluate(() => window.sockets.at(-1).close(4000));
    await page.locator('.live.waiting').waitFor();
    const second = await context.newPage();
    await second.goto(base);
    await inject(second, box.address, { subject: 'Sent while away', from: 'Bob <bob@example.com>' });
    await page.getByText('Sent while away').first().waitFor({ timeout: 8000 });
    await page.locator('.live.live').waitFor();
  },

  'keyboard: j, k, r, label, search and go': async ({ page }) => {
    const box = await inbox(page, 'keys');
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      await inject(page, box.address, {
        subject: `Subject ${name}`,
        from: `${name} <${name.toLowerCase()}@example.com>`,
        body: `Text ${name}`,
      });
    }
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByText('Subject Four').first().waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Subject Four' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Subject Three' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Subject Four' }).waitFor();
    await page.getByText('Text Four').first().waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Thank you, this works.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Reply queued.').waitFor();
    await page.getByText('Thank you, this works.').first().waitFor();
    await page.keyboard.press('l');
    await page.keyboard.type('done-by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove label done-by-keyboard' }).waitFor();
    await page.getByRole('heading', { name: 'Subject Four' }).click();
    await page.keyboard.press('/');
    await page.waitForURL(/\/search/, { timeout: 5000 });
    await page.keyboard.type('"Text Two"');
    await page.keyboard.press('Enter');
    await page.getByText('Subject Two').first().waitFor();
    await page.getByText('Subject Two').first().click();
    await page.getByRole('heading', { name: 'Subject Two' }).waitFor();
    await page.goBack();
    await page.keyboard.press('Escape');
    await page.locator('body').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('webh');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/webhooks/, { timeout: 4000 });
    await page.goBack();
  },

  'a refused reply keeps what was typed': async ({ page }) => {
    const box = await inbox(page, 'refused');
    await inject(page, box.address, { subject: 'Refuse me' });
    await callApi(page, 'POST', `/v1/inboxes/${box.id}/pause`, { reason: 'Test' });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByRole('heading', { name: 'Refuse me' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('My long answer');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').first().waitFor();
    check(
      (await page.getByRole('textbox', { name: 'Reply' }).inputValue()) === 'My long answer',
      'the text is gone',
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Refuse me' }).waitFor();
    await page.keyboard.press('r');
    check(
      (await page.getByRole('textbox', { name: 'Reply' }).inputValue()) === 'My long answer',
      'the text is gone after a reload',
    );
  },

  'a list of 50,000 threads is windowed and scrolls without long frames': async ({ page }) => {
    const box = await inbox(page, 'many');
    const threads = Array.from({ length: 50_000 }, (_, index) => ({
      id: `thread-${index}`,
      inbox_id: box.id,
      subject: `Subject ${index}`,
      participants: [`Person ${index} <p${index}@example.com>`],
      message_count: 1 + (index % 4),
      last_message_at: new Date(Date.now() - index * 60_000).toISOString(),
      created_at: new Date().toISOString(),
      labels: index % 5 === 0 ? ['order'] : [],
      metadata: {},
    }));
    await page.route(/\/v1\/threads\?/, (route) =>
      route.fulfill({ json: { data: threads, next_cursor: null } }),
    );
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByText('Subject 3', { exact: true }).waitFor();
    const result = await page.evaluate(async () => {
      const list = document.querySelector('.viewport');
      const frames = [];
      let last = performance.now();
      for (let step = 0; step < 120; step += 1) {
        list.scrollTop += step < 60 ? 400 : 26_000;
        await new Promise((next) => requestAnimationFrame(next));
        const now = performance.now();
        frames.push(now - last);
        last = now;
      }
      frames.sort((a, b) => a - b);
      return {
        rows: list.querySelectorAll('li').length,
        median: frames[60],
        p95: frames[114],
        height: list.scrollHeight,
      };
    });
    console.log(
      `     ${result.rows} rows in the page, frames: median ${result.median.toFixed(1)} ms, p95 ${result.p95.toFixed(1)} ms`,
    );
    check(result.rows < 60, `${result.rows} rows in the page`);
    check(result.height === 50_000 * 64, 'the list has the wrong height');
    check(result.p95 < 34, `p95 of frames ${result.p95} ms`);
  },

  'interactive within a second': async ({ page }) => {
    await page.goto(`${base}/inbox/all`);
    await settled(page);
    await page.evaluate(() => performance.clearResourceTimings());
    const start = Date.now();
    await page.goto(`${base}/inbox/all`);
    await page.locator('.viewport a').first().waitFor();
    const took = Date.now() - start;
    console.log(`     threads shown after ${took} ms`);
    check(took < 1000, `interactive after ${took} ms`);
  },
};
