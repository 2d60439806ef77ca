import { goodsKey } from '#command/pricing/addons.ts';
import type { UnavailableItem } from '#command/pricing/shipping-plan.ts';
import type { BasketViewLine } from '#events/basket-view.ts';

/** By `goodsKey` what cannot be bought any more; the reason where it is one of its add-ons. */
export type Withdrawn = ReadonlyMap<string, string | null>;

/** The lines that are not for sale any more. */
export const withdrawnItems = (
  lines: readonly BasketViewLine[],
  withdrawn: Withdrawn,
): Pick<UnavailableItem, 'lineItemId' | 'sku' | 'name' | 'message'>[] =>
  lines.flatMap((line) => {
    const reason = withdrawn.get(goodsKey(line));
    if (reason === undefined) return [];
    const { lineId: lineItemId, sku, productRootName: name } = line;
    const message =
      reason === null
        ? `${name} cannot be bought at the moment.`
        : `${reason} Take ${name} out of the basket and choose again.`;
    return [{ lineItemId, sku, name, message }];
  });
