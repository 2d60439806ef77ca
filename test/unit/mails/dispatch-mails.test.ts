import { expect } from 'chai';
import type { MailQueue } from '#command/contexts/mails/queue-mail.ts';
import { countMails } from '#dispatcher/contexts/mails/mail-rows.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { SentMail } from '#ports/mailer.ts';
import { pause } from '#runtime/back-off.ts';
import { olderCipher, openMails, type OpenMails } from '#test/support/open-mails.ts';

const written = { to: 'ada@example.com', subject: 'Hello', text: 'a link', html: '<a>a link</a>' };
const never = new Promise<never>(() => undefined);
const away: SentMail = { kind: 'unavailable', reason: 'ECONNREFUSED' };

// docs/rules/mail-deliveries.md
describe('Mails on their way', () => {
  let at: OpenMails;
  let queue: MailQueue;
  beforeEach(async () => {
    at = await openMails();
    queue = await at.queue();
  });
  afterEach(() => at.close());

  it('go out once, however often and wherever they are asked for, from two dispatchers', async () => {
    const [here, there] = [await at.dispatcher(), await at.dispatcher()];
    const other = await at.queue();
    await Promise.all([queue.send('m1', written), other.send('m1', written), queue.send('m1', written)]);
    await Promise.all([at.settle(here), at.settle(there)]);
    await queue.send('m1', written);
    await at.settle(here);
    const { to: _, ...said } = written;
    expect(at.sent).to.deep.equal([
      {
        ...{ id: 'm1', to: ['ada@example.com'], cc: [], bcc: [], from: 'shop@example.com' },
        ...said,
        ...{ headers: {}, dateCreated: '2026-03-01T12:00:00.000Z', ownerId: null },
      },
    ]);
  });

  it('that have no recipient cost the same to queue, are not at.sent, and leave no row', async () => {
    await queue.send('m1', { ...written, to: null });
    expect(await at.row('m1')).to.include({ status: 'Pending' });
    await at.settle(await at.dispatcher());
    expect(at.sent).to.deep.equal([]);
    expect(await at.row('m1')).to.equal(null);
  });

  it('are tried four times, after 60, 300 and 900 seconds, and have failed then', async () => {
    at.outcomes.push(away, away, away, away);
    const dispatch = await at.dispatcher();
    await queue.send('m1', written);
    await at.settle(dispatch);
    for (const [index, seconds] of [60, 300, 900].entries()) {
      expect(await at.row('m1')).to.include({ status: 'Retrying', errorMessage: 'ECONNREFUSED' });
      at.clock.advance(seconds - 1);
      await at.settle(dispatch);
      expect(at.sent, 'too early').to.have.length(index + 1);
      at.clock.advance(1);
      await at.settle(dispatch);
      expect(at.sent).to.have.length(index + 2);
    }
    expect(await at.row('m1')).to.include({ status: 'Failed', attemptNumber: 4 });
    at.clock.advance(1_000_000);
    await at.settle(dispatch);
    expect(at.sent).to.have.length(4);
  });

  it('let callers come first while these keep the shop busy, and go out as soon as they do not', async () => {
    at.traffic.isHeavy = () => true;
    const dispatch = await at.dispatcher();
    await queue.send('m1', written);
    expect(await dispatch.settled(0, 100)).to.equal(false);
    expect(at.sent).to.deep.equal([]);
    at.traffic.isHeavy = () => false;
    await at.settle(dispatch);
    expect(at.sent).to.have.length(1);
  });

  it('wait while the engines are away, and go out once when they are back', async () => {
    const dispatch = await at.dispatcher();
    const { open } = at.personalTexts;
    Object.assign(at.personalTexts, { open: () => Promise.reject(new EngineUnavailable('away')) });
    await queue.send('m1', written);
    await dispatch.settled(0, 100);
    expect(await at.row('m1')).to.include({ status: 'Pending' });
    expect(at.sent).to.deep.equal([]);
    Object.assign(at.personalTexts, { open });
    await at.settle(dispatch);
    expect(at.sent).to.have.length(1);
  });

  it('are tried again where a fault of the process kept them from being written', async () => {
    const dispatch = await at.dispatcher();
    const { open } = at.personalTexts;
    Object.assign(at.personalTexts, { open: () => Promise.reject(new Error('EMFILE')) });
    await queue.send('m1', written);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({ status: 'Retrying' });
    Object.assign(at.personalTexts, { open });
    at.clock.advance(60);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({ status: 'Succeeded' });
  });

  it('have failed at once when they were refused for good, and keep the reason', async () => {
    at.outcomes.push({ kind: 'refused', reason: 'EENVELOPE 550' });
    const dispatch = await at.dispatcher();
    await queue.send('m1', written);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({
      status: 'Failed',
      attemptNumber: 1,
      errorMessage: 'EENVELOPE 550',
    });
  });

  it('are sent again under their id a minute after their sender was killed, and it writes nothing then', async () => {
    let answer: (outcome: SentMail) => void = () => undefined;
    at.outcomes.push(new Promise<SentMail>((resolve) => (answer = resolve)));
    const hanging = await at.dispatcher();
    await queue.send('m1', written);
    await queue.stop();
    while (at.sent.length === 0) await pause(1);
    const next = await at.dispatcher();
    await at.runJob(next, 'send-mails');
    expect(at.sent, 'the first one may be at it').to.have.length(1);
    at.clock.advance(60);
    at.outcomes.push({ kind: 'refused', reason: 'EENVELOPE 550' });
    await at.runJob(next, 'send-mails');
    await at.settle(next);
    expect(at.sent.map(({ id }) => id)).to.deep.equal(['m1', 'm1']);
    answer({ kind: 'sent' });
    await hanging.queues.quiet(1000);
    expect(await at.row('m1')).to.include({ status: 'Failed', attemptNumber: 2 });
  });

  it('that were being sent when the only process was killed go out at its next start', async () => {
    at.outcomes.push(never);
    await at.dispatcher();
    await queue.send('m1', written);
    await queue.stop();
    while (at.sent.length === 0) await pause(1);
    await at.settle(await at.dispatcher(true));
    expect(at.sent.map(({ id }) => id)).to.deep.equal(['m1', 'm1']);
    expect(await at.row('m1')).to.include({ status: 'Succeeded' });
  });

  it('into files are written down with their outcome alone, and begun again where a kill came first', async () => {
    const files = { ...at.mailer, isIdempotent: true };
    at.outcomes.push(never);
    await at.dispatcher(true, files);
    await queue.send('m1', written);
    await queue.stop();
    while (at.sent.length === 0) await pause(1);
    expect(await at.row('m1')).to.include({ status: 'Pending', attemptNumber: 0 });
    await at.settle(await at.dispatcher(true, files));
    expect(at.sent.map(({ id }) => id)).to.deep.equal(['m1', 'm1']);
    expect(await at.row('m1')).to.include({ status: 'Succeeded', attemptNumber: 1, dueAt: null });
  });

  it('into files are tried again after the same delays', async () => {
    at.outcomes.push(away, away);
    const dispatch = await at.dispatcher(true, { ...at.mailer, isIdempotent: true });
    await queue.send('m1', written);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({
      status: 'Retrying',
      attemptNumber: 1,
      errorMessage: 'ECONNREFUSED',
    });
    at.clock.advance(60);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({ status: 'Retrying', attemptNumber: 2 });
    at.clock.advance(299);
    await at.settle(dispatch);
    expect(at.sent).to.have.length(2);
    at.clock.advance(1);
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({ status: 'Succeeded', attemptNumber: 3, errorMessage: null });
  });

  it('into files that several dispatchers share are claimed by one of them', async () => {
    at.outcomes.push(never);
    await at.dispatcher(false, { ...at.mailer, isIdempotent: true });
    await queue.send('m1', written);
    while (at.sent.length === 0) await pause(1);
    expect(await at.row('m1')).to.include({ status: 'Sending', attemptNumber: 1 });
  });

  it('of the shop leave none of their text behind', async () => {
    const dispatch = await at.dispatcher();
    await queue.send('m1', written);
    expect(JSON.stringify(await at.row('m1'))).not.to.contain('a link');
    await at.settle(dispatch);
    expect(await at.row('m1')).to.include({ status: 'Succeeded', sealed: null });
  });

  it('are purged after the retention, unless they still wait', async () => {
    const dispatch = await at.dispatcher();
    await queue.send('m1', written);
    await at.settle(dispatch);
    at.outcomes.push(away);
    await queue.send('m2', written);
    await at.settle(dispatch);
    at.clock.advance(30 * 86_400);
    expect(await at.runJob(dispatch, 'purge-mails')).to.deep.equal({ purged: 0 });
    at.clock.advance(1);
    expect(await at.runJob(dispatch, 'purge-mails')).to.deep.equal({ purged: 1 });
    expect([await at.row('m1'), (await at.row('m2'))?.status]).to.deep.equal([null, 'Retrying']);
  });

  it('that an older release had queued go out under their ids, and what it had sent is not sent again', async () => {
    const older = { attempts: 0, dueAt: at.clock.now(), createdAt: at.clock.now() - 1000 };
    const content = olderCipher.seal(JSON.stringify(written));
    await at.stateStore.declare('mails');
    const olderMails = [
      { _id: 'waiting', status: 'waiting', content, ...older },
      { _id: 'retrying', status: 'waiting', content, ...older, attempts: 2, dueAt: at.clock.now() + 300_000 },
      { _id: 'sent', status: 'sent', ...older, attempts: 1 },
      { _id: 'unreadable', status: 'waiting', content: 'sealed under another key', ...older, attempts: 1 },
    ];
    for (const one of olderMails) await at.stateStore.insertIfAbsent('mails', one);
    const dispatch = await at.dispatcher();
    await queue.send('sent', written);
    await at.settle(dispatch);
    expect(at.sent.map(({ id }) => id)).to.deep.equal(['waiting']);
    at.clock.advance(300);
    await at.settle(dispatch);
    expect(at.sent.map(({ id }) => id)).to.deep.equal(['waiting', 'retrying']);
    expect(await at.row('retrying')).to.include({ attemptNumber: 3, status: 'Succeeded', sealed: null });
    const lost = await at.row('unreadable');
    expect(lost).to.include({ status: 'Failed', attemptNumber: 1, dueAt: null });
    expect(lost?.errorMessage).to.contain('cannot be read');
    expect(await at.stateStore.count('mails')).to.equal(0);
    expect(await countMails(at.stateStore, { status: 'Succeeded' })).to.equal(3);
  });
});
