import type { AwaitedPayments } from '#events/awaited-payments.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { Document } from '#kernel/projection.ts';
import type { Address } from '#values/address.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { FulfillmentStatus, OrderDates } from '#values/order-transitions.ts';
import type { Minor } from '#values/money.ts';

export type DeliveryStatus = 'NotShipped' | 'Preparing' | 'PartiallyShipped' | 'Shipped' | 'Delivered';

/** A payment, or with a negative amount a refund. */
export interface OrderPayment {
  readonly paymentId: string;
  /** Of a refund: the payment. */
  readonly parentPaymentId: string | null;
  readonly paymentType: 'Payment' | 'Refund' | 'PartialRefund';
  readonly provider: string;
  readonly method: string | null;
  readonly transactionId: string;
  readonly amount: Minor;
  readonly paidAt: string;
  readonly risk: Risk | null;
}

interface Risk {
  readonly score: number;
  readonly source: string;
}

/** What people read about an invoice; those of the shop itself have the author `System`. */
export interface OrderNote {
  readonly date: string;
  readonly text: string | null;
  readonly author: string;
  /** Of the member of staff who wrote it. */
  readonly authorId?: string;
  readonly isVisibleToCustomer: boolean;
  /** What it says once the buyer is forgotten, where that is less. */
  readonly textOnceForgotten?: string | null;
}

/**
 * Why an invoice is not to be paid any more: its basket was placed again, it expired, staff cancelled it, or it never
 * came to be.
 */
export interface Cancellation {
  readonly reason: 'superseded' | 'expired' | 'cancelled' | 'void';
  readonly at: string;
  /** For people. */
  readonly detail: string | null;
}

/** How an order stands with the provider that sends it. */
export interface OrderFulfilment {
  /** As the provider calls it; null until it has taken it. */
  readonly fulfilmentProviderReference: string | null;
  /** ISO instant. */
  readonly fulfilmentSubmittedAt: string | null;
  /** Why the last try came to nothing; null once one has not. */
  readonly fulfilmentErrorMessage: string | null;
  /** Tries that came to nothing. */
  readonly fulfilmentRetryCount: number;
}

/** An invoice with its orders, for list and detail alike. Amounts in minor units. */
export interface OrderDocument extends Document {
  readonly invoiceNumber: string;
  readonly dateCreated: string;
  readonly dateUpdated: string;
  readonly businessDay: string;
  readonly cancellationStatus: 'active' | 'cancelled';
  readonly cancellation: Cancellation | null;
  /** When the sale was confirmed: only then it counts in reports. */
  readonly confirmedAt: string | null;
  /** Of a customer with account terms that name days. */
  readonly dueDate: string | null;
  /** Under which it was sold on account. */
  readonly purchaseOrder: string | null;
  readonly customerId: string | null;
  /** Whose account lists it: the member's who bought it, else the customer's; null until it is sold. */
  readonly buyerId: string | null;
  /** Whether the customer has account terms: of what is owed as it is now, else as it was when it was sold. */
  readonly customerTerms: 'account' | 'none';
  readonly customerName: string | null;
  /** The name in lower case: what the list is sorted by. */
  readonly customerKey: string | null;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  /** Null for a number that was taken for an invoice that could not be created. */
  readonly content: InvoiceContent | null;
  readonly balance: InvoiceBalance;
  /** Null once it is closed. */
  readonly awaited: AwaitedPayments | null;
  readonly payments: readonly OrderPayment[];
  /** Of its first events. */
  readonly notes: readonly OrderNote[];
  /** How many stand apart, by their part (docs/rules/orders.md#notes). */
  readonly laterNotes: Readonly<Record<number, number>>;
  /** The highest of its payments. */
  readonly risk: Risk | null;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  /** By order, of those that have moved. */
  readonly orderDates: Readonly<Record<string, OrderDates>>;
  /** By order, of those that a provider was asked to send. */
  readonly fulfilments: Readonly<Record<string, OrderFulfilment>>;
  /** By order. */
  readonly cancellationReasons: Readonly<Record<string, string | null>>;
  /** The statuses of the orders, each once. */
  readonly statuses: readonly OrderStatus[];
  /** The same as one text, in the order of the alphabet: `Cancelled Shipped`. */
  readonly statusSet: string;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly shipments: readonly Shipment[];
  /** Null when nothing ships. */
  readonly deliveryStatus: DeliveryStatus | null;
  readonly totalInStoreCurrency: Minor;
  /** Paid less refunded, and what was given back on top. */
  readonly keptInStoreCurrency: Minor;
  /** `open`: a confirmed sale that stands and is not paid in full. */
  readonly receivable: 'open' | 'none';
  /** What an open one still has to bring in; 0 for every other invoice. */
  readonly outstandingInStoreCurrency: Minor;
  /** Number, name and e-mail address in lower case. */
  readonly searchText: string;
}

/** Null of a sale that knows no name (docs/rules/orders.md#without-a-customer). */
export const buyerName = ({ customerName }: Pick<OrderDocument, 'customerName'>): string | null =>
  customerName === '' ? null : customerName;
