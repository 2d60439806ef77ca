import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ChangeOf, NewOf, StoreList } from '#contracts/store-file.contract.ts';

interface Outcome {
  readonly hasChanged: boolean;
}

/** Where the entries of one list go. `idOfVariant` is asked for products only. */
export interface StoreTarget<New, Changes> {
  exists(id: string): Promise<boolean>;
  create(id: string, entry: New, meta: CommandMeta, idOfVariant: (sku: string) => string): Promise<Outcome>;
  change(
    id: string,
    entry: Changes,
    meta: CommandMeta,
    idOfVariant: (sku: string) => string,
  ): Promise<Outcome>;
  /** What is wrong with an entry as a whole or stands in its way in the shop, as `path: what was expected`. */
  problems(id: string, entry: New): readonly string[];
}

export type StoreTargets = {
  readonly [List in StoreList]: StoreTarget<NewOf<List>, ChangeOf<List>>;
};

/** The targets for a store that is kept in this currency. */
export type TargetsFor = (currency: () => string) => StoreTargets;

/** The shop's settings as the import needs them. */
export interface StoreOpening {
  currency(): Promise<string | null>;
  open(storeCurrencyCode: string, meta: CommandMeta): Promise<boolean>;
  change(settings: Readonly<Record<string, unknown>>, meta: CommandMeta): Promise<boolean>;
  recordImport(
    fileHash: string,
    counts: Readonly<Record<string, number>>,
    meta: CommandMeta,
  ): Promise<{ readonly position: number; readonly hasChanged: boolean }>;
}
