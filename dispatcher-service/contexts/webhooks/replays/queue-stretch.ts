import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { oversize, type DeliverySettings } from '../delivery.ts';
import { findDeliveries, takeSteps, type DeliveryRow } from '../delivery-rows.ts';
import type { FilterMatcher } from '../filter.ts';
import { newRow } from '../queue-deliveries.ts';
import { reopenRollups } from '../rollup-state.ts';
import type { Said } from '../topic-log.ts';
import type { Replay } from './replay.ts';
import { inReplay, isWanted, queueAgain } from './replay-rows.ts';

export interface QueueStretchDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'openAll'>;
  readonly settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>;
  readonly matches: FilterMatcher;
  /** Told of deliveries that are too large to be sent. */
  readonly onRefused: (delivery: Delivery) => void;
  /** Lets other work have its turn after so many rows. */
  readonly rest: (rows: number) => Promise<void>;
  /** Aborts when another process may have the replay in hand. */
  readonly signal: AbortSignal;
}

/** What became of a stretch of the log; the same on a repeat after a kill. */
export interface Queued {
  readonly queued: number;
  readonly skipped: number;
}

const nothing: Queued = { queued: 0, skipped: 0 };

interface Kept {
  readonly said: Said;
  readonly row: DeliveryRow;
}

/** Few: what is new waits for one such write at most, and there is a rest between two. */
const ROWS_AT_ONCE = 25;

const chunksOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / ROWS_AT_ONCE) }, (_, index) =>
    items.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );

/** Those that can be sent: their bodies can be read still, and are not too large. */
const sendable = async (
  { personalTexts, settings }: QueueStretchDeps,
  kept: readonly Kept[],
): Promise<readonly Kept[]> => {
  const bodies = await personalTexts.openAll(kept.map(({ row }) => row.requestBody));
  return kept.filter((_, index) => {
    const body = bodies[index] ?? null;
    return body !== null && oversize(body, settings) === null;
  });
};

const make = async (
  { stateStore, clock, settings, onRefused }: QueueStretchDeps,
  replay: Replay,
  missing: readonly Said[],
): Promise<Queued> => {
  if (missing.length === 0) return nothing;
  const now = clock.now();
  const made = missing.map((said) => {
    const { row, delivery } = newRow(
      replay.subscriptionId,
      said.message,
      said.envelope,
      { ...said, now },
      settings,
    );
    return {
      delivery,
      row: inReplay(row, replay, said.event.position, now),
      position: said.event.position,
    };
  });
  // A row that another process has made meanwhile reflects the same position, and stays.
  await stateStore.write(
    made.map(({ row: put, position }) => ({ collection: deliveriesCollection, put, position })),
  );
  const refused = made.filter(({ delivery }) => delivery.status === 'Abandoned');
  for (const { delivery } of refused) onRefused(delivery);
  return { queued: made.length - refused.length, skipped: refused.length };
};

const again = async (deps: QueueStretchDeps, replay: Replay, kept: readonly Kept[]): Promise<Queued> => {
  if (kept.length === 0) return nothing;
  const { stateStore, clock } = deps;
  const found = await sendable(deps, kept);
  const now = clock.now();
  const rows = found.map(({ row }) => row);
  // The others are being deleted just now; the next replay finds them missing.
  const allowed = new Set(await reopenRollups(stateStore, rows, now));
  const sent = found.filter(({ row }) => allowed.has(row));
  const steps = sent.map(({ said, row }) => queueAgain(row, replay, said.event.position, now));
  return { queued: await takeSteps(stateStore, steps), skipped: kept.length - sent.length };
};

/** How a repeat finds what it has queued before it was killed. */
const isOf = ({ replay }: DeliveryRow, { _id }: Replay): boolean => replay?.id === _id;

const queueChunk = async (
  deps: QueueStretchDeps,
  replay: Replay,
  { filterExpression }: Pick<WebhookSubscription, 'filterExpression'>,
  said: readonly Said[],
): Promise<Queued> => {
  const ids = said.map(({ envelope }) => envelope.id);
  // Not `getMany`: they would take the places of what is asked for often.
  const rows = await findDeliveries(deps.stateStore, { filter: { _id: { in: ids } } });
  const byId = new Map(rows.map((row) => [row._id, row]));
  const missing = said.filter(
    ({ envelope }) => !byId.has(envelope.id) && deps.matches(filterExpression, envelope),
  );
  const kept = said.flatMap((one) => {
    const row = byId.get(one.envelope.id);
    return row && !isOf(row, replay) && isWanted(row, replay.include) ? [{ said: one, row }] : [];
  });
  const done = rows.filter((row) => isOf(row, replay));
  const made = replay.include === 'failed' ? [] : missing;
  const counts = [await make(deps, replay, made), await again(deps, replay, kept)];
  const refusedBefore = done.filter(
    ({ attemptNumber, status }) => attemptNumber === 0 && status === 'Abandoned',
  );
  const sum = (of: keyof Queued): number => counts.reduce((total, one) => total + one[of], 0);
  return {
    queued: sum('queued') + done.length - refusedBefore.length,
    skipped: sum('skipped') + refusedBefore.length,
  };
};

/**
 * Queues what a stretch of the log has to say, as far as the replay wants it: rows that are there keep their id and
 * bytes, those that are missing are made (docs/rules/webhooks.md#replays). Once the signal aborts it ends early, and
 * what it returns does not count. Errors: `EngineUnavailable`.
 */
export const queueStretch = async (
  deps: QueueStretchDeps,
  replay: Replay,
  subscription: Pick<WebhookSubscription, 'filterExpression'>,
  said: readonly Said[],
): Promise<Queued> => {
  let [queued, skipped] = [0, 0];
  for (const chunk of chunksOf(said)) {
    if (deps.signal.aborted) break;
    const counts = await queueChunk(deps, replay, subscription, chunk);
    await deps.rest(counts.queued);
    queued += counts.queued;
    skipped += counts.skipped;
  }
  return { queued, skipped };
};
