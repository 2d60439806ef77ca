import { basketEvents, type BasketLine } from '#events/basket.events.ts';
import { unpricedLine, type BasketView, type BasketViewLine } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import { countItems, countLines, findGoods, MAX_LINE_QUANTITY } from './basket-lines.decider.ts';
import type { EndMergedBasket, MergeBasket } from './basket.commands.ts';
import type { BasketContext } from './basket.context.ts';
import { editableBasket, existingBasket, type BasketState, type BasketStreamEvent } from './basket.state.ts';
import { withConsequences } from './priced-change.ts';

const { BasketCleared, BasketMerged } = basketEvents.create;

type Quantities = readonly { readonly lineId: string; readonly quantity: number }[];

/** What a line says of its product, without its figures. */
const bare = (line: BasketViewLine): BasketLine => ({
  ...(line.autoAddedByUpsellRule && { autoAddedByUpsellRule: line.autoAddedByUpsellRule }),
  lineId: line.lineId,
  productId: line.productId,
  productRootId: line.productRootId,
  sku: line.sku,
  name: line.name,
  productRootName: line.productRootName,
  selectedOptions: line.selectedOptions,
  imageUrl: line.imageUrl,
  isDigital: line.isDigital,
  ...(line.addons && {
    addons: line.addons.map((addon) => ({
      lineId: addon.lineId,
      optionId: addon.optionId,
      valueId: addon.valueId,
      sku: addon.sku,
      name: addon.name,
    })),
  }),
});

/** The lines of a basket with what came into them, and what had no room. */
interface Filled {
  readonly lines: readonly BasketViewLine[];
  readonly leftOut: readonly string[];
}

const fill = (
  { lines: own }: BasketView,
  brought: readonly BasketViewLine[],
  { maxLineQuantity, maxBasketLines }: BasketContext,
): Filled => {
  const most = Math.min(maxLineQuantity, MAX_LINE_QUANTITY);
  let lines = own;
  const leftOut: string[] = [];
  for (const line of brought) {
    const { productRootName, quantity } = line;
    const present = findGoods(lines, line);
    const hasPlace = present !== undefined || countLines(lines) + countLines([line]) <= maxBasketLines;
    const room = hasPlace ? Math.max(0, most - (present?.quantity ?? 0)) : 0;
    const fits = Math.min(quantity, room);
    if (!hasPlace) leftOut.push(`${productRootName}: a basket holds at most ${maxBasketLines} lines.`);
    else if (fits < quantity)
      leftOut.push(`${productRootName}: a line holds at most ${most} of one product.`);
    if (fits === 0) continue;
    lines = present
      ? lines.map((one) => (one === present ? { ...one, quantity: one.quantity + fits } : one))
      : [...lines, unpricedLine(bare(line), fits)];
  }
  return { lines, leftOut };
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Rejection && error.code === 'amount-too-large';

/** What of a basket has not been taken before: a repeat takes nothing twice. */
const notTaken = (lines: BasketView['lines'], taken: Quantities): BasketViewLine[] => {
  const before = new Map(taken.map(({ lineId, quantity }) => [lineId, quantity]));
  return lines.flatMap((line) => {
    const quantity = line.quantity - (before.get(line.lineId) ?? 0);
    return quantity > 0 ? [{ ...line, quantity }] : [];
  });
};

const quantitiesOf = (lines: BasketView['lines']): { lineId: string; quantity: number }[] =>
  lines.map(({ lineId, quantity }) => ({ lineId, quantity }));

/** What there is room for comes in; the shopper is told of the rest (docs/rules/members.md#merging). */
export const mergeBasket = (
  state: BasketState,
  { fromBasketId, lines: offered, codes: offeredCodes }: MergeBasket,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const earlier = state.merged.find((one) => one.fromBasketId === fromBasketId);
  const brought = notTaken(offered, earlier?.taken ?? []);
  if (brought.length === 0) return [];
  const codes = offeredCodes.filter(
    ({ discountId }) => !basket.codes.some((own) => own.discountId === discountId),
  );
  const merged = ({ lines, leftOut }: Filled): BasketStreamEvent[] => {
    const after = { ...basket, lines, codes: [...basket.codes, ...codes] };
    const quantityBefore = new Map(basket.lines.map(({ lineId, quantity }) => [lineId, quantity]));
    const isNew = ({ lineId }: BasketViewLine): boolean => !quantityBefore.has(lineId);
    return withConsequences(after, context, (pricing) => [
      BasketMerged({
        fromBasketId,
        taken: quantitiesOf(offered),
        added: lines.filter(isNew).map((line) => ({ line: bare(line), quantity: line.quantity })),
        grown: lines
          .filter((line) => !isNew(line) && line.quantity !== quantityBefore.get(line.lineId))
          .map(({ lineId, quantity, productId, sku, name }) => ({ lineId, quantity, productId, sku, name })),
        codes: codes.map(({ discountId, code, name }) => ({ discountId, code, name })),
        leftOut: [...leftOut],
        itemCount: countItems(lines),
        pricing,
      }),
    ]);
  };
  try {
    return merged(fill(basket, brought, context));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const leftOut = ['Your earlier choice costs more than the shop can calculate, and was left out.'];
    return merged({ lines: basket.lines, leftOut });
  }
};

/** Refused with `conflict` when something has come in since: that is to be merged first. */
export const endMerged = (state: BasketState, { lines }: EndMergedBasket): BasketStreamEvent[] => {
  const found = editableBasket(state);
  if (found === null) return [];
  const { basket } = found;
  if (notTaken(basket.lines, quantitiesOf(lines)).length > 0)
    throw new Rejection('conflict', 'The basket has changed. Please try again.');
  return [BasketCleared({ currency: basket.currency, customerId: basket.customerId })];
};
