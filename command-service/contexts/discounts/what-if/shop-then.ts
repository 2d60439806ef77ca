import { eventDefinition } from '#events/registry.ts';
import type { Recorded } from '#kernel/event.ts';
import { createCatalogueReference } from '#reference/catalogue.reference.ts';
import { createDiscountReference } from '#reference/discounts.reference.ts';
import { applyEvent, type ReferencePart } from '#reference/reference-part.ts';
import { createSettingsReference } from '#reference/settings.reference.ts';
import { createShippingReference } from '#reference/shipping.reference.ts';
import { createTaxReference } from '#reference/tax.reference.ts';
import { settingsOver, type GivenSettings } from '#values/store-settings.ts';
import { categoryOf } from '#values/stream-name.ts';
import type { ShopThen } from './reprice.ts';

/** Counting what was sold is for lists of rules; prices do not depend on it. */
const forLists = new Set(['SaleConfirmed', 'InvoiceEdited', 'InvoiceCancelled', 'InvoiceDeleted']);

/** Secrets need a key, and have nothing to do with prices. */
const isFolded = (type: string): boolean =>
  !forLists.has(type) && (eventDefinition(type)?.secretFields ?? []).length === 0;

const partsByType = (parts: readonly ReferencePart[]): ReadonlyMap<string, readonly ReferencePart[]> => {
  const types = new Set(parts.flatMap(({ on }) => Object.keys(on)).filter(isFolded));
  return new Map([...types].map((type) => [type, parts.filter(({ on }) => type in on)]));
};

/**
 * Reference state that prices depend on, folded from the log up to a moment of the past. `configured`: settings that
 * the configuration gives, of which the log knows nothing.
 */
export const createShopThen = (configured: GivenSettings) => {
  const catalogue = createCatalogueReference();
  const discounts = createDiscountReference();
  const shipping = createShippingReference();
  const tax = createTaxReference();
  const settings = createSettingsReference();
  const byType = partsByType([catalogue, discounts, shipping, tax, settings]);
  let changedAt = -Infinity;
  const shop: ShopThen = {
    reference: { catalogue, discounts, shipping, tax },
    settings: () => settingsOver(settings.current(), configured),
  };
  return {
    ...shop,
    eventTypes: [...byType.keys()],
    take: (event: Recorded): void => {
      const parts = byType.get(event.type);
      if (parts === undefined) return;
      for (const part of parts) applyEvent(part, event);
      if (categoryOf(event.stream) !== 'discountUsage') changedAt = Date.parse(event.recordedAt);
    },
    /** When anything but uses changed last, in milliseconds. */
    changedAt: () => changedAt,
  };
};
