import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { soldBy } from './sold.queries.ts';

export interface BestSellersQuery {
  /** How many to name. */
  readonly take?: number;
  /** Business days, both included; without them, everything that was ever sold. */
  readonly from?: string;
  readonly to?: string;
}

export interface BestSeller {
  readonly productId: string;
  readonly productRootId: string;
  readonly name: string;
  readonly sku: string;
  readonly quantity: number;
}

/** The same order on every machine, whatever its language. */
const byName = new Intl.Collator('en');

/** Of variants that are still there, those that sold most pieces (docs/rules/reporting.md#best-sellers). */
export const bestSellers = async (
  { reader, reference }: Pick<ProjectionDeps, 'reader' | 'reference'>,
  { take = 8, from, to }: BestSellersQuery = {},
): Promise<readonly BestSeller[]> => {
  const window = { ...(from !== undefined && { start: from }), ...(to !== undefined && { end: to }) };
  const sold = await soldBy(reader, 'variant', window, ({ items }) => items);
  return [...sold]
    .flatMap(([productId, quantity]): BestSeller[] => {
      const found = reference.catalogue.variant(productId);
      if (!found || quantity <= 0) return [];
      const { rootId: productRootId, variant } = found;
      return [{ productId, productRootId, name: variant.name, sku: variant.sku, quantity }];
    })
    .sort(
      (one, other) =>
        other.quantity - one.quantity ||
        byName.compare(one.name, other.name) ||
        (one.productId < other.productId ? -1 : 1),
    )
    .slice(0, take);
};
