import { z } from 'zod';
import { listFields } from './listing.contract.ts';

/** What agents do here, as the backoffice reads it (docs/rules/agent-sessions.md#backoffice). */

const { page, pageSize, search } = listFields();
/** By its profile, letter by letter. */
const agent = z.string().trim().max(2000).optional();

const sessionLife = z.enum(['active', 'completed', 'cancelled', 'expired']);
const cartLife = z.enum(['active', 'converted', 'completed', 'cancelled', 'expired']);

export const agentSessionListQuery = z.object({
  page,
  pageSize,
  search,
  agent,
  status: sessionLife.optional(),
});
export const agentCartListQuery = z.object({ page, pageSize, search, agent, status: cartLife.optional() });

const shared = {
  id: z.string(),
  /** Address of its profile. */
  agent: z.string(),
  agentName: z.string().nullable(),
  isVerified: z.boolean(),
  /** The version of the protocol that it is answered in. */
  dialect: z.string(),
  basketId: z.string(),
  lineCount: z.int(),
  itemCount: z.int(),
  dateCreated: z.string(),
  dateUpdated: z.string(),
  dateExpires: z.string(),
  invoiceId: z.string().nullable(),
};

export const agentSessionRow = z.object({
  ...shared,
  status: sessionLife,
  cartId: z.string().nullable(),
  invoiceNumber: z.string().nullable(),
});
export type AgentSessionRow = z.output<typeof agentSessionRow>;

export const agentCartRow = z.object({ ...shared, status: cartLife, sessionId: z.string().nullable() });
export type AgentCartRow = z.output<typeof agentCartRow>;

const detail = {
  /** What was asked for, as it stands; what is personal is null once its buyer is forgotten. */
  body: z.record(z.string(), z.unknown()),
  timeline: z.array(z.object({ date: z.string(), event: z.string(), by: z.string() })),
  invoice: z
    .object({
      invoiceId: z.string(),
      invoiceNumber: z.string(),
      paymentStatus: z.string(),
      fulfillmentStatus: z.string(),
    })
    .nullable(),
};

export const agentSessionDetail = agentSessionRow.extend(detail);
export const agentCartDetail = agentCartRow.extend(detail);
