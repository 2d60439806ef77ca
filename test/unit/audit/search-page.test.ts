import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { searchPage } from '#projection/contexts/audit/search-page.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const thing = (type: string) => ({ type, data: { text: 'x'.repeat(1000) } });

describe('A page of a search', () => {
  const log = { store: createMemoryEventStore(), readStore: createMemoryDocumentStore() };
  const common = Array.from({ length: 450 }, () => thing('Common'));
  before(() => appendPlain(log.store, 'basket-1', [...common, thing('Rare'), ...common]));

  const look = (type: string, position: number, bounds: object = {}) =>
    searchPage(log, { filter: { type }, direction: 'forwards', position }, { limit: 100, ...bounds });

  it('ends when it has looked for long enough, says where, and goes on from there', async () => {
    const found: number[] = [];
    const ends: (number | null)[] = [];
    for (let position: number | null = 0; position !== null;) {
      const page = await look('Rare', position, { mostMilliseconds: 0 });
      const first = position < 901 ? position + 1 : undefined;
      expect(page.lookedFrom?.position, `behind ${position}`).to.equal(first);
      if (page.next !== null) expect(page.lookedUpTo?.position).to.equal(page.next);
      found.push(...page.events.map((event) => event.position));
      ends.push((position = page.next));
    }
    expect(found).to.deep.equal([451]);
    expect(ends.length).to.be.above(2);
  });

  it('is limited in characters, and holds one event at least', async () => {
    const { events, next } = await look('Common', 0, { mostCharacters: 5000 });
    expect(events).to.have.length(4);
    expect(next).to.equal(4);
    expect((await look('Common', 0, { mostCharacters: 1 })).events).to.have.length(1);
  });

  it('finds what two machines wrote into one stream, whose clocks are some seconds apart', async () => {
    const store = createMemoryEventStore();
    const at = (second: number) => ({ ...thing('Shared'), recordedAt: `2026-03-01T12:00:0${second}.000Z` });
    await appendPlain(store, 'stock-1', [at(4), at(5), at(4), at(6), at(3)]);
    const instant = Date.parse('2026-03-01T12:00:05.000Z');
    const found = async (direction: 'forwards' | 'backwards', range: object) => {
      const filter = { stream: 'stock-1', ...range };
      const { events } = await searchPage({ ...log, store }, { filter, direction }, { limit: 10 });
      return events.map(({ position }) => position);
    };
    expect(await found('forwards', { from: instant })).to.deep.equal([2, 4]);
    expect(await found('backwards', { to: instant - 1000 })).to.deep.equal([5, 3, 1]);
  });

  it('knows when nothing is left to look at', async () => {
    const { next, lookedUpTo } = await look('Rare', 451);
    expect([next, lookedUpTo?.position]).to.deep.equal([null, 901]);
    const behindTheEnd = await look('Rare', 901);
    expect(behindTheEnd).to.deep.equal({ events: [], lookedFrom: null, lookedUpTo: null, next: null });
  });
});
