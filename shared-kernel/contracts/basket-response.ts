import { figuresOf, type BasketView } from '#events/basket-view.ts';
import { splitName, type Address } from '#values/address.ts';
import { symbolOf } from '#values/currency.ts';
import { displayAmount, displayFigures, type Figures } from '#values/exchange.ts';
import { formatMoney, toDecimal, type Minor } from '#values/money.ts';
import type {
  AddressResponse,
  AppliedDiscountResponse,
  BasketFields,
  BasketProblem,
  BasketSummary,
  EmptyBasketFields,
  EmptyStorefrontBasketFields,
} from './basket.contract.ts';
import {
  averageRate,
  discountLine,
  discountsIn,
  goodsLines,
  rateOfShipping,
  type BasketPresentation,
  type DiscountsIn,
} from './basket-line-response.ts';

/** What a shopper goes on from: the addresses that were sent, else what has been typed of them. */
const addressesToShow = ({ billingAddress, shippingAddress, captured }: BasketView) => {
  const typed = captured?.address ?? null;
  const billing = billingAddress ?? typed?.billingAddress ?? null;
  const isSame = typed?.shippingSameAsBilling ?? true;
  const shipping = shippingAddress ?? (isSame ? billing : (typed?.shippingAddress ?? null));
  const withEmail = (address: Address | null): Address | null =>
    address && { ...address, email: address.email ?? captured?.email ?? null };
  return { billing: withEmail(billing), shipping: withEmail(shipping) };
};

/** What a request adds to the basket: it is told once and not kept. */
export interface BasketRemarks {
  readonly warnings: string[];
  readonly errors: BasketProblem[];
}

export const noRemarks: BasketRemarks = { warnings: [], errors: [] };

export const addressResponse = (address: Address | null): AddressResponse | null =>
  address === null ? null : { ...address, ...splitName(address.name) };

/**
 * One entry a rule, then the codes that take nothing off just now (docs/rules/basket.md#answers,
 * docs/rules/discounts-in-the-basket.md#codes).
 */
const appliedDiscounts = (
  view: BasketView,
  { rateOf }: DiscountsIn,
  { storeCurrency, display, displayPricesIncTax }: BasketPresentation,
): AppliedDiscountResponse[] => {
  if (view.discounts.length === 0 && view.codes.length === 0) return [];
  const byRule = new Map<string, { name: string; code: string | null; net: Minor; gross: Minor }>();
  for (const taken of view.discounts) {
    const { id, discountId: ruleId, name, code, amount } = taken;
    // A referral follows no rule: it is known by its line.
    const discountId = taken.isReferral ? id : ruleId;
    const entry = byRule.get(discountId) ?? { name, code, net: 0, gross: 0 };
    entry.net += amount;
    if (displayPricesIncTax) entry.gross += displayAmount(amount, storeCurrency, display, rateOf(taken));
    byRule.set(discountId, entry);
  }
  for (const { discountId, name, code } of view.codes) {
    if (!byRule.has(discountId)) byRule.set(discountId, { name, code, net: 0, gross: 0 });
  }
  return [...byRule].map(([id, { name, code, net, gross }]) => {
    const shown = displayPricesIncTax ? gross : displayAmount(net, storeCurrency, display);
    return {
      id,
      name,
      code,
      amount: toDecimal(shown, display.currency),
      formattedAmount: formatMoney(shown, display.currency),
      isAutomatic: code === null,
    };
  });
};

/** The same with tax in them, when prices are shown that way (docs/rules/tax.md#prices-with-tax); else as they are. */
const taxInclusiveFigures = (
  view: BasketView,
  shown: Figures,
  { rateOf }: DiscountsIn,
  { storeCurrency, display, displayPricesIncTax }: BasketPresentation,
): Pick<Figures, 'subTotal' | 'discount' | 'shipping'> => {
  if (!displayPricesIncTax) return shown;
  const inDisplay = (amount: Minor, percent: number): Minor =>
    displayAmount(amount, storeCurrency, display, percent);
  const { shipping: net, shippingTax } = view.totals;
  const onShipping = rateOfShipping(view);
  const shipping = onShipping === null ? inDisplay(net + shippingTax, 0) : inDisplay(net, onShipping);
  let discount = 0;
  for (const taken of view.discounts) discount += inDisplay(taken.amount, rateOf(taken));
  const [only, ...others] = view.lines;
  const subTotal =
    only !== undefined && only.addons === undefined && others.length === 0
      ? inDisplay(only.unitPrice * only.quantity, only.taxRate)
      : shown.total - shipping + discount;
  return { subTotal, discount, shipping };
};

const storeResponse = ({ totals }: BasketView, currency: string) => {
  const discount = totals.productDiscount + totals.shippingDiscount;
  const adjustedSubTotal = totals.subTotal - totals.productDiscount;
  return {
    subTotal: toDecimal(totals.subTotal, currency),
    adjustedSubTotal: toDecimal(adjustedSubTotal, currency),
    discount: toDecimal(discount, currency),
    tax: toDecimal(totals.tax, currency),
    shipping: toDecimal(totals.shipping, currency),
    total: toDecimal(totals.total, currency),
    effectiveShippingTaxRate: totals.effectiveShippingTaxRate,
    formattedSubTotal: formatMoney(totals.subTotal, currency),
    formattedAdjustedSubTotal: formatMoney(adjustedSubTotal, currency),
    formattedDiscount: formatMoney(discount, currency),
    formattedTax: formatMoney(totals.tax, currency),
    formattedShipping: formatMoney(totals.shipping, currency),
    formattedTotal: formatMoney(totals.total, currency),
  };
};

const displayResponse = (view: BasketView, discounts: DiscountsIn, presentation: BasketPresentation) => {
  const { currency } = presentation.display;
  const shown = displayFigures(figuresOf(view), presentation.storeCurrency, presentation.display);
  const inclusive = taxInclusiveFigures(view, shown, discounts, presentation);
  const formattedTax = formatMoney(shown.tax, currency);
  return {
    displaySubTotal: toDecimal(shown.subTotal, currency),
    displayDiscount: toDecimal(shown.discount, currency),
    displayTax: toDecimal(shown.tax, currency),
    displayShipping: toDecimal(shown.shipping, currency),
    displayTotal: toDecimal(shown.total, currency),
    formattedDisplaySubTotal: formatMoney(shown.subTotal, currency),
    formattedDisplayDiscount: formatMoney(shown.discount, currency),
    formattedDisplayTax: formattedTax,
    formattedDisplayShipping: formatMoney(shown.shipping, currency),
    formattedDisplayTotal: formatMoney(shown.total, currency),
    displayPricesIncTax: presentation.displayPricesIncTax,
    taxInclusiveDisplaySubTotal: toDecimal(inclusive.subTotal, currency),
    taxInclusiveDisplayShipping: toDecimal(inclusive.shipping, currency),
    taxInclusiveDisplayDiscount: toDecimal(inclusive.discount, currency),
    formattedTaxInclusiveDisplaySubTotal: formatMoney(inclusive.subTotal, currency),
    formattedTaxInclusiveDisplayShipping: formatMoney(inclusive.shipping, currency),
    formattedTaxInclusiveDisplayDiscount: formatMoney(inclusive.discount, currency),
    taxIncludedMessage:
      presentation.displayPricesIncTax && shown.tax > 0 ? `Including ${formattedTax} in taxes` : null,
  };
};

const currencyResponse = ({ storeCurrency, display }: BasketPresentation) => ({
  currencySymbol: symbolOf(storeCurrency),
  displayCurrencyCode: display.currency,
  displayCurrencySymbol: symbolOf(display.currency),
  exchangeRate: Number(display.rate),
});

/** What the checkout shows of no basket or an empty one. */
export const emptyBasketResponse = (presentation: BasketPresentation): EmptyBasketFields => ({
  isEmpty: true,
  ...currencyResponse(presentation),
});

/** What the storefront shows of no basket or an empty one: the same, and zeros for a cart icon. */
export const emptyStorefrontBasketResponse = (
  presentation: BasketPresentation,
  { warnings }: BasketRemarks = noRemarks,
): EmptyStorefrontBasketFields => ({
  ...emptyBasketResponse(presentation),
  lineItems: [],
  itemCount: 0,
  subTotal: 0,
  discount: 0,
  tax: 0,
  shipping: 0,
  total: 0,
  formattedTotal: formatMoney(0, presentation.storeCurrency),
  warnings,
});

/**
 * The basket as it is shown (docs/rules/basket.md#answers): amounts are copied from what was recorded and only
 * converted to another currency.
 */
export const basketResponse = (
  basketId: string,
  view: BasketView,
  presentation: BasketPresentation,
  { warnings, errors }: BasketRemarks = noRemarks,
): BasketFields => {
  const average = presentation.displayPricesIncTax && view.discounts.length > 0 ? averageRate(view) : 0;
  const discounts = discountsIn(view, average);
  const addresses = addressesToShow(view);
  const lineItems = view.lines.flatMap((line) => goodsLines(line, presentation));
  for (const taken of view.discounts) {
    const sku = discounts.lineOf(taken)?.sku ?? null;
    lineItems.push(discountLine(taken, sku, discounts.rateOf(taken), presentation));
  }
  return {
    id: basketId,
    isEmpty: false,
    lineItems,
    itemCount: view.itemCount,
    currency: presentation.storeCurrency,
    ...currencyResponse(presentation),
    ...storeResponse(view, presentation.storeCurrency),
    ...displayResponse(view, discounts, presentation),
    isTaxEstimated: typeof view.totals.taxEstimation === 'string',
    taxEstimationReason: view.totals.taxEstimation ?? null,
    billingAddress: addressResponse(addresses.billing),
    shippingAddress: addressResponse(addresses.shipping),
    appliedDiscounts: appliedDiscounts(view, discounts, presentation),
    warnings,
    errors,
  };
};

/** Size and price, for GET /basket/count and GET /context. */
export const basketSummaryResponse = (
  view: BasketView | null,
  presentation: BasketPresentation,
): BasketSummary => {
  const { storeCurrency, display } = presentation;
  const total = view?.totals.total ?? 0;
  const shown = view ? displayFigures(figuresOf(view), storeCurrency, display).total : 0;
  return {
    itemCount: view?.itemCount ?? 0,
    total: toDecimal(total, storeCurrency),
    formattedTotal: formatMoney(total, storeCurrency),
    displayTotal: toDecimal(shown, display.currency),
    formattedDisplayTotal: formatMoney(shown, display.currency),
  };
};

/**
 * The body of a basket mutation as JSON text: the basket's fields at the top level and once more under `basket`
 * (docs/rules/basket.md#answers), serialised once.
 */
export const basketMutationText = (
  message: string,
  fields: BasketFields | EmptyStorefrontBasketFields,
): string => {
  const text = JSON.stringify(fields);
  return `{"success":true,"message":${JSON.stringify(message)},${text.slice(1, -1)},"basket":${text}}`;
};

/** The basket as checkout shows it (docs/rules/basket.md#answers). */
export const checkoutBasketResponse = (
  basketId: string,
  basket: BasketView | null,
  presentation: BasketPresentation,
  remarks: BasketRemarks = noRemarks,
): object =>
  basket === null || basket.lines.length === 0
    ? emptyBasketResponse(presentation)
    : basketResponse(basketId, basket, presentation, remarks);
