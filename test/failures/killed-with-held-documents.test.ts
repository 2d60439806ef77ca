import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { servingGenerations } from '#projection/engine/generations.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { countersCollection } from '#projection/engine/view-counters.ts';
import { counted, counters, discarded, discards, grandTotal, moved } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

const views: readonly AnyProjection[] = [
  { ...counters, counters: ({ total }: { readonly total: number }) => ({ documents: 1, total }) },
  grandTotal,
  discards,
];

type Moment = 'never' | { readonly write: number; readonly when: 'before' | 'after' };

/** The store as a process has it that is killed at one of its writes: from then on it does nothing. */
const untilKilled = (store: DocumentStore, moment: Moment) => {
  const life = { writes: 0, isDead: false };
  const dead = () => Promise.reject(new EngineUnavailable('killed'));
  const write = async (batch: readonly Write[]): Promise<void> => {
    const isLast = moment !== 'never' && life.writes++ === moment.write;
    if (isLast) life.isDead = true;
    if (isLast && moment.when === 'before') return dead();
    await store.write(batch);
    if (isLast) return dead();
  };
  const mortal = new Proxy(store, {
    get: (it, name) => {
      if (name === 'write') return life.isDead ? dead : write;
      const value: unknown = Reflect.get(it, name);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown =>
        life.isDead ? dead() : Reflect.apply(value, it, parameters);
    },
  });
  return { life, mortal };
};

/** The same writes and questions every time. */
const useShop = async (log: EventStore, runtime: ProjectionRuntime, isDead: () => boolean): Promise<void> => {
  const tried = async (question: Promise<unknown>): Promise<void> => {
    await question.catch(() => undefined);
  };
  for (let step = 0; step < 60 && !isDead(); step++) {
    const stream = `counter-${(step * 7) % 11}`;
    const position = await appendPlain(log, stream, [
      counted(step),
      step % 5 === 0 ? moved(`counter-${step % 4}`, 1) : step % 9 === 0 ? discarded() : counted(1),
    ]);
    if (step % 6 === 5) {
      await tried(runtime.engine.waitFor('counters', position, 50));
      await tried(runtime.reader.find('counters'));
    }
    if (step % 10 === 9) {
      await tried(runtime.engine.waitFor('grandTotal', position, 50));
      await tried(runtime.reader.count('grandTotal'));
    }
    if (step === 33) await tried(runtime.engine.askRebuild(['counters'], 'ada'));
  }
};

const documentsOf = async (store: DocumentStore): Promise<Record<string, unknown>> => {
  const found: Record<string, unknown> = {};
  for (const [view, { collection }] of await servingGenerations(store, views)) {
    const documents = await store.find(collection, { sort: [['_id', 1]] });
    const figures = (await store.getMany<Document>(countersCollection, [collection])).map(
      ({ _id, ...rest }) => rest,
    );
    found[view] = { documents, figures };
  }
  return found;
};

const expectAsRebuilt = async (log: EventStore, store: DocumentStore, message: string): Promise<void> => {
  const fresh = createMemoryDocumentStore();
  await rebuildAll(views, { store: log, codec: plainDecoder(), readStore: fresh });
  expect(await documentsOf(store), message).to.deep.equal(await documentsOf(fresh));
};

const caughtUp = async (log: EventStore, runtime: ProjectionRuntime): Promise<void> => {
  const head = await log.head();
  for (const { name } of views)
    expect((await runtime.engine.waitFor(name, head, 10_000)).isReached, name).to.equal(true);
};

describe('killed while changed documents are held', () => {
  const live = async (moment: Moment) => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    const { life, mortal } = untilKilled(readStore, moment);
    const runtime = await openProjections({ log, projections: views, readStore: mortal });
    await useShop(log, runtime, () => life.isDead);
    return { log, readStore, runtime, life };
  };

  it('goes on from the checkpoint, at whichever write it was killed, and ends with the same documents', async () => {
    const unharmed = await live('never');
    await unharmed.runtime.stop();
    await expectAsRebuilt(unharmed.log, unharmed.readStore, 'never killed');
    for (let write = 0; write < 40; write++)
      for (const when of ['before', 'after'] as const) {
        const { log, readStore, runtime } = await live({ write, when });
        await runtime.stop();
        const next = await openProjections({ log, projections: views, readStore });
        await appendPlain(log, 'counter-1', [counted(1000)]);
        await caughtUp(log, next);
        await next.stop();
        await expectAsRebuilt(log, readStore, `killed ${when} write ${write}`);
      }
  });

  it('has written no checkpoint without its documents, at any moment', async () => {
    const log = createMemoryEventStore();
    const memory = createMemoryDocumentStore();
    const halves: string[] = [];
    const write: DocumentStore['write'] = async (batch) => {
      const marked = batch.map((one) => 'put' in one && one.collection === 'checkpoints' && one.put._id);
      for (const { collection } of (await servingGenerations(memory, views)).values())
        if (batch.some((one) => one.collection === collection) && !marked.includes(collection))
          halves.push(collection);
      await memory.write(batch);
    };
    const readStore = new Proxy(memory, {
      get: (it, name) => {
        const value: unknown = name === 'write' ? write : Reflect.get(it, name);
        return typeof value === 'function' ? (value as () => unknown).bind(it) : value;
      },
    });
    const runtime = await openProjections({ log, projections: views, readStore });
    await useShop(log, runtime, () => false);
    await caughtUp(log, runtime);
    await runtime.stop();
    expect(halves).to.deep.equal([]);
    await expectAsRebuilt(log, memory, 'stopped in order');
  });
});
