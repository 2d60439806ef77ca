import { isoInstant, type Clock } from '#kernel/clock.ts';
import { isOnSale } from '#reference/availability.ts';
import type { Reference } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';

export interface StockContext {
  /** The shop's time, an ISO 8601 instant. */
  readonly now: string;
  /** What counts as low where the row has no reorder point. */
  readonly lowStockThreshold: number;
  /**
   * The product whose default is this variant, when this row has its last units and a sibling could replace it; else
   * null.
   */
  readonly passesOnDefault: (productId: string, warehouseId: string) => string | null;
}

type Sources = {
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
  readonly clock: Clock;
};

/** What correcting stock needs from outside. */
export const stockContext = ({ reference, settings, clock }: Sources): StockContext => ({
  now: isoInstant(clock.now()),
  lowStockThreshold: settings().lowStockThreshold,
  passesOnDefault: (productId, warehouseId) => {
    const { catalogue, stock } = reference;
    const sellable = catalogue.variant(productId);
    if (!sellable?.variant.isDefault) return null;
    const isSoldOutElsewhere = sellable.variant.stockRows.every(
      (row) =>
        row.warehouseId === warehouseId ||
        (row.trackStock && (stock.level(productId, row.warehouseId)?.stock ?? 0) === 0),
    );
    const siblings = catalogue.product(sellable.rootId)?.variants ?? [];
    const canPassOn = siblings.some(
      (variant) => variant.id !== productId && isOnSale(reference, { ...sellable, variant }),
    );
    return isSoldOutElsewhere && canPassOn ? sellable.rootId : null;
  },
});
