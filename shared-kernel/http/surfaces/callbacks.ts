import { z } from 'zod';
import { root } from './root.ts';
import type { ErrorForm, Surface } from './surface.ts';

/** `{ message }`, which is all that a provider logs. */
const callbackErrors: ErrorForm = {
  name: 'CallbackError',
  schema: z.object({ message: z.string() }),
  write: ({ message, details }) => ({ json: { message, ...details } }),
};

/**
 * Providers that tell the shop what has happened at their side. Signatures are over the bytes as they came
 * (docs/rules/payment-callbacks.md).
 */
export const callbacks: Surface = {
  ...root,
  name: 'callbacks',
  title: 'Callbacks of providers',
  mountPoints: ['/shop/webhooks'],
  callers: ['anyone'],
  body: { kind: 'json', maxBytes: 1_000_000, isRawKept: true },
  errors: callbackErrors,
  setsCookies: false,
};
