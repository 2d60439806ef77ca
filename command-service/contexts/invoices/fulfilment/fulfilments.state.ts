import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderContent } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

export interface OrderFulfilment {
  readonly orderId: string;
  readonly configurationId: string;
  readonly providerKey: string;
  /** The provider's idempotency key. */
  readonly key: string;
  /** The provider has been asked; its answer is not recorded yet. */
  readonly isUnderWay: boolean;
  /** The provider's own reference; null until it accepts the order. */
  readonly reference: string | null;
  /** Failed attempts. */
  readonly retryCount: number;
  /** ISO instant of the next attempt; null if none is planned. */
  readonly nextAt: string | null;
  readonly errorMessage: string | null;
  /** The provider's latest word. */
  readonly providerStatus: string | null;
  readonly mappedStatus: string | null;
  /** The provider has been told of the cancellation, or telling it was given up. */
  readonly isCancellationOver: boolean;
}

/** A provider's status of an order: its own word, and the shop's status for it. */
export type ProviderWord = Pick<
  InvoiceEventOf<'FulfilmentStatusNoted'>['data'],
  'providerStatus' | 'mappedStatus' | 'statusDate' | 'errorMessage'
>;

export interface Fulfilling {
  readonly fulfilments: readonly OrderFulfilment[];
  /** The latest internal notes by staff. */
  readonly staffNotes: readonly string[];
}

/** A note has 5,000 characters at most. */
const STAFF_NOTES = 10;

export const nothingSubmitted: Fulfilling = { fulfilments: [], staffNotes: [] };

const { FulfilmentStatusNoted, InvoiceNoted } = invoiceEvents.create;

export const fulfilmentOf = ({ fulfilments }: Fulfilling, orderId: string): OrderFulfilment | undefined =>
  fulfilments.find((one) => one.orderId === orderId);

const goodsOf = ({ lines }: Pick<OrderContent, 'lines'>) => lines.map(({ id, quantity }) => [id, quantity]);

/** Warns staff that a provider still packs the goods from before an edit: it is not told of the change. */
export const outdatedProviders = (
  { content, ...invoice }: Fulfilling & { readonly content: Pick<InvoiceContent, 'orders'> },
  after: Pick<InvoiceContent, 'orders'>,
): string[] =>
  content.orders.flatMap((before) => {
    const { orderId } = before;
    const { reference = null } = fulfilmentOf(invoice, orderId) ?? {};
    const lines = after.orders.find((order) => order.orderId === orderId)?.lines ?? [];
    if (reference === null || isSameJson(goodsOf(before), goodsOf({ lines }))) return [];
    return [`The provider that sends these goods has the order (${reference}): tell it what has changed.`];
  });

/**
 * A provider that never answered may have accepted an order that is now cancelled. Its reference is unknown, so staff
 * must cancel it there by hand.
 */
export const perhapsTaken = (
  { fulfilments }: Fulfilling,
  orderIds: readonly string[],
  notedAt: string,
): InvoiceEvent[] =>
  fulfilments
    .filter(({ orderId, reference, nextAt }) => orderIds.includes(orderId) && !reference && nextAt !== null)
    .map(({ orderId, providerKey }) =>
      InvoiceNoted({
        noteId: derivedId('perhaps-taken', orderId),
        text: `${providerKey} was asked to send a cancelled order and may have taken it: see that it does not.`,
        isVisibleToCustomer: false,
        author: 'fulfilment',
        notedAt,
      }),
    );

/** Notes a status once. */
export const statusNoted = (
  invoice: Fulfilling,
  orderId: string,
  said: ProviderWord,
  notedAt: string,
): InvoiceEvent[] => {
  const fulfilment = fulfilmentOf(invoice, orderId);
  if (!fulfilment) return [];
  const { configurationId, providerKey } = fulfilment;
  const { providerStatus, mappedStatus } = said;
  if (fulfilment.providerStatus === providerStatus && fulfilment.mappedStatus === mappedStatus) return [];
  return [FulfilmentStatusNoted({ orderId, configurationId, providerKey, ...said, notedAt })];
};

const changed = (
  { fulfilments }: Fulfilling,
  orderId: string,
  change: Partial<OrderFulfilment>,
): Partial<Fulfilling> => ({
  fulfilments: fulfilments.map((one) => (one.orderId === orderId ? { ...one, ...change } : one)),
});

const attempted = (
  invoice: Fulfilling,
  { data: { orderId, configurationId, providerKey, key } }: InvoiceEventOf<'FulfilmentSubmissionAttempted'>,
): Partial<Fulfilling> => {
  const before = fulfilmentOf(invoice, orderId);
  // A planned retry continues the count; any other attempt starts at zero.
  const isRetry = before !== undefined && before.nextAt !== null;
  const now: OrderFulfilment = {
    ...{ orderId, configurationId, providerKey, key },
    isUnderWay: true,
    reference: null,
    retryCount: isRetry ? before.retryCount : 0,
    nextAt: null,
    errorMessage: null,
    providerStatus: null,
    mappedStatus: null,
    isCancellationOver: false,
  };
  return { fulfilments: [...invoice.fulfilments.filter((one) => one.orderId !== orderId), now] };
};

export const onFulfilmentEvents = {
  // Only internal notes written by staff.
  InvoiceNoted: ({ staffNotes }, { data: { text, authorId, isVisibleToCustomer } }) =>
    text === null || authorId === undefined || isVisibleToCustomer
      ? {}
      : { staffNotes: [...staffNotes, text].slice(-STAFF_NOTES) },
  FulfilmentSubmissionAttempted: attempted,
  FulfilmentSubmitted: (invoice, { data: { orderId, reference, providerStatus } }) => {
    const taken = { isUnderWay: false, reference, providerStatus, nextAt: null, errorMessage: null };
    return changed(invoice, orderId, taken);
  },
  FulfilmentAttemptFailed: (invoice, { data: { orderId, retryCount, nextAt, message: errorMessage } }) =>
    changed(invoice, orderId, { isUnderWay: false, retryCount, nextAt, errorMessage }),
  FulfilmentStatusNoted: (invoice, { data: { orderId, providerStatus, mappedStatus } }) =>
    changed(invoice, orderId, { providerStatus, mappedStatus }),
  FulfilmentCancellationEnded: (invoice, { data: { orderId } }) =>
    changed(invoice, orderId, { isCancellationOver: true }),
  FulfilmentWatchEnded: () => ({}),
} satisfies Part<Fulfilling>;

/** The id under which an order is found by the provider's reference. */
export const referenceId = (configurationId: string, reference: string): string =>
  derivedId('fulfilment-reference', configurationId, reference);
