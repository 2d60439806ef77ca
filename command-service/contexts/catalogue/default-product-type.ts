import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { EntityActions } from '#command/engine/entity.actions.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductType } from '#entities/product-type.entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';

/** The type of products that name none. */
export interface DefaultProductType {
  readonly id: string;
  /** Makes it when it is first needed; it may be renamed later. */
  ensure(meta: CommandMeta): Promise<void>;
}

export const defaultProductType = (
  { reference }: CommandDeps,
  types: Pick<EntityActions<ProductType>, 'create'>,
): DefaultProductType => {
  const id = derivedId('product-type', 'default');
  return {
    id,
    ensure: async (meta) => {
      if (reference.entities.has('productType', id)) return;
      try {
        await types.create(id, { name: 'Default', alias: 'default' }, stepMeta(meta));
      } catch (error) {
        if (!(error instanceof Rejection) || error.code !== 'already-exists') throw error;
      }
    },
  };
};
