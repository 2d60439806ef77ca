import { createChance, seedFrom } from './pure-random.ts';

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How busy the hours of a day are, from midnight UTC: quiet at night, a lunch break, the evening. */
const byHour = [3, 2, 1, 1, 1, 2, 3, 5, 7, 9, 10, 11, 12, 11, 10, 10, 10, 11, 12, 14, 15, 13, 9, 5];
/** How busy the days of a week are, from Sunday. */
const byWeekday = [1.25, 1, 0.92, 0.9, 0.97, 1.05, 1.15];
/** How much busier the end of the period is than its beginning, as a share of its middle. */
const GROWTH = 0.5;
/** How far a day may lie from what is usual for it. */
const WHIM = 0.15;

/** A stretch of time, in milliseconds since 1970 UTC. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** How much is wanted in each hour of a period, compared with the others: weekly rhythm, slow growth, some whim. */
const demandByHour = (seed: number, { from, to }: Period): readonly number[] => {
  const demand: number[] = [];
  for (let at = from; at < to; at += HOUR) {
    const whim = createChance(seedFrom(seed, 'day', Math.floor((at - from) / DAY))).next();
    const instant = new Date(at);
    const rhythm = (byHour[instant.getUTCHours()] ?? 1) * (byWeekday[instant.getUTCDay()] ?? 1);
    const growth = 1 + GROWTH * ((at - from) / (to - from) - 0.5);
    const isWhole = Math.min(1, (to - at) / HOUR);
    demand.push(rhythm * growth * (1 + WHIM * (2 * whim - 1)) * isWhole);
  }
  return demand;
};

/** When `count` visitors come, in order: whole milliseconds within the period. */
export function* arrivalTimes(seed: number, period: Period, count: number): Generator<number> {
  const demand = demandByHour(seed, period);
  const chance = createChance(seedFrom(seed, 'arrivals'));
  const sum = demand.reduce((total, hour) => total + hour, 0);
  let hour = 0;
  let before = 0;
  for (let number = 0; number < count; number++) {
    const due = ((number + chance.next()) / count) * sum;
    while (hour < demand.length - 1 && before + (demand[hour] ?? 0) <= due) before += demand[hour++] ?? 0;
    const share = Math.min(1, (due - before) / (demand[hour] ?? 1));
    const length = Math.min(HOUR, period.to - period.from - hour * HOUR);
    yield Math.floor(period.from + hour * HOUR + share * (length - 1));
  }
}
