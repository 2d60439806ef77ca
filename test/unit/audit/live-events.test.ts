import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createLiveEvents, type LiveEventsOptions } from '#projection/contexts/audit/live-events.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const done = { type: 'ThingDone', data: { thing: 1 } };

describe('Those who listen to the log', () => {
  let store: EventStore;
  beforeEach(async () => {
    store = createMemoryEventStore();
    await appendPlain(store, 'basket-1', [done, done]);
  });
  afterEach(() => store.close());

  const live = (options: Partial<LiveEventsOptions> = {}) => createLiveEvents({ store, ...options });

  /** What is sent until a text is among it. */
  const heardUntil = async (stream: AsyncIterable<unknown>, text: string): Promise<string> => {
    let heard = '';
    for await (const chunk of stream) {
      heard += String(chunk);
      if (heard.includes(text)) break;
    }
    return heard;
  };

  it('are told what comes from now on, of what they want, with its position as the id', async () => {
    const { stream } = await live().open({ category: 'basket' }, undefined);
    await appendPlain(store, 'stock-1', [done]);
    await appendPlain(store, 'basket-2', [done]);
    const heard = await heardUntil(stream, 'data: ');
    const [first, event] = heard.trimEnd().split('\n\n');
    expect(first).to.equal('retry: 2000\n: still here\nid: 2');
    const [id, data = ''] = event?.split('\ndata: ') ?? [];
    expect(id).to.equal('id: 4');
    expect(JSON.parse(data)).to.include({ position: 4, stream: 'basket-2', type: 'ThingDone' });
  });

  it('go on behind the position that they name, and are refused one that is none', async () => {
    const { stream } = await live().open({}, 1);
    expect(await heardUntil(stream, 'data: ')).to.include('id: 2\ndata: ');
    await when(live().open({}, 77)).thenRefused('invalid-request', {
      errors: ['position: must be 0 or the position of an event'],
    });
  });

  it('hear a sign of life with the position that was reached where there is nothing to tell', async () => {
    const { stream } = await live({ silenceMilliseconds: 1 }).open({ category: 'invoice' }, 0);
    expect(await heardUntil(stream, 'id: 2')).to.not.include('data: ');
  });

  it('come to an end with a log that fails, also while they take nothing', async () => {
    const [event] = await store.readAll(0, 1);
    async function* failing() {
      yield [event ?? expect.fail('there is one')];
      await Promise.resolve();
      throw new Error('damaged');
    }
    const { stream } = await live({
      store: { head: () => store.head(), eventAt: (at) => store.eventAt(at), subscribe: failing },
      silenceMilliseconds: 0,
    }).open({ category: 'invoice' }, undefined);
    const ended = heardUntil(stream, 'data: ').catch((error: Error) => error.message);
    expect(await ended).to.equal('damaged');
  });

  it('are limited in number; a place is free again once one has left', async () => {
    const listening = live({ mostListeners: 1 });
    const { stream } = await listening.open({}, undefined);
    await when(listening.open({}, undefined)).thenRefused('too-busy');
    stream.destroy();
    (await listening.open({}, undefined)).stream.destroy();
  });

  it('come to an end when the server stops, and after a while', async () => {
    const { stream, end } = await live().open({}, undefined);
    end();
    for await (const chunk of stream) expect(String(chunk)).to.not.include('data: ');
    const { stream: short } = await live({ longestMilliseconds: 0 }).open({}, undefined);
    for await (const chunk of short) expect(String(chunk)).to.not.include('data: ');
  });
});
