import { MAX_PAGE, START, type EventStore } from '#ports/event-store.ts';
import type { Reference } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { idOf } from '#values/stream-name.ts';
import type { Config } from '#runtime/config.ts';
import { createAfterSales, type StaffCounts } from './after-sales.ts';
import { sellsToAgents } from './assistant.ts';
import { createComingBack, type WonBackCounts } from './coming-back.ts';
import { HOUR, type Period } from './demand.ts';
import { createMarket, sellableVariants } from './market.ts';
import { planVisits, visitsFor, type Visit } from './plan-visits.ts';
import { createRestock } from './restock.ts';
import { LONGEST_VISIT, shop as goShopping, type Outcome } from './shopper.ts';
import type { SimulatedTime } from './simulated-time.ts';
import { createSuggesting, type SuggestedVisit } from './suggested.ts';
import type { ShopActions } from './visitor.ts';

/** How far a simulation is. */
export interface SimulationProgress {
  readonly visits: number;
  readonly ofVisits: number;
  readonly orders: number;
}

/** What came of the visits. */
export interface VisitCounts {
  readonly visits: number;
  readonly orders: number;
  /** Of the orders. */
  readonly throughAgents: number;
  readonly left: number;
  readonly declined: number;
  /** Visits, the first ones and later ones, that ended with a refusal, by its code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The period is over. */
export interface Simulated {
  readonly counters: VisitCounts;
  readonly wonBack: WonBackCounts;
  /** Lets those who return something do so. */
  takeReturns(): Promise<StaffCounts>;
}

export interface SimulationOptions {
  readonly seed: number;
  readonly orders: number;
  readonly period: Period;
  /** Its clock is the shop's. */
  readonly time: SimulatedTime;
  readonly shop: ShopActions;
  /** Who of the agents may buy. */
  readonly ucp: Config['protocol']['ucp'];
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
  /** The log: nothing but the imported store. */
  readonly store: EventStore;
  /** The token of a basket's first recovery link. */
  readonly linkTokenOf: (basketId: string) => string;
  /** Resolves once reference state reflects everything that has been appended. */
  readonly referenceIsCurrent: () => Promise<unknown>;
  readonly onProgress?: (progress: SimulationProgress) => void;
}

const HOURS_PER_DAY = 24;
/** Visits that are planned, restocked for and carried out together; never of two days. */
const MOST_TOGETHER = 1000;

/** The last whole hours before `now`, so that the last day is today. */
export const lastDays = (days: number, now: number): Period => {
  const to = Math.floor(now / HOUR) * HOUR;
  return { from: to - days * HOURS_PER_DAY * HOUR, to };
};

function* stretchesOf(visits: Iterable<Visit>): Generator<readonly Visit[]> {
  const dayOf = ({ at }: Visit): number => Math.floor(at / (HOURS_PER_DAY * HOUR));
  let stretch: Visit[] = [];
  for (const visit of visits) {
    const [first] = stretch;
    if (first && (stretch.length >= MOST_TOGETHER || dayOf(first) !== dayOf(visit))) {
      yield stretch;
      stretch = [];
    }
    stretch.push(visit);
  }
  if (stretch.length > 0) yield stretch;
}

const productIdsIn = async (store: EventStore): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let after = START; ;) {
    const page = await store.readAll(after, MAX_PAGE);
    for (const { type, stream } of page) if (type === 'ProductCreated') ids.push(idOf(stream));
    const last = page.at(-1);
    if (!last) return ids;
    after = last.position;
  }
};

const createVisitCounter = () => {
  const counts = { bought: 0, left: 0, declined: 0 };
  const refused: Record<string, number> = {};
  let visits = 0;
  let throughAgents = 0;
  const turnAway = (code: string): void => {
    refused[code] = (refused[code] ?? 0) + 1;
  };
  return {
    counts,
    turnAway,
    count: ({ isThroughAgent }: Visit, outcome: Outcome): void => {
      visits++;
      if (isThroughAgent && outcome.kind === 'bought') throughAgents++;
      if (outcome.kind === 'refused') turnAway(outcome.code);
      else counts[outcome.kind]++;
    },
    total: (): VisitCounts => {
      const { bought: orders, left, declined } = counts;
      return { visits, orders, throughAgents, left, declined, refused: { ...refused } };
    },
  };
};

/** Who takes part. */
const gather = async (options: SimulationOptions) => {
  const { seed, shop, reference, settings, linkTokenOf } = options;
  const sellables = sellableVariants(reference, await productIdsIn(options.store));
  const taxGroupId = sellables[0]?.root.taxGroupId ?? null;
  const counters = createVisitCounter();
  const afterSales = createAfterSales({ seed, shop, settings, taxGroupId });
  return {
    market: createMarket(seed, sellables, reference, settings()),
    restock: createRestock({ seed, shop, reference, sellables }),
    suggesting: createSuggesting({ seed, reference, settings }),
    counters,
    afterSales,
    comingBack: createComingBack({
      ...{ seed, shop, linkTokenOf },
      onSale: afterSales.sold,
      onRefusal: counters.turnAway,
    }),
  };
};

/**
 * Lets shoppers come and go while the shop's clock moves over the period. The same seed,
 * store and period give the same shop: visits, baskets, customers' e-mail addresses, invoices and orders with their
 * ids, amounts and instants, and stock. Ids of events, lines and customers are chosen again each time, as are keys, and
 * invoices that are made within the same minute may swap their numbers.
 */
export const simulate = async (options: SimulationOptions): Promise<Simulated> => {
  const { seed, orders, time, shop, ucp, referenceIsCurrent } = options;
  await referenceIsCurrent();
  const { market, restock, suggesting, counters, afterSales, comingBack } = await gather(options);
  let visited = 0;
  const ofVisits = visitsFor(orders);
  const onLeave = (visit: SuggestedVisit, outcome: Outcome): void => {
    counters.count(visit, outcome);
    if (outcome.kind === 'bought') afterSales.sold(visit, outcome.invoiceId);
    if (outcome.kind === 'left' && outcome.checkout !== null) comingBack.left(visit, outcome.checkout);
    options.onProgress?.({ visits: ++visited, ofVisits, orders: counters.counts.bought });
  };
  // The last visit ends before the period does; the first begins when the store is there.
  const { from, to } = options.period;
  const period = { from: from + HOUR, to: to - LONGEST_VISIT };
  /** The job runs before anything else begins: what it finds does not depend on who is quicker. */
  const carryOut = async (planned: readonly Visit[], until: number): Promise<void> => {
    await comingBack.detect();
    await referenceIsCurrent();
    const visits = planned.map(suggesting);
    const returning = comingBack.due(until);
    await restock([...visits, ...returning.map(({ visit }) => visit)]);
    await referenceIsCurrent();
    const shopping = visits.map((visit) => ({
      at: visit.at,
      begin: () => goShopping(visit, { seed, shop, ucp, onLeave: (outcome) => onLeave(visit, outcome) }),
    }));
    const begun = [...shopping, ...returning, ...afterSales.due(until)];
    await time.run(begun.sort((one, other) => one.at - other.at));
  };
  const plan = { seed, orders, period, market, sellsToAgents: sellsToAgents(ucp) };
  for (const planned of stretchesOf(planVisits(plan))) {
    time.moveTo(planned[0]?.at ?? from);
    await carryOut(planned, planned.at(-1)?.at ?? from);
  }
  await carryOut([], period.to);
  return {
    counters: counters.total(),
    wonBack: comingBack.counters(),
    takeReturns: async () => {
      await time.run(afterSales.returns(period.to));
      return afterSales.counters();
    },
  };
};
