import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { StockHold } from '#events/checkout.events.ts';
import type { Holder } from '#values/basket-hold.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from './invoice.state.ts';

/** What a basket still holds for an invoice. */
interface Held {
  readonly holds: readonly StockHold[];
  readonly discountIds: readonly string[];
}

/** What expiring an invoice asks of other streams; each answers a repeat as it answered the first time. */
export interface ExpiryPorts {
  load(invoiceId: string): Promise<InvoiceState>;
  /** Cancels it if it has expired, by now; the state after that. */
  cancel(invoiceId: string, meta: CommandMeta): Promise<InvoiceState>;
  /** Null when a newer invoice of the basket has taken over what this one held. */
  heldFor(basketId: string, invoiceId: string): Promise<Held | null>;
  releaseStock(holder: Holder, hold: StockHold, meta: CommandMeta): Promise<void>;
  releaseDiscount(holder: Holder, discountId: string, meta: CommandMeta): Promise<void>;
  /** Says on the basket's stream that everything has been given back. */
  end(basketId: string, placementId: string, invoiceId: string, meta: CommandMeta): Promise<void>;
}

const hasExpired = (state: InvoiceState): state is KnownInvoice =>
  isKnown(state) && state.status === 'cancelled' && state.cancellation === 'expired';

/**
 * Takes an unpaid invoice from its expiry to the last unit given back: cancelled on its own stream, where a payment
 * that comes in the same moment wins or loses, then released, then ended. Sent again after a crash, by another process
 * or at the same time, each step finds what is left of it.
 */
export const createInvoiceExpiry = (ports: ExpiryPorts) => {
  const giveBack = async (invoiceId: string, invoice: KnownInvoice, meta: CommandMeta): Promise<void> => {
    const { placementId, content } = invoice;
    const { basketId } = content;
    if (basketId === null) return;
    const held = await ports.heldFor(basketId, invoiceId);
    // Without a turn: a later placement of the basket keeps what it has taken over.
    const holder = { basketId, placementId };
    await Promise.all([
      ...(held?.holds ?? []).map((hold) => ports.releaseStock(holder, hold, meta)),
      ...(held?.discountIds ?? []).map((discountId) => ports.releaseDiscount(holder, discountId, meta)),
    ]);
    await ports.end(basketId, placementId, invoiceId, meta);
  };

  return {
    /** False when the invoice has not expired. Errors: `EngineUnavailable` and conflicts, after which it is resumed. */
    expire: async (invoiceId: string, meta: CommandMeta): Promise<boolean> => {
      const state = await ports.cancel(invoiceId, meta);
      if (!hasExpired(state)) return false;
      await giveBack(invoiceId, state, meta);
      return true;
    },

    /** Gives back what an expired invoice still holds; does nothing for any other. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      const state = await ports.load(invoiceId);
      if (hasExpired(state)) await giveBack(invoiceId, state, meta);
    },
  };
};

export type InvoiceExpiry = ReturnType<typeof createInvoiceExpiry>;
