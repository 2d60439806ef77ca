import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job } from '#runtime/job-runner.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import { figureFields, figuresOf, isFinished, sumOf, type DeliveryFigures } from './delivery-figures.ts';
import { closeHours } from './close-open-hours.ts';
import { newestMade, oldestMade, rowsMade } from './rollup-rows.ts';
import {
  ALL,
  changeRollups,
  endOf,
  newestOf,
  REST_MS,
  rollupCollection,
  rollupOf,
  startOf,
  type OpenHour,
  type Rollup,
  type RollupChange,
  type RollupState,
} from './rollup-state.ts';

/** More are not held: hours after that are counted from their rows until some of these rest. */
const MOST_OPEN = 10_000;
/** Rollups that are stored in one step, give or take an hour's. */
const AT_A_TIME = 200;
const PAGE = 1000;

/** The figures of an hour's rows by subscription. */
const bySubscription = async (
  stateStore: DocumentStore,
  start: string,
): Promise<ReadonlyMap<string, DeliveryFigures>> => {
  const filter = rowsMade(ALL, { from: start, before: endOf('hour', start) });
  const groups = await stateStore.countBy(deliveriesCollection, ['subscriptionId', ...figureFields], filter);
  const bySubscriber = Map.groupBy(groups, ({ values }) => String(values[0]));
  return new Map(
    [...bySubscriber].map(([id, some]) => [
      id,
      figuresOf(some.map(({ values, count }) => ({ values: values.slice(1), count }))),
    ]),
  );
};

const allOf = (rollups: readonly Rollup[]): readonly Rollup[] => {
  const [first] = rollups;
  if (!first) return [];
  const figures = sumOf(rollups.map((rollup) => rollup.figures));
  const newest = newestOf(rollups) ?? first.newest;
  return [...rollups, rollupOf(first.level, first.start, ALL, figures, newest)];
};

/** What an hour's deliveries came to: of subscriptions of which all rest, and of which not. Leaves out what is open. */
const rollUpHour = async (
  stateStore: DocumentStore,
  start: string,
  open: readonly OpenHour[],
): Promise<{ readonly rollups: readonly Rollup[]; readonly unfinished: readonly OpenHour[] }> => {
  const end = endOf('hour', start);
  const rollups: Rollup[] = [];
  const unfinished: OpenHour[] = [];
  for (const [subscriptionId, figures] of await bySubscription(stateStore, start)) {
    if (open.some((hour) => hour.start === start && hour.subscriptionId === subscriptionId)) continue;
    if (!isFinished(figures)) {
      unfinished.push({ subscriptionId, start, since: Date.parse(end), purged: null, purging: null });
      continue;
    }
    const newest = (await newestMade(stateStore, subscriptionId, { from: start, before: end })) ?? start;
    rollups.push(rollupOf('hour', start, subscriptionId, figures, newest));
  }
  return { rollups: allOf(rollups), unfinished };
};

/** The next hours with deliveries that have been over for a while; those in between are known to hold none. */
const nextHours = async (
  stateStore: DocumentStore,
  state: RollupState,
  now: number,
): Promise<RollupChange | null> => {
  const over = startOf('hour', now - REST_MS);
  const open = [...state.open];
  const unwritten: Rollup[] = [];
  let { hoursUpTo } = state;
  while (unwritten.length < AT_A_TIME && hoursUpTo < over) {
    const oldest = await oldestMade(stateStore, hoursUpTo);
    const start = oldest === null ? over : startOf('hour', oldest);
    if (start >= over) {
      hoursUpTo = over;
      break;
    }
    const { rollups, unfinished } = await rollUpHour(stateStore, start, open);
    if (unfinished.length > 0 && open.length + unfinished.length > MOST_OPEN) break;
    open.push(...unfinished);
    unwritten.push(...rollups);
    hoursUpTo = endOf('hour', start);
  }
  return hoursUpTo === state.hoursUpTo ? null : { hoursUpTo, open, unwritten };
};

/** All rollups of hours of a day. */
const hoursOf = async (stateStore: DocumentStore, day: string): Promise<readonly Rollup[]> => {
  const filter = { level: 'hour', start: { gte: day, lt: endOf('day', day) } };
  const found: Rollup[] = [];
  for (;;) {
    const options = { filter, sort: [['start', 1]], skip: found.length, limit: PAGE } as const;
    const page = await stateStore.find<Rollup>(rollupCollection, options);
    found.push(...page);
    if (page.length < PAGE) return found;
  }
};

/** The next day all of whose hours are rolled up. */
const nextDay = async (stateStore: DocumentStore, state: RollupState): Promise<RollupChange | null> => {
  const over = state.hoursUpTo && startOf('day', state.hoursUpTo);
  if (over <= state.daysUpTo) return null;
  const filter = { level: 'hour', start: { gte: state.daysUpTo, lt: over } };
  const [first] = await stateStore.find<Rollup>(rollupCollection, { filter, sort: [['start', 1]], limit: 1 });
  if (!first) return { daysUpTo: over };
  const day = startOf('day', first.start);
  const byScope = Map.groupBy(await hoursOf(stateStore, day), ({ scope }) => scope);
  const unwritten = [...byScope].map(([scope, hours]) => {
    const figures = sumOf(hours.map((hour) => hour.figures));
    return rollupOf('day', day, scope, figures, hours.at(-1)?.newest ?? day);
  });
  return { daysUpTo: endOf('day', day), unwritten };
};

/**
 * Rolls up whatever rests by now, some hours or a day at a time; whoever is killed leaves the rest to the next run.
 * Returns how many steps it took. Errors: `EngineUnavailable`.
 */
export const rollUp = async (stateStore: DocumentStore, now: number): Promise<number> => {
  let steps = 0;
  const step = (decide: (state: RollupState) => Promise<RollupChange | null>): Promise<boolean> =>
    changeRollups(stateStore, decide);
  const steppers = [
    (state: RollupState) => closeHours(stateStore, state, now),
    (state: RollupState) => nextHours(stateStore, state, now),
    (state: RollupState) => nextDay(stateStore, state),
  ];
  for (const decide of steppers)
    while (await step(decide)) {
      steps++;
      await nextTurn();
    }
  return steps;
};

/** Counts deliveries once, hour by hour, older releases' too (docs/rules/webhooks.md#rollups). */
export const rollUpDeliveries = (stateStore: DocumentStore): Job => ({
  name: 'roll-up-deliveries',
  schedule: '20 */5 * * * *',
  runOnce: async (now) => ({ steps: await rollUp(stateStore, now) }),
});
