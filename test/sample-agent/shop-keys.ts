import type { PublishedKey } from './keys.ts';
import type { Verdict } from './signatures.ts';

/** The keys that the shop publishes now. */
export interface ShopKeys {
  /** By the keys as they were read, and if that fails by those that there are now: shops change keys. */
  verify(check: (keys: readonly PublishedKey[]) => Verdict): Promise<Verdict>;
}

export const createShopKeys = (shop: string): ShopKeys => {
  let known: readonly PublishedKey[] | null = null;
  const read = async (): Promise<readonly PublishedKey[]> => {
    const response = await fetch(`${shop}/.well-known/ucp`);
    const { signing_keys: keys } = (await response.json()) as { signing_keys?: PublishedKey[] };
    return (known = keys ?? []);
  };
  return {
    verify: async (check) => {
      const verdict = check(known ?? (await read()));
      return verdict.kind === 'wrong' ? check(await read()) : verdict;
    },
  };
};
