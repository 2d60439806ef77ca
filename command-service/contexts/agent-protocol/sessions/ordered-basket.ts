import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView, BasketViewLine } from '#events/basket-view.ts';
import type { FrozenDiscount, InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { DisplayCurrency } from '#values/exchange.ts';
import type { Minor } from '#values/money.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { AgentSession } from './agent-session.state.ts';
import { unitsWanted } from './session-lines.ts';

/** What answers show of a basket. Store currency. */
export type ShownBasket = Pick<BasketView, 'lines' | 'totals' | 'discounts' | 'choices'>;

/** What an order says of the basket that it was made of. */
export interface OrderedBasket {
  readonly basket: ShownBasket;
  readonly display: DisplayCurrency;
  /** What is sent together, by the ids of its choices. */
  readonly groups: readonly {
    readonly groupId: string;
    readonly lines: readonly { readonly lineId: string }[];
  }[];
}

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((total, amount) => total + amount, 0);

const lineIdOf = ({ id, basketLineId }: OrderLine): string => basketLineId ?? id;

type Piece = Pick<OrderLine, 'lineTotalInStoreCurrency' | 'isTaxable' | 'taxRate'>;

/** What is taken off a line stands among the discounts. */
const figuresOf = ({ lineTotalInStoreCurrency, isTaxable, taxRate }: Piece, quantity: number) => ({
  unitPrice: Math.round(lineTotalInStoreCurrency / quantity),
  ...{ isTaxable, taxRate, discount: 0, tax: 0 },
});

/** `parts`: what one line of the basket became in each of its orders. */
const lineOf = (parts: readonly OrderLine[], imageUrl: string | null): BasketViewLine[] => {
  const [first] = parts;
  if (!first) return [];
  const { sku, name, productRootName, selectedOptions, isDigital, addons } = first;
  const quantity = sum(parts.map((part) => part.quantity));
  return [
    {
      lineId: lineIdOf(first),
      productId: first.productId ?? first.id,
      productRootId: first.productRootId ?? first.id,
      ...{ sku, name, productRootName, selectedOptions, isDigital, imageUrl, quantity },
      ...figuresOf(first, first.quantity),
      ...(addons && {
        addons: addons.map(({ basketLineId: lineId, optionId, valueId, ...addon }) => ({
          ...{ lineId, optionId, valueId, sku: addon.sku, name: addon.name },
          ...figuresOf(addon, first.quantity),
        })),
      }),
    },
  ];
};

const linesOf = ({ orders }: InvoiceContent, basket: BasketView | null): BasketViewLine[] => {
  const images = new Map(basket?.lines.map(({ productId, imageUrl }) => [productId, imageUrl]));
  const together = Map.groupBy(
    orders.flatMap(({ lines }) => lines),
    lineIdOf,
  );
  return [...together.values()].flatMap((parts) =>
    lineOf(parts, images.get(parts[0]?.productId ?? '') ?? null),
  );
};

const inStore = (discount: FrozenDiscount): FrozenDiscount => ({
  ...discount,
  amount: discount.amountInStoreCurrency ?? discount.amount,
});

const totalsOf = (
  { amountsInStoreCurrency: amounts, effectiveShippingTaxRate }: InvoiceContent,
  discounts: readonly FrozenDiscount[],
): BasketView['totals'] => {
  const onShipping = discounts.filter(({ category }) => category === 'FreeShipping');
  const shippingDiscount = sum(onShipping.map(({ amount }) => amount));
  const { subTotal, discount, shipping, tax, total } = amounts;
  return {
    ...{ subTotal, productDiscount: discount - shippingDiscount, shippingDiscount, shipping, tax, total },
    ...{ shippingTax: 0, effectiveShippingTaxRate },
  };
};

const choiceOf = (order: OrderContent, quotedAt: string): BasketView['choices'] => {
  const { shippingOptionKey: optionKey, orderId: groupId, shippingOptionId, deliveryDescription } = order;
  if (optionKey === null) return [];
  return [
    {
      ...{ groupId, warehouseId: order.warehouseId ?? '', optionKey, shippingOptionId, quotedAt },
      name: order.shippingServiceName ?? '',
      cost: order.shippingCostInStoreCurrency,
      deliveryDate: order.requestedDeliveryDate,
      ...(deliveryDescription !== undefined && { deliveryDescription }),
    },
  ];
};

/** The basket as its order has it; what it says of pictures is that of `basket`, as far as they are still in it. */
export const orderedBasket = (content: InvoiceContent, basket: BasketView | null): OrderedBasket => {
  const discounts = content.discounts.map(inStore);
  const sent = content.orders.filter(({ shippingOptionKey }) => shippingOptionKey !== null);
  return {
    basket: {
      lines: linesOf(content, basket),
      totals: totalsOf(content, discounts),
      discounts,
      choices: sent.flatMap((order) => choiceOf(order, content.createdAt)),
    },
    display: { currency: content.currency, rate: content.quote?.displayRate ?? '1' },
    groups: sent.map(({ orderId: groupId, lines }) => ({
      groupId,
      lines: lines.map((line) => ({ lineId: lineIdOf(line) })),
    })),
  };
};

const whatIsSold = ({ lines, totals, choices }: ShownBasket) => ({
  units: Object.fromEntries(unitsWanted(lines)),
  total: totals.total,
  options: [...new Set(choices.map(({ optionKey }) => optionKey))].sort(),
});

/** What a completed session has sold; null: the basket still says so, or it is not completed. */
export const orderOfSession = async (
  { streams }: Pick<CommandDeps, 'streams'>,
  session: AgentSession,
  basket: BasketView | null,
): Promise<OrderedBasket | null> => {
  if (session.status !== 'completed') return null;
  const { state } = await streams.recall(invoiceStream, session.order.invoiceId);
  if (!isKnown(state)) return null;
  const ordered = orderedBasket(state.content, basket);
  return basket && isSameJson(whatIsSold(basket), whatIsSold(ordered.basket)) ? null : ordered;
};
