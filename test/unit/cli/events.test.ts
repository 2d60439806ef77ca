import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import {
  decodeMasked,
  decodeRevealed,
  printEvents,
  type Decode,
  type EventsOptions,
} from '#command/cli/events.ts';
import { createCodec, type EventCodec } from '#log/codec.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { NO_STREAM, type EventStore } from '#ports/event-store.ts';
import { registered as customerRegistered } from '#test/support/builders/customer.ts';

const customer = '01a1fd9e-e314-7000-9cae-47293de64a71';
const recordedAt = '2026-01-01T10:00:00.000Z';

const append = async (
  { store, codec }: { readonly store: EventStore; readonly codec: EventCodec },
  stream: string,
  events: readonly DomainEvent[],
): Promise<void> => {
  const drafts = events.map((event) => codec.draft(event));
  const { toAppend } = codec.encode(stream, { revision: NO_STREAM, hash: '' }, drafts, {
    recordedAt,
    correlationId: 'c',
    causationId: 'c',
    actor: { kind: 'system', id: null },
    subject: customer,
    subjectKey: (await codec.keys.ensure({ id: customer })) ?? Buffer.alloc(0),
  });
  await store.append(stream, NO_STREAM, toAppend);
};

describe('tillroll events', () => {
  let store: EventStore;
  let codec: EventCodec;
  before(async () => {
    const applicationKey = Buffer.alloc(32, 3);
    const keys = await createSubjectKeys({ store: createMemoryDocumentStore(), applicationKey });
    store = createMemoryEventStore();
    codec = createCodec({ keys, applicationKey, store });
    await append({ store, codec }, 'settings-1', [
      { type: 'StoreOpened', data: { storeCurrencyCode: 'GBP' } },
      { type: 'StoreSettingsChanged', data: { settings: { name: 'Tea' } } },
    ]);
    await append({ store, codec }, 'customer-1', [registered]);
  });

  const printed = async (options: EventsOptions, decode: Decode = decodeMasked): Promise<string> => {
    let text = '';
    const print = async (more: string): Promise<void> => {
      text += more;
    };
    await printEvents(
      options,
      { store, readStore: createMemoryDocumentStore() },
      decode,
      print,
      new AbortController().signal,
    );
    return text;
  };

  it('prints position, time, stream, revision and type, one line an event', async () => {
    expect(await printed({})).to.equal(
      `1  ${recordedAt}  settings-1@0  StoreOpened\n` +
        `2  ${recordedAt}  settings-1@1  StoreSettingsChanged\n` +
        `3  ${recordedAt}  customer-1@0  ${registered.type}\n`,
    );
  });

  it('prints one stream, one type, or what came after a position', async () => {
    expect((await printed({ stream: 'settings-1' })).split('\n')).to.have.length(3);
    expect(await printed({ type: 'StoreOpened' })).to.match(/^1 .*StoreOpened\n$/);
    expect(await printed({ after: 2 })).to.match(/^3 .*\n$/);
    expect(await printed({ stream: 'settings-1', after: 1 })).to.match(/^2 .*\n$/);
    expect(await printed({ stream: 'basket-none' })).to.equal('');
    expect(await printed({ category: 'customer', actor: 'system' })).to.match(/^3 .*\n$/);
    expect(await printed({ backwards: true, limit: 2 })).to.match(/^3 .*\n2 .*\n$/);
    expect(await printed({ backwards: true, after: 2 })).to.match(/^1 .*\n$/);
    expect(await printed({ from: '2026-01-02' })).to.equal('');
    expect((await printed({ to: '2026-01-01' })).split('\n')).to.have.length(4);
  });

  it('prints whole envelopes as JSON, without personal data', async () => {
    const [line = ''] = (await printed({ json: true, after: 2 })).trim().split('\n');
    const envelope = JSON.parse(line);
    expect(Object.keys(envelope)).to.deep.equal([
      'id',
      'type',
      'schemaVersion',
      'stream',
      'revision',
      'position',
      'recordedAt',
      'data',
      'metadata',
    ]);
    expect(envelope.data).to.deep.equal({
      ...registered.data,
      email: '(personal)',
      firstName: '(personal)',
    });
    expect(envelope.metadata).to.include({ subject: customer });
    expect(line).not.to.include('ada@example.com');
  });

  it('reveals personal data on request', async () => {
    const revealing = decodeRevealed(codec.decodeAll, () => []);
    expect(await printed({ json: true, after: 2 }, revealing)).to.include('ada@example.com');
  });

  it('follows new events until it is told to stop', async () => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const print = async (text: string): Promise<void> => {
      lines.push(text);
      if (lines.length === 1) await append({ store, codec }, 'settings-2', [opened]);
      else stopping.abort();
    };
    await printEvents(
      { follow: true, after: 2 },
      { store, readStore: createMemoryDocumentStore() },
      decodeMasked,
      print,
      stopping.signal,
    );
    expect(lines.join('')).to.match(/customer-1@0.*\n4 .*settings-2@0 {2}StoreOpened\n$/);
  });
});

const registered = customerRegistered({ lastName: null });
const opened = { type: 'StoreOpened', data: { storeCurrencyCode: 'GBP' } };
