import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { OfferedAfterwards } from '../../invoices/post-purchase/post-purchase.commands.ts';

export interface PostPurchaseApi {
  /** Whether any offer is possible. Cheap, as every purchase asks. */
  mayOffer(): boolean;
  /**
   * The offer for a customer who has just paid an invoice; null for none. `chargedMethodId`: the saved method that
   * paid, if any. Never blocks a sale: a failed look-up means no offer.
   */
  offerFor(
    invoiceId: string,
    chargedMethodId: string | null,
    meta: CommandMeta,
  ): Promise<OfferedAfterwards | null>;
}
