import type { Reference } from '#reference/reference.ts';
import { askedOfNew } from './asked-variants.ts';
import { mergeVariants } from './merge-variants.ts';
import { createdRoot, type NewProduct } from './product-input.ts';
import { limitProblems, ruleProblems, type OptionLimits } from './product-rules.ts';

/** What would keep a new product from being created, as far as its body and the shop of a moment ago tell. */
export const newProductProblems = (
  id: string,
  given: NewProduct,
  { catalogue }: Pick<Reference, 'catalogue'>,
  limits: OptionLimits,
): readonly string[] => {
  const root = createdRoot(id, given, given.rootUrl ?? '', given.productTypeId ?? '');
  const asked = askedOfNew(given, root, (sku) => sku);
  const { variants, problems } = mergeVariants(root, [], asked.variants, asked.generated);
  const taken = variants.flatMap(({ sku }) => {
    const owner = catalogue.variantBySku(sku);
    return owner && owner.rootId !== id ? [`sku: ${sku} belongs to ${owner.root.rootName}`] : [];
  });
  const { rootUrl } = given;
  const owner = rootUrl === undefined ? undefined : catalogue.productAt(rootUrl);
  const takenUrl = owner && owner.id !== id ? [`rootUrl: ${rootUrl} belongs to ${owner.root.rootName}`] : [];
  return [
    ...limitProblems(root.options, limits),
    ...problems,
    ...ruleProblems(root, variants),
    ...taken,
    ...takenUrl,
  ];
};
