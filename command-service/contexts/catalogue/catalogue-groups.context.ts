import type { Claims } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
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

const defaultTypeId = derivedId('product-type', 'default');

/** The type of products that name none; it is made when it is first needed, and may be renamed. */
export const ensureDefaultType = async (
  { reference }: CommandDeps,
  types: Entities<ProductType>,
  { commandId: _, ...meta }: CommandMeta,
): Promise<string> => {
  if (reference.catalogue.productType(defaultTypeId)) return defaultTypeId;
  try {
    await types.create(defaultTypeId, { name: 'Default', alias: 'default' }, meta);
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'already-exists') throw error;
  }
  return defaultTypeId;
};
