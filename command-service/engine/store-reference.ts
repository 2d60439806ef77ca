/** A field that holds keys of a list, and the field with their ids that it becomes. */
export interface StoreReference {
  readonly field: string;
  /**
   * Or several, the first of which has the key; or which list it is by the fields beside it, null: that reference is
   * not meant there.
   */
  readonly list: string | readonly string[] | ((beside: Readonly<Record<string, unknown>>) => string | null);
  readonly becomes: string;
}

/** A field of ids by its name in a store file: `warehouseId` is `warehouse`, `collectionIds` are `collections`. */
export const referenceTo = (becomes: string, list: StoreReference['list']): StoreReference => ({
  field: becomes.replace(/Id(s?)$/, '$1'),
  list,
  becomes,
});
