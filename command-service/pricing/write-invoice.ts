import type { InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import type { TaxReference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import { writtenLine, type WrittenItem } from './custom-item.ts';
import { productLine, shippingCostOf, type Leaving, type SentProduct } from './manual-order-products.ts';
import { inOwnSteps } from './present-invoice.ts';
import { optionKeyOf } from './quote-shipping.ts';
import { shippingTaxOn, type ShippingTaxRule } from './shipping-tax.ts';

/** What staff sell without a basket. */
export interface InvoiceToWrite extends Pick<
  InvoiceContent,
  'customerId' | 'accountTerms' | 'createdAt' | 'businessDay'
> {
  readonly placementId: string;
  readonly currency: string;
  readonly products: readonly SentProduct[];
  /** Null: whichever ships first. */
  readonly items: readonly (WrittenItem & { readonly leaving: Leaving | null })[];
  readonly to: Destination;
  readonly shippingTax: ShippingTaxRule;
  /** Who of the staff sells it. */
  readonly seller: { readonly id: string; readonly name: string };
}

const untaxed = { amount: 0, effectiveRate: null };

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((total, amount) => total + amount, 0);

/** A line of an order, and what it sells; null: it is written by hand. */
interface PlacedLine {
  readonly leaving: Leaving | null;
  readonly product: SentProduct | null;
  readonly line: OrderLine;
}

const linesOf = ({ placementId, products, items, to }: InvoiceToWrite, tax: TaxReference): PlacedLine[] => {
  const idOf = (index: number): string => derivedId('order-line', placementId, index);
  return [
    ...products.map((product, index) => ({
      leaving: product.leaving,
      product,
      line: productLine(idOf(index), product, to, tax),
    })),
    ...items.map((item, index) => ({
      leaving: item.leaving,
      product: null,
      line: writtenLine(idOf(products.length + index), item, to, tax),
    })),
  ];
};

/** What needs no shipping, when nothing else does. */
const nowhere: Leaving = { warehouseId: null, option: null };

const orderFrom = (
  orderId: string,
  leaving: Leaving | null,
  placed: readonly PlacedLine[],
  to: Destination,
): OrderContent => {
  const { warehouseId, option } = leaving ?? nowhere;
  const shippingCost = shippingCostOf(
    placed.flatMap(({ product }) => product ?? []),
    leaving ?? nowhere,
    to,
  );
  return {
    orderId,
    warehouseId,
    shippingOptionId: option?.id ?? null,
    shippingOptionKey: option && optionKeyOf(option.id),
    shippingServiceName: leaving === null ? 'digital' : (option?.name ?? null),
    shippingCost,
    shippingCostInStoreCurrency: shippingCost,
    requestedDeliveryDate: null,
    lines: placed.map(({ line }) => line),
  };
};

/** One order for what leaves together; what leaves from nowhere goes with the first. */
const ordersOf = (order: InvoiceToWrite, tax: TaxReference): readonly OrderContent[] => {
  const lines = linesOf(order, tax);
  const loose = lines.filter(({ leaving }) => leaving === null);
  const sent = lines.flatMap(({ leaving, ...placed }) => (leaving === null ? [] : [{ leaving, ...placed }]));
  const groups = Map.groupBy(
    sent,
    ({ leaving: { warehouseId, option } }) => `${warehouseId ?? ''} ${option?.id ?? ''}`,
  );
  const together: (readonly PlacedLine[])[] = [...groups.values()];
  const [first = [], ...others] = together;
  return [[...first, ...loose], ...others].map((placed, index) =>
    orderFrom(derivedId('order', order.placementId, index), placed[0]?.leaving ?? null, placed, order.to),
  );
};

/**
 * The content of a manual order (docs/rules/manual-orders.md#amounts), in the store's currency: lines, each with its
 * own tax, and what products cost to send; without discounts.
 */
export const writeInvoice = (order: InvoiceToWrite, reference: TaxReference): InvoiceContent => {
  const { currency, customerId, accountTerms, createdAt, businessDay, seller } = order;
  const orders = ordersOf(order, reference);
  const lines = orders.flatMap((one) => one.lines);
  const subTotal = sum(lines.map(({ lineTotal }) => lineTotal));
  const lineTax = sum(lines.map((line) => line.tax));
  const shipping = sum(orders.map(({ shippingCost }) => shippingCost));
  const taxable = sum(lines.filter(({ isTaxable }) => isTaxable).map(({ lineTotal }) => lineTotal));
  const onShipping = shipping === 0 ? untaxed : shippingTaxOn(shipping, order.shippingTax, lineTax, taxable);
  const tax = lineTax + onShipping.amount;
  const amounts = { subTotal, discount: 0, shipping, tax, total: subTotal + shipping + tax };
  return inOwnSteps({
    basketId: null,
    customerId,
    ...(accountTerms && { accountTerms }),
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
    shippingTax: onShipping.amount,
    effectiveShippingTaxRate: onShipping.effectiveRate,
    itemCount: sum(lines.map(({ quantity }) => quantity)),
    orders: [...orders],
    termsAcceptedAt: null,
    createdAt,
    businessDay,
  });
};
