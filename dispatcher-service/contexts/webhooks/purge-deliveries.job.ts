import { isoInstant } from '#kernel/clock.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import { purgeLimit } from '#topics/delivery-steps.ts';
import { purgeRows } from '../../engine/purge-rows.ts';
import { figureFields, figuresOf, finishedStatuses, noFigures, plus } from './delivery-figures.ts';
import { rollUp } from './roll-up-deliveries.job.ts';
import { oldestMade, rowsMade, type Made } from './rollup-rows.ts';
import {
  ALL,
  changeRollups,
  endOf,
  readRollupState,
  REST_MS,
  rollupCollection,
  startOf,
  type OpenHour,
  type Purging,
} from './rollup-state.ts';

/** As long as the longest chart by the day. */
const HOURS_KEPT_MS = 730 * 86_400_000;

const purge = (stateStore: DocumentStore, filter: Filter): Promise<number> =>
  purgeRows(stateStore, deliveriesCollection, filter);

const finished = (scope: string, made: Made): Filter => rowsMade(scope, made, finishedStatuses);

/** What is deleted of an hour that is open. */
const purgingFilter = (
  subscriptionId: string,
  start: string,
  { madeBefore, finishedBefore }: Omit<Purging, 'figures'>,
): Filter => ({
  ...finished(subscriptionId, { from: start, before: madeBefore }),
  dateCompleted: { lt: finishedBefore },
});

/** Deletes what has been counted of open hours, and adds it to what is purged of them. */
const finishPurging = async (stateStore: DocumentStore): Promise<number> => {
  const { open } = await readRollupState(stateStore);
  let purged = 0;
  for (const { subscriptionId, start, purging } of open)
    if (purging) purged += await purge(stateStore, purgingFilter(subscriptionId, start, purging));
  const done = open.filter(({ purging }) => purging);
  if (done.length === 0) return 0;
  const isDone = (hour: OpenHour): boolean =>
    done.some(
      ({ subscriptionId, start, purging }) =>
        hour.subscriptionId === subscriptionId &&
        hour.start === start &&
        JSON.stringify(hour.purging) === JSON.stringify(purging),
    );
  await changeRollups(stateStore, (state) => ({
    open: state.open.map((hour) =>
      hour.purging && isDone(hour)
        ? { ...hour, purged: plus(hour.purged ?? noFigures, hour.purging.figures), purging: null }
        : hour,
    ),
  }));
  return purged;
};

/** Of an hour that does not rest, or is not old enough as a whole: what is deleted is counted first. */
const countPurging = (
  stateStore: DocumentStore,
  start: string,
  madeBefore: string,
  subscriptionIds: readonly string[],
  now: number,
): Promise<boolean> => {
  const bounds = { madeBefore, finishedBefore: isoInstant(now - REST_MS) };
  return changeRollups(stateStore, async ({ open }) => {
    const others = open.filter(
      (hour) => hour.start !== start || !subscriptionIds.includes(hour.subscriptionId),
    );
    const counted: OpenHour[] = [];
    for (const subscriptionId of subscriptionIds) {
      const hour = open.find((one) => one.start === start && one.subscriptionId === subscriptionId);
      // Some of it may be about to be sent again: the next run takes it.
      if (hour && hour.since > now - REST_MS) {
        counted.push(hour);
        continue;
      }
      const filter = purgingFilter(subscriptionId, start, bounds);
      const figures = figuresOf(await stateStore.countBy(deliveriesCollection, figureFields, filter));
      const { since = now, purged = null, purging = null } = hour ?? {};
      counted.push({ subscriptionId, start, since, purged, purging: purging ?? { figures, ...bounds } });
    }
    return { open: [...others, ...counted] };
  });
};

/** Deletes what is finished and was made in an hour, before an instant. */
const purgeHour = async (
  stateStore: DocumentStore,
  start: string,
  before: string,
  now: number,
): Promise<number> => {
  const made = { from: start, before };
  const groups = await stateStore.countBy(deliveriesCollection, ['subscriptionId'], finished(ALL, made));
  const { open } = await readRollupState(stateStore);
  const isWhole = before === endOf('hour', start);
  const isOpen = (id: string): boolean =>
    open.some((hour) => hour.start === start && hour.subscriptionId === id);
  const ids = groups.map(({ values }) => String(values[0]));
  const counted = ids.filter((id) => !isWhole || isOpen(id));
  let purged = 0;
  for (const id of ids) if (!counted.includes(id)) purged += await purge(stateStore, finished(id, made));
  if (counted.length === 0) return purged;
  await countPurging(stateStore, start, before, counted, now);
  return purged + (await finishPurging(stateStore));
};

/** Deletes finished deliveries that were made before an instant, once they are rolled up. */
const purgeMadeBefore = async (stateStore: DocumentStore, limit: string, now: number): Promise<number> => {
  let before = limit;
  let purged = await finishPurging(stateStore);
  // From now on none of them is sent again, unless its hour is open.
  await changeRollups(stateStore, ({ hoursUpTo, purgedBefore }) => {
    before = limit < hoursUpTo ? limit : hoursUpTo;
    return before > purgedBefore ? { purgedBefore: before } : null;
  });
  for (let from = ''; ;) {
    const oldest = await oldestMade(stateStore, from, finishedStatuses);
    if (oldest === null || oldest >= before) return purged;
    const start = startOf('hour', oldest);
    const end = endOf('hour', start);
    purged += await purgeHour(stateStore, start, end < before ? end : before, now);
    from = end;
  }
};

/**
 * Deletes rollups of hours whose day is rolled up, and whose rows are gone: none of them is opened again. Those that
 * are open stay until they rest.
 */
const forgetHours = async (stateStore: DocumentStore, now: number): Promise<void> => {
  const { open, daysUpTo, purgedBefore } = await readRollupState(stateStore);
  const bounds = [
    startOf('day', now - HOURS_KEPT_MS),
    daysUpTo,
    purgedBefore,
    ...open.map(({ start }) => start),
  ];
  const start = { lt: bounds.sort()[0] ?? '' };
  await purgeRows(stateStore, rollupCollection, { level: 'hour', start });
};

/** Deletes what the log of deliveries need not keep any longer (docs/rules/webhooks.md#log-of-deliveries). */
export const purgeDeliveries = (
  stateStore: DocumentStore,
  { deliveryLogRetentionDays }: { readonly deliveryLogRetentionDays: number },
): Job => ({
  name: 'purge-deliveries',
  schedule: '0 17 * * * *',
  runOnce: async (now) => {
    await rollUp(stateStore, now);
    const purged = await purgeMadeBefore(stateStore, purgeLimit(now, deliveryLogRetentionDays), now);
    await forgetHours(stateStore, now);
    return { purged };
  },
});
