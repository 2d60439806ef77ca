import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { toDecimal } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { decimalsOf } from '#values/currency.ts';
import { countryName } from '#values/region.ts';
import type { CommandMeta } from '../engine/command-engine.ts';
import { stepMeta } from '../engine/command-meta.ts';
import { isKnown, type KnownInvoice } from '../contexts/invoices/invoice.state.ts';
import type { GivenManualOrder } from '../contexts/orders/manual/manual-orders.actions.ts';
import { noEdit, type InvoiceEdit } from '../pricing/edits/invoice-edit.ts';
import type { Visit } from './plan-visits.ts';
import type { Chance } from './pure-random.ts';
import { requestsOf } from './requests.ts';
import type { ShopActions } from './visitor.ts';
import { type Doings, MINUTE } from './simulated-time.ts';
import type { Person } from './people.ts';

/** What people ask for by telephone, and what one of it costs, in whole units of the store's currency. */
const wishes = [
  ['Gift basket, made up by hand', 'BASKET', 35, 90],
  ['Engraving', 'ENGRAVING', 8, 25],
  ['Sample box', 'SAMPLES', 12, 30],
  ['Workshop for two', 'WORKSHOP', 60, 140],
] as const;

/** A telephone order, entered by staff. */
const phoneOrder = (
  { name, email, town, addressOne }: Person,
  chance: Chance,
  { taxGroupId, currency }: { readonly taxGroupId: string | null; readonly currency: string },
): GivenManualOrder => {
  const items = Array.from({ length: chance.whole(1, 2) }, () => {
    const [wish, sku, least, most] = chance.oneOf(wishes);
    return {
      name: wish,
      sku,
      amount: chance.whole(least, most) * 10 ** decimalsOf(currency),
      cost: 0,
      quantity: chance.whole(1, 3),
      taxGroupId,
      isPhysical: sku !== 'WORKSHOP',
      addons: [],
      warehouseId: null,
      shippingOptionId: null,
    };
  });
  const { countryCode, regionCode, townCity, postalCode } = town;
  const place = { townCity, postalCode, countryCode, regionCode, country: countryName(countryCode) };
  const billingAddress = {
    ...{ name, email, addressOne, ...place },
    ...{ company: null, addressTwo: null, countyState: null, phone: null },
  };
  return { billingAddress, shippingAddress: null, products: [], items };
};

/** An invoice, by the visit in which it was sold. */
export interface SoldInvoice {
  readonly visit: number;
  readonly invoiceId: string;
}

export interface StaffOptions {
  readonly seed: number;
  readonly shop: ShopActions;
  /** As what is ordered by telephone is taxed. */
  readonly taxGroupId: string | null;
  readonly settings: () => Pick<StoreSettings, 'storeCurrencyCode'>;
}

const staffRequests = (seed: number, what: string, visit: number): (() => CommandMeta) =>
  requestsOf({ kind: 'system', id: 'simulation' }, seed, what, visit);

const load = async ({ shop }: StaffOptions, invoiceId: string): Promise<KnownInvoice> => {
  const invoice = await shop.payments.load(invoiceId);
  if (!isKnown(invoice)) throw new Error(`the invoice ${invoiceId} was sold and is not there`);
  return invoice;
};

/** False where less was paid than that. */
const refunds = async (
  { shop }: StaffOptions,
  invoiceId: string,
  { payments }: KnownInvoice,
  given: { readonly amount: number | null; readonly reason: string },
  meta: CommandMeta,
): Promise<boolean> => {
  const paymentId = payments[0]?.paymentId ?? '';
  try {
    await shop.payments.refundByStaff(invoiceId, paymentId, { ...given, isManual: false }, stepMeta(meta));
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
};

/** A customer thinks better of it before anything is sent: the order is cancelled, and the money goes back. */
export async function* cancels(
  options: StaffOptions,
  { visit, invoiceId }: SoldInvoice,
  onCancel: () => void,
): Doings {
  yield MINUTE;
  const next = staffRequests(options.seed, 'cancellation', visit);
  await options.shop.orders.cancel(invoiceId, 'The customer does not want it any more.', next());
  onCancel();
  const invoice = await load(options, invoiceId);
  await refunds(options, invoiceId, invoice, { amount: null, reason: 'Cancelled' }, next());
}

/** One piece less, or one line; nothing of an order for a single piece. */
const oneLess = ({ content }: KnownInvoice): Partial<InvoiceEdit> | null => {
  const lines = content.orders.flatMap((order) => order.lines);
  const several = lines.find(({ quantity }) => quantity > 1);
  if (several) {
    const { id, quantity } = several;
    return { lineItems: [{ id, quantity: quantity - 1, shouldReturnToStock: true }] };
  }
  const [, second] = lines;
  return second ? { removedLineItems: [{ id: second.id, shouldReturnToStock: true }] } : null;
};

/** A customer has ordered too much, and says so before it is sent: it is taken out, and its money goes back. */
export async function* takesOut(
  options: StaffOptions,
  { visit, invoiceId }: SoldInvoice,
  onEdit: () => void,
): Doings {
  yield MINUTE;
  const { seed, shop } = options;
  const next = staffRequests(seed, 'edit', visit);
  const edit = oneLess(await load(options, invoiceId));
  if (edit === null) return;
  const wanted = { version: null, reason: 'Ordered too much', read: () => ({ ...noEdit, ...edit }) };
  const { invoice } = await shop.orders.edit(invoiceId, wanted, next());
  onEdit();
  const { creditDue: amount } = invoice.balance;
  if (amount > 0) await refunds(options, invoiceId, invoice, { amount, reason: 'Taken out' }, next());
}

/** Staff give back what the first parcel cost. */
export async function* makesUpFor(
  options: StaffOptions,
  { visit, invoiceId }: SoldInvoice,
  onRefund: () => void,
): Doings {
  yield MINUTE;
  const invoice = await load(options, invoiceId);
  const { shippingCost: amount } = invoice.content.orders[0] ?? { shippingCost: 0 };
  const next = staffRequests(options.seed, 'complaint', visit);
  if (amount > 0 && (await refunds(options, invoiceId, invoice, { amount, reason: 'It came late.' }, next())))
    onRefund();
}

/** Everything, or one piece of the first line: its money is given back, and the goods go back on their shelf. */
export async function* takesBack(
  options: StaffOptions,
  { visit, invoiceId }: SoldInvoice,
  isEverything: boolean,
  onReturn: () => void,
): Doings {
  yield MINUTE;
  const next = staffRequests(options.seed, 'return', visit);
  const invoice = await load(options, invoiceId);
  const lines = invoice.content.orders.flatMap((order) => order.lines.map((line) => ({ order, line })));
  const [first] = lines;
  if (!first) return;
  const back = isEverything ? lines : [{ ...first, line: { ...first.line, quantity: 1 } }];
  const amount = isEverything ? null : first.line.unitPrice;
  if (!(await refunds(options, invoiceId, invoice, { amount, reason: 'Returned' }, next()))) return;
  onReturn();
  for (const { order, line } of back) {
    const { productRootId: rootId, productId: variantId, quantity, isDigital } = line;
    const { warehouseId } = order;
    if (warehouseId === null || rootId === null || variantId === null || isDigital) continue;
    const goods = { rootId, variantId, warehouseId };
    await options.shop.inventory.adjust(goods, { change: { by: quantity }, reason: 'Return' }, next());
  }
}

/** An earlier customer orders by telephone. */
export async function* writesDown(
  options: StaffOptions,
  { number, person }: Visit,
  chance: Chance,
  onOrder: (order: SoldInvoice) => void,
): Doings {
  yield MINUTE;
  const { seed, shop, settings, taxGroupId } = options;
  const given = phoneOrder(person, chance, { taxGroupId, currency: settings().storeCurrencyCode });
  const { invoiceId } = await shop.orders.createManual(given, staffRequests(seed, 'by telephone', number)());
  onOrder({ visit: number, invoiceId });
}

/** The money of an order by telephone is on the account. */
export async function* recordsTransfer(options: StaffOptions, { visit, invoiceId }: SoldInvoice): Doings {
  yield MINUTE;
  const { balance, content } = await load(options, invoiceId);
  const amount = toDecimal(balance.balanceDue, content.currency);
  const payment = { method: 'Bank transfer', description: null, amount };
  const next = staffRequests(options.seed, 'transfer', visit);
  await options.shop.payments.recordManually(invoiceId, payment, next());
}

/** Every parcel of an invoice is packed and handed to the carrier. */
export async function* sendsOff(
  options: StaffOptions,
  { visit, invoiceId }: SoldInvoice,
  onSent: (shipmentIds: readonly string[]) => void,
): Doings {
  yield MINUTE;
  const { seed, shop } = options;
  const next = staffRequests(seed, 'shipment', visit);
  const { content } = await load(options, invoiceId);
  const parcels = content.orders.filter(({ lines }) => lines.some(({ isDigital }) => !isDigital));
  const shipmentIds: string[] = [];
  for (const { orderId } of parcels) {
    const shipmentId = derivedId('simulated shipment', orderId);
    const tracking = { carrier: 'Parcel Post', trackingNumber: `PP${seed}-${visit}-${shipmentIds.length}` };
    await shop.orders.createShipment({ shipmentId, orderId, lines: null, ...tracking }, next());
    await shop.orders.setShipmentStatus({ shipmentId, newStatus: 'Shipped' }, next());
    shipmentIds.push(shipmentId);
  }
  if (shipmentIds.length > 0) onSent(shipmentIds);
}

/** The carrier says that parcels have arrived. */
export async function* arrive(
  { seed, shop }: StaffOptions,
  visit: number,
  shipmentIds: readonly string[],
): Doings {
  yield MINUTE;
  const next = staffRequests(seed, 'delivery', visit);
  for (const shipmentId of shipmentIds)
    await shop.orders.setShipmentStatus({ shipmentId, newStatus: 'Delivered' }, next());
}
