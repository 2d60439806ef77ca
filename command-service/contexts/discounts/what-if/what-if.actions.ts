import type { CommandDeps } from '#command/engine/service-deps.ts';
import { discount, type Discount, type NewDiscount } from '#entities/discount.entity.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { newId } from '#kernel/ids.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { GivenSettings } from '#values/store-settings.ts';
import { startOfNamedDay } from '#values/business-day.ts';
import { streamOf } from '#values/stream-name.ts';
import { unknownIn } from '../unknown-targets.ts';
import type { CarryOut } from './carry-out.ts';
import type { RuleChange } from './reprice.ts';
import type { WhatIfProgress, WhatIfQuestion } from './run-what-if.ts';
import {
  BROKEN_OFF,
  type AskedWhatIf,
  type ChangedRule,
  type RunProgress,
  type WhatIfRun,
  type WhatIfRuns,
} from './what-if-runs.ts';

/** What is wished for: a rule more, a rule less, or neither. */
export interface WhatIfWish {
  readonly discount?: NewDiscount | undefined;
  readonly without?: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly asAutomatic: boolean;
}

export interface PlannedWhatIf {
  readonly question: WhatIfQuestion;
  readonly asked: AskedWhatIf;
}

export interface PlanDeps extends Pick<
  CommandDeps,
  'reference' | 'streams' | 'store' | 'clock' | 'settings'
> {
  /** The problems of a rule as a whole, as a creation of one has them. */
  readonly problems: (rule: Partial<Discount>) => readonly string[];
  /** Settings that the configuration gives. */
  readonly configured: GivenSettings;
}

type Planned = readonly [RuleChange, ChangedRule | null];

/** Refused as its creation would be. Without a day on which it starts, it was always there. */
const added = async (deps: PlanDeps, wish: WhatIfWish, given: NewDiscount): Promise<Planned> => {
  const { reportingTimeZone, storeCurrencyCode } = deps.settings();
  const startsAt = isoInstant(startOfNamedDay(wish.from, reportingTimeZone));
  const isAsAutomatic = given.method === 'Code';
  const fields = discount.stored({ ...given, method: 'Automatic' as const }, null, storeCurrencyCode);
  const rule = { startsAt, ...fields, code: null, status: 'Active' } as Discount;
  const errors = [...(await unknownIn(rule, deps)), ...deps.problems(rule)];
  if (errors.length > 0) throw invalidRequest(...errors.map((error) => `discount.${error}`));
  const id = newId();
  // Among equals it comes last, as it does where it is made now.
  const createdAt = isoInstant(deps.clock.now());
  const known: ReferenceDiscount = { id, rule, status: 'Active', createdAt, uses: 0 };
  return [
    { kind: 'added', discount: known },
    { change: 'added', id, name: rule.name, isAsAutomatic },
  ];
};

/** One that was deleted since is still in the log. */
const removed = async ({ reference, store }: PlanDeps, discountId: string): Promise<Planned> => {
  const known = reference.discounts.byId(discountId)?.rule.name;
  const [first] =
    known === undefined ? await store.readStream(streamOf.discount(discountId), { limit: 1 }) : [];
  if (known === undefined && first === undefined) throw notFound(discount.noun);
  const name = known ?? 'a rule that was deleted';
  return [
    { kind: 'removed', discountId },
    { change: 'removed', id: discountId, name, isAsAutomatic: false },
  ];
};

/** Errors: `invalid-request`, `entity-not-found`. */
export const planWhatIf = async (deps: PlanDeps, wish: WhatIfWish): Promise<PlannedWhatIf> => {
  const { from, to, discount: given, without } = wish;
  const nothing: Planned = [{ kind: 'nothing' }, null];
  const [change, rule] = given
    ? await added(deps, wish, given)
    : without === undefined
      ? nothing
      : await removed(deps, without);
  return {
    question: { from, to, change, configured: deps.configured },
    asked: { from, to, currency: deps.settings().storeCurrencyCode, rule },
  };
};

const NOTE_EVERY_MS = 500;

interface ActionDeps {
  readonly plan: (wish: WhatIfWish) => Promise<PlannedWhatIf>;
  readonly runs: WhatIfRuns;
  readonly carryOut: CarryOut;
  readonly onFailure: (error: unknown, runId: string) => void;
}

const finished = ({ eventsRead, position, head }: RunProgress): RunProgress => ({
  phase: 'finished',
  eventsRead,
  position,
  head,
});

/** Says every half second how far a run is, and calls it off here when another process has. */
const keepTold = (
  { runs, onFailure }: ActionDeps,
  { _id: id }: WhatIfRun,
  calledOff: AbortController,
  now: () => Pick<WhatIfRun, 'progress' | 'elapsedMs'>,
) => {
  let telling: Promise<void> | null = null;
  const tell = async (): Promise<void> => {
    const { progress, elapsedMs } = now();
    if (!(await runs.note(id, progress, elapsedMs))) calledOff.abort();
  };
  const timer = setInterval(() => {
    telling ??= tell()
      .catch((error: unknown) => onFailure(error, id))
      .finally(() => (telling = null));
  }, NOTE_EVERY_MS).unref();
  return async (): Promise<void> => {
    clearInterval(timer);
    await telling;
  };
};

/** Works on one run until it has an end. */
const work = async (
  deps: ActionDeps,
  run: WhatIfRun,
  question: WhatIfQuestion,
  calledOff: AbortController,
): Promise<void> => {
  const { runs, carryOut, onFailure } = deps;
  const { _id: id } = run;
  const begun = performance.now();
  let progress: RunProgress = run.progress;
  const now = () => ({ progress, elapsedMs: Math.round(performance.now() - begun) });
  const stopTelling = keepTold(deps, run, calledOff, now);
  const onProgress = (latest: WhatIfProgress): void => void (progress = latest);
  try {
    const result = await carryOut(question, { onProgress, signal: calledOff.signal });
    await stopTelling();
    await runs.end(id, { status: 'Completed', result, ...now(), progress: finished(progress) });
  } catch (error) {
    await stopTelling();
    if (!calledOff.signal.aborted) onFailure(error, id);
    const message = error instanceof Error ? error.message : String(error);
    await runs.end(id, { status: 'Failed', message, ...now() });
  }
};

/** What-ifs of this shop: one at a time, in the background (docs/rules/what-if.md#runs). */
export const createWhatIfActions = (deps: ActionDeps) => {
  const { runs, plan } = deps;
  const atWork = new Map<string, { readonly calledOff: AbortController; readonly done: Promise<void> }>();
  const found = async (id: string): Promise<WhatIfRun> => {
    const run = await runs.load(id);
    if (run === null) throw notFound('what-if');
    return run;
  };
  return {
    /** Errors: `invalid-request`, `entity-not-found`, `run-under-way`. */
    begin: async (wish: WhatIfWish, askedBy: string): Promise<WhatIfRun> => {
      const { question, asked } = await plan(wish);
      const run = await runs.begin(asked, askedBy);
      const calledOff = new AbortController();
      const done = work(deps, run, question, calledOff)
        .catch((error: unknown) => deps.onFailure(error, run._id))
        .finally(() => atWork.delete(run._id));
      atWork.set(run._id, { calledOff, done });
      return run;
    },
    /** Errors: `entity-not-found`. */
    load: found,
    /** Calls it off if it is under way; nothing stays of it. Errors: `entity-not-found`. */
    remove: async (id: string): Promise<void> => {
      const isRemoved = await runs.remove(id);
      atWork.get(id)?.calledOff.abort();
      if (!isRemoved) throw notFound('what-if');
    },
    stop: async (): Promise<void> => {
      for (const { calledOff } of atWork.values()) calledOff.abort(new Error(BROKEN_OFF));
      await Promise.all([...atWork.values()].map(({ done }) => done));
    },
  };
};

export type WhatIfActions = ReturnType<typeof createWhatIfActions>;
