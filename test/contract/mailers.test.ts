import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileMailer, removeDrafts } from '#adapters/mailers/file-mailer.ts';
import { smtpMailer } from '#adapters/mailers/smtp-mailer.ts';
import { newId } from '#kernel/ids.ts';
import { startMailServer, type MailServer } from '#test/support/mail-server.ts';
import { describeMailer, someMail } from './mailer.contract.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tillroll-mails-'));

describeMailer('files', async () => {
  const parent = newFolder();
  const folder = join(parent, 'mails');
  return {
    mailer: fileMailer(folder),
    arrived: async () =>
      readdirSync(folder).map((name) => {
        const text = readFileSync(join(folder, name), 'utf8');
        return { id: (JSON.parse(text) as { readonly id: string }).id, text };
      }),
    breakDown: async () => writeFileSync(folder, 'a file where the folder should be'),
    close: async () => rmSync(parent, { recursive: true }),
  };
});

const messageId = /^Message-ID: <([\w-]+)@/im;

const openSmtp = async () => {
  const server = await startMailServer();
  const mailer = smtpMailer(server.url);
  return {
    server,
    mailer,
    arrived: async () => server.messages.map((text) => ({ id: messageId.exec(text)?.[1] ?? '', text })),
    breakDown: () => server.close(),
    close: async () => {
      mailer.close();
      await server.close();
    },
  };
};

describeMailer('SMTP', openSmtp);

describe('Mails in files', () => {
  it('are for their owner only, one a mail, in the form that is documented', async () => {
    const folder = join(newFolder(), 'mails');
    const mail = someMail({ ownerId: newId() });
    await fileMailer(folder).send(mail);
    const file = join(folder, `${mail.id}.json`);
    expect(readdirSync(folder)).to.deep.equal([`${mail.id}.json`]);
    const { id, from, subject, text, html, dateCreated, ownerId } = mail;
    const written = { id, to: 'ada@example.com', from, subject, text, html, dateCreated, ownerId };
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(written);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).to.deep.equal([0o700, 0o600]);
  });

  // docs/rules/mail-deliveries.md#files
  it('that a kill has left half-written go; where others may be writing theirs, after a minute', async () => {
    const folder = join(newFolder(), 'mails');
    const mail = someMail();
    await fileMailer(folder).send(mail);
    const drafts = ['.recent.draft', '.old.draft'];
    for (const name of drafts) writeFileSync(join(folder, name), '{ "to": "ada@example.com"');
    const before = Date.now() / 1000 - 61;
    utimesSync(join(folder, '.old.draft'), before, before);
    await removeDrafts(folder, false);
    expect(readdirSync(folder).toSorted()).to.deep.equal(['.recent.draft', `${mail.id}.json`].toSorted());
    await removeDrafts(folder, true);
    expect(readdirSync(folder)).to.deep.equal([`${mail.id}.json`]);
  });

  it('are not missed where there is no folder yet', async () => {
    await removeDrafts(join(newFolder(), 'mails'), true);
  });
});

describe('Several recipients and a header', () => {
  const headers = { 'List-Unsubscribe': '<https://shop.example.com/u/1>' };
  const mail = someMail({ cc: ['bob@example.com'], bcc: ['eve@example.com'], headers });

  it('stand in the file', async () => {
    const folder = join(newFolder(), 'mails');
    await fileMailer(folder).send(mail);
    const written: unknown = JSON.parse(readFileSync(join(folder, `${mail.id}.json`), 'utf8'));
    expect(written).to.include({ cc: 'bob@example.com', bcc: 'eve@example.com' });
    expect(written).to.deep.include({ headers });
  });

  it('go to the server, which alone is told of blind copies', async () => {
    const { server, mailer, close } = await openSmtp();
    await mailer.send(mail);
    const [message = ''] = server.messages;
    expect(message).to.contain('Cc: bob@example.com').and.to.contain('List-Unsubscribe: <https://shop');
    expect(message).not.to.contain('eve@example.com');
    expect(server.recipients).to.deep.equal(['ada@example.com', 'bob@example.com', 'eve@example.com']);
    await close();
  });

  it('are no more than were named, whatever stands in an address', async () => {
    const { server, mailer, close } = await openSmtp();
    await mailer.send(someMail({ to: ['ada@example.com, eve@example.com'] }));
    await mailer.send(someMail({ to: ['ada@example.com'], subject: 'Hello\r\nBcc: eve@example.com' }));
    expect(server.recipients).not.to.include('eve@example.com');
    expect(server.messages.join('\n')).not.to.match(/^Bcc:/m);
    await close();
  });
});

describe('A mail server', () => {
  let server: MailServer;
  let close: () => Promise<void>;
  let send: ReturnType<typeof smtpMailer>['send'];
  beforeEach(async () => {
    const opened = await openSmtp();
    ({ server, close } = opened);
    ({ send } = opened.mailer);
  });
  afterEach(() => close());

  it('that refuses a mail for good is not asked again, one that is busy is', async () => {
    server.verdict = '550 no such mailbox';
    expect(await send(someMail())).to.deep.equal({ kind: 'refused', reason: 'EMESSAGE 550' });
    server.verdict = '451 later';
    expect(await send(someMail())).to.deep.equal({ kind: 'unavailable', reason: 'EMESSAGE 451' });
  });

  it('that hangs up after it has taken a mail gets it again under the same Message-ID', async () => {
    const mail = someMail();
    server.verdict = 'hangs up';
    expect((await send(mail)).kind).to.equal('unavailable');
    server.verdict = '250 taken';
    expect((await send(mail)).kind).to.equal('sent');
    const ids = server.messages.map((text) => messageId.exec(text)?.[1]);
    expect(ids).to.deep.equal([mail.id, mail.id]);
  });
});
