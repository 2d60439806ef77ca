import type { RateLimits } from '#http/rate-limit.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { purgeIdempotency } from './idempotency.ts';

/** Answers under idempotency keys are kept for 48 hours. */
const purgeAnswers = (stateStore: DocumentStore): Job => ({
  name: 'purge-idempotency',
  schedule: '17 * * * *',
  runOnce: async (now) => {
    let removed = 0;
    for (let last = -1; last !== 0; removed += last) last = await purgeIdempotency(stateStore, now);
    return { removed };
  },
});

/** Counters whose time is over. */
const purgeCounters = (limits: RateLimits): Job => ({
  name: 'purge-rate-counters',
  schedule: '*/5 * * * *',
  runOnce: async () => ({ removed: await limits.sweep() }),
});

/** Removes what the engine itself has no use for any more. */
export const housekeeping = (stateStore: DocumentStore, limits: RateLimits): readonly Job[] => [
  purgeAnswers(stateStore),
  purgeCounters(limits),
];
