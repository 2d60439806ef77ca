import type { BasketView, BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { LineFigures, TakenDiscount } from '#events/pricing.fields.ts';
import { displayAmount, type Presentation } from '#values/exchange.ts';
import { formatMoney, toDecimal, weightedPercent, type Minor } from '#values/money.ts';
import type { LineItemResponse } from './basket.contract.ts';

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

/** As it is, and as it is shown: mostly that is the same. */
const writtenTwice = (
  own: ReturnType<typeof costsOf>,
  shown: ReturnType<typeof costsOf>,
  { storeCurrency, display }: BasketPresentation,
) => {
  const first = written(own, storeCurrency);
  const isSame = own.unit === shown.unit && own.total === shown.total && display.currency === storeCurrency;
  return { own: first, shown: isSame ? first : written(shown, display.currency) };
};

/** Written out field by field, like the next: a basket is shown after each change, and all its lines with it. */
const productLine = (
  line: BasketViewLine,
  own: Written,
  shown: Written,
  withAddons: Written,
): LineItemResponse => ({
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
): LineItemResponse => ({
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
export const goodsLines = (line: BasketViewLine, presentation: BasketPresentation): LineItemResponse[] => {
  const { quantity, addons } = line;
  const amounts = shownOf(line, quantity, presentation);
  const { own, shown } = writtenTwice(costsOf(line, quantity), amounts, presentation);
  if (addons === undefined) return [productLine(line, own, shown, shown)];
  const all = { ...amounts };
  const addonLines = addons.map((addon) => {
    const ofAddon = shownOf(addon, quantity, presentation);
    all.unit += ofAddon.unit;
    all.total += ofAddon.total;
    const both = writtenTwice(costsOf(addon, quantity), ofAddon, presentation);
    return addonLine(addon, line, both.own, both.shown);
  });
  return [productLine(line, own, shown, written(all, presentation.display.currency)), ...addonLines];
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
): LineItemResponse => {
  const amount = -taken.amount;
  const displayed = shownAmount(amount, taxRate, presentation);
  const { own, shown } = writtenTwice(
    { unit: amount, total: amount },
    { unit: displayed, total: displayed },
    presentation,
  );
  return {
    id: taken.id,
    productId: null,
    productRootId: null,
    sku: taken.code ?? '',
    name: taken.name,
    productRootName: taken.name,
    selectedOptions: [],
    quantity: 1,
    unitPrice: own.unitPrice,
    lineTotal: own.lineTotal,
    formattedUnitPrice: own.formattedUnitPrice,
    formattedLineTotal: own.formattedLineTotal,
    displayUnitPrice: shown.unitPrice,
    displayLineTotal: shown.lineTotal,
    formattedDisplayUnitPrice: shown.formattedUnitPrice,
    formattedDisplayLineTotal: shown.formattedLineTotal,
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

/** The rate by which shipping is taxed; null where only the amount of its tax is known, or none is on it. */
export const rateOfShipping = ({ totals }: BasketView): number | null =>
  totals.shippingTaxRate ?? totals.effectiveShippingTaxRate;

/** What the discounts of a basket are taken from; `average` is the tax rate of its lines. */
export const discountsIn = (view: BasketView, average: number) => {
  const lines = new Map<string, BasketViewLine | BasketViewAddon>();
  if (view.discounts.length > 0) {
    for (const one of view.lines.flatMap(lineAndAddons)) lines.set(one.lineId, one);
  }
  return {
    /** The line or add-on; undefined where it is the whole order. */
    lineOf: ({ lineId }: TakenDiscount) => (lineId === null ? undefined : lines.get(lineId)),
    /** Where it counts: at the rate of its line or of the shipping, of the whole order at that of the lines. */
    rateOf: ({ lineId, category }: TakenDiscount): number => {
      if (category === 'FreeShipping') return rateOfShipping(view) ?? 0;
      return lineId === null ? average : (lines.get(lineId)?.taxRate ?? 0);
    },
  };
};

export type DiscountsIn = ReturnType<typeof discountsIn>;

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
