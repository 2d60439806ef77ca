import { checkoutBasketAnswer, type BasketRemarks } from '#contracts/basket-answer.ts';
import { grossIf, type BasketPresentation } from '#contracts/basket-line-answer.ts';
import type { BasketView } from '#events/basket-view.ts';
import { countryCookie, preferenceCookie, regionCookie } from '#http/cookies.ts';
import type { CookieToSet } from '#http/route.ts';
import type { Destination } from '#values/address.ts';
import { displayAmount } from '#values/exchange.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import type { ShippingPlan, UnavailableItem } from '#command/pricing/shipping-plan.ts';
import { warningsOf } from '../basket/basket.state.ts';
import type { ChangedCheckout } from './checkout.actions.ts';

type Group = ShippingPlan['groups'][number];

/** The basket after a change, and what the shopper is told once of it. */
export const changedBasket = (
  { basketId, basket, events }: ChangedCheckout,
  presentation: BasketPresentation,
) => {
  const warnings = warningsOf(events);
  return { basket: checkoutBasketAnswer(basketId, basket, presentation, { warnings, errors: [] }), warnings };
};

/** Remembers where the basket goes. */
export const placeCookies = ({ countryCode, regionCode }: Destination): CookieToSet[] => [
  preferenceCookie(countryCookie, countryCode),
  preferenceCookie(regionCookie, regionCode),
];

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
const shownCost = (
  cost: number,
  taxRate: number,
  { storeCurrency, display, displayPricesIncTax }: BasketPresentation,
) => {
  const shown = displayAmount(grossIf(displayPricesIncTax, cost, taxRate), storeCurrency, display);
  return {
    cost: toDecimal(shown, display.currency),
    formattedCost: formatMoney(shown, display.currency),
    shown,
  };
};

const groupLines = ({ lines }: Group, basket: BasketView, presentation: BasketPresentation) =>
  lines.flatMap(({ lineId, quantity }) => {
    const line = basket.lines.find((candidate) => candidate.lineId === lineId);
    if (!line) return [];
    const { storeCurrency, display, displayPricesIncTax } = presentation;
    const net = line.unitPrice * quantity;
    const amount = displayAmount(grossIf(displayPricesIncTax, net, line.taxRate), storeCurrency, display);
    return [
      {
        id: lineId,
        sku: line.sku,
        name: line.name,
        productRootName: line.productRootName,
        selectedOptions: line.selectedOptions,
        quantity,
        amount: toDecimal(amount, display.currency),
        formattedAmount: formatMoney(amount, display.currency),
      },
    ];
  });

const groupAnswer = (group: Group, basket: BasketView, taxRate: number, presentation: BasketPresentation) => {
  const choice = basket.choices.find(({ groupId }) => groupId === group.groupId);
  return {
    groupId: group.groupId,
    groupName: group.groupName,
    warehouseId: group.warehouseId,
    lineItems: groupLines(group, basket, presentation),
    shippingOptions: group.options.map((option) => {
      const { cost, formattedCost } = shownCost(option.cost, taxRate, presentation);
      return {
        id: option.optionKey,
        selectionKey: option.optionKey,
        name: option.name,
        cost,
        formattedCost,
        isSelected: choice?.optionKey === option.optionKey,
        shippingOptionId: option.shippingOptionId,
        providerKey: option.providerKey,
        serviceCode: null,
        daysFrom: option.daysFrom,
        daysTo: option.daysTo,
        isNextDay: option.isNextDay,
        deliveryDescription: option.deliveryDescription,
        estimatedDeliveryDate: null,
        allowsDeliveryDateSelection: option.allowsDeliveryDateSelection,
        minDeliveryDays: option.minDeliveryDays,
        maxDeliveryDays: option.maxDeliveryDays,
        isFallbackRate: false,
        fallbackReason: null,
      };
    }),
    selectedShippingOptionId: choice?.shippingOptionId ?? null,
    selectedDeliveryDate: choice?.deliveryDate ?? null,
    rateError: null,
    hasFallbackRates: false,
  };
};

/**
 * The groups of a basket with their options, and what the chosen ones cost together (docs/rules/shipping.md#groups).
 */
export const shippingAnswer = (
  plan: ShippingPlan,
  basket: BasketView,
  shippingTaxRate: number,
  presentation: BasketPresentation,
) => {
  const combined = basket.choices.reduce(
    (sum, choice) => sum + shownCost(choice.cost, shippingTaxRate, presentation).shown,
    0,
  );
  const { currency } = presentation.display;
  return {
    shippingGroups: plan.groups.map((group) => groupAnswer(group, basket, shippingTaxRate, presentation)),
    combinedShippingTotal: toDecimal(combined, currency),
    formattedCombinedShippingTotal: formatMoney(combined, currency),
  };
};
