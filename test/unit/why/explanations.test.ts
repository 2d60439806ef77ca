import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { createReader } from '#projection/engine/reader.ts';
import {
  explainedByStream,
  explainedView,
  type ExplainedView,
} from '#projection/engine/why/explained-view.ts';
import { createExplanations, type Question } from '#projection/engine/why/explanations.ts';
import { createReference } from '#reference/create-reference.ts';
import { dropped, jars, jarStream, type Jar } from '#test/support/builders/jars.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';
import { storedViews } from '#test/support/stored-views.ts';

const ofOneStream = explainedByStream(jars, 'coins', jarStream);

/** Explanations of a view that has these documents, over a log in which coins were dropped into jars. */
const explaining = async (
  documents: readonly (Jar & { readonly _position: number })[],
  drops: readonly (readonly [jar: string, coins: number])[],
  explained: ExplainedView = ofOneStream,
  waited: string[] = [],
) => {
  const store = createMemoryEventStore();
  for (const [jar, coins] of drops) {
    const { stream, type, data } = dropped(jar, coins);
    await appendPlain(store, stream, [{ type, data }]);
  }
  const readStore = createMemoryDocumentStore();
  await readStore.declare('jars', []);
  await readStore.write(documents.map((put) => ({ collection: 'jars', put })));
  const { why } = createExplanations({
    explained: [explained],
    views: () => ['jars'],
    waitForPosition: async (view, position) => void waited.push(`${view} ${position}`),
    reader: createReader({ readStore, engine: storedViews(() => 'jars') }),
    store,
    codec: plainDecoder(),
    times: {
      position: Infinity,
      waitFor: () => Promise.resolve(true),
      before: () => expect.fail('no day was asked about'),
      lastRecordedBy: () => expect.fail('no day was asked about'),
    },
    reference: createReference(),
    discountDays: () => Promise.resolve([]),
  });
  return (key: string, question: Partial<Question> = {}) =>
    why({ view: 'jars', key, position: 0, limit: 100, ...question });
};

/** docs/rules/why.md */
describe('An explanation', () => {
  it('says so where the read model has another figure than its events come to', async () => {
    const why = await explaining(
      [{ _id: 'a', coins: 90, _position: 2 }],
      [
        ['a', 40],
        ['a', 60],
      ],
    );
    expect(await why('a')).to.deep.include({ value: 90, sum: 100, addsUp: false });
  });

  it('leaves out what the view has not seen yet', async () => {
    const why = await explaining(
      [{ _id: 'a', coins: 40, _position: 1 }],
      [
        ['a', 40],
        ['a', 60],
      ],
    );
    expect(await why('a')).to.deep.include({ value: 40, sum: 40, addsUp: true });
  });

  it('says so where the view stands on an event that it cannot take', async () => {
    const why = await explaining(
      [{ _id: 'a', coins: 40, _position: 2 }],
      [
        ['a', 40],
        ['a', 1001],
      ],
    );
    expect(await why('a')).to.include({ sum: 40, addsUp: false });
  });

  it('adds up a stream of many pages, and shows one of its own', async () => {
    const drops = Array.from({ length: 1100 }, () => ['a', 1] as const);
    const why = await explaining([{ _id: 'a', coins: 1100, _position: 1100 }], drops);
    const { items, next, ...all } = await why('a', { position: 600, limit: 2 });
    expect(all).to.include({ value: 1100, sum: 1100, addsUp: true });
    expect(items.map(({ position }) => position)).to.deep.equal([601, 602]);
    expect(next).to.equal(602);
  });

  it('is given to four who ask at once, and refused to a fifth, who may ask again', async () => {
    const why = await explaining([{ _id: 'a', coins: 1, _position: 1 }], [['a', 1]]);
    const ended = await Promise.allSettled(Array.from({ length: 5 }, () => why('a')));
    expect(ended.map(({ status }) => status)).to.deep.equal([...Array(4).fill('fulfilled'), 'rejected']);
    expect(ended[4]).to.have.nested.property('reason.code', 'too-busy');
    expect(await why('a')).to.include({ value: 1 });
  });

  it('waits for what says where its events are, so that none which the document has seen is missed', async () => {
    const waited: string[] = [];
    const found = explainedView({
      ...ofOneStream,
      reads: [{ name: 'journal' }],
      eventsOf: () => (waited.push('looked'), { streams: [jarStream('a')] }),
    });
    const why = await explaining([{ _id: 'a', coins: 1, _position: 1 }], [['a', 1]], found, waited);
    await why('a');
    expect(waited).to.deep.equal(['journal 1', 'looked']);
  });

  it('takes the events of several streams in the order of the log, each once', async () => {
    const twice = explainedView({
      view: { ...jars, keys: () => ['both'] },
      mainFigure: 'coins',
      eventsOf: () => ({ streams: [jarStream('b'), jarStream('a'), jarStream('b')] }),
    });
    const drops = [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['a', 4],
      ['b', 5],
    ] as const;
    const why = await explaining([{ _id: 'both', coins: 15, _position: 5 }], drops, twice);
    const { items, ...all } = await why('both');
    expect(all).to.include({ value: 15, addsUp: true });
    expect(items.map(({ contribution }) => contribution)).to.deep.equal([1, 2, 3, 4, 5]);
  });
});
