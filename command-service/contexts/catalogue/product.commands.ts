import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { GeneratedVariants, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { AbandonCreation } from '#kernel/creation.ts';
import type { StockedIn } from '../inventory/stock.commands.ts';

/**
 * What is said of a variant: it is found by `id`, by its sku, or (`only`) because it is the only one; else it is new
 * under `newId`. `stockRows` are added or changed; none is removed but that of a warehouse `withoutRow`. `path` says
 * where in the body it stands.
 */
export interface VariantPatch {
  readonly find: { readonly id: string } | { readonly sku: string } | 'only' | 'none';
  readonly newId: string;
  readonly path: string;
  readonly fields: Partial<Omit<ProductVariant, 'id' | 'url' | 'variantOptionsKey' | 'stockRows'>>;
  readonly stockRows: readonly PatchedRow[];
  readonly withoutRow?: string;
}

/** A row whose stock is tracked, or not; where that is left out as it was, a new one is. */
export interface PatchedRow {
  readonly warehouseId: string;
  readonly trackStock?: boolean | undefined;
}

/** Variants that options make, with everything that is wrong about them. */
export interface Generated extends GeneratedVariants {
  readonly problems: readonly string[];
}

export interface CreateProduct {
  readonly type: 'CreateProduct';
  readonly root: ProductRoot;
  readonly variants: readonly VariantPatch[];
  readonly generated?: Generated | null;
  /** How often its creation had been given up when its values were claimed. */
  readonly abandonedBefore?: number;
}

/**
 * Replaces the given fields; variants are matched, changed or added. Only those are removed whose combination changed
 * options do not make any more; `generated` are those that they make in addition.
 */
export interface ChangeProduct {
  readonly type: 'ChangeProduct';
  readonly root: Partial<ProductRoot>;
  readonly variants: readonly VariantPatch[];
  readonly generated?: Generated | null;
}

export interface RemoveProductVariant {
  readonly type: 'RemoveProductVariant';
  readonly variantId: string;
}

/** Makes another variant the default, if this one still is. */
export interface PassOnDefault {
  readonly type: 'PassOnDefault';
  readonly from: string;
  readonly to: string;
}

export interface DeleteProduct {
  readonly type: 'DeleteProduct';
}

export type ProductCommand =
  | CreateProduct
  | AbandonCreation
  | ChangeProduct
  | RemoveProductVariant
  | PassOnDefault
  | DeleteProduct;

/** Options by which variants are not sent; all variants where none are named. */
export interface ExcludeShipping {
  readonly excludedShippingOptionIds: readonly string[];
  readonly variantIds?: readonly string[] | undefined;
}

export interface CatalogueApi {
  /** Whether a warehouse stocks a variant. Errors: `entity-not-found`. */
  isStocked(row: StockedIn): Promise<boolean>;
  /** Records that a warehouse stocks a variant, and opens the row where there is none. */
  stockIn(row: StockedIn, meta: CommandMeta): Promise<void>;
  /** Says of a variant that a warehouse stocks it no more; returns the position. Errors: `entity-not-found`. */
  stockOut(row: StockedIn, meta: CommandMeta): Promise<number>;
  /** Makes a sibling that is on sale the default in the place of a variant that has sold out. */
  passOnDefault(rootId: string, variantId: string, meta: CommandMeta): Promise<{ readonly position: number }>;
}
