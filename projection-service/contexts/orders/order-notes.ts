import { withoutPersonalFields } from '#events/define-events.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType as EventIn, Recorded } from '#kernel/event.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import type { OrderDocument, OrderNote } from './order.document.ts';

type Data<Type extends InvoiceEvent['type']> = EventIn<InvoiceEvent, Type>['data'];
type Event<Type extends InvoiceEvent['type']> = { readonly data: Data<Type> } & Pick<Recorded, 'recordedAt'>;

/** What people read of an event; `before` is its invoice as it was, null for who does not have it. */
type NotesOf = {
  readonly [Type in InvoiceEvent['type']]?: (
    event: Event<Type>,
    before: Pick<OrderDocument, 'content'> | null,
  ) => OrderNote | null;
};

const told = (date: string, text: string, author = 'System'): OrderNote => ({
  date,
  text,
  author,
  isVisibleToCustomer: false,
});

/** `2026-03-08 12:00 UTC` of an instant. */
const inMinutes = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

const whyNotDue = ({ isLate, isSurplus }: Data<'PaymentCaptured'>): string => {
  if (isLate) return ' It came when the invoice was closed.';
  return isSurplus ? ' The invoice was paid already.' : '';
};

const edited = (
  { content, editedAt, reason, by, totalBefore }: Data<'InvoiceEdited'>,
  total: Minor | undefined,
): OrderNote => {
  const { amounts, currency } = content;
  const before = totalBefore ?? total;
  const isOther = before !== undefined && before !== amounts.total;
  const from = isOther
    ? `, from ${formatMoney(before, currency)} to ${formatMoney(amounts.total, currency)}`
    : '';
  return told(editedAt, `Edited${from}${reason === null ? '.' : `: ${reason}`}`, by);
};

const cancelled = ({ cancelledAt, reason, cancelledBy }: Data<'InvoiceCancelled'>): OrderNote => {
  if (cancelledBy === undefined) return told(cancelledAt, 'Cancelled: expired');
  return told(cancelledAt, reason === null ? 'Cancelled.' : `Cancelled: ${reason}`, cancelledBy);
};

/** What staff read of a move; the one that every sale begins with says nothing. */
const moved = ({ recordedAt, data }: Event<'OrderStatusChanged'>): OrderNote | null => {
  const { from, to, reason } = data;
  if (from === 'Pending' && to !== 'Cancelled') return null;
  return told(recordedAt, `An order went from ${from} to ${to}${reason ? `: ${reason}` : '.'}`);
};

const pieces = (count: number): string => (count === 1 ? '1 piece' : `${count} pieces`);

const shipmentMade = ({
  createdAt,
  carrier,
  trackingNumber,
  lines,
  by,
}: Data<'ShipmentCreated'>): OrderNote => {
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const sentBy = [carrier, trackingNumber].filter((part) => part !== null).join(' ');
  return told(
    createdAt,
    `A shipment of ${pieces(units)} was created${sentBy === '' ? '.' : `: ${sentBy}`}`,
    by,
  );
};

const notSubmitted = ({
  providerKey,
  message,
  retryCount,
  isFinal,
  failedAt,
}: Data<'FulfilmentAttemptFailed'>): OrderNote => {
  const which = isFinal ? ', and given up' : ` (try ${retryCount})`;
  return told(failedAt, `Not submitted to ${providerKey}${which}: ${message ?? '-'}`);
};

const notes: NotesOf = {
  InvoiceNoted: ({ data: { noteId: _, notedAt: date, ...note } }) => ({ date, ...note }),
  InvoiceCancelled: ({ data }) => cancelled(data),
  InvoiceEdited: ({ data }, before) => edited(data, before?.content?.amounts.total),
  OrderStatusChanged: moved,
  PaymentCaptured: ({ data }) =>
    told(
      data.paidAt,
      `Payment of ${formatMoney(data.amount, data.currency)} received (${data.provider}).${whyNotDue(data)}`,
    ),
  PaymentAuthorized: ({ data: { amount, currency, provider, authorizedAt, expiresAt } }) =>
    told(
      authorizedAt,
      `${formatMoney(amount, currency)} authorised (${provider})${expiresAt === null ? '.' : `, until ${inMinutes(expiresAt)}.`}`,
    ),
  CaptureDeclined: ({ data: { provider, message, declinedAt } }) =>
    told(declinedAt, `Not captured (${provider}): ${message}`),
  VoidDeclined: ({ data: { provider, message, declinedAt } }) =>
    told(declinedAt, `The authorisation could not be voided (${provider}): ${message}`),
  AuthorizationReleased: ({ data: { amount, currency, provider, reason, releasedAt } }) =>
    told(
      releasedAt,
      reason === 'expired'
        ? `The authorisation of ${formatMoney(amount, currency)} has expired (${provider}). Nothing was taken.`
        : `The authorisation of ${formatMoney(amount, currency)} was voided (${provider}).`,
    ),
  PaymentDeclined: ({ recordedAt, data: { provider, message, endedAt } }) =>
    told(endedAt ?? recordedAt, `Payment failed (${provider}): ${message}`),
  PaymentRefunded: ({ data: { amount, currency, provider, reason, refundedAt, by } }) =>
    told(refundedAt, `${formatMoney(amount, currency)} refunded (${provider}): ${reason ?? '-'}`, by),
  RefundDeclined: ({ data: { amount, currency, provider, message, declinedAt } }) =>
    told(declinedAt, `${formatMoney(amount, currency)} could not be refunded (${provider}): ${message}`),
  RefundFailed: ({ data: { amount, currency, provider, message, failedAt } }) =>
    told(
      failedAt,
      `${formatMoney(amount, currency)} could not be refunded after all (${provider}): ${message}`,
    ),
  ShipmentCreated: ({ data }) => shipmentMade(data),
  ShipmentStatusChanged: ({ data: { from, to, at } }) => told(at, `A shipment went from ${from} to ${to}.`),
  ShipmentDeleted: ({ data: { deletedAt, by } }) => told(deletedAt, 'A shipment was deleted.', by),
  FulfilmentSubmitted: ({ data: { providerKey, reference, submittedAt } }) =>
    told(submittedAt, `Submitted to ${providerKey} as ${reference}`),
  FulfilmentAttemptFailed: ({ data }) => notSubmitted(data),
  FulfilmentCancellationEnded: ({ data: { providerKey, isCancelled, message, endedAt } }) =>
    told(
      endedAt,
      isCancelled
        ? `Cancelled at ${providerKey}, too`
        : `${providerKey} could not be told that the order is cancelled: ${message ?? 'no reason given'}`,
    ),
};

type NotedEvent = InvoiceEvent & Pick<Recorded, 'recordedAt'>;
type AnyNote = (event: NotedEvent, before: Pick<OrderDocument, 'content'> | null) => OrderNote | null;

/** The events of which people read (docs/rules/orders.md#notes). */
export const notedEvents = Object.keys(notes) as readonly (keyof typeof notes)[];

const said: AnyNote = (event, before) =>
  (notes as Readonly<Record<string, AnyNote | undefined>>)[event.type]?.(event, before) ?? null;

const definitions = new Map(invoiceEvents.definitions.map((definition) => [definition.type, definition]));

export const noteOf = (
  event: NotedEvent,
  before: Pick<OrderDocument, 'content'> | null,
): OrderNote | null => {
  const note = said(event, before);
  const definition = definitions.get(event.type);
  if (!note || !definition) return note;
  const { type, recordedAt } = event;
  const data = withoutPersonalFields(definition, event.data);
  const textOnceForgotten = said({ type, recordedAt, data } as NotedEvent, before)?.text ?? null;
  return textOnceForgotten === note.text ? note : { ...note, textOnceForgotten };
};

/** The notes of an order whose buyer is forgotten. */
export const forgottenNotes = (all: readonly OrderNote[]): readonly OrderNote[] =>
  all.map(({ textOnceForgotten, ...note }) =>
    textOnceForgotten === undefined ? note : { ...note, text: textOnceForgotten },
  );

/** Events of a stream whose notes stand together: the first ones with the order itself, the later ones apart. */
const EVENTS_TOGETHER = 100;

/** In which part the notes of an event stand; 0 is the order's own. */
export const notesPartOf = ({ revision }: { readonly revision: number }): number =>
  Math.floor(revision / EVENTS_TOGETHER);
