import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { hash } from 'node:crypto';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { isSignedBy, linkTo, type LogSeal } from '#projection/contexts/audit/seals/log-seal.ts';
import { sealLog } from '#projection/contexts/audit/seals/seal-log.job.ts';
import { readSeals } from '#projection/contexts/audit/seals/read-seals.ts';
import { plainEvent } from '#test/support/plain-log.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const applicationKey = Buffer.alloc(32, 7);

/** An event whose metadata end with this hash. */
const event = (mark: string) => {
  const plain = plainEvent({ type: 'Happened', data: {} });
  return { ...plain, metadata: `${plain.metadata.slice(0, -1)},"hash":"${mark.repeat(43)}"}` };
};

const digestOf = (...marks: string[]): string =>
  marks.reduce((digest, mark) => hash('sha256', digest + mark.repeat(43), 'base64url'), '');

describe('The job that seals the log', () => {
  let store: EventStore;
  let stateStore: DocumentStore;
  let warnings: unknown[];

  beforeEach(() => {
    store = createMemoryEventStore();
    stateStore = createMemoryDocumentStore();
    warnings = [];
  });

  const job = (over: Partial<EventStore> = {}) =>
    sealLog({
      store: {
        readAll: (after, limit) => store.readAll(after, limit),
        eventAt: (position) => store.eventAt(position),
        head: () => store.head(),
        ...over,
      },
      stateStore,
      applicationKey,
      log: { warn: (fields: unknown) => void warnings.push(fields) },
    });
  const append = (...marks: string[]) =>
    store
      .readStream('stock-1', { direction: 'backwards', limit: 1 })
      .then(([last]) => store.append('stock-1', last?.revision ?? -1, marks.map(event)));
  const sealsNow = async () => readSeals(stateStore, { before: null, limit: 1000 });

  it('says how many events there are up to where, and what their hashes come to', async () => {
    const { position } = await append('a', 'b');
    expect(await job().runOnce(now)).to.deep.equal({ seals: 1, events: 2 });
    const { seals, publicKey } = await sealsNow();
    const [last] = await store.readStream('stock-1', { direction: 'backwards', limit: 1 });
    expect(seals).to.have.lengthOf(1);
    expect(seals[0]).to.deep.include({
      number: 1,
      position,
      eventId: last?.id,
      count: 2,
      digest: digestOf('a', 'b'),
      previous: '',
      sealedAt: '2026-03-01T12:00:00.000Z',
    });
    expect(isSignedBy(seals[0] as LogSeal, publicKey ?? '')).to.equal(true);
  });

  it('goes on from the seal before it, to which it is linked, and makes none where nothing happened', async () => {
    await append('a', 'b');
    await job().runOnce(now);
    await append('c');
    expect(await job().runOnce(now)).to.deep.equal({ seals: 1, events: 3 });
    expect(await job().runOnce(now)).to.deep.equal({ seals: 0, events: 3 });
    const [second, first] = (await sealsNow()).seals;
    expect(second).to.deep.include({ number: 2, count: 3, digest: digestOf('a', 'b', 'c') });
    expect(second?.previous).to.equal(linkTo(first as LogSeal));
  });

  it('makes one key and one seal, whatever starts at the same time', async () => {
    await append('a');
    await Promise.all([job().runOnce(now), job().runOnce(now), job().runOnce(now)]);
    const { seals, publicKey } = await sealsNow();
    expect(seals).to.have.lengthOf(1);
    expect(isSignedBy(seals[0] as LogSeal, publicKey ?? '')).to.equal(true);
  });

  it('seals what it has read when it is told to stop, and goes on from there', async () => {
    await append(...Array.from({ length: 450 }, () => 'a'));
    const stopping = new AbortController();
    const readAll: EventStore['readAll'] = (after, limit) => {
      stopping.abort();
      return store.readAll(after, limit);
    };
    expect(await job({ readAll }).runOnce(now, stopping.signal)).to.deep.equal({ seals: 1, events: 200 });
    expect(await job().atStop?.(now)).to.deep.equal({ seals: 1, events: 450 });
    expect((await sealsNow()).seals[0]?.digest).to.equal(digestOf(...Array.from({ length: 450 }, () => 'a')));
  });

  it('lets others have their turn while an orderly stop waits for it', async () => {
    await append(...Array.from({ length: 450 }, () => 'a'));
    const events = await store.readAll(0);
    const turnsOfOthers: number[] = [];
    let turns = 0;
    // As a log in a file: it is read at once.
    const readAll: EventStore['readAll'] = (after, limit) => {
      turnsOfOthers.push(turns);
      setImmediate(() => turns++);
      return Promise.resolve(events.slice(after, after + (limit ?? 0)));
    };
    await job({ readAll }).atStop?.(now);
    expect(turnsOfOthers).to.deep.equal([0, 1, 2]);
  });

  it('goes on behind the newest seal that it has signed itself', async () => {
    await append('a');
    await job().runOnce(now);
    await append('b');
    await job().runOnce(now);
    const [second] = (await sealsNow()).seals;
    const forged = { _id: '2', ...second, digest: digestOf('x', 'y') };
    await stateStore.write([{ collection: 'logSeals', put: forged }]);
    await append('c');
    expect(await job().runOnce(now)).to.deep.equal({ seals: 1, events: 3 });
    expect(warnings).to.deep.equal([{ seal: 2, position: 2 }]);
    expect((await sealsNow()).seals[0]).to.include({ number: 3, digest: digestOf('a', 'b', 'c') });
  });

  it('goes on behind the newest seal that still holds after the log was put back to an older copy', async () => {
    await append('a', 'b');
    await job().runOnce(now);
    const older = await store.readAll(0);
    await append('c');
    await job().runOnce(now);
    store = createMemoryEventStore();
    await store.append('stock-1', -1, older);
    await append('d');
    expect(await job().runOnce(now)).to.deep.equal({ seals: 1, events: 3 });
    expect(warnings).to.deep.equal([{ seal: 2, position: 3 }]);
    expect((await sealsNow()).seals[0]).to.deep.include({
      number: 3,
      count: 3,
      digest: digestOf('a', 'b', 'd'),
    });
  });
});
