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
      const isRefusedFor = (error: unknown, code: string): boolean =>
        error instanceof Rejection && error.code === code;
      const make = (alias: string) => types.create(id, { name: 'Default', alias }, stepMeta(meta));
      try {
        await make('default').catch((error: unknown) => {
          // Staff have a type of their own that is called so.
          if (!isRefusedFor(error, 'value-taken')) throw error;
          return make(id);
        });
      } catch (error) {
        if (!isRefusedFor(error, 'already-exists')) throw error;
      }
    },
  };
};
