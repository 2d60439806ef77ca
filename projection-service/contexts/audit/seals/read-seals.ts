import type { z } from 'zod';
import type { sealPage } from '#contracts/seals.contract.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { openSealStore } from './seal-store.ts';

export interface SealRange {
  /** The number of a seal; null: from the newest on. */
  readonly before: number | null;
  /** At most 1,000. */
  readonly limit: number;
}

/** A page of the seals, the newest first: what `GET /audit/seals` returns and `tillroll audit seals` prints. */
export const readSeals = async (
  stateStore: Pick<DocumentStore, 'declare' | 'get' | 'find' | 'insertIfAbsent'>,
  { before, limit }: SealRange,
): Promise<z.output<typeof sealPage>> => {
  const store = await openSealStore(stateStore);
  const seals = await store.newestFirst(before, limit);
  const last = seals.at(-1);
  return {
    publicKey: await store.publicKey(),
    seals: [...seals],
    nextBefore: last && last.number > 1 ? last.number : null,
  };
};
