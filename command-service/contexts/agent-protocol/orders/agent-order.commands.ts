import type { AmendedAdjustment, AmendedEvent } from '#events/agent-order.events.ts';

/** Adds to an order what a test says of it, or puts it in the place of what has its id. */
export interface AmendOrder {
  readonly type: 'AmendOrder';
  readonly events: readonly AmendedEvent[];
  readonly adjustments: readonly AmendedAdjustment[];
  /** ISO instant. */
  readonly now: string;
}
