import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isOnSale } from '#reference/availability.ts';
import { executeOnProduct, loadProduct } from '../product.context.ts';

/**
 * Makes the first variant that is on sale the default in the place of one that has sold out, unless that is the default
 * no more. Returns the position; 0 when nothing is to be done.
 */
export const passOnDefault = async (
  deps: CommandDeps,
  rootId: string,
  variantId: string,
  meta: CommandMeta,
): Promise<{ readonly position: number }> => {
  const product = await loadProduct(deps, rootId);
  const next = product?.variants.find(
    (variant) =>
      variant.id !== variantId && isOnSale(deps.reference, { rootId, root: product.root, variant }),
  );
  if (!next) return { position: 0 };
  const command = { type: 'PassOnDefault', from: variantId, to: next.id } as const;
  const { executed } = await executeOnProduct(deps, rootId, command, meta);
  return { position: executed.position };
};
