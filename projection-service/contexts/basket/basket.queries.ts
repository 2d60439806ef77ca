import { basketResponse, emptyStorefrontBasketResponse } from '#contracts/basket-response.ts';
import type { BasketPresentation } from '#contracts/basket-line-response.ts';
import type { BasketAvailability } from '#contracts/storefront.contract.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import { productAvailability } from '#reference/availability.ts';
import type { Location } from '#reference/location.ts';
import { presentationKey } from '#reference/presentation.ts';
import type { Reference } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { BasketDocument, OpenBasket } from './basket.projection.ts';

/** What a cookie finds: not a basket that has been bought, and nothing where no line is left. */
export const shownBasket = (document: BasketDocument | null): OpenBasket | null =>
  document === null || document.status === 'completed' || document.lines.length === 0 ? null : document;

const textWith = (fields: object): string =>
  `{"success":true,"message":"",${JSON.stringify(fields).slice(1)}`;

/**
 * Answers of GET /basket as JSON text. A document is the same object for as long as the basket stays as it is, so its
 * text is made once and kept with it; one per presentation, the last one asked for.
 */
export const createBasketTexts = () => {
  const texts = new WeakMap<OpenBasket, { readonly key: string; readonly text: string }>();
  return (document: OpenBasket | null, presentation: BasketPresentation): string => {
    if (document === null) return textWith(emptyStorefrontBasketResponse(presentation));
    const key = presentationKey(presentation);
    const known = texts.get(document);
    if (known?.key === key) return known.text;
    const text = textWith(basketResponse(document._id, document, presentation));
    texts.set(document, { key, text });
    return text;
  };
};

/** The same answer with the members of `more` behind its own. */
export const withMembers = (text: string, more: object): string =>
  `${text.slice(0, -1)},${JSON.stringify(more).slice(1)}`;

type Supplied = Pick<Reference, 'catalogue' | 'shipping' | 'stock'>;

/** True if `quantity` units can be delivered there; false for withdrawn products. */
const shownAvailability = (
  reference: Supplied,
  { productId, quantity }: Pick<BasketViewLine, 'productId' | 'quantity'>,
  location: Location,
  settings: StoreSettings,
) => {
  const sellable = reference.catalogue.variant(productId);
  if (!sellable) {
    const message = 'No longer available';
    return { canShipToLocation: false, hasStock: false, availableStock: 0, statusMessage: message, message };
  }
  const found = productAvailability(reference, sellable, quantity, location, settings);
  const { canShipToLocation, hasStock, availableStock, statusMessage } = found;
  return { canShipToLocation, hasStock, availableStock, statusMessage, message: statusMessage };
};

/** Whether each line can be had at a place (docs/rules/inventory.md#availability). */
export const basketAvailability = (
  lines: readonly BasketViewLine[],
  location: Location,
  reference: Supplied,
  settings: StoreSettings,
): BasketAvailability => {
  const availability = lines.map((line) => ({
    lineItemId: line.lineId,
    productId: line.productId,
    ...shownAvailability(reference, line, location, settings),
  }));
  const allItemsAvailable = availability.every((line) => line.canShipToLocation && line.hasStock);
  return { availability, allItemsAvailable };
};
