import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { EventCodec } from '#log/codec.ts';
import { chainStart, verifyChain } from '#log/hash-chain.ts';
import { maskedEvents } from '#log/masked-events.ts';
import { noteSaid, type Said } from '#log/repeated-fields.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { anyMeta, createTestCodec } from '#test/support/engine.ts';

const { stream, placed, captured, confirmed } = invoice('mugs');
const edited = invoice('mugs', { content: { itemCount: 3 } }).confirmed();

type Fields = Readonly<Record<string, unknown>>;

const parsed = (stored: StoredEvent | undefined): Fields => JSON.parse(stored?.data ?? '{}') as Fields;

// What is sold stands in the event that made the invoice (docs/architecture.md#events).
describe('What an event says as one before it in its stream', () => {
  let stateStore: DocumentStore;
  let log: EventStore;
  let reads: string[];

  beforeEach(() => {
    stateStore = createMemoryDocumentStore();
    log = createMemoryEventStore();
    reads = [];
  });

  /** As another process on the same log has it. */
  const another = (): Promise<EventCodec> =>
    createTestCodec(stateStore, {
      ...log,
      readStream: (name, options) => {
        reads.push(name);
        return log.readStream(name, options);
      },
    });

  /** Appends an invoice's events one by one, as its stream is known to say more and more. */
  const write = async (...events: readonly DomainEvent[]): Promise<readonly StoredEvent[]> => {
    const codec = await another();
    const subject = 'ada';
    const subjectKey = (await codec.keys.ensure({ id: subject })) ?? Buffer.alloc(0);
    const stamp = { ...anyMeta(), recordedAt: '2026-03-01T09:05:00.000Z', subject, subjectKey };
    const said = new Map<string, Said>();
    let end = chainStart;
    for (const event of events) {
      const draft = codec.draft(event);
      const encoded = codec.encode(stream, end, [draft], stamp, said);
      await log.append(stream, end.revision, encoded.toAppend);
      noteSaid(said, draft.event, encoded.end.revision);
      end = encoded.end;
    }
    return log.readStream(stream);
  };

  it('is kept once, and read as if each said it', async () => {
    const events = [placed, captured(), confirmed()];
    const stored = await write(...events);
    expect(parsed(stored[2])['content']).to.deep.equal({ $asAt: 0 });
    expect(verifyChain(stored).isIntact).to.equal(true);
    const read = await (await another()).decodeAll(stored);
    expect(read.map(({ data }) => data)).to.deep.equal(events.map(({ data }) => data));
    expect(reads).to.deep.equal([]);
  });

  it('is read from the stream by whoever takes the later event alone, once', async () => {
    const [, , sale] = await write(placed, captured(), confirmed());
    const codec = await another();
    for (let time = 0; time < 3; time++) {
      const [read] = await codec.decodeAll([sale as StoredEvent]);
      expect(read?.data).to.deep.equal(confirmed().data);
    }
    expect(reads).to.deep.equal([stream]);
  });

  it('stands in the later event where it differs, and where nobody knows what was said before', async () => {
    const stored = await write(placed, edited);
    expect(parsed(stored[1])['content']).to.deep.equal(edited.data.content);
    const [read] = await (await another()).decodeAll(stored.slice(1));
    expect(read?.data).to.deep.equal(edited.data);
    const codec = await another();
    const stamp = { ...anyMeta(), recordedAt: '2026-03-01T09:05:00.000Z' };
    const anonymous = invoice('mugs', { email: null, customer: null }).confirmed();
    const { toAppend } = codec.encode(stream, chainStart, [codec.draft(anonymous)], stamp);
    expect(parsed(toAppend[0] as StoredEvent)['content']).to.deep.equal(twoMugs());
  });

  it('is null to nobody once its subject is forgotten: what was sold is not personal', async () => {
    const stored = await write(placed, confirmed());
    const codec = await another();
    await codec.keys.forget('ada');
    const [sale] = await codec.decodeAll(stored.slice(1));
    expect(sale?.data).to.deep.equal({ ...confirmed().data, email: null, customerName: null });
  });

  it('is shown to auditors as the log holds it', async () => {
    const stored = await write(placed, confirmed());
    expect(maskedEvents(stored)[1]?.data).to.deep.include({ content: { $asAt: 0 }, email: '(personal)' });
  });

  it('stops a reader where the earlier event is gone', async () => {
    const [, sale] = await write(placed, confirmed());
    log = createMemoryEventStore();
    const error = await (await another()).decodeAll([sale as StoredEvent]).catch((reason: unknown) => reason);
    expect(error).to.have.property('message', `${stream}@0, which a later event refers to, is not there`);
  });
});
