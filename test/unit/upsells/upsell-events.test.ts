import { expect } from 'chai';
import { pino } from 'pino';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import {
  createUpsellEvents,
  type UpsellEvents,
} from '#command/contexts/upsells/upsell-performance/upsell-events.ts';
import {
  upsellDaysCollection,
  upsellEventsCollection,
  type UpsellEventRow,
  type UpsellMonth,
} from '#contracts/upsell-events.contract.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { readUpsellDays } from '#runtime/upsell-days.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';

const mug = { productId: 'mug-blue', productRootId: 'mug' };
const pot = { productId: 'pot-small', productRootId: 'pot' };
const inBasket = { location: 'Basket', basketId: 'ada', customerId: null } as const;

const click = {
  upsellRuleId: 'tea',
  eventType: 'Click',
  productId: mug.productId,
  productIds: [mug.productId],
  productRootIds: [mug.productRootId],
  ...{ basketId: 'ada', customerId: null, invoiceId: null, displayLocation: 'Basket' as const },
} as const;

// docs/rules/upsell-performance.md#events
describe('Impressions and clicks', () => {
  let time: number;
  let stateStore: DocumentStore;
  let events: UpsellEvents;
  let hasRules: boolean;
  /** Of the next calls of the state store: what is to go wrong, and whether it happens all the same. */
  let faults: ('refused' | 'answer lost')[];

  const faulty = (store: DocumentStore): DocumentStore => {
    const { write, updateIf } = store;
    return Object.assign(store, {
      write: (...asked: Parameters<typeof write>) => withFault(() => write.apply(store, asked)),
      updateIf: (...asked: Parameters<typeof updateIf>) => withFault(() => updateIf.apply(store, asked)),
    });
  };
  const withFault = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const fault = faults.shift();
    if (fault === 'refused') throw new EngineUnavailable('away');
    const answer = await call();
    if (fault === 'answer lost') throw new EngineUnavailable('silent');
    return answer;
  };
  const open = (instanceId: string): Promise<UpsellEvents> =>
    createUpsellEvents({
      stateStore,
      instanceId,
      clock: { now: () => time },
      settings: () => ({ reportingTimeZone: 'Europe/London' }),
      hasRules: () => hasRules,
      log: pino({ level: 'silent' }),
    });
  const rows = () => stateStore.find<UpsellEventRow>(upsellEventsCollection, { sort: [['dateCreated', 1]] });
  const day = (rule: string, name: string) =>
    readUpsellDays(stateStore)
      .of(rule)
      .then(({ days }) => days.get(name));
  const written = async (on = events): Promise<void> => {
    while (!(await on.idle(2000)));
  };

  beforeEach(async () => {
    time = Date.UTC(2026, 5, 1, 12);
    hasRules = true;
    faults = [];
    stateStore = faulty(createMemoryDocumentStore());
    events = await open('one');
  });

  it('are one row each, a suggestion with all its products; an empty one is not kept', async () => {
    events.recordImpressions(inBasket, [
      { upsellRuleId: 'tea', products: [mug, pot] },
      { upsellRuleId: 'nothing left', products: [] },
    ]);
    events.record([click]);
    await written();
    const [shown, clicked, ...others] = await rows();
    expect(others).to.deep.equal([]);
    const shownMugAndPot = {
      upsellRuleId: 'tea',
      eventType: 'Impression',
      productId: null,
      productIds: ['mug-blue', 'pot-small'],
      ...{ basketId: 'ada', displayLocation: 'Basket', dateCreated: '2026-06-01T12:00:00.000Z' },
    };
    expect([shown, clicked].find((row) => row?.eventType === 'Impression')).to.deep.include(shownMugAndPot);
    expect([shown, clicked].find((row) => row?.eventType === 'Click')).to.deep.include(click);
  });

  it('reach the state store within a second by themselves', async () => {
    const isThere = async (): Promise<boolean> => (await rows()).length === 1;
    const took = await ownMilliseconds(async () => {
      events.record([click]);
      while (!(await isThere())) await new Promise(setImmediate);
    });
    expect(took).to.be.below(1000);
  });

  it('are counted by the day of the shop, for their rule and for every rule', async () => {
    time = Date.UTC(2026, 5, 30, 22, 59);
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug] }]);
    time = Date.UTC(2026, 5, 30, 23, 1);
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug] }]);
    events.record([click, click, { ...click, upsellRuleId: 'jam' }]);
    await written();
    expect(await day('tea', '2026-06-30')).to.deep.equal({ impressions: 1, clicks: 0 });
    expect(await day('tea', '2026-07-01')).to.deep.equal({ impressions: 1, clicks: 2 });
    expect(await day('jam', '2026-07-01')).to.deep.equal({ impressions: 0, clicks: 1 });
    expect(await day('every', '2026-07-01')).to.deep.equal({ impressions: 1, clicks: 3 });
    const { of, totals } = readUpsellDays(stateStore);
    expect((await of('tea')).firstImpression).to.equal('2026-06-30T22:59:00.000Z');
    expect((await of('jam')).firstImpression).to.equal(null);
    expect(await totals('every')).to.deep.equal({ impressions: 2, clicks: 3 });
  });

  it('add to those that an earlier release has kept day by day', async () => {
    await stateStore.insertIfAbsent(upsellDaysCollection, {
      ...{ _id: 'tea 2026-06-01', upsellRuleId: 'tea', day: '2026-06-01', impressions: 3, clicks: 1 },
      firstImpression: '2026-06-01T08:00:00.000Z',
    } as UpsellMonth);
    events.record([click]);
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug] }]);
    await written();
    const { of, totals } = readUpsellDays(stateStore);
    const { days, firstImpression } = await of('tea');
    expect([...days]).to.deep.equal([['2026-06-01', { impressions: 4, clicks: 2 }]]);
    expect(firstImpression).to.equal('2026-06-01T08:00:00.000Z');
    expect(await totals('tea')).to.deep.equal({ impressions: 4, clicks: 2 });
  });

  it('count once, even if a write is refused or its response lost, or another process counts', async () => {
    const other = await open('two');
    for (const fault of ['refused', 'answer lost'] as const) {
      for (let before = 0; before < 4; before++) {
        faults = [...Array.from({ length: before }, () => undefined as never), fault];
        events.record([click]);
        await events.idle(2000);
        faults = [];
        other.record([click]);
        await Promise.all([written(), written(other)]);
      }
    }
    expect((await day('tea', '2026-06-01'))?.clicks).to.equal(16);
    expect((await day('every', '2026-06-01'))?.clicks).to.equal(16);
    expect(await rows()).to.have.lengthOf(16);
  });

  it('that cannot be written do not fill the memory: more are refused', async () => {
    faults = Array.from({ length: 10 }, () => 'refused');
    const hundred = Array.from({ length: 100 }, () => click);
    let taken = 0;
    while (events.record(hundred)) taken += 100;
    expect(taken).to.equal(20_000);
    expect(events.dropped()).to.equal(100);
    faults = [];
    await written();
    expect((await day('tea', '2026-06-01'))?.clicks).to.equal(20_000);
  });

  it('of a basket are known at once, and each place of a rule once; clicks and other baskets do not count', async () => {
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug] }]);
    await written();
    time += 1000;
    events.recordImpressions({ ...inBasket, location: 'Checkout' }, [
      { upsellRuleId: 'jam', products: [mug] },
    ]);
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug, pot] }]);
    events.record([{ ...click, upsellRuleId: 'clicked' }]);
    events.recordImpressions({ ...inBasket, basketId: 'eve' }, [{ upsellRuleId: 'eve', products: [mug] }]);
    const shown = [
      { upsellRuleId: 'tea', displayLocation: 'Basket', productRootIds: ['mug', 'pot'] },
      { upsellRuleId: 'jam', displayLocation: 'Checkout', productRootIds: ['mug'] },
    ];
    expect(await events.impressionsOf(['ada'])).to.deep.equal(shown);
    await written();
    expect(await events.impressionsOf(['ada'])).to.have.deep.members(shown);
    expect(await events.impressionsOf(['nobody'])).to.deep.equal([]);
    const [first] = await events.impressionsOf(['nobody', 'eve']);
    expect(first?.upsellRuleId).to.equal('eve');
  });

  it('that cannot be read convert nothing, and block no sale', async () => {
    events.recordImpressions(inBasket, [{ upsellRuleId: 'tea', products: [mug] }]);
    await written();
    events.recordImpressions(inBasket, [{ upsellRuleId: 'jam', products: [mug] }]);
    stateStore.find = () => Promise.reject(new EngineUnavailable('away'));
    const shown = await events.impressionsOf(['ada']);
    expect(shown.map(({ upsellRuleId }) => upsellRuleId)).to.deep.equal(['jam']);
  });

  it('are not asked for where the shop has no rules', async () => {
    hasRules = false;
    stateStore.find = () => Promise.reject(new Error('asked'));
    expect(await events.impressionsOf(['ada'])).to.deep.equal([]);
  });

  it('are deleted when they expire, but their counts stay', async () => {
    events.record([click]);
    time += 1000;
    events.record([click]);
    await written();
    expect(await events.purge(time)).to.equal(1);
    expect(await rows()).to.have.lengthOf(1);
    expect((await day('tea', '2026-06-01'))?.clicks).to.equal(2);
  });
});
