import {
  upsellDaysCollection,
  type UpsellDay,
  type UpsellEventRow,
} from '#contracts/upsell-events.contract.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';
import { EVERY_RULE } from '#values/every-rule.ts';

/** Rows that are counted together, once however often that is tried. */
export interface CountedBatch {
  /** Names this start of this process. */
  readonly run: string;
  /** Counts on with every batch of a run. */
  readonly number: number;
  readonly rows: readonly UpsellEventRow[];
}

type Additions = Map<
  string,
  Pick<UpsellDay, 'upsellRuleId' | 'day' | 'impressions' | 'clicks' | 'firstImpression'>
>;

const additionsOf = (rows: readonly UpsellEventRow[], dayOf: (instant: string) => string): Additions => {
  const additions: Additions = new Map();
  for (const { upsellRuleId: rule, eventType, dateCreated } of rows) {
    const day = dayOf(dateCreated);
    const isImpression = eventType === 'Impression';
    for (const upsellRuleId of [rule, EVERY_RULE]) {
      const key = `${upsellRuleId} ${day}`;
      const before = additions.get(key);
      additions.set(key, {
        upsellRuleId,
        day,
        impressions: (before?.impressions ?? 0) + (isImpression ? 1 : 0),
        clicks: (before?.clicks ?? 0) + (isImpression ? 0 : 1),
        firstImpression: before?.firstImpression ?? (isImpression ? dateCreated : null),
      });
    }
  }
  return additions;
};

/**
 * Adds a batch to the documents of its days. Where an earlier try has done it and only its answer was lost, no document
 * matches: each knows the last batch that it holds of every run. Errors: `EngineUnavailable`.
 */
export const addToDays = async (
  stateStore: DocumentStore,
  { run, number, rows }: CountedBatch,
  dayOf: (instant: string) => string,
): Promise<void> => {
  const field = `counted.${run}`;
  await Promise.all(
    [...additionsOf(rows, dayOf)].map(async ([_id, { impressions, clicks, firstImpression, ...named }]) => {
      const patch: Patch = { increment: { impressions, clicks }, set: { [field]: number } };
      const add = async (): Promise<boolean> =>
        (await stateStore.updateIf(upsellDaysCollection, { _id, [field]: { lt: number } }, patch)) !== null ||
        (await stateStore.updateIf(upsellDaysCollection, { _id, [field]: { exists: false } }, patch)) !==
          null;
      if (!(await add())) {
        // Another run may insert it first: ours is missing then as well.
        const nothing = { _id, ...named, impressions: 0, clicks: 0, firstImpression: null };
        await stateStore.insertIfAbsent(upsellDaysCollection, nothing);
        await add();
      }
      if (firstImpression !== null)
        await stateStore.updateIf(
          upsellDaysCollection,
          { _id, firstImpression: null },
          { set: { firstImpression } },
        );
    }),
  );
};
