import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Caller } from './caller.ts';

const actor: Actor = { kind: 'system', id: null };

/** End-to-end tests, by the secret that the shop was started with. */
export const testing: Caller = {
  kind: 'testing',
  security: [{ testingSecret: [] }],
  schemes: { testingSecret: { type: 'apiKey', in: 'header', name: 'Testing-Secret' } },
  errors: ['unauthenticated'],
  admit: ({ header }, { isTestingSecret }) => {
    const given = header('testing-secret');
    if (given !== undefined && isTestingSecret(given)) return actor;
    throw new Rejection('unauthenticated', 'The header Testing-Secret is missing or wrong.');
  },
};
