import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoInstant } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { DeliveryFigures } from './delivery-figures.ts';

/*
 * Deliveries counted by the hour and the day in which they were made: rollups. Only what rests is rolled up, so that
 * a rollup says the same as its rows for as long as these are there, and what they said once they are purged. One
 * document says which hours that holds for. It is the last word: whoever dies between two writes leaves nothing that
 * is counted twice, or not at all.
 */

/** Rollups, and under `state` what they hold. */
export const rollupCollection = 'webhookRollups';
const STATE = 'state';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So long an hour has been over, or open, before it is rolled up: no write to its rows is on its way any more. */
export const REST_MS = 600_000;

/** Deliveries of all subscriptions together. */
export const ALL = 'all';

export type RollupLevel = 'hour' | 'day';

/** What the deliveries that a subscription, or all of them, made in an hour or a day came to. */
export interface Rollup extends Document {
  readonly scope: string;
  readonly level: RollupLevel;
  /** When the hour or day begins: an ISO instant. */
  readonly start: string;
  readonly figures: DeliveryFigures;
  /** When the newest of the deliveries was made. */
  readonly newest: string;
}

/** An hour of a subscription that is counted from its rows: not all of them rest. */
export interface OpenHour {
  readonly subscriptionId: string;
  readonly start: string;
  /** When it was last opened, by the shop's clock; its end, where it has been so from the first. */
  readonly since: number;
  /** Of its deliveries that are purged. */
  readonly purged: DeliveryFigures | null;
  /** Of those that are being deleted: counted here, and no longer from their rows. */
  readonly purging: Purging | null;
}

export interface Purging {
  readonly figures: DeliveryFigures;
  /** Of deliveries made before the one instant, and finished before the other. */
  readonly madeBefore: string;
  readonly finishedBefore: string;
}

export interface RollupState {
  readonly version: number;
  /** Hours that begin before this are rolled up, unless they are open; empty: none. */
  readonly hoursUpTo: string;
  readonly daysUpTo: string;
  readonly open: readonly OpenHour[];
  /** Rows made before this may be gone. */
  readonly purgedBefore: string;
  /** Rollups that hold in place of the stored ones, until they are stored. */
  readonly unwritten: readonly Rollup[];
}

export type RollupChange = Partial<Omit<RollupState, 'version'>>;

const initial: RollupState = {
  version: 0,
  hoursUpTo: '',
  daysUpTo: '',
  open: [],
  purgedBefore: '',
  unwritten: [],
};

const TRIES = 20;

/** Errors: `EngineUnavailable`. */
export const declareRollups = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(rollupCollection, [
    { fields: ['scope', 'level', 'start'] },
    { fields: ['level', 'start'] },
  ]);

export const startOf = (level: RollupLevel, instant: string | number): string => {
  const length = level === 'hour' ? HOUR_MS : DAY_MS;
  const at = typeof instant === 'string' ? Date.parse(instant) : instant;
  return isoInstant(Math.floor(at / length) * length);
};

/** The beginning of what follows an hour or a day. */
export const endOf = (level: RollupLevel, start: string): string =>
  isoInstant(Date.parse(start) + (level === 'hour' ? HOUR_MS : DAY_MS));

export const rollupId = (level: RollupLevel, start: string, scope: string): string =>
  `${level} ${start} ${scope}`;

export const rollupOf = (
  level: RollupLevel,
  start: string,
  scope: string,
  figures: DeliveryFigures,
  newest: string,
): Rollup => ({ _id: rollupId(level, start, scope), scope, level, start, figures, newest });

/** When the newest delivery of some rollups was made; null without any. */
export const newestOf = (rollups: readonly Rollup[]): string | null =>
  rollups
    .map(({ newest }) => newest)
    .sort()
    .at(-1) ?? null;

export const readRollupState = async (stateStore: DocumentStore): Promise<RollupState> =>
  (await stateStore.get<RollupState & Document>(rollupCollection, STATE)) ?? initial;

/** Stores what a change left to be written; repeatable, and harmless where others have gone further. */
const writeOut = async (stateStore: DocumentStore, { unwritten, version }: RollupState): Promise<void> => {
  if (unwritten.length === 0) return;
  await stateStore.write(unwritten.map((put) => ({ collection: rollupCollection, put, position: version })));
  const patch = { set: { unwritten: [] } };
  await stateStore.updateIf<RollupState & Document>(rollupCollection, { _id: STATE, version }, patch);
};

/**
 * Changes what the rollups hold, in one step for all who read them. `decide` may be asked again, when another process
 * was faster; null changes nothing. Returns whether there was a change. Errors: `EngineUnavailable`.
 */
export const changeRollups = async (
  stateStore: DocumentStore,
  decide: (state: RollupState) => Promise<RollupChange | null> | RollupChange | null,
): Promise<boolean> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const state = await readRollupState(stateStore);
    await writeOut(stateStore, state);
    const change = await decide({ ...state, unwritten: [] });
    if (change === null) return false;
    const set = { open: state.open, unwritten: [], ...change };
    if (state === initial)
      await stateStore.insertIfAbsent(rollupCollection, { _id: STATE, ...initial } as Document);
    const changed = await stateStore.updateIf<RollupState & Document>(
      rollupCollection,
      { _id: STATE, version: state.version },
      { set, increment: { version: 1 } },
    );
    if (changed) {
      await writeOut(stateStore, changed);
      return true;
    }
    await nextTurn();
  }
  throw new EngineUnavailable('the figures of webhooks are changed by others all the time');
};

/** Which delivery. */
export interface MadeDelivery {
  readonly subscriptionId: string;
  readonly dateCreated: string;
}

/** As many open hours as a document holds, with room for what is purged of them. */
const MOST_REOPENED = 15_000;

/** Some have to rest before others can be opened. */
export class TooManyOpenHours extends EngineUnavailable {
  constructor(open: number) {
    super(`${open} hours of webhook figures are open: wait until their deliveries are finished`);
  }
}

const keyOf = (start: string, subscriptionId: string): string => `${start} ${subscriptionId}`;

/** Stays open for long enough to send deliveries of it again: neither closed nor purged before it rests. */
const isFresh = (hour: OpenHour | undefined, now: number): boolean =>
  hour !== undefined && hour.since > now - REST_MS / 2;

/**
 * To be called right before finished deliveries are sent again: from then on their hours are counted from their rows,
 * also those that are about to be rolled up. Returns those that may be; the others are being purged. `now`: the shop's
 * time, ms. Errors: `EngineUnavailable`, `TooManyOpenHours`.
 */
export const reopenRollups = async <Row extends MadeDelivery>(
  stateStore: DocumentStore,
  rows: readonly Row[],
  now: number,
): Promise<readonly Row[]> => {
  let allowed: readonly Row[] = [];
  await changeRollups(stateStore, ({ hoursUpTo, purgedBefore, open }) => {
    const hours = new Map(open.map((hour) => [keyOf(hour.start, hour.subscriptionId), hour]));
    const hourOf = ({ subscriptionId, dateCreated }: Row): OpenHour | undefined =>
      hours.get(keyOf(startOf('hour', dateCreated), subscriptionId));
    allowed = rows.filter((row) => row.dateCreated >= purgedBefore || hourOf(row)?.purging === null);
    const over = startOf('hour', now - REST_MS / 2);
    const before = over > hoursUpTo ? over : hoursUpTo;
    const stale = allowed.filter((row) => row.dateCreated < before && !isFresh(hourOf(row), now));
    if (stale.length === 0) return null;
    for (const row of stale) {
      const { subscriptionId } = row;
      const start = startOf('hour', row.dateCreated);
      const { purged = null, purging = null } = hourOf(row) ?? {};
      hours.set(keyOf(start, subscriptionId), { subscriptionId, start, since: now, purged, purging });
    }
    if (hours.size > Math.max(MOST_REOPENED, open.length)) throw new TooManyOpenHours(open.length);
    return { open: [...hours.values()] };
  });
  return allowed;
};
