import type { BasketView, BasketViewLine } from '#events/basket-view.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import { displayAmount, type DisplayCurrency } from '#values/exchange.ts';
import { formatMoney, toDecimal, weightedPercent, withPercent, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { LineItemAnswer } from './basket.contract.ts';

/** How amounts are shown to this shopper. */
export interface BasketPresentation {
  readonly storeCurrency: string;
  /** The store's own currency at the rate "1" where there is no other. */
  readonly display: DisplayCurrency;
  readonly displayPricesIncTax: boolean;
}

/** Until there are exchange rates, everything is shown in the store's own currency. */
export const presentationOf = (
  settings: Pick<StoreSettings, 'storeCurrencyCode' | 'displayPricesIncTax'>,
): BasketPresentation => ({
  storeCurrency: settings.storeCurrencyCode,
  display: { currency: settings.storeCurrencyCode, rate: '1' },
  displayPricesIncTax: settings.displayPricesIncTax,
});

/** An amount as it is shown: with the tax on top where prices include it. */
export const grossIf = (isGross: boolean, amount: Minor, taxRate: number): Minor =>
  isGross && taxRate !== 0 ? withPercent(amount, taxRate) : amount;

export const productLine = (line: BasketViewLine, presentation: BasketPresentation): LineItemAnswer => {
  const { storeCurrency, display, displayPricesIncTax } = presentation;
  const lineTotal = line.unitPrice * line.quantity;
  const displayUnit = displayAmount(
    grossIf(displayPricesIncTax, line.unitPrice, line.taxRate),
    storeCurrency,
    display,
  );
  const displayTotal = displayAmount(
    grossIf(displayPricesIncTax, lineTotal, line.taxRate),
    storeCurrency,
    display,
  );
  const displayUnitPrice = toDecimal(displayUnit, display.currency);
  const displayLineTotal = toDecimal(displayTotal, display.currency);
  const formattedDisplayUnitPrice = formatMoney(displayUnit, display.currency);
  const formattedDisplayLineTotal = formatMoney(displayTotal, display.currency);
  return {
    id: line.lineId,
    productId: line.productId,
    productRootId: line.productRootId,
    sku: line.sku,
    name: line.name,
    productRootName: line.productRootName,
    selectedOptions: line.selectedOptions,
    quantity: line.quantity,
    unitPrice: toDecimal(line.unitPrice, storeCurrency),
    lineTotal: toDecimal(lineTotal, storeCurrency),
    formattedUnitPrice: formatMoney(line.unitPrice, storeCurrency),
    formattedLineTotal: formatMoney(lineTotal, storeCurrency),
    displayUnitPrice,
    displayLineTotal,
    formattedDisplayUnitPrice,
    formattedDisplayLineTotal,
    displayUnitPriceWithAddons: displayUnitPrice,
    displayLineTotalWithAddons: displayLineTotal,
    formattedDisplayUnitPriceWithAddons: formattedDisplayUnitPrice,
    formattedDisplayLineTotalWithAddons: formattedDisplayLineTotal,
    taxRate: line.taxRate,
    isTaxable: line.isTaxable,
    lineItemType: 'Product',
    dependentLineItemSku: null,
    dependantLineItemSku: null,
    parentLineItemId: null,
    imageUrl: line.imageUrl,
  };
};

/** A discount as a line with negative amounts (docs/rules/basket.md#lines). */
export const discountLine = (
  taken: TakenDiscount,
  taxRate: number,
  presentation: BasketPresentation,
): LineItemAnswer => {
  const { storeCurrency, display, displayPricesIncTax } = presentation;
  const shown = displayAmount(-grossIf(displayPricesIncTax, taken.amount, taxRate), storeCurrency, display);
  const amount = toDecimal(-taken.amount, storeCurrency);
  const formattedAmount = formatMoney(-taken.amount, storeCurrency);
  const displayedAmount = toDecimal(shown, display.currency);
  const formattedDisplayed = formatMoney(shown, display.currency);
  return {
    id: taken.id,
    productId: null,
    productRootId: null,
    sku: taken.code ?? '',
    name: taken.name,
    productRootName: taken.name,
    selectedOptions: [],
    quantity: 1,
    unitPrice: amount,
    lineTotal: amount,
    formattedUnitPrice: formattedAmount,
    formattedLineTotal: formattedAmount,
    displayUnitPrice: displayedAmount,
    displayLineTotal: displayedAmount,
    formattedDisplayUnitPrice: formattedDisplayed,
    formattedDisplayLineTotal: formattedDisplayed,
    taxRate: 0,
    isTaxable: false,
    lineItemType: 'Discount',
    dependentLineItemSku: null,
    dependantLineItemSku: null,
    parentLineItemId: null,
    imageUrl: null,
  };
};

/** Where a discount counts: its line's tax rate, or for the whole order the rate of the lines on average. */
export const rateOfDiscount = (view: BasketView, taken: TakenDiscount, average: number): number =>
  taken.lineId === null ? average : (view.lines.find((line) => line.lineId === taken.lineId)?.taxRate ?? 0);

/** The tax rate of the lines, weighted by what they cost. */
export const averageRate = (view: BasketView): number =>
  weightedPercent(
    view.lines.map((line) => ({ amount: line.unitPrice * line.quantity, percent: line.taxRate })),
  );
