import { goodsKey, type ChosenGoods } from '#command/pricing/addons.ts';
import { basketEvents } from '#events/basket.events.ts';
import {
  startedBasket,
  unpricedLine,
  type BasketView,
  type BasketViewLine,
  type ReferralDiscount,
} from '#events/basket-view.ts';
import { recordedAfter } from '#events/kept-discounts.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Destination } from '#values/address.ts';
import type {
  AddBasketLine,
  AddUpsell,
  ChangeBasketLineQuantity,
  RemoveBasketLine,
} from './basket.commands.ts';
import {
  isDiscountLine,
  promisedFor,
  referralApplied,
  takeOffDiscount,
  withReferral,
} from './basket-discounts.decider.ts';
import type { BasketContext, ProductOnSale } from './basket.context.ts';
import {
  editableBasket,
  existingBasket,
  heldUnits,
  isBought,
  noBasket,
  type BasketState,
  type BasketStreamEvent,
} from './basket.state.ts';
import { withConsequences, withLess } from './priced-change.ts';

const { BasketStarted, BasketLineAdded, BasketLineQuantityChanged, BasketLineRemoved } = basketEvents.create;

/** Holds whatever the settings allow: unit counts stay exact in a basket and in every report. */
export const MAX_LINE_QUANTITY = 9_999_999;

/** Pieces; add-ons do not count. */
export const countItems = (lines: readonly BasketViewLine[]): number =>
  lines.reduce((count, line) => count + line.quantity, 0);

/** As a shopper sees them: each add-on is a line, too. */
export const countLines = (lines: readonly { readonly addons?: readonly unknown[] }[]): number =>
  lines.reduce((count, { addons = [] }) => count + 1 + addons.length, 0);

const unitsOf = (lines: readonly BasketViewLine[], productId: string): number =>
  lines.reduce((units, line) => (line.productId === productId ? units + line.quantity : units), 0);

/** The product, with the add-ons that were chosen for it. */
export const onSaleOnly = (product: ProductOnSale | null): ProductOnSale => {
  if (product === null) throw new Rejection('product-not-found', 'This product does not exist.');
  const { line, isPurchasable, addonProblem } = product;
  if (!isPurchasable) {
    throw new Rejection('product-not-purchasable', `${line.productRootName} cannot be bought at the moment.`);
  }
  if (addonProblem !== null) throw new Rejection('add-on-invalid', `addons: ${addonProblem}`);
  return product;
};

/** What the basket would hold. */
interface Requested {
  /** In the line that is added to or changed. */
  readonly ofLine: number;
  /** In all lines of the product: they have different add-ons, but the same stock. */
  readonly ofProduct: number;
}

/** Refuses more of a product than there is to sell. */
export const checkStock = (
  state: BasketState,
  { line: { productId, productRootName }, availableUnits }: ProductOnSale,
  requested: number,
): void => {
  if (availableUnits === null) return;
  const availableQuantity = availableUnits + heldUnits(state, productId);
  if (requested <= availableQuantity) return;
  throw new Rejection(
    'out-of-stock',
    `${productRootName}: ${requested} requested, ${availableQuantity} available.`,
    { requestedQuantity: requested, availableQuantity },
  );
};

const checkQuantity = (
  state: BasketState,
  product: ProductOnSale,
  { ofLine, ofProduct }: Requested,
  { maxLineQuantity }: BasketContext,
): void => {
  const most = Math.min(maxLineQuantity, MAX_LINE_QUANTITY);
  if (ofLine > most) {
    throw new Rejection('quantity-too-large', `quantity: a line holds at most ${most} of one product.`);
  }
  checkStock(state, product, ofProduct);
};

const changeQuantity = (
  basket: BasketView,
  line: BasketViewLine,
  quantity: number,
  context: BasketContext,
  referral: ReferralDiscount | null = null,
): BasketStreamEvent[] => {
  const lines = basket.lines.map((other) => (other === line ? { ...line, quantity } : other));
  const { lineId, productId, sku, name, quantity: oldQuantity } = line;
  const itemCount = countItems(lines);
  const change = (pricing: BasketPricing) => [
    BasketLineQuantityChanged({
      ...{ lineId, productId, sku, name, oldQuantity, quantity, itemCount },
      pricing: recordedAfter(basket.discounts, pricing),
    }),
    ...referralApplied(referral, pricing),
  ];
  const changed = withReferral({ ...basket, lines }, referral);
  return quantity < oldQuantity
    ? withLess(changed, context, change)
    : withConsequences(changed, context, change);
};

/** A basket that is bought stays so. */
export const startBasket = (state: BasketState, currency: string, destination: Destination | null) => {
  if (destination === null || isBought(state)) throw noBasket();
  return { basket: startedBasket(currency, destination), events: [BasketStarted({ currency, destination })] };
};

export const findGoods = (
  lines: readonly BasketViewLine[],
  goods: ChosenGoods,
): BasketViewLine | undefined => {
  const key = goodsKey(goods);
  return lines.find((line) => goodsKey(line) === key);
};

/**
 * A product that is in the basket already, with the same add-ons, gets more units, any other a line of its own
 * (docs/rules/basket.md#adding).
 */
export const addLine = (
  state: BasketState,
  command: AddBasketLine,
  context: BasketContext,
): BasketStreamEvent[] => {
  const { productId, quantity } = command;
  const found = editableBasket(state);
  const { basket, events } = found
    ? { basket: found.basket, events: [] }
    : startBasket(state, context.prices.currency, command.startFor);
  const product = onSaleOnly(context.product);
  const { line } = product;
  const present = findGoods(basket.lines, command);
  const ofLine = (present?.quantity ?? 0) + quantity;
  const ofProduct = unitsOf(basket.lines, productId) + quantity;
  checkQuantity(state, product, { ofLine, ofProduct }, context);
  const referral = promisedFor(basket, present ?? line, command.referral, context);
  if (present !== undefined) return changeQuantity(basket, present, ofLine, context, referral);
  const { maxBasketLines } = context;
  if (countLines(basket.lines) + countLines([line]) > maxBasketLines) {
    throw new Rejection('basket-full', `A basket holds at most ${maxBasketLines} lines, add-ons included.`);
  }
  const lines = [...basket.lines, unpricedLine(line, quantity)];
  const itemCount = countItems(lines);
  const change = (pricing: BasketPricing) => [
    BasketLineAdded({
      ...{ line, quantity, itemCount },
      pricing: recordedAfter(basket.discounts, pricing),
      ...(!found && command.customerId && { startedFor: command.customerId }),
    }),
    ...referralApplied(referral, pricing),
  ];
  return [...events, ...withConsequences(withReferral({ ...basket, lines }, referral), context, change)];
};

/** A normal line, marked with the rule that it comes of (docs/rules/upsells.md#adding-by-itself). */
export const addUpsell = (
  state: BasketState,
  { upsellRuleId, productId }: AddUpsell,
  context: BasketContext,
): BasketStreamEvent[] => {
  const { lines, removedUpsells = [] } = existingBasket(state);
  const { product } = context;
  if (product === null) return [];
  const { productRootId } = product.line;
  if (removedUpsells.includes(productRootId)) return [];
  if (lines.some((line) => line.productRootId === productRootId)) return [];
  const line = { ...product.line, autoAddedByUpsellRule: upsellRuleId };
  const command = { type: 'AddBasketLine', productId, quantity: 1, addons: [], startFor: null } as const;
  return addLine(state, command, { ...context, product: { ...product, line } });
};

/** Add-ons look like lines, but they come, change and go with their product. */
const refuseAddon = ({ lines }: BasketView, lineId: string): void => {
  const product = lines.find(({ addons }) => addons?.some((addon) => addon.lineId === lineId));
  if (product === undefined) return;
  const message = `lineItemId: an add-on follows ${product.productRootName}. Change the line of the product.`;
  throw new Rejection('line-is-add-on', message);
};

const refuseDiscount = (basket: BasketView, lineId: string): void => {
  if (!isDiscountLine(basket, lineId)) return;
  throw new Rejection('line-is-discount', 'lineItemId: a discount has no quantity. It can be taken off.');
};

export const removeLine = (
  state: BasketState,
  { lineId }: Pick<RemoveBasketLine, 'lineId'>,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const line = basket.lines.find((other) => other.lineId === lineId);
  if (line === undefined) {
    if (isDiscountLine(basket, lineId)) return takeOffDiscount(state, { id: lineId }, context);
    refuseAddon(basket, lineId);
    return [];
  }
  const lines = basket.lines.filter((other) => other !== line);
  const { productId, sku, name, quantity } = line;
  const itemCount = countItems(lines);
  const change = (pricing: BasketPricing) => [
    BasketLineRemoved({ lineId, productId, sku, name, quantity, itemCount, pricing }),
  ];
  const referrals = basket.referrals.filter((referral) => referral.lineId !== lineId);
  return withLess({ ...basket, lines, referrals }, context, change);
};

export const changeLineQuantity = (
  state: BasketState,
  { lineId, quantity }: ChangeBasketLineQuantity,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const line = basket.lines.find((other) => other.lineId === lineId);
  if (line === undefined) {
    refuseAddon(basket, lineId);
    refuseDiscount(basket, lineId);
    throw new Rejection('line-not-found', 'The basket has no such line item.');
  }
  if (quantity <= 0) return removeLine(state, { lineId }, context);
  if (quantity === line.quantity) return [];
  const ofProduct = unitsOf(basket.lines, line.productId) - line.quantity + quantity;
  checkQuantity(state, onSaleOnly(context.product), { ofLine: quantity, ofProduct }, context);
  return changeQuantity(basket, line, quantity, context);
};
