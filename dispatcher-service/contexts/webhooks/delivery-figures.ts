import type { Group } from '#ports/document-store.ts';
import { deliveryStatuses, type DeliveryStatus } from '#topics/webhook-delivery.ts';
import { bucketOf, type DurationHistogram } from './duration-histogram.ts';

/** How some deliveries stand. Figures of different deliveries add up to the figures of all of them. */
export interface DeliveryFigures {
  /** How many have which status. */
  readonly statuses: Readonly<Partial<Record<DeliveryStatus, number>>>;
  /** How many have been attempted, and how long their last attempts took in all. */
  readonly attempted: number;
  readonly durationMs: number;
  readonly durations: DurationHistogram;
}

export const noFigures: DeliveryFigures = { statuses: {}, attempted: 0, durationMs: 0, durations: {} };

/** The fields by which deliveries are counted, in the order of a group's values. */
export const figureFields = ['status', 'attemptNumber', 'durationMs'] as const;

/** A delivery that rests: nothing is done about it unless someone says so. */
export const finishedStatuses = [
  'Succeeded',
  'Failed',
  'Abandoned',
] as const satisfies readonly DeliveryStatus[];

export const everyStatus = Object.keys(deliveryStatuses) as readonly DeliveryStatus[];

type Counts = Readonly<Record<string, number>>;

const addTo = (sums: Record<string, number>, counts: Counts, sign: 1 | -1): void => {
  for (const key in counts) {
    const sum = (sums[key] ?? 0) + sign * (counts[key] ?? 0);
    if (sum === 0) delete sums[key];
    else sums[key] = sum;
  }
};

/** Of many, each looked at once. */
const sum = (parts: readonly (readonly [sign: 1 | -1, figures: DeliveryFigures])[]): DeliveryFigures => {
  const statuses: Record<string, number> = {};
  const durations: Record<string, number> = {};
  let [attempted, durationMs] = [0, 0];
  for (const [sign, figures] of parts) {
    addTo(statuses, figures.statuses, sign);
    addTo(durations, figures.durations, sign);
    attempted += sign * figures.attempted;
    durationMs += sign * figures.durationMs;
  }
  return { statuses, attempted, durationMs, durations };
};

export const sumOf = (parts: readonly DeliveryFigures[]): DeliveryFigures => {
  const [only] = parts;
  return only && parts.length === 1 ? only : sum(parts.map((figures) => [1, figures]));
};
export const plus = (one: DeliveryFigures, other: DeliveryFigures): DeliveryFigures => sumOf([one, other]);
export const minus = (one: DeliveryFigures, other: DeliveryFigures): DeliveryFigures =>
  sum([
    [1, one],
    [-1, other],
  ]);

/** The figures of documents counted by `figureFields`. */
export const figuresOf = (groups: readonly Group[]): DeliveryFigures => {
  const statuses: Record<string, number> = {};
  const durations: Record<string, number> = {};
  let [attempted, durationMs] = [0, 0];
  for (const { values, count } of groups) {
    const [status, attemptNumber, duration] = values;
    statuses[String(status)] = (statuses[String(status)] ?? 0) + count;
    if (Number(attemptNumber) === 0) continue;
    attempted += count;
    durationMs += count * Number(duration);
    const bucket = bucketOf(Number(duration));
    durations[bucket] = (durations[bucket] ?? 0) + count;
  }
  return { statuses, attempted, durationMs, durations };
};

export const countOf = (
  { statuses }: DeliveryFigures,
  wanted: readonly DeliveryStatus[] = everyStatus,
): number => wanted.reduce((total, status) => total + (statuses[status] ?? 0), 0);

export const isFinished = (figures: DeliveryFigures): boolean =>
  countOf(figures) === countOf(figures, finishedStatuses);

/** What all the figures of statistics and series mean (docs/rules/webhooks.md#figures). */
export const shownFigures = (figures: DeliveryFigures) => ({
  total: countOf(figures),
  delivered: countOf(figures, ['Succeeded']),
  failed: countOf(figures, ['Retrying', 'Abandoned', 'Failed']),
  pending: countOf(figures, ['Pending', 'Retrying', 'Sending']),
  averageMs: figures.attempted === 0 ? null : figures.durationMs / figures.attempted,
});
