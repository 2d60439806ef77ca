import { productType } from '#entities/product-type.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { derivedId } from '#kernel/ids.ts';
import { slugOf } from '#values/slug.ts';
import { completeDraft, onlyTaxGroup, type CompletedDraft } from './complete-draft.ts';
import { fault, warning, type CsvIssue } from './product-csv.ts';
import { placeOf, type ProductDraft } from './product-draft.ts';
import type { NewProduct } from '../product-input.ts';
import { changeProblems, creationProblems, type ProductProblem } from '../product-problems.ts';
import type { OptionLimits } from '../product-rules.ts';

/** A product type by the name that a file gives it; `isNew`: it is made before the first product. */
export interface NamedType {
  readonly id: string;
  readonly name: string;
  readonly alias: string;
  readonly isNew: boolean;
}

/** Product types by name or alias, in any case; each name is looked up once. */
export const createNamedTypes = ({ entities }: Pick<Reference, 'entities'>) => {
  const found = new Map<string, NamedType>();
  return (name: string): NamedType => {
    const key = name.toLowerCase();
    const alias = slugOf(name);
    const known = found.get(key);
    if (known) return known;
    const owner = entities.owner(
      productType,
      (type) => String(type.name).toLowerCase() === key || type.alias === alias || String(type.alias) === key,
    );
    const named = { id: owner?.id ?? derivedId('product-type', alias), name, alias, isNew: !owner };
    found.set(key, named);
    return named;
  };
};

export type NamedTypes = ReturnType<typeof createNamedTypes>;

/** A product of a file, and what it means in the shop as it is now. */
export interface ResolvedDraft extends CompletedDraft {
  readonly draft: ProductDraft;
  /** Null where the file is silent. */
  readonly type: NamedType | null;
}

/** `path: what was expected` as an issue. The SKU that a message names tells the row. */
const issueOf = (draft: ProductDraft, { code, message: problem }: ProductProblem): CsvIssue => {
  const [, path = '', message = problem] = /^([\w.]+): (.*)$/s.exec(problem) ?? [];
  const place = placeOf(draft, path.split('.'));
  const variant = draft.given.variants.findIndex(
    ({ sku }) => sku !== undefined && message.split(' ').includes(sku),
  );
  const line = path.startsWith('variants.') ? place.line : (draft.variants[variant]?.line ?? place.line);
  return fault(code, message, line, place.column);
};

const warehouseIssues = (
  draft: ProductDraft,
  { shipping }: Pick<Reference, 'shipping'>,
): readonly CsvIssue[] => {
  const row = draft.variants.find(({ isTracked }) => isTracked === true);
  if (row === undefined || shipping.warehouses().length > 0) return [];
  return [
    fault(
      'warehouse-missing',
      'must have a warehouse in the shop to stock it',
      row.line,
      'Variant Inventory Qty',
    ),
  ];
};

const issuesOfNew = (draft: ProductDraft, reference: Reference): readonly CsvIssue[] => [
  ...(draft.given.rootName === undefined
    ? [fault('title-missing', 'must be given for a new product', draft.line, 'Title')]
    : []),
  ...(draft.isTaxed === true && draft.given.taxGroupId === undefined && onlyTaxGroup(reference) === undefined
    ? [
        warning(
          'tax-group-open',
          'the shop has not exactly one tax group: the product is not taxed',
          draft.line,
          'Variant Taxable',
        ),
      ]
    : []),
];

/** Variants that stay choose a value of every option that the file has; else they would have to go. */
const stayingIssues = (draft: ProductDraft, { staying, known }: CompletedDraft): readonly CsvIssue[] => {
  const { optionNames } = draft;
  const isOtherwise = ({
    selectedOptions,
  }: {
    readonly selectedOptions: readonly { readonly optionName: string }[];
  }) =>
    optionNames !== null &&
    (selectedOptions.length !== optionNames.length ||
      selectedOptions.some(({ optionName }) => !optionNames.includes(optionName)));
  return staying.map((variant) =>
    isOtherwise(variant) && (known?.variants.length ?? 0) > 0
      ? fault(
          'variant-reserved',
          `units of ${variant.sku} are reserved, which these options do not allow`,
          draft.line,
          'Option1 Name',
        )
      : warning(
          'variant-kept',
          `${variant.sku} is kept, as units of it are reserved`,
          draft.line,
          'Variant SKU',
        ),
  );
};

/** Completes a product of a file by what the shop knows. */
export const resolveDraft = (
  draft: ProductDraft,
  reference: Reference,
  typeOf: NamedTypes,
): ResolvedDraft => {
  const type = draft.typeName === null ? null : typeOf(draft.typeName);
  const completed = completeDraft(draft, reference);
  const given = type ? { ...completed.given, productTypeId: type.id } : completed.given;
  return { ...completed, given, draft, type };
};

/** What would keep a product of a file from being saved, with line and column. */
export const issuesOfDraft = (
  resolved: ResolvedDraft,
  reference: Reference,
  limits: OptionLimits,
): readonly CsvIssue[] => {
  const { draft, type, known, given } = resolved;
  const comingTypeId = type?.id ?? derivedId('product-type', 'default');
  const asNew = { ...given, rootName: given.rootName ?? '' } as NewProduct;
  const problems = known
    ? changeProblems(known, given, reference, limits, comingTypeId)
    : creationProblems('', asNew, reference, limits, comingTypeId);
  return [
    ...(known ? [] : issuesOfNew(draft, reference)),
    ...warehouseIssues(draft, reference),
    ...(type?.isNew
      ? [warning('type-new', `the product type ${type.name} is made`, draft.line, 'Type')]
      : []),
    ...stayingIssues(draft, resolved),
    ...problems.map((problem) => issueOf(draft, problem)),
  ];
};
