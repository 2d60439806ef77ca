import {
  actOnClaims,
  type Acted,
  type ClaimOwners,
  type Claiming,
  type Claims,
  type UniqueValue,
} from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { slugOf } from '#values/slug.ts';
import type { ChangeProduct, CreateProduct } from './product.commands.ts';
import { abandonProduct, loadProduct } from './product.context.ts';
import type { KnownProduct } from './product.state.ts';

export const urlValue = (url: string): UniqueValue => ({ kind: 'product-url', value: url, field: 'rootUrl' });
const skuValue = (sku: string): UniqueValue => ({ kind: 'sku', value: sku, field: 'sku' });

/** The unique values that a product holds: its address and the skus of its variants. */
export const valuesOf = (product: KnownProduct | null): readonly UniqueValue[] =>
  product === null
    ? []
    : [urlValue(product.root.rootUrl), ...product.variants.map(({ sku }) => skuValue(sku))];

export const skusOf = ({ variants, generated }: ChangeProduct | CreateProduct): readonly UniqueValue[] => {
  const skus = new Set([
    ...variants.flatMap(({ fields }) => (fields.sku === undefined ? [] : [fields.sku])),
    ...(generated?.combinations ?? []).map(({ sku }) => sku),
  ]);
  return [...skus].map(skuValue);
};

/** The address that a product gets from its name, unless another product has it. */
export const urlOfName = (name: string): string => slugOf(name).slice(0, 200) || 'product';

export interface ClaimedUrl {
  readonly url: string;
  readonly gained: readonly UniqueValue[];
}

export interface ProductClaims {
  refuseTaken(values: readonly UniqueValue[], id: string): Promise<void>;
  claim(
    values: readonly UniqueValue[],
    id: string,
    meta: CommandMeta,
    how?: Claiming,
  ): Promise<readonly UniqueValue[]>;
  /** The address of a name, with a number behind it when that is taken. */
  claimFreeUrl(name: string, id: string, meta: CommandMeta): Promise<ClaimedUrl>;
  release(values: readonly UniqueValue[], id: string, meta: CommandMeta): Promise<void>;
  /** See `actOnClaims`. */
  act<Outcome>(
    gained: readonly UniqueValue[],
    id: string,
    meta: CommandMeta,
    act: () => Promise<Acted<Outcome>>,
  ): Promise<Outcome>;
}

/** Claims in the name of products. */
export const createProductClaims = (deps: CommandDeps, claims: Claims): ProductClaims => {
  const owners: ClaimOwners = {
    isThere: async (id) => (await loadProduct(deps, id)) !== null,
    abandon: (id, meta) => abandonProduct(deps, id, meta),
  };
  return {
    refuseTaken: (values, id) => claims.refuseTaken(values, id, owners),
    claim: (values, id, meta, how) => claims.claimAll(values, id, meta, owners, how),
    claimFreeUrl: async (name, id, meta) => {
      const slug = urlOfName(name);
      for (let number = 1; ; number++) {
        const url = number === 1 ? slug : `${slug}-${number}`;
        const outcome = await claims.claim('product-url', url, id, meta, owners);
        if (outcome.kind === 'ok') return { url, gained: outcome.isNew ? [urlValue(url)] : [] };
      }
    },
    release: (values, id, meta) => claims.releaseAll(values, id, meta),
    act: (gained, id, meta, act) => actOnClaims(claims, gained, id, meta, act),
  };
};
