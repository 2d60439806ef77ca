import type { Reference } from '#reference/reference.ts';
import { mergeVariants } from './merge-variants.ts';
import { createdRoot, variantPatches, type NewProduct } from './product-input.ts';
import { ruleProblems } from './product-rules.ts';

/** What would keep a new product from being created, as far as its body and the shop of a moment ago tell. */
export const newProductProblems = (
  id: string,
  given: NewProduct,
  { catalogue }: Pick<Reference, 'catalogue'>,
): readonly string[] => {
  const root = createdRoot(id, given, given.rootUrl ?? '', given.productTypeId ?? '');
  const { variants, problems } = mergeVariants(
    root,
    [],
    variantPatches(given, true, (sku) => sku),
  );
  const taken = variants.flatMap(({ sku }) => {
    const owner = catalogue.variantBySku(sku);
    return owner && owner.rootId !== id ? [`sku: ${sku} belongs to ${owner.root.rootName}`] : [];
  });
  const { rootUrl } = given;
  const owners = rootUrl === undefined ? [] : catalogue.productsThatUse('rootUrl', rootUrl);
  const takenUrl = owners
    .filter((owner) => owner !== id)
    .map((owner) => `rootUrl: ${rootUrl} belongs to ${catalogue.product(owner)?.root.rootName ?? owner}`);
  return [...problems, ...ruleProblems(root, variants), ...taken, ...takenUrl];
};
