import type { AsOf } from '#contracts/as-of.contract.ts';
import { ok, type Reply } from '#http/route.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import { invalidRequest, type Rejection } from '#kernel/rejection.ts';
import type { Feed } from '#log/feed.ts';
import { businessDay, dayAfter, startOfNamedDay } from '#values/business-day.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { beingFilled } from './reader.ts';
import { createStretchFolds, type StretchFoldsOptions } from './stretch-folds.ts';
import type { TimeIndex } from './time-index.ts';

/** A moment of the shop's past, and what is needed to say what was known then (docs/rules/reporting.md#as-of). */
export interface Moment {
  readonly instant: number;
  /** Of the last event that had been recorded. */
  readonly position: number;
  /** The UTC day to which it belongs: of what was recorded on an earlier one, everything counts. */
  readonly recordedDay: string;
  /**
   * What was recorded on that day before the moment, as documents of a journal: a projection that says for each day of
   * recording what was added on it. Errors: `EngineUnavailable`.
   */
  recordedThatDay<Doc extends Document>(journal: AnyProjection): Promise<readonly Doc[]>;
  /**
   * The documents that a projection makes of what was recorded from an instant of the same day, in whatever time zone,
   * up to the moment. Errors: `EngineUnavailable`.
   */
  recordedSince<Doc extends Document>(view: AnyProjection, instant: number): Promise<readonly Doc[]>;
  /**
   * What was worked out for this moment under the same key, or `work`: the past does not change. For figures, not for
   * what is personal.
   */
  remember<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer>;
}

export interface Moments {
  /** Refuses what is not past with `invalid-request`, which names `asOf`. Errors: `EngineUnavailable`. */
  of(asOf: AsOf): Promise<Moment>;
}

export interface MomentsOptions extends StretchFoldsOptions {
  readonly times: Pick<TimeIndex, 'position' | 'waitFor' | 'lastRecordedBy' | 'before'>;
  readonly feed: Pick<Feed, 'head'>;
  readonly clock: Clock;
  readonly settings: () => Pick<StoreSettings, 'reportingTimeZone'>;
}

const PATIENCE_MILLISECONDS = 2000;
/** What is remembered of moments: a few numbers for each day of a window at most. */
const MAX_REMEMBERED = 32;

const notPast = (expected: string): Rejection => invalidRequest(`asOf: ${expected}`);

/** The last instant that is asked about: of a day that is over its last millisecond. */
const instantOf = (asOf: AsOf, now: number, timeZone: string): number => {
  if (asOf.kind === 'instant') {
    if (asOf.instant > now) throw notPast('must not be in the future');
    return asOf.instant;
  }
  const today = businessDay(now, timeZone);
  if (asOf.day > today) throw notPast(`must be ${today}, which is today, or a day before`);
  return asOf.day === today ? now : startOfNamedDay(dayAfter(asOf.day), timeZone) - 1;
};

export const createMoments = (options: MomentsOptions): Moments => {
  const { times, feed, clock, settings } = options;
  const folds = createStretchFolds(options);
  /** In the order of their last use. */
  const remembered = new Map<string, Promise<unknown>>();
  const remember = (key: string, work: () => Promise<unknown>): Promise<unknown> => {
    const answer = remembered.get(key) ?? work();
    remembered.delete(key);
    remembered.set(key, answer);
    answer.catch(() => remembered.delete(key));
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return answer;
  };
  return {
    of: async (asOf) => {
      const now = clock.now();
      const instant = instantOf(asOf, now, settings().reportingTimeZone);
      const head = await feed.head();
      if (!(await times.waitFor(head, PATIENCE_MILLISECONDS)))
        throw beingFilled('timeIndex', { position: times.position, head });
      const position = instant === now ? head : await times.lastRecordedBy(instant);
      const recordedDay = isoInstant(instant + 1).slice(0, 10);
      return {
        instant,
        position,
        recordedDay,
        recordedThatDay: async <Doc extends Document>(journal: AnyProjection) =>
          (await folds.documentsOf(journal, { since: recordedDay, position })) as readonly Doc[],
        recordedSince: async <Doc extends Document>(view: AnyProjection, from: number) =>
          (await folds.documentsOf(view, { since: isoInstant(from), position }, false)) as readonly Doc[],
        remember: <Answer>(key: string, work: () => Promise<Answer>) =>
          remember(`${recordedDay} ${position} ${key}`, work) as Promise<Answer>,
      };
    },
  };
};

/** Which moment an answer is about, as its header says it. */
export const asOfHeader = ({ instant, position }: Moment): Readonly<Record<string, string>> => ({
  'Tillroll-As-Of': `${isoInstant(instant)}; position=${position}`,
});

export interface Asked {
  readonly moments: Moments;
  readonly waitForPosition: (view: string, position: number) => Promise<number | null>;
}

/** Of views that are behind the moment: they say something else once they have reached it. */
const forgetful: Moment['remember'] = (_key, work) => work();

/**
 * Answers a question as of the moment that it names, or as of now. The header says which moment that was; where a view
 * is behind it, `Tillroll-Lag` says by how much. `reads`: the journals and views that are asked about the past.
 */
export const answerAsOf = async (
  { moments, waitForPosition }: Asked,
  asOf: AsOf | undefined,
  reads: readonly { readonly name: string }[],
  answer: (moment: Moment | undefined) => Promise<unknown>,
): Promise<Reply> => {
  if (!asOf) return ok(await answer(undefined));
  const moment = await moments.of(asOf);
  const { position } = moment;
  const lags = await Promise.all(reads.map(({ name }) => waitForPosition(name, position)));
  const lag = Math.max(-1, ...lags.filter((seconds) => seconds !== null));
  const known = lag < 0 ? moment : { ...moment, remember: forgetful };
  return ok(await answer(known), {
    headers: {
      ...asOfHeader(moment),
      ...(lag < 0 ? {} : { 'Tillroll-Lag': String(Math.ceil(lag)) }),
    },
  });
};
