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
import { mergeVariants } from './merge-variants.ts';
import { ruleProblems } from './product-rules.ts';
import type {
  CreateProduct,
  PassOnDefault,
  ProductCommand,
  RemoveProductVariant,
} from './product.commands.ts';
import { onProductEvents, type KnownProduct, type ProductState } from './product.state.ts';

export interface ProductContext {
  readonly at: string;
  /** What the product names that is not there, as `path: what was expected`. */
  readonly unknown: (root: ProductRoot, variants: readonly ProductVariant[]) => readonly string[];
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
} = productEvents.create;

const create = (
  state: ProductState,
  { root, variants: patches, abandonedBefore }: CreateProduct,
  { at, unknown }: ProductContext,
): ProductEvent[] => {
  if (state.status === 'present') {
    const merged = mergeVariants(root, [], patches);
    if (isSameJson(state.root, root) && isSameJson(state.variants, merged.variants)) return [];
    throw new Rejection('already-exists', 'There is such a product already.');
  }
  refuseAbandoned(state, abandonedBefore);
  const { variants, problems } = mergeVariants(root, [], patches);
  refuseProblems([...problems, ...ruleProblems(root, variants), ...unknown(root, variants)]);
  return [ProductCreated({ root, variants: [...variants], at })];
};

/** The events that lead from one product to another. */
const difference = (
  before: KnownProduct,
  root: ProductRoot,
  variants: readonly ProductVariant[],
  at: string,
): ProductEvent[] => {
  const events: ProductEvent[] = isSameJson(before.root, root) ? [] : [ProductDetailsChanged({ root, at })];
  for (const variant of variants) {
    const old = before.variants.find(({ id }) => id === variant.id);
    if (!old) events.push(ProductVariantAdded({ variant, at }));
    else if (!isSameJson(old, variant)) events.push(ProductVariantChanged({ variant, at }));
  }
  return events;
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
    ...difference({ ...product, variants: left }, product.root, variants, at),
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
    ? difference(product, root, mergeVariants(root, variants, [chosen]).variants, at)
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
      case 'ChangeProduct': {
        const root = { ...state.root, ...command.root };
        const { variants, problems } = mergeVariants(root, state.variants, command.variants);
        refuseProblems([...problems, ...ruleProblems(root, variants), ...context.unknown(root, variants)]);
        return difference(state, root, variants, context.at);
      }
      case 'RemoveProductVariant':
        return removeVariant(state, command, context);
      case 'PassOnDefault':
        return passOnDefault(state, command, context);
      case 'DeleteProduct': {
        const units = state.variants.reduce((sum, { id }) => sum + context.reserved(id), 0);
        refuseDependents('product', units > 0 ? [`orders that have reserved ${units} of it`] : []);
        return [ProductDeleted({})];
      }
    }
  },
  on: onProductEvents,
  remembersCommands: true,
};
