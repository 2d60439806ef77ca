import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { PaymentPages } from '#events/invoice.fields.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Buyer } from '../../checkout/checkout.commands.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { SavedMethodRow } from '../../payment-methods/saved-method.commands.ts';

/** How the buyer of an agent pays: a method that agents are offered, and what pays. */
export interface AgentPayment {
  readonly providerAlias: string;
  readonly methodAlias: string;
  /** Null: the buyer goes on at a page of the provider. */
  readonly token: string | null;
  /** A saved method of the member who buys; null: it is paid otherwise. */
  readonly savedMethodId: string | null;
  /** Scheme and host of the shop. */
  readonly ownAddress: string;
  /** Where the payer goes on at the end. */
  readonly pages: PaymentPages;
}

/** What is ordered, and by whom. */
export interface AgentOrder {
  readonly buyer: Buyer;
  /** The member who has linked the agent; null: a guest buys. */
  readonly memberId: string | null;
  /** Whether an order is what the agent has agreed to: no other is charged. */
  readonly isAgreed: (invoice: KnownInvoice) => boolean;
}

/** A member's saved method, with the provider's payment method that charges it. */
export interface MemberMethod extends SavedMethodRow {
  readonly methodAlias: string;
}

/** How a member pays without a browser. */
export interface MemberPayments {
  /** Those that can be charged: the default first, then the newest. */
  readonly saved: readonly MemberMethod[];
  readonly buysOnAccount: boolean;
}

/** What came of it. */
export type AgentPaid =
  | { readonly kind: 'bought'; readonly invoiceId: string; readonly invoiceNumber: string }
  /** `continueUrl`: where the buyer goes on; null: at the shop. */
  | {
      readonly kind: 'awaited';
      readonly invoiceId: string;
      readonly from: 'provider' | 'buyer';
      readonly continueUrl: string | null;
    }
  | {
      readonly kind: 'declined';
      readonly invoiceId: string;
      readonly isFraud: boolean;
      readonly message: string;
    };

export interface AgentPaymentsApi {
  /**
   * Makes the order of a basket, and asks for its payment. The same command means the same order. Errors: those of
   * checkout, `basket-changed` where it is not what was agreed to, `provider-unavailable`.
   */
  payForAgent(
    basketId: string,
    payment: AgentPayment,
    order: AgentOrder,
    meta: CommandMeta,
  ): Promise<AgentPaid>;
  /**
   * What is known of the payment of an invoice now, once what is open of it is settled; null: nothing is under way.
   * Pages that were opened before `since` (ISO instant) are those of an earlier payment.
   */
  paidByNow(invoiceId: string, since: string, meta: CommandMeta): Promise<AgentPaid | null>;
  /** What the agent of a linked member may pay with besides (docs/rules/linked-members.md#paying). */
  ofMember(memberId: string): Promise<MemberPayments>;
  /** Those that agents are offered: the shoppers', and those for tests; another list whenever that changes. */
  offeredToAgents(): readonly PaymentProvider[];
}
