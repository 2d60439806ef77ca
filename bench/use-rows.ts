import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  discountUsageDecider,
  type DiscountUsageState,
} from '#command/contexts/discounts/discount-usage.decider.ts';
import { discount } from '#entities/discount.entity.ts';
import { evolve } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Recorded } from '#kernel/event.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { spread, whole, median, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';

const at = '2030-01-01T00:00:00.000Z';
const discountId = derivedId('bench rule', 'used');
const limit = { most: null, errorCode: 'UsageLimitReached' } as const;

const sell = (state: DiscountUsageState, sale: number): DiscountUsageState => {
  const holder = { basketId: derivedId('basket', sale), placementId: derivedId('placement', sale) };
  const customerId = derivedId('customer', sale);
  let sold = state;
  for (const command of [
    { type: 'ClaimDiscountUse', discountId, ...holder, customerId, amount: 100, turn: 1 },
    { type: 'SettleDiscountUse', discountId, ...holder },
  ] as const)
    for (const event of discountUsageDecider.decide(sold, command, limit))
      sold = evolve(discountUsageDecider.on, sold, event);
  return sold;
};

/** A use with its sale, after so many sales: how long it takes, and how large the snapshot is. */
const useAfter = (sales: number, times: number) => {
  let state = discountUsageDecider.initial();
  for (let sale = 0; sale < sales; sale++) state = sell(state, sale);
  const begun = performance.now();
  for (let sale = sales; sale < sales + times; sale++) state = sell(state, sale);
  return {
    micros: ((performance.now() - begun) * 1000) / times,
    bytes: JSON.stringify(state).length,
  };
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapMegabytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

/** Reference state with so many automatic rules, each for two products and a while. */
const referenceWith = (rules: number) => {
  const body = {
    name: 'rule',
    category: 'AmountOffProducts',
    method: 'Automatic',
    valueType: 'Percentage',
    value: 5,
  };
  const plain = discount.createBody(() => 'GBP').parse(body);
  const reference = createReference();
  for (let index = 0; index < rules; index++) {
    const targetIds = [derivedId('product', index), derivedId('other product', index)];
    const targetRules = [{ targetType: 'SpecificProducts' as const, targetIds, isExclusion: false }];
    const rule = { ...plain, name: `rule ${index}`, startsAt: at, targetRules };
    const created = discount.events.create.DiscountCreated({ rule, status: 'Active', at });
    const stream = streamOf.discount(derivedId('bench rule', index));
    // As the log would hand it over: no text is shared.
    const event = JSON.parse(JSON.stringify({ ...created, stream, position: index + 1 })) as Recorded;
    for (const part of reference.parts) applyEvent(part, event);
  }
  // The index of those in force is made when they are asked for first.
  reference.discounts.candidates({ lines: [], buyer: { customerId: null, segmentIds: [] } }, Date.parse(at));
  return reference;
};

/** What uses and rules cost that a shop has had many of: in this process, without a server. */
export const measureUses = ({ runs, isQuick, say }: Bench): Figure[] => {
  const [few, many, times] = isQuick ? [1000, 10_000, 200] : [1000, 100_000, 2000];
  useAfter(few, times);
  const pairs = Array.from({ length: runs }, () => ({
    few: useAfter(few, times),
    many: useAfter(many, times),
  }));
  const share = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  const inTime = pairs.map((pair) => pair.many.micros / pair.few.micros);
  const inBytes = pairs.map((pair) => pair.many.bytes / pair.few.bytes);
  const work = `a use of a limited discount after ${whole(many)} sales, against ${whole(few)}`;
  say(`uses: ${work}: ${spread(inTime, share)} of the time, ${spread(inBytes, share)} of the bytes`);
  const rules = isQuick ? 1000 : 10_000;
  const before = heapMegabytes();
  const reference = referenceWith(rules);
  const grown = heapMegabytes() - before;
  const kept = reference.discounts.byId(derivedId('bench rule', 0));
  say(`uses: ${whole(rules)} rules in reference state: ${grown.toFixed(1)} MiB`);
  return [
    {
      work,
      measured: `${spread(inTime, share)} of the time, ${spread(inBytes, share)} of the snapshot`,
      reach: 'at most 120 %',
      isReached: median(inTime) <= 1.2 && median(inBytes) <= 1.2,
    },
    {
      work: `memory of ${whole(rules)} active automatic rules`,
      measured: `${grown.toFixed(1)} MiB`,
      reach: 'at most 60 MiB',
      isReached: kept !== undefined && grown <= 60,
    },
  ];
};
