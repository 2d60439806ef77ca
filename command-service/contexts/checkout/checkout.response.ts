import { basketResponse, checkoutBasketResponse, type BasketRemarks } from '#contracts/basket-response.ts';
import {
  lineAndAddons,
  shownAmount,
  shownOf,
  type BasketPresentation,
} from '#contracts/basket-line-response.ts';
import type { ShippingFields } from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { LineFigures } from '#events/pricing.fields.ts';
import { symbolOf } from '#values/currency.ts';
import { displayAmount } from '#values/exchange.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { estimatedDelivery } from '#command/pricing/delivery-dates.ts';
import type { ShippingPlan, UnavailableItem } from '#command/pricing/shipping-plan.ts';
import { warningsOf } from '../basket/basket.state.ts';
import type { ShippingEstimate } from './checkout-shipping.actions.ts';
import type { ChangedCheckout } from './found-basket.ts';

type Group = ShippingPlan['groups'][number];

/** The basket after a change, and what the shopper is told once of it. */
export const changedBasket = (
  { basketId, basket, events }: ChangedCheckout,
  presentation: BasketPresentation,
  earlier: readonly string[] = [],
) => {
  const warnings = [...earlier, ...warningsOf(events)];
  return {
    basket: checkoutBasketResponse(basketId, basket, presentation, { warnings, errors: [] }),
    warnings,
  };
};

/** Items that cannot be sent, as the basket's errors. */
export const itemErrors = (items: readonly UnavailableItem[]): BasketRemarks => ({
  warnings: [],
  errors: items.map(({ lineItemId, message, reason }) => ({
    message,
    relatedLineItemId: lineItemId,
    isShippingError: reason === 'destination',
    isStockError: reason === 'stock',
  })),
});

/** A shipping cost as it is shown: with its tax on top where prices include tax and the rate is known. */
const shownCost = (cost: number, taxRate: number, presentation: BasketPresentation) => {
  const shown = shownAmount(cost, taxRate, presentation);
  const { currency } = presentation.display;
  return { cost: toDecimal(shown, currency), formattedCost: formatMoney(shown, currency) };
};

/** How the groups of a basket are shown. */
export interface ShownShipping {
  /** Percent at which the shipping is taxed. */
  readonly taxRate: number;
  readonly presentation: BasketPresentation;
  readonly now: number;
}

type LineAmounts = ReadonlyMap<string, number>;

/**
 * What each part of each line and of its add-ons is shown to cost, by group and line. The parts of a line sum to what
 * the whole is shown to cost: the last one takes the rest (docs/rules/shipping.md#groups).
 */
const amountsByGroup = (
  groups: readonly Group[],
  basket: BasketView,
  presentation: BasketPresentation,
): readonly LineAmounts[] => {
  const shown = (piece: LineFigures, quantity: number): number =>
    shownOf(piece, quantity, presentation).total;
  const left = new Map(
    basket.lines.map((line) => [
      line.lineId,
      lineAndAddons(line).map((piece) => ({
        piece,
        quantity: line.quantity,
        amount: shown(piece, line.quantity),
      })),
    ]),
  );
  return groups.map(({ lines }) => {
    const amounts = new Map<string, number>();
    for (const { lineId, quantity } of lines) {
      for (const rest of left.get(lineId) ?? []) {
        const part = Math.min(shown(rest.piece, quantity), Math.max(rest.amount, 0));
        const amount = quantity >= rest.quantity ? rest.amount : part;
        amounts.set(rest.piece.lineId, amount);
        rest.quantity -= quantity;
        rest.amount -= amount;
      }
    }
    return amounts;
  });
};

/** The units of each line that travel with a group, and their add-ons with them. */
const groupLines = ({ lines }: Group, basket: BasketView, amounts: LineAmounts, currency: string) =>
  lines.flatMap(({ lineId, quantity }) => {
    const line = basket.lines.find((candidate) => candidate.lineId === lineId);
    if (!line) return [];
    return lineAndAddons(line).map((piece) => {
      const amount = amounts.get(piece.lineId) ?? 0;
      return {
        id: piece.lineId,
        sku: piece.sku,
        name: piece.name,
        productRootName: line.productRootName,
        selectedOptions: piece === line ? line.selectedOptions : [],
        quantity,
        amount: toDecimal(amount, currency),
        formattedAmount: formatMoney(amount, currency),
      };
    });
  });

const optionResponse = (
  option: Group['options'][number],
  isSelected: boolean,
  { taxRate, presentation, now }: ShownShipping,
) => {
  const { cost, formattedCost } = shownCost(option.cost, taxRate, presentation);
  return {
    id: option.optionKey,
    selectionKey: option.optionKey,
    name: option.name,
    cost,
    formattedCost,
    isSelected,
    shippingOptionId: option.shippingOptionId,
    providerKey: option.providerKey,
    serviceCode: option.serviceCode,
    daysFrom: option.daysFrom,
    daysTo: option.daysTo,
    isNextDay: option.isNextDay,
    deliveryDescription: option.deliveryDescription,
    estimatedDeliveryDate: estimatedDelivery(option, now),
    allowsDeliveryDateSelection: option.allowsDeliveryDateSelection,
    minDeliveryDays: option.minDeliveryDays,
    maxDeliveryDays: option.maxDeliveryDays,
    isFallbackRate: option.fallbackReason !== null,
    fallbackReason: option.fallbackReason,
  };
};

const groupResponse = (group: Group, basket: BasketView, amounts: LineAmounts, shown: ShownShipping) => {
  const choice = basket.choices.find(({ groupId }) => groupId === group.groupId);
  return {
    groupId: group.groupId,
    groupName: group.groupName,
    warehouseId: group.warehouseId,
    lineItems: groupLines(group, basket, amounts, shown.presentation.display.currency),
    shippingOptions: group.options.map((option) =>
      optionResponse(option, choice?.optionKey === option.optionKey, shown),
    ),
    selectedShippingOptionId: choice?.shippingOptionId ?? null,
    selectedDeliveryDate: choice?.deliveryDate ?? null,
    rateError: group.rateError,
    hasFallbackRates: group.options.some(({ fallbackReason }) => fallbackReason !== null),
  };
};

/**
 * The groups of a basket with their options, and what the chosen ones cost together (docs/rules/shipping.md#groups).
 */
export const shippingResponse = (
  plan: ShippingPlan,
  basket: BasketView,
  shown: ShownShipping,
): ShippingFields => {
  const { taxRate, presentation } = shown;
  const chosen = basket.choices.reduce((sum, { cost }) => sum + cost, 0);
  const combined = shownCost(chosen, taxRate, presentation);
  const amounts = amountsByGroup(plan.groups, basket, presentation);
  return {
    shippingGroups: plan.groups.map((group, index) =>
      groupResponse(group, basket, amounts[index] ?? new Map(), shown),
    ),
    combinedShippingTotal: combined.cost,
    formattedCombinedShippingTotal: combined.formattedCost,
  };
};

/** What shipping would cost, in the store's currency and as it is shown, net (docs/rules/shipping.md#estimate). */
export const estimateResponse = (
  { basketId, basket, cost, groups }: ShippingEstimate,
  presentation: BasketPresentation,
) => {
  const { storeCurrency, display } = presentation;
  const shown = displayAmount(cost, storeCurrency, display);
  return {
    success: true,
    message: '',
    estimatedShippingTotal: toDecimal(cost, storeCurrency),
    formattedEstimatedShippingTotal: formatMoney(cost, storeCurrency),
    displayEstimatedShippingTotal: toDecimal(shown, display.currency),
    formattedDisplayEstimatedShippingTotal: formatMoney(shown, display.currency),
    currencySymbol: symbolOf(storeCurrency),
    groupCount: groups,
    basket: basketResponse(basketId, basket, presentation),
  };
};
