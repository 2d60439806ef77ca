import type { StockHold } from '#events/checkout.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import { callsOf, remember, type Process, type Refusal } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { takenOver } from '#values/basket-hold.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { toCustomer } from '../../customers/customer.stream.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import type { NumberCalls } from '../../invoices/invoice.commands.ts';
import type { RequestedInvoice } from '../../invoices/order-desk/order-desk.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** A manual order without an invoice yet. */
interface RequestedOrder extends RequestedInvoice {
  readonly invoiceId: string;
  readonly invoiceNumberPrefix: string;
}

/** A refused order that may still hold reservations. */
interface RefusedOrder {
  readonly status: 'refused';
  readonly invoiceId: string;
  readonly placementId: string;
  readonly holds: readonly StockHold[];
}

export type OpenManualOrder = RequestedOrder | RefusedOrder;

const call = callsOf<NumberCalls>();

interface Found {
  readonly number: number;
}

/** Its reservations are held by the invoice, like those of later additions. */
const holderOf = ({ invoiceId, placementId }: OpenManualOrder) => ({ basketId: invoiceId, placementId });

const rowOf = ({ productId, warehouseId }: StockHold): string => stockId(productId, warehouseId);

const reserve = (order: RequestedOrder) =>
  (order.holds ?? []).map((hold) =>
    to(stockStream, rowOf(hold), { type: 'ReserveStock', ...holderOf(order), quantity: hold.quantity }),
  );

const release = (order: RefusedOrder) =>
  order.holds.map((hold) =>
    to(stockStream, rowOf(hold), { type: 'ReleaseStock', ...holderOf(order), isFinal: true }),
  );

const wantedOf = (
  { productRootName }: OrderLine,
  { requestedQuantity, availableQuantity }: Refusal['details'],
) => `${productRootName}: ${String(requestedQuantity)} wanted, ${String(availableQuantity)} available.`;

/** Names the product that is unavailable. */
const namingTheProduct = (
  refusal: Refusal,
  row: string,
  { content, holds = [] }: RequestedOrder,
): Refusal => {
  const hold = holds.find((one) => rowOf(one) === row);
  const lines = content.orders.flatMap((order) => order.lines);
  const line = lines.find(({ productId }) => productId !== null && productId === hold?.productId);
  if (refusal.code !== 'out-of-stock' || !line) return refusal;
  return { ...refusal, message: wantedOf(line, refusal.details) };
};

/**
 * From a requested manual order to its announced sale (docs/rules/manual-orders.md#steps): stock is reserved, the
 * customer's stream learns of the sale, a number is taken, then invoice and sale are one append. Only stock refuses.
 * The refusal is recorded before what was reserved is given back: a late driver finds one or the other, and takes
 * nothing from a sale.
 */
export const createManualOrder: Process<OpenManualOrder, Found> = {
  name: 'create-manual-order',
  on: { ManualOrderRequested: 'opens', InvoiceCreated: 'ends', ManualOrderCleared: 'ends' },
  takenOver,
  begins: () => ({ number: 0 }),
  steps: [
    {
      name: 'reserve stock',
      commands: (order) => (order.status === 'requested' ? reserve(order) : []),
      explains: (refusal, ask, order) =>
        order.status === 'requested' && 'id' in ask ? namingTheProduct(refusal, ask.id, order) : refusal,
    },
    {
      name: 'tell the customer',
      commands: (order) => {
        if (order.status !== 'requested') return [];
        const { invoiceId, content, billingAddress } = order;
        const { customerId, businessDay, createdAt: placedAt, amountsInStoreCurrency, source } = content;
        const { total } = amountsInStoreCurrency;
        const countryCode = billingAddress?.countryCode ?? null;
        const sale = { invoiceId, businessDay, sourceType: source.type, total, placedAt, countryCode };
        return toCustomer(customerId, { type: 'RecordCustomerSale', ...sale });
      },
    },
    {
      name: 'take a number',
      commands: (order) => {
        if (order.status !== 'requested') return [];
        const { invoiceId, invoiceNumbersRevision: afterRevision } = order;
        return [
          remember(call('takeInvoiceNumber', { invoiceId, afterRevision }), (found, number) => ({
            ...found,
            number,
          })),
        ];
      },
    },
    {
      name: 'create the invoice and announce the sale',
      commands: (order, { number }) => {
        if (order.status !== 'requested') return [];
        const { invoiceId, invoiceNumberPrefix } = order;
        const invoiceNumber = formatInvoiceNumber(invoiceNumberPrefix, number);
        return [to(invoiceStream, invoiceId, { type: 'CreateManualInvoice', invoiceNumber })];
      },
    },
    {
      name: 'give back what a refused order has reserved',
      commands: (order) => (order.status === 'refused' ? release(order) : []),
    },
    {
      name: 'end a refused order',
      commands: (order) =>
        order.status === 'refused' ? [to(invoiceStream, order.invoiceId, { type: 'ClearManualOrder' })] : [],
    },
  ],
  completes: null,
  fails: ({ invoiceId }, refusal) => to(invoiceStream, invoiceId, { type: 'RefuseManualOrder', ...refusal }),
};
