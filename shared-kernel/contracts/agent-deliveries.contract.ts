import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { deliveryStatuses, type Readable } from '#topics/webhook-delivery.ts';
import { enumFilter, listFields, pageSchema } from './listing.contract.ts';
import { exchangeOf, exchangeShape, progressOf, progressShape } from './webhook-deliveries.contract.ts';

/** What agents were told of their orders and sessions (docs/rules/agent-notices.md#backoffice). */

export const agentDeliveryItem = (notice: Omit<AgentNotice, 'requestBody'>) => ({
  id: notice._id,
  eventType: notice.eventType,
  invoiceId: notice.invoiceId,
  sessionId: notice.sessionId,
  agent: notice.agent,
  dialect: notice.dialect,
  dateOccurred: notice.occurredAt,
  ...progressOf(notice),
});

export const agentDeliveryDetail = (notice: Readable<AgentNotice>) => ({
  ...agentDeliveryItem(notice),
  ...exchangeOf(notice),
  // Unlike those of webhooks, they hold no secrets.
  requestHeaders: notice.requestHeaders,
});

const itemShape = {
  id: z.string(),
  eventType: z.string(),
  /** Null for a notice of a session. */
  invoiceId: z.string().nullable(),
  sessionId: z.string().nullable(),
  /** The address of its profile. */
  agent: z.string(),
  /** The version of the protocol in which it is told. */
  dialect: z.string(),
  /** When it happened. */
  dateOccurred: z.string(),
  ...progressShape,
};

export const agentDeliveryItemSchema = z.object(itemShape);
export const agentDeliveryPageSchema = pageSchema(agentDeliveryItemSchema);
export const agentDeliveryDetailSchema = z.object({ ...itemShape, ...exchangeShape });

const { page, pageSize } = listFields(20);

export const agentDeliveryQuery = z.object({
  page,
  pageSize,
  invoiceId: guid.optional(),
  status: enumFilter(deliveryStatuses),
});
