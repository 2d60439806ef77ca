import type { ShownProduct } from '#agents/protocol-catalogue.ts';
import type { SoldProduct } from '#reference/reference.ts';

/** What an identifier leads to in one view. */
export interface KeptName {
  readonly shown: ShownProduct;
  readonly of: SoldProduct;
}

const MAX_NAMES = 50_000;
/** Hosts are the callers' own words: there may be any number of views. A change looks into all of them. */
const MAX_VIEWS = 50;

/** As the shop writes them: in other letters there are any number. */
export const identifiersOf = ({ id, variants }: SoldProduct): readonly string[] => [
  id,
  ...variants.flatMap((variant) => [variant.id, variant.sku]),
];

/** What identifiers lead to, by how agents see it. */
export const createKeptNames = () => {
  const views = new Map<string, Map<string, KeptName>>();
  let size = 0;
  const clear = (): void => {
    // Who looks into a view at the moment sees it emptied.
    for (const names of views.values()) names.clear();
    views.clear();
    size = 0;
  };
  const viewOf = (viewKey: string): Map<string, KeptName> => {
    const known = views.get(viewKey);
    if (known) return known;
    if (views.size === MAX_VIEWS) clear();
    const names = new Map<string, KeptName>();
    views.set(viewKey, names);
    return names;
  };
  return {
    in: (viewKey: string): ReadonlyMap<string, KeptName> | undefined => views.get(viewKey),
    keep: (viewKey: string, id: string, name: KeptName): void => {
      if (size === MAX_NAMES) clear();
      const names = viewOf(viewKey);
      if (!names.has(id)) size++;
      names.set(id, name);
    },
    /** What a product is called, in all views. */
    forget: (product: SoldProduct): void => {
      if (size === 0) return;
      const ids = identifiersOf(product);
      for (const names of views.values()) for (const id of ids) if (names.delete(id)) size--;
    },
    clear,
  };
};
