import { expect } from 'chai';
import { mailsCollection, ownMail, type MailDelivery } from '#mails/mail-delivery.ts';
import { totalsOf } from '#runtime/mail-totals.ts';
import { isoInstant } from '#kernel/clock.ts';
import { openMails, type OpenMails } from '#test/support/open-mails.ts';

const DAY = 86_400;
const configurationId = 'confirmation';

// docs/rules/mail-deliveries.md#totals
describe('The totals of a mail', () => {
  let shop: OpenMails;
  let rows = 0;
  beforeEach(async () => {
    shop = await openMails();
    await shop.queue();
  });
  afterEach(() => shop.close());

  const queued = async (status: MailDelivery['status'], daysAgo: number): Promise<string> => {
    const at = shop.clock.now() - daysAgo * DAY * 1000;
    const id = `mail-${++rows}`;
    const isDone = status === 'Succeeded' || status === 'Failed';
    const row = { ...ownMail(id, null, at), configurationId, status, dueAt: null };
    const dateCompleted = isDone ? isoInstant(at + 1000) : null;
    const done: MailDelivery = { ...row, dateCompleted };
    await shop.stateStore.insertIfAbsent(mailsCollection, done);
    return id;
  };
  const totals = () => totalsOf(shop.stateStore, configurationId);
  const purge = async () => shop.runJob(await shop.dispatcher(), 'purge-mails');
  const instant = (daysAgo: number): string => isoInstant(shop.clock.now() - daysAgo * DAY * 1000 + 1000);

  it('count what arrived and what failed, and nothing that is still on its way or was overtaken', async () => {
    for (const status of ['Succeeded', 'Succeeded', 'Failed', 'Retrying', 'Pending', 'Abandoned'] as const)
      await queued(status, 1);
    expect(await totals()).to.deep.equal({ totalSent: 2, totalFailed: 1, lastSentUtc: instant(1) });
  });

  it('of none that were ever sent are zeros', async () => {
    expect(await totals()).to.deep.equal({ totalSent: 0, totalFailed: 0, lastSentUtc: null });
  });

  it('stay what they were when rows are purged, however often that is done', async () => {
    await queued('Succeeded', 40);
    await queued('Failed', 35);
    await queued('Succeeded', 31);
    await queued('Succeeded', 2);
    const before = await totals();
    expect(before).to.deep.equal({ totalSent: 3, totalFailed: 1, lastSentUtc: instant(2) });
    expect(await purge()).to.deep.equal({ purged: 3 });
    expect(await totals()).to.deep.equal(before);
    await shop.stateStore.deleteMany(mailsCollection, { configurationId }, 10);
    shop.clock.advance(10 * DAY);
    await queued('Succeeded', 1);
    await purge();
    expect(await totals()).to.include({ totalSent: 3 });
  });

  it('count a mail once when a purge is killed before its rows are gone', async () => {
    await queued('Succeeded', 40);
    await purge();
    await queued('Succeeded', 41);
    expect((await totals()).totalSent).to.equal(1);
  });

  it('wait for an old mail that is still on its way, and keep what was queued after it', async () => {
    const late = await queued('Pending', 38);
    await queued('Succeeded', 35);
    expect(await purge()).to.deep.equal({ purged: 0 });
    const set = { status: 'Succeeded', dateCompleted: isoInstant(shop.clock.now()) };
    await shop.stateStore.updateIf(mailsCollection, { _id: late }, { set });
    expect((await totals()).totalSent).to.equal(2);
    expect(await purge()).to.deep.equal({ purged: 2 });
    expect((await totals()).totalSent).to.equal(2);
  });
});
