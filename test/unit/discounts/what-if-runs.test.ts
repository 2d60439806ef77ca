import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { inThread } from '#command/contexts/discounts/what-if/carry-out.ts';
import { createWhatIfRuns } from '#command/contexts/discounts/what-if/what-if-runs.ts';
import { mugs, placed, shopWith } from '#test/support/builders/sold-log.ts';
import { appendPlain, shopClock } from '#test/support/plain-log.ts';

const asked = { from: '2030-06-01', to: '2030-06-30', currency: 'GBP', rule: null };
const progress = { phase: 'repricing', eventsRead: 5, position: 5, head: 9 } as const;
const entry = new URL('../../../command-service/what-if-thread.ts', import.meta.url);

describe('Runs of what-ifs', () => {
  const runsIn = async (stateStore: ReturnType<typeof createMemoryDocumentStore>, instanceId: string) => {
    let now = 0;
    const runs = createWhatIfRuns({ stateStore, clock: shopClock, instanceId, realNow: () => now });
    await runs.declare();
    return { ...runs, later: (ms: number): void => void (now += ms) };
  };

  it('are broken off by a restart, which the next one sees and begins again', async () => {
    const stateStore = createMemoryDocumentStore();
    const { _id: id } = await (await runsIn(stateStore, 'first')).begin(asked, 'ann');
    const restarted = await runsIn(stateStore, 'second');
    expect(await restarted.load(id)).to.include({ status: 'Failed', askedBy: 'ann' });
    expect((await restarted.begin(asked, 'bea'))._id).not.to.equal(id);
  });

  it('are one at a time among processes, until the other is lost for half a minute', async () => {
    const stateStore = Object.assign(createMemoryDocumentStore(), { isOnlyWriter: false });
    const one = await runsIn(stateStore, 'one');
    const other = await runsIn(stateStore, 'other');
    const { _id: id } = await one.begin(asked, 'ann');
    const refused = await other.begin(asked, 'ann').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'run-under-way' });
    expect(await other.load(id)).to.include({ status: 'Running' });
    other.later(31_000);
    expect(await other.load(id)).to.include({ status: 'Failed' });
    await other.begin(asked, 'ann');
    expect(await one.note(id, progress, 10)).to.equal(true);
    expect(await other.remove(id)).to.equal(true);
    expect(await one.note(id, progress, 20), 'one that was called off elsewhere').to.equal(false);
  });

  it('have not failed where they end while they are looked at', async () => {
    const stateStore = createMemoryDocumentStore();
    const working = await runsIn(stateStore, 'one');
    const { _id: id } = await working.begin(asked, 'ann');
    const read = stateStore.get.bind(stateStore);
    const get: typeof stateStore.get = async (collection, key) => {
      if (key === 'current') await working.end(id, { status: 'Completed' });
      return read(collection, key);
    };
    Object.assign(stateStore, { get });
    expect(await working.load(id)).to.include({ status: 'Completed', message: null });
  });

  it('are kept, the last twenty of them', async () => {
    const stateStore = createMemoryDocumentStore();
    const runs = await runsIn(stateStore, 'one');
    for (let run = 0; run < 22; run++)
      await runs.end((await runs.begin(asked, 'ann'))._id, { status: 'Completed' });
    expect(await stateStore.count('what_if_runs')).to.equal(20);
  });
});

describe('A what-if in a thread of its own', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'what-if-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  it('reads the log beside the process that writes it, and ends when it is called off', async () => {
    const file = join(folder, 'events.db');
    const store = await openSqliteEventStore({ file, mode: 'inline' });
    const { started, placed: made, sold } = placed('one', mugs(1));
    for (const { stream = '', type, data } of [...shopWith(), ...started, ...made, ...sold])
      await appendPlain(store, stream, [{ type, data }]);
    const carryOut = inThread(entry, { kind: 'sqlite', file });
    const question = { from: asked.from, to: asked.to, change: { kind: 'nothing' as const }, configured: {} };
    const phases: string[] = [];
    const { check } = await carryOut(question, {
      onProgress: ({ phase }) => phases.push(phase),
      signal: new AbortController().signal,
    });
    expect(check).to.include({ sales: 1, asRecorded: 1 });
    expect(new Set(phases)).to.deep.equal(new Set(['reading-cancellations', 'repricing']));
    const calledOff = new AbortController();
    const running = carryOut(question, { onProgress: () => undefined, signal: calledOff.signal });
    calledOff.abort(new Error('called off'));
    await running.then(
      () => expect.fail('it went on'),
      (error: unknown) => expect((error as Error).message).to.equal('called off'),
    );
    await store.close();
  });
});
