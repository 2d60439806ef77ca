import { entities as kinds } from '#entities/entities.ts';
import { visitReferences } from '#entities/product-parts.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { Reference } from '#reference/reference.ts';

const nounOf = (category: string): string =>
  kinds.find((kind) => kind.category === category)?.noun ?? category;

/** Lists of rows that name a warehouse, as a body calls them. */
const rows = new Set(['warehouses', 'stock']);

/**
 * What a product names that the shop does not have, as `path: what was expected`. `comingTypeId`: a product type that
 * is made if need be, before the product.
 */
export const unknownReferences = (
  { entities, stock }: Pick<Reference, 'entities' | 'stock'>,
  root: ProductRoot,
  variants: readonly ProductVariant[],
  comingTypeId: string | null = null,
): readonly string[] => {
  const problems: string[] = [];
  visitReferences({ root, variants }, (category, id, place, field, index) => {
    if (entities.has(category, id) || (category === 'productType' && id === comingTypeId)) return;
    // A warehouse that is gone leaves a variant's last row behind: that sells nothing.
    const variant = field === 'stock' && place !== null ? variants[place] : undefined;
    if (variant && stock.level(variant.id, id)) return;
    const path = [
      ...(place === null ? [] : ['variants', place]),
      field,
      ...(index === undefined ? [] : [index]),
      ...(rows.has(field) ? ['warehouseId'] : []),
    ];
    problems.push(`${path.join('.')}: must be an existing ${nounOf(category)}`);
  });
  return problems;
};
