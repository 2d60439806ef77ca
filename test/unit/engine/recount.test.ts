import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { applyEvents, loadHeld, touchedBy, touchedKeys, writesOf } from '#projection/engine/apply-batch.ts';
import { checkCountersJob } from '#projection/engine/check-counters.job.ts';
import { countersCollection, type ViewCounters } from '#projection/engine/view-counters.ts';
import { counted, counters, discarded, type Counter } from '#test/support/counting-shop.ts';
import { appendPlain, wholeLog } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

const view = { ...counters, counters: ({ total }: Counter) => ({ documents: 1, [`${total % 3} of 3`]: 1 }) };
const COLLECTION = 'counters_v1_1';
/** More than three pages of a recount. */
const STREAMS = 800;

describe('the counters of a view', () => {
  let log: EventStore;
  let readStore: DocumentStore;
  let runtime: ProjectionRuntime;
  beforeEach(async () => {
    log = createMemoryEventStore();
    readStore = createMemoryDocumentStore();
    for (let stream = 0; stream < STREAMS; stream++)
      await appendPlain(log, `counter-${stream}`, [counted(stream)]);
    runtime = await openProjections({ log, projections: [view], readStore });
    await runtime.engine.waitFor('counters', await log.head(), 10_000);
  });
  afterEach(() => runtime.stop());

  const stored = async () => (await readStore.get<ViewCounters>(countersCollection, COLLECTION))?.figures;
  const spoilt = (figures: object) =>
    readStore.updateIf(countersCollection, { _id: COLLECTION }, { set: { figures } });
  const expectRight = async (): Promise<void> => {
    const figures: Record<string, number> = {};
    for (let skip = 0; ; skip += 1000) {
      const page = await readStore.find<Counter>(COLLECTION, { skip, limit: 1000 });
      for (const document of page)
        for (const [name, value] of Object.entries(view.counters(document)))
          figures[name] = (figures[name] ?? 0) + value;
      if (page.length < 1000) break;
    }
    expect(await stored()).to.deep.equal(figures);
  };

  it('are left alone if they agree with the documents', async () => {
    const before = await stored();
    expect(await runtime.engine.checkCounters()).to.deep.equal({ checked: 1, corrected: [] });
    expect(await stored()).to.deep.equal(before);
    await expectRight();
  });

  it('are corrected if they do not, reported, and continue from there', async () => {
    const is = await stored();
    const was = { documents: 3, '7 of 3': 1 };
    await spoilt(was);
    expect(await runtime.engine.checkCounters()).to.deep.equal({
      checked: 1,
      corrected: [{ view: 'counters', was, is, isCorrected: true }],
    });
    expect(runtime.engine.correctedCounters).to.equal(1);
    await appendPlain(log, 'counter-new', [counted(1)]);
    await appendPlain(log, 'counter-1', [discarded()]);
    await runtime.engine.waitFor('counters', await log.head(), 10_000);
    await expectRight();
    expect(await runtime.engine.checkCounters()).to.deep.equal({ checked: 1, corrected: [] });
  });

  for (const isSpoilt of [false, true]) {
    it(`${isSpoilt ? 'is set right' : 'stays right'} while the documents go on changing`, async () => {
      if (isSpoilt) await spoilt({ documents: 1 });
      const checking = runtime.engine.checkCounters();
      for (let index = 0; index < 300; index++) {
        const stream = `counter-${(index * 37) % STREAMS}`;
        await appendPlain(log, index % 5 === 0 ? `counter-${STREAMS + index}` : stream, [
          index % 7 === 0 ? discarded() : counted(index),
        ]);
      }
      const { corrected } = await checking;
      expect(corrected.length).to.equal(isSpoilt ? 1 : 0);
      await runtime.engine.waitFor('counters', await log.head(), 10_000);
      await expectRight();
    });
  }

  it('are written if they are missing', async () => {
    const is = await stored();
    await readStore.deleteMany(countersCollection, { _id: COLLECTION }, 1);
    const { corrected } = await runtime.engine.checkCounters();
    expect(corrected).to.deep.equal([{ view: 'counters', was: {}, is, isCorrected: true }]);
    await expectRight();
  });

  it('are checked by the job of the process that follows the view', async () => {
    await spoilt({ documents: 1 });
    const job = checkCountersJob(runtime.engine);
    expect(job.isDue?.(0)).to.equal(true);
    expect(await job.runOnce(0)).to.deep.equal({ checked: 1, corrected: ['counters'] });
    await runtime.stop();
    expect(job.isDue?.(0)).to.equal(false);
    expect(await job.runOnce(0)).to.deep.equal({ checked: 0, corrected: [] });
  });

  it('are right even if another process writes between the reads of a batch', async () => {
    const store = createMemoryDocumentStore();
    const events = await wholeLog(log);
    const batch = async (through: Pick<DocumentStore, 'get' | 'getMany'>, some: typeof events) => {
      const documents = await loadHeld(through, COLLECTION, [...touchedKeys(view, touchedBy(view, some))]);
      const changed = new Set<string>();
      applyEvents(view, some, documents, changed);
      return writesOf(COLLECTION, documents, changed);
    };
    const late = await batch(store, events.slice(0, 5));
    const through: Pick<DocumentStore, 'get' | 'getMany'> = {
      get: (...asked) => store.get(...asked),
      getMany: async (...asked) => {
        await store.write(late);
        return store.getMany(...asked);
      },
    };
    await store.write(await batch(through, events.slice(0, 8)));
    expect((await store.get<ViewCounters>(countersCollection, COLLECTION))?.figures['documents']).to.equal(8);
  });

  it('are left alone if the store becomes unavailable meanwhile', async () => {
    const before = { documents: 1 };
    await spoilt(before);
    const find = readStore.find.bind(readStore);
    let pages = 0;
    readStore.find = async (...asked) => {
      if (++pages === 3) throw new EngineUnavailable('away');
      return find(...asked);
    };
    await when(runtime.engine.checkCounters()).thenFails(EngineUnavailable);
    expect(await stored()).to.deep.equal(before);
    readStore.find = find;
    expect((await runtime.engine.checkCounters()).corrected).to.have.length(1);
    await expectRight();
  });
});
