import { z } from 'zod';
import { envelope, said, sharedAnswer } from './agent-answer-parts.ts';

/** Answers about carts, as the newest dialect writes them; what differs: docs/rules/agent-dialects.md. */
export const cartResponse = z.object({
  ...sharedAnswer,
  ucp: envelope,
  cart_status: z.enum(['active', 'converted', 'cancelled', 'expired']),
  context: said.optional(),
});
