import { commandHooks } from '#command/engine/hooks.ts';
import type { ProductCommand } from './product.commands.ts';
import type { ProductState } from './product.state.ts';

const known = (state: ProductState): object =>
  state.status === 'present' ? { root: state.root, variants: state.variants } : {};

/** What hooks are asked before a product is created, saved or deleted (docs/guides/hooks.md#notifications). */
export const productHooks = commandHooks<ProductState, ProductCommand>('product', {
  CreateProduct: ({ root, variants }, _, id) => ['ProductCreatingNotification', { id, root, variants }],
  ChangeProduct: ({ root, variants }, state, id) => [
    'ProductSavingNotification',
    { id, ...known(state), changes: { root, variants } },
  ],
  RemoveProductVariant: ({ variantId }, state, id) => [
    'ProductSavingNotification',
    { id, ...known(state), changes: { removedVariantId: variantId } },
  ],
  DeleteProduct: (_, state, id) => ['ProductDeletingNotification', { id, ...known(state) }],
});
