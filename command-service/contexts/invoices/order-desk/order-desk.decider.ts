import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { evolve } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { emptyAddress, type Address } from '#values/address.ts';
import { hasPostalCodes } from '#values/postal-codes.ts';
import { countryName, isCountry, regionOfAddress } from '#values/region.ts';
import { announcedSale } from '../confirm-sale.ts';
import { paymentIdsOf } from '../close-invoice.ts';
import { createInvoice } from '../create-invoice.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ifKnown, ofVisible, type InvoiceRules } from '../invoice-rules.ts';
import {
  initialInvoice,
  isKnown,
  nameOf,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import type {
  ChangeInvoiceAddress,
  ChangePurchaseOrderNumber,
  ClearManualOrder,
  CreateManualInvoice,
  ForgetInvoice,
  NoteInvoice,
  NoteReminder,
  OrderDeskCommand,
  RefuseManualOrder,
  RequestManualOrder,
} from './order-desk.commands.ts';

const {
  BillingAddressChanged,
  InvoiceForgotten,
  InvoiceNoted,
  InvoiceReminded,
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
    ? [ManualOrderRequested({ ...order, ...defined({ holds: holds.length > 0 ? [...holds] : undefined }) })]
    : [];

const refuseOrder = (
  state: InvoiceState,
  { code, message, details }: RefuseManualOrder,
  { now: refusedAt }: InvoiceContext,
): InvoiceEvent[] =>
  state.status === 'requested' ? [ManualOrderRefused({ code, message, details, refusedAt })] : [];

const clearOrder = (
  state: InvoiceState,
  _: ClearManualOrder,
  { now: clearedAt }: InvoiceContext,
): InvoiceEvent[] =>
  state.status === 'refused' && state.isToBeCleared ? [ManualOrderCleared({ clearedAt })] : [];

const made = (events: readonly InvoiceEvent[]): KnownInvoice => {
  let invoice = initialInvoice();
  for (const event of events) invoice = evolve(onInvoiceEvents, invoice, event);
  if (!isKnown(invoice)) throw new TypeError('these events make no invoice');
  return invoice;
};

/** Invoice and announced sale in one append: neither is ever seen alone (docs/rules/manual-orders.md#steps). */
const createOrder = (
  state: InvoiceState,
  { invoiceNumber }: CreateManualInvoice,
  { invoiceId, now, today }: InvoiceContext,
): InvoiceEvent[] => {
  if (state.status !== 'requested') return [];
  const { placementId, content, email, billingAddress, shippingAddress } = state;
  const order = { placementId, invoiceNumber, content, email, billingAddress, shippingAddress };
  const first = createInvoice(initialInvoice(), { type: 'CreateInvoice', ...order }, { now, today });
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
      ...defined({ authorId: sourceId ?? undefined }),
      notedAt: now,
    }),
    ...announcedSale(invoice, { mayBeSent }, { now, today }),
  ];
};

const requiredFields = ['name', 'addressOne', 'townCity', 'postalCode'] as const;

const isRequired = (field: (typeof requiredFields)[number], { countryCode }: Address): boolean =>
  field !== 'postalCode' || hasPostalCodes(countryCode);

/**
 * The address with the changes applied; an erased one has nothing to start from. A change of country clears the region.
 */
const changedAddress = (before: Address | null, changes: Partial<Address>): Address => {
  const known = before ?? emptyAddress;
  const isMoved = changes.countryCode !== undefined && changes.countryCode !== known.countryCode;
  const after = { ...known, ...(isMoved ? { regionCode: null, countyState: null } : {}), ...changes };
  const region = regionOfAddress(after);
  refuseProblems([
    ...requiredFields
      .filter((field) => after[field] === '' && isRequired(field, after))
      .map((field) => `${field}: must be text`),
    ...(isCountry(after.countryCode) ? [] : ['countryCode: must be an ISO 3166-1 country code']),
    ...(region === undefined ? ['regionCode: must be a region of that country'] : []),
  ]);
  return { ...after, regionCode: region ?? null, country: countryName(after.countryCode) };
};

const changeAddress = (
  invoice: KnownInvoice,
  { type, changes, by }: ChangeInvoiceAddress,
  { now: changedAt }: InvoiceContext,
): InvoiceEvent[] => {
  const isBilling = type === 'ChangeBillingAddress';
  const before = isBilling ? invoice.billingAddress : invoice.shippingAddress;
  const address = changedAddress(before, changes);
  if (isSameJson(address, before)) return [];
  const change = { ...nameOf(invoice), address, by, changedAt };
  if (isBilling) return [BillingAddressChanged(change)];
  const { isConfirmed, orderStatuses } = invoice;
  return [
    ShippingAddressChanged({
      ...change,
      ...defined({ orderStatuses: isConfirmed ? { ...orderStatuses } : undefined }),
    }),
  ];
};

const changePurchaseOrder = (
  invoice: KnownInvoice,
  { purchaseOrderNumber, by }: ChangePurchaseOrderNumber,
  { now: changedAt }: InvoiceContext,
): InvoiceEvent[] =>
  invoice.purchaseOrderNumber === purchaseOrderNumber
    ? []
    : [PurchaseOrderNumberChanged({ ...nameOf(invoice), purchaseOrderNumber, by, changedAt })];

const note = (
  { noteIds }: KnownInvoice,
  { type: _, ...given }: NoteInvoice,
  { now: notedAt }: InvoiceContext,
): InvoiceEvent[] => (noteIds.includes(given.noteId) ? [] : [InvoiceNoted({ ...given, notedAt })]);

/** Even if the invoice has changed since: the mail says what was true when it was written. */
const noteReminder = (
  invoice: KnownInvoice,
  { kind, number, days, dayDue }: NoteReminder,
  { now: remindedAt, today: remindedDay }: InvoiceContext,
): InvoiceEvent[] => {
  const { status, reminded } = invoice;
  const isNext = kind === 'dueSoon' ? !reminded.isDueSoonSent : number === reminded.overdueSent + 1;
  return status !== 'deleted' && isNext
    ? [InvoiceReminded({ ...nameOf(invoice), kind, number, dayDue, days, remindedDay, remindedAt })]
    : [];
};

const forget = (invoice: KnownInvoice, _: ForgetInvoice, { now: at }: InvoiceContext): InvoiceEvent[] =>
  invoice.isForgotten
    ? []
    : [InvoiceForgotten({ ...nameOf(invoice), paymentIds: [...paymentIdsOf(invoice)], at })];

/** Changes by staff at the order desk, and reminders. */
export const orderDeskRules: InvoiceRules<OrderDeskCommand> = {
  RequestManualOrder: requestOrder,
  CreateManualInvoice: createOrder,
  RefuseManualOrder: refuseOrder,
  ClearManualOrder: clearOrder,
  ChangeBillingAddress: ofVisible(changeAddress),
  ChangeShippingAddress: ofVisible(changeAddress),
  ChangePurchaseOrderNumber: ofVisible(changePurchaseOrder),
  NoteInvoice: ofVisible(note),
  NoteReminder: ifKnown(noteReminder),
  ForgetInvoice: ifKnown(forget),
};
