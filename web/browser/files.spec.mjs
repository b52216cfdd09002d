// Files of mail: invitations, pages of a PDF beside their text, files that can't be read.
import { base, check, inject, newInbox } from './session.mjs';

const read = async (server, path) => (await server.call('GET', path)).body;

/** A PDF with a page for each text. */
function pdf(texts) {
  const pages = texts.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const text of texts) {
    const content = `BT /F1 24 Tf 40 120 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents ${objects.length + 2} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('');
  return `%PDF-1.4\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF\n`;
}

/** The parts of a mail with a text and files. */
function withFiles(files) {
  const parts = files.map(
    ({ name, type, content }) =>
      `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`,
  );
  return {
    headers: [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      `--b\r\n\r\nSee the files.\r\n${parts.join('')}--b--`,
    ],
  };
}

const INVITATION = [
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:1@example.com',
  'SUMMARY:Lunch with Dana',
  'DTSTART:20270115T120000Z',
  'LOCATION:Room 4',
  'ORGANIZER:mailto:dana@example.com',
  'ATTENDEE:mailto:%',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

async function extracted(server, inbox) {
  for (;;) {
    const { data } = await read(server, `/v1/inboxes/${inbox.id}/messages`);
    const files = data.flatMap((message) => message.attachments);
    if (files.length > 0 && files.every((file) => file.extraction?.status !== 'pending')) return data[0];
    await read(server, `/v1/inboxes/${inbox.id}/messages/wait?timeout=1&subject=nothing`);
  }
}

export default {
  'an invitation is answered with a button': async ({ page, server }) => {
    const box = await newInbox(server, 'calendar');
    const file = { name: 'invite.ics', type: 'text/calendar', content: INVITATION.replace('%', box.address) };
    await inject(server, box.address, { subject: 'Lunch', ...withFiles([file]) });
    const message = await extracted(server, box);
    await page.goto(`${base}/inbox/${box.id}/${message.thread_id}`);
    const invitation = page.getByRole('region', { name: 'Invitation' });
    await invitation.getByText('Lunch with Dana').waitFor();
    await invitation.getByText('2027-01-15 12:00:00 UTC · Room 4').waitFor();
    await invitation.getByRole('button', { name: 'Maybe' }).click();
    await invitation.getByText(/You answered with maybe/).waitFor();
    const { data } = await read(server, `/v1/inboxes/${box.id}/messages?direction=outbound`);
    check(data[0].to.join().includes('dana@example.com'), JSON.stringify(data[0].to));
  },

  'a page of a PDF is beside its text, and a broken file says why': async ({ page, server }) => {
    const box = await newInbox(server, 'papers');
    const files = [
      { name: 'two.pdf', type: 'application/pdf', content: pdf(['Invoice 4711', 'Total 12.50 EUR']) },
      { name: 'broken.docx', type: 'application/octet-stream', content: 'PK\u0003\u0004 cut off' },
    ];
    await inject(server, box.address, { subject: 'Papers', ...withFiles(files) });
    const message = await extracted(server, box);
    await page.goto(`${base}/inbox/${box.id}/${message.thread_id}`);
    await page.getByText('Not read: it is damaged, or not what its name says.').waitFor();
    await page.getByRole('button', { name: 'Read two.pdf' }).click();
    const dialog = page.getByRole('dialog');
    const shown = (number) =>
      page.waitForFunction(
        (alt) => document.querySelector(`dialog img[alt="${alt}"]`)?.naturalWidth > 300,
        `Page ${number}`,
      );
    await shown(1);
    await dialog.getByRole('region', { name: 'Text of the file' }).getByText('Invoice 4711').waitFor();
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await shown(2);
    await dialog.getByRole('region', { name: 'Text of the file' }).getByText('Total 12.50 EUR').waitFor();
    await dialog.getByText('Page 2 of 2').waitFor();
    check(await dialog.getByRole('button', { name: 'Next page' }).isDisabled(), 'there is no page 3');
  },
};
