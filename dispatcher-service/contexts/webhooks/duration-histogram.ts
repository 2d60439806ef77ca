/** How many attempts took how long, by bucket (docs/rules/webhooks.md#durations). Any two can be added. */
export type DurationHistogram = Readonly<Record<string, number>>;

/** What a percentile may be off by, in parts of it. */
const ACCURACY = 0.05;
/** Each bucket ends where the next begins, at this many times its own beginning. */
const GROWTH = (1 + ACCURACY) / (1 - ACCURACY);
/** Ten minutes: twice the longest time-out. Whatever takes longer counts as that. */
const LONGEST_MS = 600_000;

/** Bucket 0 holds what took less than a millisecond, n what took up to GROWTH to the power of n. */
export const bucketOf = (durationMs: number): number =>
  durationMs < 1 ? 0 : 1 + Math.ceil(Math.log(Math.min(durationMs, LONGEST_MS)) / Math.log(GROWTH) - 1e-9);

/** In whole milliseconds, the middle of a bucket, so that it is off by ACCURACY at most either way. */
const durationIn = (bucket: number): number =>
  bucket === 0 ? 0 : Math.round((2 * GROWTH ** (bucket - 1)) / (GROWTH + 1));

const countP95 = (durations: DurationHistogram): number | null => {
  let total = 0;
  for (const bucket in durations) total += durations[bucket] ?? 0;
  const rank = Math.ceil(total * 0.95);
  let reached = 0;
  // Keys that are whole numbers come in ascending order.
  for (const bucket in durations) {
    reached += durations[bucket] ?? 0;
    if (reached >= rank && reached > 0) return durationIn(Number(bucket));
  }
  return null;
};

/** Of histograms that are kept; none ever changes. */
const known = new WeakMap<DurationHistogram, number | null>();

/** The duration within which 95 % of all attempts were over, in milliseconds; null without any. */
export const p95Of = (durations: DurationHistogram): number | null => {
  const found = known.get(durations);
  if (found !== undefined) return found;
  const p95 = countP95(durations);
  known.set(durations, p95);
  return p95;
};
