import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { OfferedAfterwards } from '../invoices/post-purchase/post-purchase.commands.ts';

export interface PostPurchaseApi {
  /** Whether anything may be offered at all: asked of every purchase, it costs nothing. */
  mayOffer(): boolean;
  /**
   * What is offered to the customer who has just paid an invoice; null for nothing. `chargedMethodId`: the saved
   * method that paid, if any. Never blocks a sale: what cannot be found out is not offered.
   */
  offerFor(
    invoiceId: string,
    chargedMethodId: string | null,
    meta: CommandMeta,
  ): Promise<OfferedAfterwards | null>;
}
