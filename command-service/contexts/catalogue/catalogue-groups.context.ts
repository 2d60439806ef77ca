import type { Claims } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import { createEntities, type Entities } from '#command/engine/entities.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  collectionDecider,
  productTypeDecider,
  type Collection,
  type ProductType,
} from './catalogue-groups.decider.ts';

const usedBy =
  ({ reference }: CommandDeps, kind: 'productType' | 'collection') =>
  (id: string): readonly string[] => {
    const { length } = reference.catalogue.productsThatUse(kind, id);
    return length > 0 ? [`${length} product(s)`] : [];
  };

/** Product types; one that a product has stays. */
export const productTypes = (deps: CommandDeps, claims: Claims): Entities<ProductType> =>
  createEntities(
    {
      decider: productTypeDecider,
      noun: 'product type',
      problems: () => [],
      dependents: usedBy(deps, 'productType'),
      uniqueValues: () => [],
    },
    deps,
    claims,
  );

/** Collections; one that has products stays. */
export const collections = (deps: CommandDeps, claims: Claims): Entities<Collection> =>
  createEntities(
    {
      decider: collectionDecider,
      noun: 'collection',
      problems: () => [],
      dependents: usedBy(deps, 'collection'),
      uniqueValues: () => [],
    },
    deps,
    claims,
  );

/** The type of products that name none. */
export interface DefaultProductType {
  readonly id: string;
  /** Makes it when it is first needed; it may be renamed later. */
  ensure(meta: CommandMeta): Promise<void>;
}

export const defaultProductType = (
  { reference }: CommandDeps,
  types: Entities<ProductType>,
): DefaultProductType => {
  const id = derivedId('product-type', 'default');
  return {
    id,
    ensure: async (meta) => {
      if (reference.catalogue.productType(id)) return;
      try {
        await types.create(id, { name: 'Default', alias: 'default' }, stepMeta(meta));
      } catch (error) {
        if (!(error instanceof Rejection) || error.code !== 'already-exists') throw error;
      }
    },
  };
};
