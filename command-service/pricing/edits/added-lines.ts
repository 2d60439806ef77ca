import type { OrderAddon, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { percentOf, type Minor } from '#values/money.ts';
import { addonSku } from '../addons.ts';
import { writtenLine } from '../custom-item.ts';
import { productOf } from '../product-line.ts';
import type { EditMoney } from './edit-money.ts';
import type {
  AddedItem,
  AddedProduct,
  EditFacts,
  FoundItem,
  FoundProduct,
  OpenedShipping,
  WantedEdit,
} from './invoice-edit.ts';

/** Units at a price in the store's currency. Discounts and tax come later. */
const amountsOf = (unit: Minor, quantity: number, cost: Minor, taxRate: number | null, money: EditMoney) => {
  const lineTotal = money.own(unit * quantity);
  return {
    unitPrice: money.own(unit),
    lineTotal,
    discount: 0,
    tax: 0,
    taxRate: taxRate ?? 0,
    isTaxable: taxRate !== null,
    costInStoreCurrency: cost,
    ...(money.isForeign && { cost: money.own(cost) }),
    lineTotalInStoreCurrency: money.isForeign ? unit * quantity : lineTotal,
  };
};

/** A product at its price of now, at the locked rate; it stays apart from what was sold. */
export const addedProduct = (
  { quantity }: AddedProduct,
  { sellable, addons: chosen, taxRate }: FoundProduct,
  id: string,
  { version }: WantedEdit,
  money: EditMoney,
): OrderLine => {
  const { root, variant } = sellable;
  const rate = root.taxGroupId === null ? null : taxRate;
  const addons = chosen.map(({ option, value }): OrderAddon => {
    const addonId = derivedId('order-line', id, value.id);
    return {
      id: addonId,
      basketLineId: addonId,
      optionId: option.id,
      valueId: value.id,
      sku: addonSku(variant.sku, value),
      name: `${option.name}: ${value.name}`,
      ...amountsOf(value.priceAdjustment, quantity, value.costAdjustment, rate, money),
    };
  });
  return {
    id,
    ...productOf(sellable),
    quantity,
    ...amountsOf(variant.price, quantity, variant.costOfGoods, rate, money),
    ...(addons.length > 0 && { addons }),
    edit: version,
  };
};

/** A line that is written by hand, in the invoice's own currency. */
export const addedItem = (
  item: AddedItem,
  id: string,
  { version }: WantedEdit,
  { destination, tax }: EditFacts,
  money: EditMoney,
): OrderLine => {
  const line = writtenLine(id, item, destination, tax);
  const { costInStoreCurrency: cost } = line;
  const lineTotal = money.charged(line.lineTotal);
  return {
    ...line,
    unitPrice: money.charged(line.unitPrice),
    lineTotal,
    tax: 0,
    costInStoreCurrency: money.store(cost),
    ...(money.isForeign && { cost }),
    lineTotalInStoreCurrency: money.store(lineTotal),
    edit: version,
  };
};

/** Where a line wants to go: from nowhere in particular, it joins the first order. */
export interface Place extends Pick<FoundItem, 'warehouseId' | 'optionKey'> {
  readonly shipping: OpenedShipping;
}

const takes = (order: OrderContent, { warehouseId, optionKey }: Place): boolean =>
  warehouseId === null ||
  (order.warehouseId === warehouseId && (optionKey === null || order.shippingOptionKey === optionKey));

const opened = (
  { editId }: WantedEdit,
  { warehouseId, shipping }: Place,
  money: EditMoney,
): OrderContent => ({
  orderId: derivedId('order', editId, warehouseId ?? 'digital', shipping.optionKey ?? 'none'),
  warehouseId,
  shippingOptionId: shipping.shippingOptionId,
  shippingOptionKey: shipping.optionKey,
  shippingServiceName: shipping.name ?? (warehouseId === null ? 'digital' : null),
  shippingCost: money.own(shipping.cost),
  shippingCostInStoreCurrency: money.isForeign ? shipping.cost : money.own(shipping.cost),
  requestedDeliveryDate: null,
  lines: [],
});

/** Puts a line into the order that sends from there, or into one of its own. In place. */
export const placed = (
  orders: OrderContent[],
  line: OrderLine,
  place: Place,
  wanted: WantedEdit,
  money: EditMoney,
): OrderContent => {
  const { closedOrderIds, completedOrderIds = [] } = wanted;
  const over = [...closedOrderIds, ...completedOrderIds];
  const at = orders.findIndex((order) => !over.includes(order.orderId) && takes(order, place));
  const order = orders[at] ?? opened(wanted, place, money);
  const joined = { ...order, lines: [...order.lines, line] };
  if (at < 0) orders.push(joined);
  else orders[at] = joined;
  return joined;
};

/** Of a line that is new: on what discounts have left of it. */
export const taxOn = (base: Minor, { isTaxable, taxRate }: Pick<OrderLine, 'isTaxable' | 'taxRate'>): Minor =>
  isTaxable ? percentOf(base, taxRate) : 0;
