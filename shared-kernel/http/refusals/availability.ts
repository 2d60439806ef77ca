import { refusals } from './refusal.ts';

export const availability = refusals('What passes by itself', {
  unavailable: {
    status: 503,
    retryAfterSeconds: 1,
    when: 'No process of the shop takes requests, as its gateway says.',
    remedy: 'Send it again, a change under an `Idempotency-Key`.',
  },
  starting: {
    status: 503,
    retryAfterSeconds: 1,
    when: 'The shop is being opened; nothing of the request was done.',
    remedy: 'Send it again.',
  },
  'engine-unavailable': {
    status: 503,
    retryAfterSeconds: 5,
    when: 'The shop cannot reach its storage.',
    remedy: 'Send it again, a change under an `Idempotency-Key`.',
  },
  'view-being-filled': {
    status: 503,
    retryAfterSeconds: 5,
    when: 'The list or report is being built, as after an update; `phase`, `share` and `secondsLeft` say how far it is.',
    remedy: 'Send it again.',
  },
  'shown-as-it-was': {
    status: 405,
    when: 'The shop is shown as it was at a moment (`tillroll replay --serve`): nothing can be changed.',
    remedy: 'Send it to the running shop.',
  },
  'not-in-replay': {
    status: 404,
    when: 'A replay does not answer this: it is about the running shop, or about a view that was not made.',
    remedy: 'Ask the running shop, or make the replay again with that view.',
  },
  'unknown-event-type': {
    status: 503,
    retryAfterSeconds: 5,
    when: 'A newer release of the shop is taking over.',
    remedy: 'Send it again.',
  },
  'not-settled': {
    status: 504,
    when: 'Test endpoints: something is still behind after 30 seconds; `lagging` names it.',
    remedy: 'Look at `/health/ready`.',
  },
  'too-busy': {
    status: 503,
    retryAfterSeconds: 1,
    when: 'Too much of the same kind is under way.',
    remedy: 'Send it again.',
  },
  'internal-error': {
    status: 500,
    when: 'A defect of the shop. Nothing is said about it but `correlationId`.',
    remedy: 'Report it with the correlation id, by which the log has it.',
  },
});
