import type { Actor } from '#kernel/event.ts';

/** Deliveries of another kind, which the endpoints of deliveries show (docs/rules/webhooks.md#log-of-deliveries). */
export interface OtherDeliveries {
  /** Null where it is none of theirs. Errors: Rejection `wrong-role`, `EngineUnavailable`. */
  detail(id: string, actor: Actor): Promise<object | null>;
  /** Sends it again now. Null where it is none of theirs. Errors: Rejection, `EngineUnavailable`. */
  retry(id: string, actor: Actor): Promise<object | null>;
}

/** Which is asked in turn; modules add theirs while they are created. */
export type DeliveryLogs = OtherDeliveries[];

/** What the first of them answers that knows it; null where none does. */
export const firstOf = async (
  logs: readonly OtherDeliveries[],
  ask: (log: OtherDeliveries) => Promise<object | null>,
): Promise<object | null> => {
  for (const log of logs) {
    const found = await ask(log);
    if (found) return found;
  }
  return null;
};
