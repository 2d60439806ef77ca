import { newRoot } from '#entities/product.entity.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { variantsOfKnown, variantsOfNew } from './variants/requested-variants.ts';
import { retainedVariants } from './variants/generate-variants.ts';
import { mergeVariants } from './variants/merge-variants.ts';
import { createdRoot, rootChanges, type NewProduct, type ProductGiven } from './product-input.ts';
import { unknownReferences } from './product-references.ts';
import { limitProblems, ruleProblems, type OptionLimits } from './product-rules.ts';

/** What would keep a product from being saved: `message` as `path: what was expected`. */
export interface ProductProblem {
  readonly code: 'rule-broken' | 'value-taken' | 'reference-unknown';
  readonly message: string;
}

const coded = (code: ProductProblem['code'], messages: readonly string[]): readonly ProductProblem[] =>
  messages.map((message) => ({ code, message }));

interface Owned {
  readonly sku: string;
}

/** What another product of the shop has. */
const takenValues = (
  id: string,
  variants: readonly Owned[],
  rootUrl: string | undefined,
  { catalogue }: Pick<Reference, 'catalogue'>,
): readonly ProductProblem[] => {
  const taken = variants.flatMap(({ sku }) => {
    const owner = catalogue.variantBySku(sku);
    return owner && owner.rootId !== id ? [`sku: ${sku} belongs to ${owner.root.rootName}`] : [];
  });
  const owner = rootUrl === undefined ? undefined : catalogue.productAt(rootUrl);
  const takenUrl = owner && owner.id !== id ? [`rootUrl: ${rootUrl} belongs to ${owner.root.rootName}`] : [];
  return coded('value-taken', [...taken, ...takenUrl]);
};

/** A new product as its body makes it. */
const madeOf = (id: string, given: NewProduct, typeId: string) => {
  const root = createdRoot(id, given, given.rootUrl ?? '', typeId);
  const asked = variantsOfNew(given, root, (sku) => sku);
  return { root, ...mergeVariants(root, [], asked.variants, asked.generated) };
};

const problemsOf = (
  id: string,
  { rootUrl }: NewProduct,
  { root, variants, problems }: ReturnType<typeof madeOf>,
  reference: Pick<Reference, 'catalogue'>,
  limits: OptionLimits,
): readonly ProductProblem[] => [
  ...coded('rule-broken', [
    ...limitProblems(root.options, limits),
    ...problems,
    ...ruleProblems(root, variants),
  ]),
  ...takenValues(id, variants, rootUrl, reference),
];

/** What would keep a new product from being created, as far as its body and the shop of a moment ago tell. */
export const newProductProblems = (
  id: string,
  given: NewProduct,
  reference: Pick<Reference, 'catalogue'>,
  limits: OptionLimits,
): readonly string[] =>
  problemsOf(id, given, madeOf(id, given, given.productTypeId ?? ''), reference, limits).map(
    ({ message }) => message,
  );

/** Likewise, and what it names that the shop does not have. `comingTypeId`: see `unknownReferences`. */
export const creationProblems = (
  id: string,
  given: NewProduct,
  reference: Pick<Reference, 'catalogue' | 'entities' | 'stock'>,
  limits: OptionLimits,
  comingTypeId: string,
): readonly ProductProblem[] => {
  const made = madeOf(id, given, given.productTypeId ?? comingTypeId);
  return [
    ...problemsOf(id, given, made, reference, limits),
    ...coded('reference-unknown', unknownReferences(reference, made.root, made.variants, comingTypeId)),
  ];
};

/** Likewise of a change. */
export const changeProblems = (
  { id, root: sold, variants: known }: SoldProduct,
  given: ProductGiven,
  reference: Pick<Reference, 'catalogue' | 'entities' | 'stock'>,
  limits: OptionLimits,
  comingTypeId: string | null,
): readonly ProductProblem[] => {
  const before = { root: { ...newRoot, ...sold }, variants: known };
  const root = { ...before.root, ...rootChanges(id, given, comingTypeId, sold.options) };
  const asked = variantsOfKnown(before, given, root, (sku) => sku);
  const kept = retainedVariants({ before, root, patches: asked.variants });
  const { variants, problems } = mergeVariants(root, kept.variants, kept.patches, asked.generated);
  return [
    ...coded('rule-broken', [
      ...limitProblems(given.options === undefined ? [] : root.options, limits),
      ...problems,
      ...ruleProblems(root, variants),
    ]),
    ...coded('reference-unknown', unknownReferences(reference, root, variants, comingTypeId)),
    ...takenValues(id, variants, given.rootUrl, reference),
  ];
};
