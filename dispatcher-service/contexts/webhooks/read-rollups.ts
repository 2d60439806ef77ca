import { isoInstant } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import {
  everyStatus,
  figureFields,
  figuresOf,
  finishedStatuses,
  minus,
  noFigures,
  plus,
  sumOf,
  type DeliveryFigures,
} from './delivery-figures.ts';
import { rollupsIn } from './kept-rollups.ts';
import { figuresOfRows, newestMade, rowsMade, type Made } from './rollup-rows.ts';
import {
  ALL,
  endOf,
  newestOf,
  readRollupState,
  rollupCollection,
  rollupId,
  startOf,
  type OpenHour,
  type Rollup,
  type RollupLevel,
  type RollupState,
} from './rollup-state.ts';

/** Which deliveries are counted: made from … to, both included. */
export interface Asked {
  /** A subscription's id, or `ALL`. */
  readonly scope: string;
  /** Empty: from the first on. */
  readonly from: string;
  readonly to: string;
  /** How finely what is found is told apart; null: not at all. */
  readonly interval: RollupLevel | null;
}

/** Figures of deliveries that were made in the hour or day that begins then. */
export interface Counted {
  readonly start: string;
  readonly figures: DeliveryFigures;
}

/** As far as instants sort by their texts, with an hour to spare. */
export const LAST_INSTANT = '9999-12-31T22:59:59.999Z';
const LOOKS = 3;

interface Range {
  readonly from: string;
  readonly before: string;
}

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** The first hour or day that begins at an instant or later. */
const nextStart = (level: RollupLevel, instant: string): string => {
  if (instant === '') return '';
  const start = startOf(level, instant);
  return start === instant ? start : endOf(level, start);
};

/** The hours that are asked about as a whole and are rolled up. */
const rolledUp = ({ from, to }: Asked, { hoursUpTo }: RollupState): Range => {
  const wholeUpTo = startOf('hour', Date.parse(to) + 1);
  const first = nextStart('hour', from);
  const before = earlier(wholeUpTo, hoursUpTo);
  return { from: first, before: before > first ? before : first };
};

/** Of the rolled up range the days, and the hours on either side of them. */
const levelsOf = (
  { from, before }: Range,
  { interval }: Asked,
  { daysUpTo }: RollupState,
): readonly (Range & { readonly level: RollupLevel })[] => {
  if (from === before) return [];
  const firstDay = nextStart('day', from);
  const daysBefore = earlier(startOf('day', before), daysUpTo);
  if (interval === 'hour' || daysBefore <= firstDay) return [{ level: 'hour', from, before }];
  return [
    { level: 'hour', from, before: firstDay },
    { level: 'day', from: firstDay, before: daysBefore },
    { level: 'hour', from: daysBefore, before },
  ];
};

const startIn = ({ interval }: Asked, start: string): string => (interval ? startOf(interval, start) : '');

/** Neighbouring open hours of a subscription, as far as they are told together: their rows are counted at once. */
const runsOf = (open: readonly OpenHour[], asked: Asked): readonly (readonly OpenHour[])[] => {
  const sorted = open.toSorted((one, other) =>
    `${one.subscriptionId} ${one.start}` < `${other.subscriptionId} ${other.start}` ? -1 : 1,
  );
  const runs: OpenHour[][] = [];
  for (const hour of sorted) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows =
      last !== undefined &&
      last.subscriptionId === hour.subscriptionId &&
      endOf('hour', last.start) === hour.start &&
      startIn(asked, last.start) === startIn(asked, hour.start) &&
      !last.purging &&
      !hour.purging;
    if (follows) run?.push(hour);
    else runs.push([hour]);
  }
  return runs;
};

const unfinishedStatuses = everyStatus.filter((status) => !finishedStatuses.some((one) => one === status));

/** What the rows of an open hour say: no longer those that are being deleted. */
export const figuresOfOpenRows = async (
  stateStore: DocumentStore,
  { subscriptionId, start, purging }: OpenHour,
  before = endOf('hour', start),
): Promise<DeliveryFigures> => {
  if (!purging) return figuresOfRows(stateStore, subscriptionId, { from: start, before });
  const { madeBefore, finishedBefore } = purging;
  const old = rowsMade(subscriptionId, { from: start, before: madeBefore }, finishedStatuses);
  const kept = { ...old, dateCompleted: { gte: finishedBefore } };
  return sumOf([
    await figuresOfRows(stateStore, subscriptionId, { from: start, before }, unfinishedStatuses),
    await figuresOfRows(stateStore, subscriptionId, { from: madeBefore, before }, finishedStatuses),
    figuresOf(await stateStore.countBy(deliveriesCollection, figureFields, kept)),
  ]);
};

/** What is to be added to rollups for the hours that are open: their rows, in place of what was rolled up of them. */
const corrections = async (
  stateStore: DocumentStore,
  asked: Asked,
  { from, before }: Range,
  { open, unwritten }: RollupState,
): Promise<readonly Counted[]> => {
  const concerned = open.filter(
    ({ start, subscriptionId }) =>
      start >= from && start < before && (asked.scope === ALL || asked.scope === subscriptionId),
  );
  if (concerned.length === 0) return [];
  const ids = concerned.map(({ start, subscriptionId }) => rollupId('hour', start, subscriptionId));
  const stored = await stateStore.getMany<Rollup>(rollupCollection, ids);
  const stale = new Map([...stored, ...unwritten].map((rollup) => [rollup._id, rollup.figures]));
  const found: Counted[] = [];
  for (const run of runsOf(concerned, asked)) {
    const [first] = run;
    const last = run.at(-1);
    if (!first || !last) continue;
    const rows = await figuresOfOpenRows(stateStore, first, endOf('hour', last.start));
    found.push({ start: first.start, figures: rows });
  }
  for (const { start, subscriptionId, purged, purging } of concerned) {
    const gone = plus(purged ?? noFigures, purging?.figures ?? noFigures);
    const former = stale.get(rollupId('hour', start, subscriptionId)) ?? noFigures;
    found.push({ start, figures: minus(gone, former) });
  }
  return found;
};

/** The rows of a span, hour by hour or day by day where they are told apart. */
const countRows = async (
  stateStore: DocumentStore,
  asked: Asked,
  made: Made & { readonly to: string },
): Promise<readonly Counted[]> => {
  const { scope, interval } = asked;
  if (made.from > made.to) return [];
  if (interval === null) return [{ start: made.from, figures: await figuresOfRows(stateStore, scope, made) }];
  const newest = await newestMade(stateStore, scope, made);
  const counted: Counted[] = [];
  for (let from = made.from; newest !== null && from <= newest;) {
    const before = endOf(interval, startOf(interval, from));
    const part = before > made.to ? { from, to: made.to } : { from, before };
    counted.push({ start: from, figures: await figuresOfRows(stateStore, scope, part) });
    from = before;
  }
  return counted;
};

const lastBefore = (instant: string): string => isoInstant(Date.parse(instant) - 1);

const lookOnce = async (
  stateStore: DocumentStore,
  asked: Asked,
  state: RollupState,
): Promise<{ readonly counted: readonly Counted[]; readonly newest: string | null }> => {
  const { scope, from, to } = asked;
  const range = rolledUp(asked, state);
  const isNone = range.from === range.before;
  const rollups: Rollup[] = [];
  for (const part of levelsOf(range, asked, state))
    rollups.push(...(await rollupsIn(stateStore, { scope, ...part }, state)));
  const before = isNone || range.from === '' ? [] : [{ from, to: lastBefore(range.from) }];
  const after = { from: isNone ? from : range.before, to };
  const counted: Counted[] = [...rollups];
  for (const made of [...before, after]) counted.push(...(await countRows(stateStore, asked, made)));
  counted.push(...(await corrections(stateStore, asked, range, state)));
  return { counted, newest: newestOf(rollups) };
};

/**
 * The deliveries that are asked about, as they stand: whole hours from rollups, parts of hours and what does not rest
 * from rows. Errors: `EngineUnavailable`.
 */
export const countDeliveriesMade = async (
  stateStore: DocumentStore,
  given: Asked,
): Promise<{ readonly counted: readonly Counted[]; readonly newest: string | null }> => {
  const asked = { ...given, to: earlier(given.to, LAST_INSTANT) };
  for (let looks = 1; ; looks++) {
    const state = await readRollupState(stateStore);
    const found = await lookOnce(stateStore, asked, state);
    // What is rolled up meanwhile may be counted twice, or not at all.
    const { version } = await readRollupState(stateStore);
    if (version === state.version || looks === LOOKS) return found;
  }
};
