import { shippingOption } from '#entities/shipping-option.entity.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { Reference } from '#reference/reference.ts';
import type { ExcludeShipping, VariantPatch } from './product.commands.ts';
import { variantPatch } from './product-input.ts';

/**
 * What variants are told about the options by which they are not sent: they may be sent by all others, also where only
 * some were allowed before (docs/rules/catalogue.md#shipping-exclusions).
 */
export const exclusionPatches = (
  { excludedShippingOptionIds, variantIds }: ExcludeShipping,
  variants: readonly ProductVariant[],
  { entities }: Pick<Reference, 'entities'>,
): readonly VariantPatch[] => {
  const known = new Set(variants.map(({ id }) => id));
  refuseProblems([
    ...excludedShippingOptionIds.flatMap((id, place) =>
      entities.has(shippingOption.category, id)
        ? []
        : [`excludedShippingOptionIds.${place}: must be an existing shipping option`],
    ),
    ...(variantIds ?? []).flatMap((id, place) =>
      known.has(id) ? [] : [`variantIds.${place}: must be a variant of this product`],
    ),
  ]);
  const shippingRestrictionMode =
    excludedShippingOptionIds.length === 0 ? ('None' as const) : ('ExcludeList' as const);
  const said = { shippingRestrictionMode, excludedShippingOptionIds: [...excludedShippingOptionIds] };
  return [...new Set(variantIds ?? known)].map((id) => variantPatch(said, { id }, '', id));
};
