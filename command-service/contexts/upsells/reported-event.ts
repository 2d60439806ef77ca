import type { ReportedUpsellEvent } from '#contracts/upsell-events.contract.ts';
import type { CatalogueReference, UpsellReference } from '#reference/reference.ts';
import { displayLocations, locationNamed, type DisplayLocation } from '#values/upsells.ts';
import type { NewUpsellEvent } from './upsell-events.ts';

/** Conversions are counted from sales, never from what a caller reports. */
const eventTypes = ['Impression', 'Click'] as const;

const eventTypeOf = (told: string | number): (typeof eventTypes)[number] | undefined =>
  eventTypes.find((name, value) => isNamed(told, name, value));

/** By name in any case, or by number, also as text. */
const isNamed = (told: string | number, name: string, value: number): boolean =>
  String(told).toLowerCase() === name.toLowerCase() || String(told) === String(value);

/** One location; a sum of flags is invalid. */
const locationOf = (told: string | number): DisplayLocation | undefined =>
  locationNamed(String(told)) ??
  (Object.keys(displayLocations) as DisplayLocation[]).find((name) =>
    isNamed(told, name, displayLocations[name]),
  );

export interface KnownToShop {
  readonly upsells: Pick<UpsellReference, 'byId'>;
  readonly catalogue: Pick<CatalogueReference, 'variant'>;
}

/** A reported event as it is recorded; null if it cannot have happened. */
export const recordable = (
  { upsellRuleId, displayLocation, productId = null, eventType }: ReportedUpsellEvent,
  { upsells, catalogue }: KnownToShop,
  teller: Pick<NewUpsellEvent, 'basketId' | 'customerId'>,
): NewUpsellEvent | null => {
  const type = eventTypeOf(eventType ?? '');
  const location = locationOf(displayLocation ?? '');
  const id = upsellRuleId?.toLowerCase() ?? '';
  const product = productId?.toLowerCase() ?? null;
  if (!type || !location || !upsells.byId(id)) return null;
  const sold = product === null ? null : catalogue.variant(product);
  if (sold === undefined) return null;
  return {
    upsellRuleId: id,
    eventType: type,
    productId: product,
    productIds: product === null ? [] : [product],
    productRootIds: sold === null ? [] : [sold.rootId],
    ...teller,
    invoiceId: null,
    displayLocation: location,
  };
};
