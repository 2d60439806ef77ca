import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Sending } from '#command/engine/streams.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { timesAbandoned } from '#kernel/creation.ts';
import type { ChangeProduct, CreateProduct, ProductCommand } from './product.commands.ts';
import { productDecider } from './product.decider.ts';
import { unknownReferences } from './product-references.ts';
import type { KnownProduct, ProductState } from './product.state.ts';

export const presentProduct = (state: ProductState): KnownProduct | null =>
  state.status === 'present' ? state : null;

/** Runs a command on a product and tells what the product was when it was decided. */
export const executeOnProduct = async (
  { commands, clock, reference, settings }: CommandDeps,
  id: string,
  command: ProductCommand,
  meta: CommandMeta,
  reserved: ReadonlyMap<string, number> = new Map(),
  how: Sending = {},
) => {
  let before: KnownProduct | null = null;
  const executed = await commands.execute({
    decider: productDecider,
    id,
    command,
    context: (state) => {
      before = presentProduct(state);
      return {
        at: isoInstant(clock.now()),
        unknown: (root, variants) => unknownReferences(reference, root, variants),
        limits: settings(),
        reserved: (variantId: string) => reserved.get(variantId) ?? 0,
      };
    },
    meta,
    ...how,
  });
  return { executed, before: before as KnownProduct | null };
};

/** Throws what the command would be refused with; `comingTypeId` names a product type that is made before it. */
export const rehearseOnProduct = (
  { commands, clock, reference, settings }: CommandDeps,
  id: string,
  command: CreateProduct | ChangeProduct,
  meta: CommandMeta,
  comingTypeId: string | null,
  reserved: ReadonlyMap<string, number>,
): Promise<void> =>
  commands.rehearse({
    decider: productDecider,
    id,
    command,
    context: () => ({
      at: isoInstant(clock.now()),
      unknown: (root, variants) => unknownReferences(reference, root, variants, comingTypeId),
      limits: settings(),
      reserved: (variantId: string) => reserved.get(variantId) ?? 0,
    }),
    meta,
  });

/** How often the creation of a product had been given up, as far as this process knows. */
export const abandonedBefore = async (
  { commands }: Pick<CommandDeps, 'commands'>,
  id: string,
): Promise<number> => timesAbandoned((await commands.recall(productDecider, id)).state);

/** Makes sure that a deleted product is never created; false for one that exists. */
export const abandonProduct = async (deps: CommandDeps, id: string, meta: CommandMeta): Promise<boolean> => {
  const { executed } = await executeOnProduct(deps, id, { type: 'AbandonCreation' }, meta);
  return presentProduct(executed.state) === null;
};

export const loadProduct = async (
  { commands }: Pick<CommandDeps, 'commands'>,
  id: string,
): Promise<KnownProduct | null> => presentProduct((await commands.load(productDecider, id)).state);
