import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import {
  createReceivedCallbacks,
  type ReceivedCallbacks,
  type ReceivedCallbacksOptions,
} from '#command/engine/received-callbacks.ts';
import type { Document } from '#kernel/projection.ts';
import type { Reached } from '#kernel/reached.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { plainTexts } from '#test/support/plain-cipher.ts';
import { when } from '#test/support/refusal.ts';

const paid = { provider: 'sandbox', eventId: 'evt_1', eventType: 'PaymentCompleted' };
const collection = 'inbound_webhook_events';
const day = 24 * 60 * 60 * 1000;

describe('an event that a provider reports', () => {
  let stateStore: ReturnType<typeof createMemoryDocumentStore>;
  let now: number;
  let worked: string[];
  beforeEach(() => {
    stateStore = createMemoryDocumentStore();
    now = Date.UTC(2026, 0, 5, 9);
    worked = [];
  });

  const open = (options: Partial<ReceivedCallbacksOptions> = {}): Promise<ReceivedCallbacks> =>
    createReceivedCallbacks({
      stateStore,
      clock: { now: () => now },
      personalTexts: plainTexts,
      instanceId: 'ours',
      isOnlyWriter: false,
      pollMs: 1,
      ...options,
    });
  const working = (outcome = 'recorded') => {
    worked.push(outcome);
    return Promise.resolve(outcome);
  };
  const rows = () => stateStore.find<Document & Record<string, unknown>>(collection);
  it('is handled once, even after a restart, and reports its outcome', async () => {
    const first = await open();
    expect(await first.once(paid, working)).to.deep.equal({ isRepeat: false, outcome: 'recorded' });
    const restarted = await open({ instanceId: 'restarted' });
    for (const again of [first, restarted])
      expect(await again.once(paid, working)).to.deep.equal({ isRepeat: true, outcome: 'recorded' });
    expect(worked).to.have.length(1);
    const [row] = await rows();
    expect(row).to.include({ ...paid, outcome: 'recorded' });
    expect(row).to.include({
      receivedAt: '2026-01-05T09:00:00.000Z',
      processedAt: '2026-01-05T09:00:00.000Z',
    });
  });

  it('is kept as it came for those whom it turned out to be about, and not in clear', async () => {
    const applicationKey = Buffer.alloc(32, 1);
    const keys = await createSubjectKeys({ store: stateStore, applicationKey });
    await keys.ensure({ id: 'ada' });
    const personalTexts = createPersonalTexts(keys, applicationKey);
    const callbacks = await open({ personalTexts });
    const reached: Reached = { position: 0 };
    const told = { ...paid, payload: '{"receiver":"Ada Lovelace"}' };
    await callbacks.once(
      told,
      async () => {
        expect(JSON.stringify(await rows()), 'meanwhile').not.to.include('Lovelace');
        reached.subjects = new Map([['ada', { id: 'ada', customerId: 'ada' }]]);
        return working();
      },
      { reached },
    );
    const [row] = await rows();
    expect(await personalTexts.open(String(row?.payload))).to.equal(told.payload);
    await keys.forget('ada');
    expect(await personalTexts.open(String(row?.payload))).to.equal(null);
  });

  it('is a different one for another provider or under another id', async () => {
    const callbacks = await open();
    for (const name of [paid, { ...paid, provider: 'stripe' }, { ...paid, eventId: 'evt_2' }])
      expect((await callbacks.once(name, working)).isRepeat).to.equal(false);
    expect(worked).to.have.length(3);
  });

  it('is handled by one of five copies in two processes; the others wait for it', async () => {
    const [here, there] = [await open(), await open({ instanceId: 'theirs' })];
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<string>();
    const first = here.once(paid, () => {
      begun.resolve();
      return done.promise;
    });
    await begun.promise;
    const copies = [here, there, here, there].map((callbacks) => callbacks.once(paid, working));
    done.resolve('recorded');
    expect((await first).isRepeat).to.equal(false);
    for (const copy of await Promise.all(copies))
      expect(copy).to.deep.equal({ isRepeat: true, outcome: 'recorded' });
    expect(worked).to.deep.equal([]);
  });

  it('is to be sent again if the first copy takes longer than ten seconds', async () => {
    const [here, there] = [await open(), await open({ instanceId: 'theirs' })];
    const done = Promise.withResolvers<string>();
    const first = here.once(paid, () => done.promise);
    const tenSecondsAgo = performance.now() - 10_000;
    for (const callbacks of [here, there])
      await when(callbacks.once(paid, working, { askedAt: tenSecondsAgo })).thenRefused('callback-under-way');
    done.resolve('recorded');
    await first;
    expect(worked).to.deep.equal([]);
  });

  it('is handled again after it failed', async () => {
    const callbacks = await open();
    const failing = callbacks.once(paid, () => Promise.reject(new Error('the log is away')));
    await when(failing).thenFails(Error);
    expect(await rows()).to.deep.equal([]);
    expect(await callbacks.once(paid, working)).to.deep.equal({ isRepeat: false, outcome: 'recorded' });
  });

  it('is taken over when its process was killed: at once by the only writer, else once its lease has lapsed', async () => {
    const killed = await open({ instanceId: 'killed' });
    for (const eventId of ['evt_1', 'evt_2'])
      void killed.once({ ...paid, eventId }, () => new Promise(() => undefined));
    const restarted = await open({ instanceId: 'restarted', isOnlyWriter: true });
    expect((await restarted.once(paid, working)).isRepeat).to.equal(false);
    const other = await open({ instanceId: 'other', realTime: () => Date.now() + 60_000 });
    expect((await other.once({ ...paid, eventId: 'evt_2' }, working)).isRepeat).to.equal(false);
    expect(worked).to.have.length(2);
  });

  it('is remembered for thirty days', async () => {
    const callbacks = await open();
    await callbacks.once(paid, working);
    now += 29 * day;
    expect(await callbacks.purge.runOnce(now)).to.deep.equal({ removed: 0 });
    expect((await callbacks.once(paid, working)).isRepeat).to.equal(true);
    now += day;
    expect(await callbacks.purge.runOnce(now)).to.deep.equal({ removed: 1 });
  });
});
