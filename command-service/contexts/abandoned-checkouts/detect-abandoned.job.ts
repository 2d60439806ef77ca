import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { workOffDue } from '#runtime/work-off.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { recoveryLimits } from './abandoned-checkout.commands.ts';
import type { AdvanceCheckouts } from './advance-checkouts.ts';
import type { CheckoutsInProgress } from './checkouts-in-progress.ts';

interface DetectAbandonedDeps {
  readonly inProgress: CheckoutsInProgress;
  readonly advance: AdvanceCheckouts;
  readonly settings: () => StoreSettings;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

/** What came of a pass. */
export type DetectedCheckouts = Readonly<
  Record<'abandoned' | 'mails' | 'expired' | 'converted' | 'resumed' | 'kept' | 'failed', number>
>;

interface DetectingJob extends Job {
  runOnce(now: number, signal?: AbortSignal): Promise<DetectedCheckouts>;
}

/** Side by side: they share commits of the log. */
const AT_ONCE = 16;
const MINUTE = 60_000;
const LEAST_MINUTES = 5;

const counted = {
  CheckoutAbandoned: 'abandoned',
  RecoveryMailRequested: 'mails',
  CheckoutRecoveryExpired: 'expired',
  CheckoutConverted: 'converted',
  CheckoutResumed: 'resumed',
} as const;

/** Takes from a list, but nothing twice: what comes due again in a pass is left for the next one. */
const onceEach = (take: (max: number) => readonly string[]) => {
  const taken = new Set<string>();
  const again: string[] = [];
  return {
    again,
    take: (max: number): readonly string[] => {
      for (;;) {
        const next = take(max);
        const fresh = next.filter((id) => !taken.has(id));
        again.push(...next.filter((id) => taken.has(id)));
        for (const id of fresh) taken.add(id);
        if (fresh.length > 0 || next.length === 0) return fresh;
      }
    },
  };
};

/**
 * Finds checkouts that were left behind, has the mails sent that are due, at most one each in a pass, and lets the
 * others expire (docs/rules/abandoned-checkouts.md#job).
 */
export const detectAbandoned = (deps: DetectAbandonedDeps): DetectingJob => {
  const { inProgress, advance, settings, reach, log } = deps;
  let ranAt = -Infinity;
  const intervalMs = (): number =>
    Math.max(LEAST_MINUTES, settings()['abandonedCheckout.checkIntervalMinutes']) * MINUTE;
  return {
    name: 'detect-abandoned',
    schedule: '* * * * *',
    worksOff: 'checkouts-in-progress',
    isDue: (now) => now - ranAt >= intervalMs(),
    runOnce: async (now, signal) => {
      const figures = { abandoned: 0, mails: 0, expired: 0, converted: 0, resumed: 0 };
      await reach();
      await inProgress.use(recoveryLimits(settings()));
      const due = onceEach((max) => {
        const news = inProgress.takeNews(max);
        return news.length > 0 ? news : inProgress.takeDue(now, max);
      });
      const { kept, failed } = await workOffDue({
        takeDue: due.take,
        putBack: inProgress.putBack,
        atOnce: AT_ONCE,
        signal,
        act: async (basketId) => {
          const advanced = await advance(basketId, now);
          if (advanced === 'later') return false;
          if (advanced.events.length === 0) inProgress.letRest(basketId, now);
          for (const { type } of advanced.events)
            if (type in counted) figures[counted[type as keyof typeof counted]]++;
          return true;
        },
        onFailure: (basketId, err) =>
          log.warn({ basketId, err }, 'an abandoned checkout could not be looked at yet'),
      });
      due.again.forEach(inProgress.putBack);
      ranAt = now;
      return { ...figures, kept, failed };
    },
  };
};
