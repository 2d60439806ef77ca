import { z } from 'zod';

/** A word to the agent (docs/rules/agents.md#refusals). */
const message = z.object({
  type: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  content: z.string(),
  /** JSONPath. */
  path: z.string().optional(),
  severity: z
    .enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'])
    .optional(),
});

const ofProtocol = z.object({
  code: z.string(),
  content: z.string(),
  continue_url: z.string().optional(),
  error: z.string(),
  message: z.string(),
});

const ofBusiness = z.object({
  ucp: z.object({ version: z.string(), status: z.literal('error') }),
  messages: z.array(message).min(1),
  continue_url: z.string().optional(),
});

const olderOfBusiness = z.object({
  detail: z.string(),
  code: z.string(),
  error: z.string(),
  message: z.string(),
  messages: z.array(message),
});

/** The body of a refusal on agent paths. */
export const agentErrorBody = z.union([ofProtocol, ofBusiness, olderOfBusiness]);
