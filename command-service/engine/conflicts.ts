import { pause } from '#runtime/back-off.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Work } from './decide-batch.ts';

export interface ConflictLimits {
  /** How often a caller's command is decided again after a conflict. */
  readonly conflictRetries: number;
  /** How long a step of a process is decided again, in real time. */
  readonly processStepMs: number;
}

const tooManyConflicts = (): Rejection =>
  new Rejection('conflict', 'This was changed at the same time. Please try again.');

/** Commands whose append conflicted are decided again, up to a limit. */
export class Conflicts {
  readonly #limits: ConflictLimits;
  readonly #counts: Record<string, number> = {};

  constructor(limits: ConflictLimits) {
    this.#limits = limits;
  }

  /** How many there were, per stream category. */
  counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }

  /** Those that may be decided again; the others are rejected. */
  intersect(stream: string, batch: readonly Work[]): readonly Work[] {
    const category = batch[0]?.decider.category ?? stream;
    this.#counts[category] = (this.#counts[category] ?? 0) + 1;
    const again: Work[] = [];
    for (const work of batch) {
      work.conflicts++;
      if (this.#mayTryAgain(work)) again.push(work);
      else work.reject(tooManyConflicts());
    }
    return again;
  }

  #mayTryAgain({ request, arrivedAt, conflicts }: Work): boolean {
    const { conflictRetries, processStepMs } = this.#limits;
    if (request?.isProcessStep === true) return performance.now() - arrivedAt < processStepMs;
    return conflicts <= conflictRetries;
  }
}

const LONGEST_PAUSE_MILLISECONDS = 300;

/**
 * Lets those who meet again and again part, by a time of chance length that doubles with each conflict. It is measured
 * in rounds, of which the last took `roundMs`: on a log that takes long, a shorter pause would let them meet once more.
 * What comes meanwhile is decided together with what waits.
 */
export const partAfterConflict = async (batch: readonly Work[], roundMs: number): Promise<void> => {
  const most = Math.max(0, ...batch.map(({ conflicts }) => conflicts));
  if (most > 1) await pause(Math.random() * Math.min(LONGEST_PAUSE_MILLISECONDS, roundMs * 2 ** (most - 1)));
};
