import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

const units = z.array(z.object({ id: text, quantity: z.int() }));

/** What is known by another name stands apart, as it came. */
const saidBesides = z.record(z.string(), z.unknown()).exactOptional();

/** What an agent says has become of a shipment. */
const amendedEvent = z.object({
  id: text,
  occurredAt: instant,
  type: text,
  lines: units,
  trackingNumber: text.exactOptional(),
  trackingUrl: text.exactOptional(),
  carrier: text.exactOptional(),
  description: text.exactOptional(),
  further: saidBesides,
});
export type AmendedEvent = z.output<typeof amendedEvent>;

/** The same of what has changed about an order; what it says of money is in `further`. */
const amendedAdjustment = z.object({
  id: text,
  type: text,
  occurredAt: instant,
  status: z.enum(['pending', 'completed', 'failed']),
  lines: units,
  description: text.exactOptional(),
  further: saidBesides,
});
export type AmendedAdjustment = z.output<typeof amendedAdjustment>;

/**
 * What tests of agents say of orders, where the test endpoints are on (docs/rules/agent-orders.md#test-endpoints).
 * Stream `agentOrder-<invoiceId>`.
 */
export const agentOrderEvents = defineEvents('agent-protocol', {
  /** By their ids: what is there already is replaced. */
  AgentOrderAmended: {
    events: z.array(amendedEvent),
    adjustments: z.array(amendedAdjustment),
    amendedAt: instant,
  },
});
export type AgentOrderEvent = EventOf<typeof agentOrderEvents>;
