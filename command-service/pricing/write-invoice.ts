import type { InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import type { TaxReference } from '#reference/reference.ts';
import type { Minor } from '#values/money.ts';
import { writtenLine, type TaxPlace, type WrittenItem } from './custom-item.ts';

/** Where a line leaves from, and by which option; null where the shop has none. */
export interface Leaving {
  readonly warehouseId: string | null;
  readonly option: { readonly id: string; readonly name: string } | null;
}

/** What staff sell without a basket. */
export interface InvoiceToWrite extends Pick<
  InvoiceContent,
  'customerId' | 'accountTerms' | 'createdAt' | 'businessDay'
> {
  readonly placementId: string;
  readonly currency: string;
  readonly items: readonly (WrittenItem & { readonly leaving: Leaving })[];
  readonly to: TaxPlace;
  /** Who of the staff sells it. */
  readonly seller: { readonly id: string; readonly name: string };
}

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((total, amount) => total + amount, 0);

const orderFrom = (
  orderId: string,
  { warehouseId, option }: Leaving,
  lines: readonly OrderLine[],
): OrderContent => ({
  orderId,
  warehouseId,
  shippingOptionId: option?.id ?? null,
  shippingOptionKey: option && `so:${option.id}`,
  shippingServiceName: option?.name ?? null,
  shippingCost: 0,
  shippingCostInStoreCurrency: 0,
  requestedDeliveryDate: null,
  lines: [...lines],
});

/** One order for what leaves together. */
const ordersOf = ({ placementId, items, to }: InvoiceToWrite, tax: TaxReference): readonly OrderContent[] => {
  const lines = items.map((item, index) => ({
    leaving: item.leaving,
    line: writtenLine(derivedId('order-line', placementId, index), item, to, tax),
  }));
  const together = Map.groupBy(
    lines,
    ({ leaving: { warehouseId, option } }) => `${warehouseId ?? ''} ${option?.id ?? ''}`,
  );
  return [...together.values()].flatMap((group, index) => {
    const [first] = group;
    const orderId = derivedId('order', placementId, index);
    return first
      ? [
          orderFrom(
            orderId,
            first.leaving,
            group.map(({ line }) => line),
          ),
        ]
      : [];
  });
};

/**
 * The content of a manual order (docs/rules/manual-orders.md#amounts), in the store's currency: lines, each with its
 * own tax, without discounts and shipping.
 */
export const writeInvoice = (order: InvoiceToWrite, reference: TaxReference): InvoiceContent => {
  const { currency, customerId, accountTerms, createdAt, businessDay, seller } = order;
  const orders = ordersOf(order, reference);
  const lines = orders.flatMap((one) => one.lines);
  const subTotal = sum(lines.map(({ lineTotal }) => lineTotal));
  const tax = sum(lines.map((line) => line.tax));
  const amounts = { subTotal, discount: 0, shipping: 0, tax, total: subTotal + tax };
  return {
    basketId: null,
    customerId,
    ...(accountTerms ? { accountTerms } : {}),
    channel: 'Manual order',
    source: {
      type: 'draft',
      displayName: 'Manual order',
      sourceName: seller.name,
      sourceId: seller.id,
      sessionId: null,
    },
    storeCurrency: currency,
    currency,
    rate: '1',
    amounts,
    amountsInStoreCurrency: amounts,
    discounts: [],
    shippingTax: 0,
    effectiveShippingTaxRate: null,
    itemCount: sum(lines.map(({ quantity }) => quantity)),
    orders: [...orders],
    termsAcceptedAt: null,
    createdAt,
    businessDay,
  };
};
