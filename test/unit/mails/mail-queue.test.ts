import { expect } from 'chai';
import { pino } from 'pino';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMailQueue, type MailQueue } from '#command/contexts/mails/mail-queue.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Mail, Mailer, SentMail } from '#ports/mailer.ts';
import { plainCipher } from '#test/support/plain-cipher.ts';

const written = { to: 'ada@example.com', subject: 'Hello', text: 'a link', html: '<a>a link</a>' };
const never = new Promise<never>(() => undefined);

describe('Mails on their way', () => {
  let time: number;
  let stateStore: DocumentStore;
  let sent: Mail[];
  let outcomes: (SentMail | Promise<never>)[];
  let queue: MailQueue;

  const mailer: Mailer = {
    send: async (mail) => {
      sent.push(mail);
      return outcomes.shift() ?? { kind: 'sent' };
    },
    close: () => undefined,
  };
  /** Another process on the same store. */
  const open = (): Promise<MailQueue> =>
    createMailQueue({
      stateStore,
      clock: { now: () => time },
      mailer,
      cipher: plainCipher,
      from: 'shop@example.com',
      maxRetries: 2,
      retryDelaysSeconds: [60, 300],
      log: pino({ level: 'silent' }),
    });
  const sendDue = async (on = queue): Promise<number> => {
    await on.idle(1000);
    return on.sendDue();
  };

  beforeEach(async () => {
    time = Date.UTC(2026, 0, 1);
    stateStore = createMemoryDocumentStore();
    sent = [];
    outcomes = [];
    queue = await open();
  });

  it('go out once, however often and wherever they are asked for', async () => {
    const other = await open();
    await Promise.all([queue.send('m1', written), other.send('m1', written), queue.send('m1', written)]);
    await Promise.all([sendDue(), sendDue(other)]);
    expect(sent).to.deep.equal([
      { id: 'm1', from: 'shop@example.com', ...written, dateCreated: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it('without a recipient cost the same, and are not sent', async () => {
    await queue.send('m1', { ...written, to: null });
    await sendDue();
    expect(sent).to.deep.equal([]);
  });

  it('are tried again after each pause, and given up after the last', async () => {
    const away: SentMail = { kind: 'unavailable', reason: 'ECONNREFUSED' };
    outcomes.push(away, away, away);
    await queue.send('m1', written);
    await sendDue();
    expect(sent).to.have.length(1);
    time += 59_000;
    await sendDue();
    expect(sent, 'too early').to.have.length(1);
    time += 1000;
    await sendDue();
    time += 300_000;
    await sendDue();
    time += 3_600_000;
    await sendDue();
    expect(sent).to.have.length(3);
  });

  it('are not tried again when they were refused for good', async () => {
    outcomes.push({ kind: 'refused', reason: 'EENVELOPE 550' });
    await queue.send('m1', written);
    await sendDue();
    time += 3_600_000;
    await sendDue();
    expect(sent).to.have.length(1);
  });

  it('are sent by the next process a minute after their sender was killed', async () => {
    outcomes.push(never);
    await queue.send('m1', written);
    await queue.idle(20);
    const next = await open();
    await next.sendDue();
    expect(sent, 'the first one may be at it').to.have.length(1);
    time += 60_000;
    await next.sendDue();
    expect(sent.map(({ id }) => id)).to.deep.equal(['m1', 'm1']);
  });

  it('leave none of their text behind, and in the end nothing at all', async () => {
    await queue.send('m1', written);
    await sendDue();
    expect(JSON.stringify(await stateStore.get('mails', 'm1'))).not.to.contain('a link');
    expect(await queue.purge(time + 1)).to.equal(1);
    expect(await stateStore.get('mails', 'm1')).to.equal(null);
  });
});
