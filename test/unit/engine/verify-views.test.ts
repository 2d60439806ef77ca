import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { PositionedDocument } from '#projection/engine/apply-batch.ts';
import { servingGeneration, servingGenerations } from '#projection/engine/generations.ts';
import { verifyViews, type VerifiedViews } from '#projection/engine/verify/verify-views.ts';
import { counted, counters, discarded, grandTotal } from '#test/support/counting-shop.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';

const projections = [counters, grandTotal];

describe('The verification of views', () => {
  let log: EventStore;
  let readStore: DocumentStore;
  let live: ProjectionRuntime;

  /** Has the live views follow. */
  const happen = async (stream: string, ...events: Parameters<typeof appendPlain>[2]): Promise<void> => {
    const position = await appendPlain(log, stream, events);
    for (const { name } of projections) await live.engine.waitFor(name, position);
  };

  beforeEach(async () => {
    log = createMemoryEventStore();
    readStore = createMemoryDocumentStore();
    for (let stream = 0; stream < 20; stream++)
      await appendPlain(log, `counter-${stream}`, [counted(1), counted(stream)]);
    live = await openProjections({ log, projections, readStore });
    await happen('counter-0', counted(5));
  });
  afterEach(() => live.stop());

  const verify = (over: Partial<DocumentStore> = {}): Promise<VerifiedViews> =>
    verifyViews({
      store: log,
      codec: plainDecoder(),
      readStore: new Proxy(readStore, {
        get: (target, name) => over[name as keyof DocumentStore] ?? Reflect.get(target, name).bind(target),
      }),
      freshStore: createMemoryDocumentStore(),
      projections,
    });

  const change = async (key: string, to: (document: PositionedDocument) => object | null): Promise<void> => {
    const { collection } = (await servingGeneration(readStore, counters)) ?? expect.fail('it serves');
    const [found] = await readStore.getMany<PositionedDocument>(collection, [key]);
    const [any] = await readStore.find<PositionedDocument>(collection, { limit: 1 });
    const document = to(found ?? any ?? expect.fail('there are some'));
    await readStore.write([
      document ? { collection, put: document as PositionedDocument } : { collection, remove: key },
    ]);
  };

  it('finds nothing where every document is what the log makes of it', async () => {
    expect(await verify()).to.deep.equal({ views: 2, documents: 21, problems: [] });
  });

  it('names documents that were changed, removed or invented, and no values', async () => {
    await change('counter-3', (document) => ({ ...document, total: 999 }));
    await change('counter-4', () => null);
    await change('invented', (document) => ({ ...document, _id: 'invented' }));
    const { problems } = await verify();
    expect(problems.map(({ view, key, found }) => [view, key, found])).to.have.deep.members([
      [counters.name, 'counter-3', 'other values in total'],
      [counters.name, 'invented', 'a document'],
      [counters.name, 'counter-4', 'no document'],
    ]);
  });

  it('compares what changes meanwhile at the event that it reflects', async () => {
    let finds = 0;
    const find: DocumentStore['find'] = async (collection, options) => {
      if (finds++ === 0) {
        await happen('counter-1', counted(7));
        await happen('counter-99', counted(1));
        await happen('counter-1', counted(8));
      }
      return readStore.find(collection, options);
    };
    let looks = 0;
    const getMany: DocumentStore['getMany'] = async (collection, ids) => {
      if (ids.includes('counter-2') && looks++ === 0) await happen('counter-2', discarded());
      return readStore.getMany(collection, ids);
    };
    const { problems } = await verify({ find, getMany });
    expect([finds > 1, looks]).to.deep.equal([true, 1]);
    expect(problems).to.deep.equal([]);
  });

  it('finds nothing where a document was removed by an event beyond the checkpoint', async () => {
    const serving = await servingGenerations(readStore, projections);
    const marks = new Map(
      [...serving.values()].map(({ collection, checkpoint }) => [collection, checkpoint]),
    );
    await appendPlain(log, 'counter-4', [discarded()]);
    await change('counter-4', () => null);
    // On a server checkpoints are written apart from documents: a kill came between the two.
    const getMany: DocumentStore['getMany'] = async (collection, ids) =>
      (await readStore.getMany<never>(collection, ids)).map((one: Document) => {
        const mark = collection === 'checkpoints' ? marks.get(one._id) : undefined;
        return { ...one, ...(mark && { position: mark.position }) } as never;
      });
    expect((await verify({ getMany })).problems).to.deep.equal([]);
  });

  it('finds a document that was changed behind the last event that it reflects', async () => {
    let finds = 0;
    const find: DocumentStore['find'] = async (collection, options) => {
      if (finds++ === 0) {
        await happen('counter-1', counted(7));
        await change('counter-1', (document) => ({ ...document, total: 999 }));
      }
      return readStore.find(collection, options);
    };
    const { problems } = await verify({ find });
    expect(problems.map(({ key }) => key)).to.deep.equal(['counter-1']);
  });

  it('says of a view that is not filled that there is none to compare', async () => {
    readStore = createMemoryDocumentStore();
    const { problems } = await verify();
    expect(problems.map(({ found }) => found)).to.deep.equal(
      projections.map(() => 'no filled view of this release'),
    );
  });
});
