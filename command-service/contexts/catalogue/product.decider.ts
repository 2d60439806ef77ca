import { productAfter, type ProductChanges, type ProductParts } from '#entities/product-parts.ts';
import {
  productEvents,
  type ProductEvent,
  type ProductRoot,
  type ProductVariant,
} from '#events/catalogue.events.ts';
import { abandonCreation, refuseAbandoned, type CreationAbandoned } from '#kernel/creation.ts';
import type { Decider } from '#kernel/decider.ts';
import { notFound, refuseDependents, refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { retainedVariants, stillNew } from './variants/generate-variants.ts';
import { mergeVariants } from './variants/merge-variants.ts';
import { limitProblems, ruleProblems, type OptionLimits } from './product-rules.ts';
import type {
  ChangeProduct,
  CreateProduct,
  Generated,
  PassOnDefault,
  ProductCommand,
  RemoveProductVariant,
} from './product.commands.ts';
import { onProductEvents, type KnownProduct, type ProductState } from './product.state.ts';

export interface ProductContext {
  readonly at: string;
  /** What the product names that is not there, as `path: what was expected`. */
  readonly unknown: (root: ProductRoot, variants: readonly ProductVariant[]) => readonly string[];
  readonly limits: OptionLimits;
  /** Units of a variant that are reserved. */
  readonly reserved: (variantId: string) => number;
}

const {
  ProductCreated,
  ProductDeleted,
  ProductDetailsChanged,
  ProductVariantAdded,
  ProductVariantChanged,
  ProductVariantRemoved,
  ProductVariantsGenerated,
  ProductVariantsRemoved,
} = productEvents.create;

/** Generated variants, and the default if it is among them. */
const generatedEvents = (
  generated: Generated | null | undefined,
  variants: readonly ProductVariant[],
  at: string,
): ProductEvent[] => {
  if (!generated || generated.combinations.length === 0) return [];
  const { common, combinations } = generated;
  const chosen = variants.find(({ isDefault }) => isDefault)?.id;
  const defaultId = chosen !== undefined && combinations.some(({ id }) => id === chosen) ? chosen : null;
  return [ProductVariantsGenerated({ common, combinations, defaultId, at })];
};

const create = (
  state: ProductState,
  { root, variants: patches, generated, abandonedBefore }: CreateProduct,
  { at, unknown, limits }: ProductContext,
): ProductEvent[] => {
  const { variants, problems } = mergeVariants(root, [], patches, generated);
  if (state.status === 'present') {
    if (isSameJson(state.root, root) && isSameJson(state.variants, variants)) return [];
    throw new Rejection('already-exists', 'This product already exists.');
  }
  refuseAbandoned(state, abandonedBefore);
  refuseProblems([
    ...limitProblems(root.options, limits),
    ...problems,
    ...ruleProblems(root, variants),
    ...unknown(root, variants),
  ]);
  const told = generatedEvents(generated, variants, at);
  return [ProductCreated({ root, variants: told.length > 0 ? [] : [...variants], at }), ...told];
};

interface After extends ProductParts {
  readonly vanished?: readonly ProductVariant[];
  readonly generated?: Generated | null | undefined;
}

/** The events that lead from one product to another. */
const difference = (before: ProductParts, after: After, at: string): ProductEvent[] => {
  const { root, variants, vanished = [], generated } = after;
  const gone = vanished.map(({ id, sku }) => ({ variantId: id, sku }));
  const events: ProductEvent[] = [
    ...(isSameJson(before.root, root) ? [] : [ProductDetailsChanged({ root, at })]),
    ...(gone.length > 0 ? [ProductVariantsRemoved({ variants: gone, at })] : []),
    ...generatedEvents(generated, variants, at),
  ];
  const told = events.reduce<ProductParts>(
    (known, { type, data }) => productAfter[type as keyof ProductChanges](known, data as never),
    before,
  );
  const known = new Map(told.variants.map((variant) => [variant.id, variant]));
  for (const variant of variants) {
    const old = known.get(variant.id);
    if (!old) events.push(ProductVariantAdded({ variant, at }));
    else if (!isSameJson(old, variant)) events.push(ProductVariantChanged({ variant, at }));
  }
  return events;
};

const reservedUnits = (
  variants: readonly ProductVariant[],
  reserved: ProductContext['reserved'],
): readonly string[] =>
  variants.flatMap(({ id, sku }) => {
    const units = reserved(id);
    return units > 0 ? [`orders that have reserved ${units} of ${sku}`] : [];
  });

const change = (
  before: KnownProduct,
  command: ChangeProduct,
  { at, unknown, reserved, limits }: ProductContext,
): ProductEvent[] => {
  const root = { ...before.root, ...command.root };
  const kept = retainedVariants({ before, root, patches: command.variants });
  const generated = stillNew(root, kept, command.generated);
  const { variants, problems } = mergeVariants(root, kept.variants, kept.patches, generated);
  const none = variants.length === 0 ? ['options: must make at least one variant'] : [];
  refuseProblems([
    ...limitProblems(command.root.options ?? [], limits),
    ...problems,
    ...none,
    ...ruleProblems(root, variants),
    ...unknown(root, variants),
  ]);
  refuseDependents('combination', reservedUnits(kept.vanished, reserved));
  return difference(before, { root, variants, vanished: kept.vanished, generated }, at);
};

/** A change is announced once, however many events it consists of: by its first event, which names the product. */
const announcedOnce = (state: KnownProduct, events: readonly ProductEvent[]): ProductEvent[] => {
  const [first, ...others] = events;
  if (first === undefined) return [];
  const { rootName } = first.type === 'ProductDetailsChanged' ? first.data.root : state.root;
  return [{ ...first, data: { ...first.data, productName: rootName } } as ProductEvent, ...others];
};

const removeVariant = (
  product: KnownProduct,
  { variantId }: RemoveProductVariant,
  { at, reserved }: ProductContext,
): ProductEvent[] => {
  const variant = product.variants.find(({ id }) => id === variantId);
  if (!variant) throw notFound('variant');
  const units = reserved(variantId);
  refuseDependents('variant', [
    ...(product.variants.length === 1 ? ['its product, which has no other'] : []),
    ...(units > 0 ? [`orders that have reserved ${units} of it`] : []),
  ]);
  const left = product.variants.filter(({ id }) => id !== variantId);
  const { variants } = mergeVariants(product.root, left, []);
  return [
    ProductVariantRemoved({ variantId, sku: variant.sku, at }),
    ...difference({ root: product.root, variants: left }, { root: product.root, variants }, at),
  ];
};

const passOnDefault = (
  product: KnownProduct,
  { from, to }: PassOnDefault,
  { at }: ProductContext,
): ProductEvent[] => {
  const { root, variants } = product;
  if (!variants.some(({ id, isDefault }) => id === from && isDefault)) return [];
  const chosen = { find: { id: to }, newId: to, path: '', fields: { isDefault: true }, stockRows: [] };
  return variants.some(({ id }) => id === to)
    ? difference(product, { root, variants: mergeVariants(root, variants, [chosen]).variants }, at)
    : [];
};

/** Products with their variants (docs/rules/catalogue.md#products-and-variants). */
export const productDecider: Decider<
  ProductState,
  ProductCommand,
  ProductEvent | CreationAbandoned,
  ProductContext
> = {
  category: 'product',
  initial: () => ({ status: 'absent' }),
  decide: (state, command, context) => {
    if (command.type === 'CreateProduct') return create(state, command, context);
    if (command.type === 'AbandonCreation') return abandonCreation(state);
    if (state.status !== 'present') throw notFound('product');
    switch (command.type) {
      case 'ChangeProduct':
        return announcedOnce(state, change(state, command, context));
      case 'RemoveProductVariant':
        return announcedOnce(state, removeVariant(state, command, context));
      case 'PassOnDefault':
        return announcedOnce(state, passOnDefault(state, command, context));
      case 'DeleteProduct':
        refuseDependents('product', reservedUnits(state.variants, context.reserved));
        return announcedOnce(state, [ProductDeleted({})]);
    }
  },
  on: onProductEvents,
  remembersCommands: true,
};
