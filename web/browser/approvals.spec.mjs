// Approving, changing, sending back and discarding drafts.
import { base, check, newInbox } from './session.mjs';

async function draft(server, text, box) {
  const inbox = box ?? (await newInbox(server, 'draft'));
  const made = await server.call('POST', `/v1/inboxes/${inbox.id}/drafts`, {
    to: 'Dana Doe <dana@example.com>',
    subject: 'Your order',
    text,
  });
  check(made.status === 201, `draft: ${JSON.stringify(made.body)}`);
  return {
    path: `/v1/inboxes/${inbox.id}/drafts/${made.body.id}`,
    screen: `${base}/approvals/${inbox.id}/${made.body.id}`,
  };
}

const read = async (server, path) => (await server.call('GET', path)).body;

export default {
  'approve and send a draft with an edit, shown as a diff': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Your lamps arrive on Thursday.');
    await page.goto(screen);
    await page.getByLabel('Text').fill('Your lamps arrive on Friday.');
    await page.locator('ins', { hasText: 'Friday' }).waitFor();
    await page.locator('del', { hasText: 'Thursday' }).waitFor();
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Approved and sent.').waitFor();
    const sent = await read(server, path);
    check(sent.status === 'sent', `the draft is ${sent.status}`);
    check(/^[0-9a-f]{64}$/.test(sent.approved_content_sha256), 'there is no content hash');
    const message = await read(server, `/v1/messages/${sent.sent_message_id}`);
    check(message.text.includes('Friday'), 'the edit was not sent');
    check(message.approval.content_sha256 === sent.approved_content_sha256, 'another content was approved');
  },

  'a draft that changed meanwhile is not sent': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Pay 10 EUR.');
    await page.goto(screen);
    await page.getByRole('button', { name: 'Approve and send' }).waitFor();
    await server.call('PATCH', path, { text: 'Pay 10,000 EUR.' });
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('The draft changed after you opened it').waitFor();
    check((await read(server, path)).status === 'draft', 'the draft was sent');
    await page.getByText('Pay 10,000 EUR.').first().waitFor();
  },

  'send back with a note, then discard': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Dear Sir or Madam');
    await page.goto(screen);
    await page.getByRole('button', { name: 'Send back with a note' }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Use her name.');
    await page.getByRole('button', { name: 'Send back', exact: true }).click();
    await page.getByText('Sent back to the agent.').waitFor();
    check((await read(server, path)).sent_back.note === 'Use her name.', 'the note is missing');
    await page.goto(screen);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('Draft discarded.').waitFor();
    check((await read(server, path)).status === 'cancelled', 'the draft was not cancelled');
  },
};
