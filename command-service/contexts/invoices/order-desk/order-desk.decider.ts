import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { evolve } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { emptyAddress, type Address } from '#values/address.ts';
import { countryName, isCountry, regionOfAddress } from '#values/region.ts';
import { announcedSale } from '../confirm-sale.ts';
import { createInvoice } from '../invoice.decider.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import type {
  ChangeInvoiceAddress,
  ChangePurchaseOrderNumber,
  CreateManualInvoice,
  NoteInvoice,
  OrderDeskCommand,
  RefuseManualOrder,
  RequestManualOrder,
} from './order-desk.commands.ts';

export interface OrderDeskContext {
  readonly invoiceId: string;
  /** ISO instant. */
  readonly now: string;
  /** The business day of now. */
  readonly today: string;
}

const {
  BillingAddressChanged,
  InvoiceNoted,
  ManualOrderCleared,
  ManualOrderRefused,
  ManualOrderRequested,
  PurchaseOrderNumberChanged,
  ShippingAddressChanged,
} = invoiceEvents.create;

const requestOrder = (
  state: InvoiceState,
  { type: _, holds, ...order }: RequestManualOrder,
): InvoiceEvent[] =>
  state.status === 'none'
    ? [ManualOrderRequested({ ...order, ...(holds.length > 0 ? { holds: [...holds] } : {}) })]
    : [];

const refuseOrder = (
  state: InvoiceState,
  { code, message, details }: RefuseManualOrder,
  refusedAt: string,
): InvoiceEvent[] =>
  state.status === 'requested' ? [ManualOrderRefused({ code, message, details, refusedAt })] : [];

const clearOrder = (state: InvoiceState, clearedAt: string): InvoiceEvent[] =>
  state.status === 'refused' && state.isToBeCleared ? [ManualOrderCleared({ clearedAt })] : [];

/** The invoice that some first events make. */
const made = (events: readonly InvoiceEvent[]): KnownInvoice => {
  let invoice = initialInvoice();
  for (const event of events) invoice = evolve(onInvoiceEvents, invoice, event);
  if (!isKnown(invoice)) throw new TypeError('these events make no invoice');
  return invoice;
};

/** Invoice and announced sale at once: nobody sees one without the other (docs/rules/manual-orders.md#steps). */
const createOrder = (
  state: InvoiceState,
  { invoiceNumber, previousSaleDay }: CreateManualInvoice,
  { invoiceId, now, today }: OrderDeskContext,
): InvoiceEvent[] => {
  if (state.status !== 'requested') return [];
  const { placementId, content, email, billingAddress, shippingAddress } = state;
  const order = { placementId, invoiceNumber, content, email, billingAddress, shippingAddress };
  const first = createInvoice(initialInvoice(), { type: 'CreateInvoice', ...order }, now);
  const invoice = made(first);
  const mayBeSent = content.accountTerms !== undefined || invoice.payments.length > 0;
  const { sourceId, sourceName } = content.source;
  return [
    ...first,
    InvoiceNoted({
      noteId: derivedId('manual-order-created', invoiceId),
      text: 'Manual order created',
      isVisibleToCustomer: false,
      author: sourceName ?? 'System',
      ...(sourceId === null ? {} : { authorId: sourceId }),
      notedAt: now,
    }),
    ...announcedSale(invoice, { previousSaleDay, mayBeSent }, { now, today }),
  ];
};

/** An invoice that staff see. */
const shown = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state) || state.status === 'deleted')
    throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

const requiredFields = ['name', 'addressOne', 'townCity', 'postalCode'] as const;

/**
 * The address with what was given; of a forgotten one nothing is left to fill it up with. Another country has none of
 * the regions of the one before.
 */
const changedAddress = (before: Address | null, changes: Partial<Address>): Address => {
  const known = before ?? emptyAddress;
  const isMoved = changes.countryCode !== undefined && changes.countryCode !== known.countryCode;
  const after = { ...known, ...(isMoved ? { regionCode: null, countyState: null } : {}), ...changes };
  const region = regionOfAddress(after);
  refuseProblems([
    ...requiredFields.filter((field) => after[field] === '').map((field) => `${field}: must be text`),
    ...(isCountry(after.countryCode) ? [] : ['countryCode: must be an ISO 3166-1 country code']),
    ...(region === undefined ? ['regionCode: must be a region of that country'] : []),
  ]);
  return { ...after, regionCode: region ?? null, country: countryName(after.countryCode) };
};

const nameOf = ({ invoiceNumber, content }: KnownInvoice) => ({
  invoiceNumber,
  businessDay: content.businessDay,
});

const changeAddress = (
  state: InvoiceState,
  { type, changes, by }: ChangeInvoiceAddress,
  changedAt: string,
): InvoiceEvent[] => {
  const invoice = shown(state);
  const isBilling = type === 'ChangeBillingAddress';
  const before = isBilling ? invoice.billingAddress : invoice.shippingAddress;
  const address = changedAddress(before, changes);
  if (isSameJson(address, before)) return [];
  const change = { ...nameOf(invoice), address, by, changedAt };
  if (isBilling) return [BillingAddressChanged(change)];
  const { isConfirmed, orderStatuses } = invoice;
  return [
    ShippingAddressChanged({ ...change, ...(isConfirmed ? { orderStatuses: { ...orderStatuses } } : {}) }),
  ];
};

const changePurchaseOrder = (
  state: InvoiceState,
  { purchaseOrderNumber, by }: ChangePurchaseOrderNumber,
  changedAt: string,
): InvoiceEvent[] => {
  const invoice = shown(state);
  return invoice.purchaseOrderNumber === purchaseOrderNumber
    ? []
    : [PurchaseOrderNumberChanged({ ...nameOf(invoice), purchaseOrderNumber, by, changedAt })];
};

const note = (state: InvoiceState, { type: _, ...given }: NoteInvoice, notedAt: string): InvoiceEvent[] =>
  shown(state).noteIds.includes(given.noteId) ? [] : [InvoiceNoted({ ...given, notedAt })];

/** What staff do to an invoice at the order desk. Shares the invoice's stream. */
export const orderDeskDecider: Decider<InvoiceState, OrderDeskCommand, InvoiceEvent, OrderDeskContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'RequestManualOrder':
        return requestOrder(state, command);
      case 'CreateManualInvoice':
        return createOrder(state, command, context);
      case 'RefuseManualOrder':
        return refuseOrder(state, command, context.now);
      case 'ClearManualOrder':
        return clearOrder(state, context.now);
      case 'ChangeBillingAddress':
      case 'ChangeShippingAddress':
        return changeAddress(state, command, context.now);
      case 'ChangePurchaseOrderNumber':
        return changePurchaseOrder(state, command, context.now);
      case 'NoteInvoice':
        return note(state, command, context.now);
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
