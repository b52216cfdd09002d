// Sign-in, sign-out, and what other pages and other people can do with a session.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { base, callApi, check, inject, newInbox, settled, signIn, watch } from './session.mjs';

/** The newest captured mail to an address, as it would have been sent. */
async function mailTo(server, address) {
  for (;;) {
    const { body } = await server.call('GET', '/dev/outbox?limit=25');
    const mail = body.data.find((one) => one.envelope.to.includes(address));
    if (mail) {
      const headers = { authorization: `Bearer ${server.key}` };
      const raw = await (await fetch(`${base}/dev/outbox/${mail.id}/raw`, { headers })).text();
      return raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    }
  }
}

/** Invites a person and returns the link and the code of the mail. */
async function invite(page, server, email, role) {
  await page.goto(`${base}/settings/members`);
  await page.getByLabel('Email of the new member').fill(email);
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText(`Invitation sent to ${email}.`).waitFor();
  return mailTo(server, email);
}

const linkIn = (mail) => /http:\/\/\S+\/sign-in(\?invitation)?#token=\w+/.exec(mail)?.[0];

/** A page of another site: another origin, on which a person with a session is led to `html`. */
async function otherSite(html) {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  return { url: `http://localhost:${site.address().port}/`, close: () => site.close() };
}

export default {
  'a member signs in by the mail of an invitation, and by a code': async ({ browser, page, server }) => {
    const email = 'kim@example.org';
    const link = linkIn(await invite(page, server, email, 'member'));
    check(link, 'the invitation has no link');
    const context = await browser.newContext();
    const kim = watch(await context.newPage());
    await kim.goto(link);
    await kim.getByText('You are invited to a workspace').waitFor();
    check(!kim.url().includes('token'), 'the token stays in the address');
    await kim.getByRole('button', { name: 'See the invitation' }).click();
    await kim.getByRole('heading', { name: 'My workspace' }).waitFor();
    await kim.getByText('invited you as member.').waitFor();
    await kim.getByRole('button', { name: 'Join My workspace' }).click();
    await kim.waitForURL(/\/inbox/);
    await kim.getByText('You joined My workspace.').waitFor();
    await kim.goto(`${base}/settings`);
    await kim.getByText('Only owners change these settings.').waitFor();
    check(await kim.getByLabel('Name of the workspace').isDisabled(), 'a member edits the settings');
    const { body: made } = await callApi(page, 'POST', '/platform/api-keys', {
      name: 'stop key',
      preset: 'full',
      scope: 'org',
    });
    check(made.key, `no key: ${JSON.stringify(made)}`);
    await kim.goto(`${base}/keys`);
    await kim
      .getByRole('row', { name: /stop key/ })
      .getByText('Only owners revoke it')
      .waitFor();
    check((await kim.getByRole('button', { name: 'Revoke stop key' }).count()) === 0, 'a member may revoke');

    // The link works once, and says what to do next.
    await kim.goto('about:blank');
    await kim.goto(link);
    await kim.getByRole('button', { name: 'See the invitation' }).click();
    await kim.getByText('This link does not work').waitFor();
    await kim.getByRole('button', { name: 'Get a new link' }).click();
    await kim.getByLabel('Email').fill(email);
    await kim.getByRole('button', { name: 'Send the link' }).click();
    await kim.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await kim.getByLabel('Code').fill('000 000');
    await kim.getByRole('button', { name: 'Sign in' }).click();
    await kim.getByText('The link or code is wrong').waitFor();
    let code;
    while (!code) {
      const mail = await mailTo(server, email);
      code =
        linkIn(mail) === link
          ? undefined
          : /\b\d{6}\b/.exec(
              mail
                .split(/\r?\n\r?\n/)
                .slice(1)
                .join('\n'),
            )?.[0];
    }
    await kim.getByLabel('Code').fill(code);
    await kim.getByRole('button', { name: 'Sign in' }).click();
    await kim.waitForURL(/\/inbox/);
    await context.close();
  },

  'a forged link says what to do next': async ({ browser }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${base}/sign-in#token=forged`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This link does not work').waitFor();
    check(!page.url().includes('forged'), 'the token stays in the address');
    await page.getByRole('button', { name: 'Get a new link' }).waitFor();
    await context.close();
  },

  'a removed member and an ended session lose everything at once': async ({ browser, page, server }) => {
    const email = 'lost@example.org';
    const link = linkIn(await invite(page, server, email, 'member'));
    const context = await browser.newContext({ storageState: await signIn(browser, link) });
    const lost = await context.newPage();
    await lost.goto(`${base}/inbox/all`);
    await lost.locator('.stream.live').waitFor();
    const cookies = await context.cookies();

    await page.reload();
    await page.getByRole('button', { name: `Remove ${email}` }).click();
    await page.getByRole('button', { name: 'Remove this member' }).click();
    // The stream of the other browser ends by itself, and the dashboard asks to sign in.
    await lost.getByRole('heading', { name: 'Sign in' }).waitFor();
    const cookie = cookies.find((one) => one.name === 'service_session');
    for (const path of ['/platform/me', '/v1/inboxes', '/v1/threads']) {
      const answer = await fetch(base + path, { headers: { cookie: `service_session=${cookie.value}` } });
      check(answer.status === 401, `${path} answered ${answer.status} to a session that has ended`);
    }
    await context.close();
  },

  'a session cannot be stolen by a script, a frame or another site': async ({ context, page, server }) => {
    await page.goto(base);
    check((await page.evaluate(() => document.cookie)) === '', 'a script reads the cookie');
    const [cookie] = (await context.cookies()).filter((one) => one.name === 'service_session');
    check(cookie.httpOnly && cookie.sameSite === 'Lax' && cookie.path === '/', JSON.stringify(cookie));

    const site = await otherSite(`<!doctype html><iframe src="${base}/settings" id=frame></iframe>`);
    const stranger = await context.newPage();
    await stranger.goto(site.url);
    const frame = stranger.frames().find((one) => one !== stranger.mainFrame());
    check(!(await frame.content()).includes('id="app"'), 'another site shows the dashboard in a frame');
    const read = await stranger.evaluate(async (path) => {
      const answers = [];
      for (const options of [{ credentials: 'include' }, { credentials: 'include', mode: 'no-cors' }]) {
        answers.push(
          await fetch(path, options).then(
            (answer) => answer.text(),
            () => '',
          ),
        );
      }
      return answers.join('');
    }, `${base}/platform/me`);
    check(read === '', `another site read ${read}`);
    // A WebSocket of another site has no token, and cannot ask for one: it is closed before its first frame.
    const heard = await stranger.evaluate(
      (address) =>
        new Promise((resolve) => {
          const socket = new WebSocket(address);
          socket.onmessage = (message) => resolve(message.data);
          socket.onclose = (event) => resolve(event.code);
        }),
      `${base.replace('http', 'ws')}/v1/stream`,
    );
    check(typeof heard === 'number', `another site was told ${heard}`);
    site.close();
    check((await server.call('GET', '/v1/account')).status === 200, 'the server is gone');
  },

  'another site cannot change anything': async ({ context, page, server }) => {
    const names = async () => (await server.call('GET', '/v1/inboxes?limit=100')).body.data.length;
    await page.goto(base);
    const without = await page.evaluate(async () => {
      const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
      const answer = await fetch('/v1/inboxes', options);
      return [answer.status, (await answer.json()).error.code];
    });
    check(without.join() === '403,csrf', `without the header: ${without}`);

    const before = await names();
    const site =
      await otherSite(`<!doctype html><form method=post enctype="text/plain" action="${base}/v1/inboxes">
      <input name='{"username":"csrf","a":"' value='"}'><button>Win a prize</button></form>`);
    const stranger = await context.newPage();
    await stranger.goto(site.url);
    const outcomes = await stranger.evaluate(async (address) => {
      const headers = { 'Content-Type': 'application/json', 'X-Requested-With': 'service-web' };
      const simple = { 'Content-Type': 'text/plain' };
      const tries = [
        fetch(`${address}/v1/inboxes`, { method: 'POST', credentials: 'include', headers, body: '{}' }),
        fetch(`${address}/v1/inboxes`, {
          method: 'POST',
          credentials: 'include',
          headers: simple,
          body: '{}',
        }),
        fetch(`${address}/v1/emergency-stop`, {
          method: 'POST',
          credentials: 'include',
          mode: 'no-cors',
          body: '{}',
        }),
      ];
      return Promise.all(
        tries.map((one) =>
          one.then(
            (answer) => answer.status,
            () => 'blocked',
          ),
        ),
      );
    }, base);
    check(!outcomes.includes(201), `another site was answered ${outcomes}`);
    await stranger.getByRole('button', { name: 'Win a prize' }).click();
    await stranger.waitForLoadState();
    check(
      (await stranger.content()).includes('"error"'),
      `the form was accepted: ${await stranger.content()}`,
    );
    check((await names()) === before, 'another site created an inbox');
    const account = await server.call('GET', '/v1/account');
    check(account.body.workspace.emergency_stopped_at === null, 'another site stopped the workspace');
    site.close();
  },

  'a page asks to sign in and then goes on where it was': async ({ browser, page, server }) => {
    const email = 'later@example.org';
    const mail = await invite(page, server, email, 'owner');
    const context = await browser.newContext();
    const later = await context.newPage();
    await later.goto(`${base}/domains`);
    await later.getByRole('heading', { name: 'Sign in' }).waitFor();
    const token = linkIn(mail).split('token=')[1];
    await callApi(later, 'POST', '/platform/auth/verify', { token });
    const { body: person } = await callApi(later, 'GET', '/platform/me');
    await callApi(later, 'POST', `/platform/invitations/${person.invitations[0].id}/accept`);
    await later.reload();
    await later.getByRole('heading', { name: 'Domains' }).waitFor();
    await context.close();
  },

  'a link to a message opens it after signing in by mail in another tab': async ({
    browser,
    page,
    server,
  }) => {
    const email = 'deep@example.org';
    await signIn(browser, linkIn(await invite(page, server, email, 'member')));
    const box = await newInbox(server, 'deep');
    const long = Array.from({ length: 80 }, (_, line) => `Line ${line}`).join('\n');
    await inject(server, box.address, {
      subject: 'Deep',
      body: `First. ${long}`,
      id: '<deep-1@example.com>',
    });
    for (const at of [2, 3, 4]) {
      const headers = ['References: <deep-1@example.com>', 'In-Reply-To: <deep-1@example.com>'];
      await inject(server, box.address, { subject: 'Re: Deep', body: `Number ${at}. ${long}`, headers });
    }
    const { body } = await server.call('GET', `/v1/inboxes/${box.id}/messages`);
    const [message] = body.data.filter(
      (one) => one.preview?.includes('Number 2') ?? one.text?.includes('Number 2'),
    );
    check(body.data.length === 4 && message, `messages: ${JSON.stringify(body.data.map((one) => one.text))}`);
    await callApi(page, 'POST', '/v1/messages/batch-update', {
      ids: body.data.map((one) => one.id),
      is_read: true,
    });
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const asked = await context.newPage();
    await asked.goto(`${base}/inbox/${box.id}/${message.thread_id}#message-${message.id}`);
    const old = linkIn(await mailTo(server, email));
    await asked.getByLabel('Email').fill(email);
    await asked.getByRole('button', { name: 'Send the link' }).click();
    await asked.getByRole('heading', { name: 'Check your mail' }).waitFor();
    let link = old;
    while (link === old) link = linkIn(await mailTo(server, email));
    const opened = await context.newPage();
    await opened.goto(link);
    await opened.getByRole('button', { name: 'Sign in' }).click();
    const item = opened.locator(`#message-${message.id}`);
    await item.getByText('Number 2.').waitFor();
    await opened.waitForFunction((id) => {
      const { top } = document.getElementById(id).getBoundingClientRect();
      return top >= 0 && top < 300;
    }, `message-${message.id}`);
    await context.close();
  },

  'sessions are listed, and one can be ended': async ({ browser, page, server }) => {
    const link = linkIn(await invite(page, server, 'two@example.org', 'owner'));
    const state = await signIn(browser, link);
    const context = await browser.newContext({ storageState: state });
    const two = watch(await context.newPage());
    await two.goto(`${base}/settings/sessions`);
    await two.getByText('this one').waitFor();
    await two.getByRole('button', { name: 'Sign out' }).click();
    await two.getByRole('heading', { name: 'Sign in' }).waitFor();
    await two.goto(`${base}/inbox/all`);
    await two.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  },

  'a person of two workspaces switches between them': async ({ browser, page, server }) => {
    const email = 'both@example.org';
    const link = linkIn(await invite(page, server, email, 'owner'));
    const folder = ['--config', `${server.folder}/config.toml`, '--data-dir', `${server.folder}/data`];
    execFileSync(server.binary, ['workspace', 'create', ...folder, '--name', 'Second', '--owner', email]);
    const context = await browser.newContext({ storageState: await signIn(browser, link) });
    const both = watch(await context.newPage());
    await both.goto(base);
    await settled(both);
    const [before] = await context.cookies();
    await both.getByRole('navigation').getByRole('button', { name: 'My workspace' }).click();
    await both.getByRole('button', { name: 'Switch to Second' }).click();
    await both.getByRole('navigation').getByRole('button', { name: 'Second', exact: true }).waitFor();
    await settled(both);
    await both.goto(`${base}/settings`);
    check((await both.getByLabel('Name of the workspace').inputValue()) === 'Second', 'not in the second');
    const [after] = await context.cookies();
    check(before.value !== after.value, 'the session is the same');
    const old = await fetch(`${base}/platform/me`, {
      headers: { cookie: `service_session=${before.value}` },
    });
    check(old.status === 401, 'the session before still works');
    await context.close();
  },

  'a person who claims the workspace of an agent gets to its dashboard': async ({ browser, server }) => {
    const { body: challenge } = await server.call('GET', '/v1/signup/challenge');
    const isSolved = (text) => {
      const digest = createHash('sha256').update(text).digest();
      return digest
        .readUIntBE(0, 6)
        .toString(2)
        .padStart(48, '0')
        .startsWith('0'.repeat(challenge.difficulty));
    };
    let solution = 0;
    while (!isSolved(`${challenge.challenge}:${solution}`)) solution += 1;
    const signup = await server.call('POST', '/v1/signup', {
      challenge: challenge.challenge,
      solution: String(solution),
      agent_name: 'Helper',
      owner_email: 'claimer@example.org',
    });
    check(signup.status === 201, `sign-up: ${JSON.stringify(signup.body)}`);
    const agent = { base: server.base, key: signup.body.api_key, call: server.call };
    const claim = /http:\/\/\S+\/claim\/[\w.-]+/.exec(await mailTo(agent, 'claimer@example.org'));
    check(claim, 'the claim mail has no link');
    const context = await browser.newContext();
    const page = watch(await context.newPage());
    await page.goto(claim[0]);
    await page.getByRole('button', { name: 'Own this workspace' }).click();
    await page.getByText('now owns the workspace').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill('claimer@example.org');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    let link;
    while (!link) link = linkIn(await mailTo(agent, 'claimer@example.org'));
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/inbox/);
    await page.getByRole('navigation').getByText('Helper').waitFor();
    await context.close();
  },

  'the page has no inline script or style and satisfies its policy': async ({ page, errors }) => {
    await page.goto(base);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await settled(page);
    check((await page.locator('script:not([src])').count()) === 0, 'there is an inline script');
    check((await page.locator('head style').count()) === 0, 'there is an inline style');
    const { headers } = await fetch(base, { headers: { accept: 'text/html' } });
    const policy = headers.get('content-security-policy');
    // The browser would look up the host of each link in a mail, which tells its sender that it was read.
    check(headers.get('x-dns-prefetch-control') === 'off', 'names are looked up before a click');
    check(!policy.includes('unsafe') && policy.includes("default-src 'none'"), policy);
    check(errors.length === 0, errors.join('; '));
    check((await callApi(page, 'GET', '/platform/me')).status === 200, 'nobody is signed in');
  },
};
