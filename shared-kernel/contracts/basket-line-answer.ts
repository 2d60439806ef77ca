import type { BasketView, BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { LineFigures, TakenDiscount } from '#events/pricing.fields.ts';
import { displayAmount, type Presentation } from '#values/exchange.ts';
import { formatMoney, toDecimal, weightedPercent, type Minor } from '#values/money.ts';
import type { LineItemAnswer } from './basket.contract.ts';

/** How amounts are shown to this shopper. */
export type BasketPresentation = Presentation;

/** An amount as it is shown: in the shopper's currency, with the tax on top where prices include it. */
export const shownAmount = (
  amount: Minor,
  taxRate: number,
  { storeCurrency, display, displayPricesIncTax }: BasketPresentation,
): Minor => displayAmount(amount, storeCurrency, display, displayPricesIncTax ? taxRate : 0);

/** What a line is shown as costing; the whole is rounded as a whole, never as a rounded unit times the quantity. */
export const shownOf = (figures: LineFigures, quantity: number, presentation: BasketPresentation) => ({
  unit: shownAmount(figures.unitPrice, figures.taxRate, presentation),
  total: shownAmount(figures.unitPrice * quantity, figures.taxRate, presentation),
});

const costsOf = ({ unitPrice }: LineFigures, quantity: number) => ({
  unit: unitPrice,
  total: unitPrice * quantity,
});

/** A unit and the whole line, written out. */
const written = ({ unit, total }: ReturnType<typeof costsOf>, currency: string) => ({
  unitPrice: toDecimal(unit, currency),
  lineTotal: toDecimal(total, currency),
  formattedUnitPrice: formatMoney(unit, currency),
  formattedLineTotal: formatMoney(total, currency),
});

type Written = ReturnType<typeof written>;

/** Written out field by field, like the next: a basket is shown after each change, and all its lines with it. */
const productLine = (
  line: BasketViewLine,
  own: Written,
  shown: Written,
  withAddons: Written,
): LineItemAnswer => ({
  id: line.lineId,
  productId: line.productId,
  productRootId: line.productRootId,
  sku: line.sku,
  name: line.name,
  productRootName: line.productRootName,
  selectedOptions: line.selectedOptions,
  quantity: line.quantity,
  unitPrice: own.unitPrice,
  lineTotal: own.lineTotal,
  formattedUnitPrice: own.formattedUnitPrice,
  formattedLineTotal: own.formattedLineTotal,
  displayUnitPrice: shown.unitPrice,
  displayLineTotal: shown.lineTotal,
  formattedDisplayUnitPrice: shown.formattedUnitPrice,
  formattedDisplayLineTotal: shown.formattedLineTotal,
  displayUnitPriceWithAddons: withAddons.unitPrice,
  displayLineTotalWithAddons: withAddons.lineTotal,
  formattedDisplayUnitPriceWithAddons: withAddons.formattedUnitPrice,
  formattedDisplayLineTotalWithAddons: withAddons.formattedLineTotal,
  taxRate: line.taxRate,
  isTaxable: line.isTaxable,
  lineItemType: 'Product',
  dependentLineItemSku: null,
  dependantLineItemSku: null,
  parentLineItemId: null,
  imageUrl: line.imageUrl,
});

const addonLine = (
  addon: BasketViewAddon,
  product: BasketViewLine,
  own: Written,
  shown: Written,
): LineItemAnswer => ({
  id: addon.lineId,
  productId: null,
  productRootId: null,
  sku: addon.sku,
  name: addon.name,
  productRootName: product.productRootName,
  selectedOptions: [],
  quantity: product.quantity,
  unitPrice: own.unitPrice,
  lineTotal: own.lineTotal,
  formattedUnitPrice: own.formattedUnitPrice,
  formattedLineTotal: own.formattedLineTotal,
  displayUnitPrice: shown.unitPrice,
  displayLineTotal: shown.lineTotal,
  formattedDisplayUnitPrice: shown.formattedUnitPrice,
  formattedDisplayLineTotal: shown.formattedLineTotal,
  taxRate: addon.taxRate,
  isTaxable: addon.isTaxable,
  lineItemType: 'Addon',
  dependentLineItemSku: product.sku,
  dependantLineItemSku: product.sku,
  parentLineItemId: product.lineId,
  imageUrl: null,
  optionId: addon.optionId,
  valueId: addon.valueId,
});

/** The line of a product, and behind it its add-ons as lines of their own (docs/rules/basket.md#lines). */
export const goodsLines = (line: BasketViewLine, presentation: BasketPresentation): LineItemAnswer[] => {
  const { quantity, addons } = line;
  const { storeCurrency, display } = presentation;
  const own = written(costsOf(line, quantity), storeCurrency);
  const amounts = shownOf(line, quantity, presentation);
  const shown = written(amounts, display.currency);
  if (addons === undefined) return [productLine(line, own, shown, shown)];
  const all = { ...amounts };
  const addonLines = addons.map((addon) => {
    const ofAddon = shownOf(addon, quantity, presentation);
    all.unit += ofAddon.unit;
    all.total += ofAddon.total;
    const ownOfAddon = written(costsOf(addon, quantity), storeCurrency);
    return addonLine(addon, line, ownOfAddon, written(ofAddon, display.currency));
  });
  return [productLine(line, own, shown, written(all, display.currency)), ...addonLines];
};

/** A line and its add-ons. */
export const lineAndAddons = (line: BasketViewLine): readonly (BasketViewLine | BasketViewAddon)[] =>
  line.addons === undefined ? [line] : [line, ...line.addons];

const discountTargets = {
  AmountOffProducts: 'product',
  BuyXGetY: 'product',
  AmountOffOrder: 'order',
  FreeShipping: 'shipping',
} as const;

/** A discount as a line with negative amounts (docs/rules/basket.md#lines). */
export const discountLine = (
  taken: TakenDiscount,
  lineSku: string | null,
  taxRate: number,
  presentation: BasketPresentation,
): LineItemAnswer => {
  const { storeCurrency, display } = presentation;
  const shown = shownAmount(-taken.amount, taxRate, presentation);
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
    dependentLineItemSku: lineSku,
    dependantLineItemSku: lineSku,
    parentLineItemId: taken.lineId,
    imageUrl: null,
    discountId: taken.discountId,
    discountTarget: discountTargets[taken.category],
  };
};

/** The line or add-on that a discount is taken from; undefined where it is the whole order. */
export const lineOfDiscount = (view: BasketView, { lineId }: Pick<TakenDiscount, 'lineId'>) =>
  lineId === null
    ? undefined
    : view.lines.flatMap(lineAndAddons).find((candidate) => candidate.lineId === lineId);

/** The rate by which shipping is taxed; null where only the amount of its tax is known, or none is on it. */
export const rateOfShipping = ({ totals }: BasketView): number | null =>
  totals.shippingTaxRate ?? totals.effectiveShippingTaxRate;

/** Where a discount counts: at the rate of its line or of the shipping, of the whole order at that of the lines. */
export const rateOfDiscount = (
  view: BasketView,
  taken: Pick<TakenDiscount, 'lineId' | 'category'>,
  average: number,
): number => {
  if (taken.category === 'FreeShipping') return rateOfShipping(view) ?? 0;
  return taken.lineId === null ? average : (lineOfDiscount(view, taken)?.taxRate ?? 0);
};

/** The tax rate of the lines, weighted by what they cost. */
export const averageRate = (view: BasketView): number =>
  weightedPercent(
    view.lines.flatMap((line) =>
      lineAndAddons(line).map(({ unitPrice, taxRate }) => ({
        amount: unitPrice * line.quantity,
        percent: taxRate,
      })),
    ),
  );
