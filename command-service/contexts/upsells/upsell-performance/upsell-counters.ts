import {
  upsellDaysCollection,
  type UpsellCounts,
  type UpsellEventRow,
  type UpsellMonth,
} from '#contracts/upsell-events.contract.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';
import { monthOf } from '#values/business-day.ts';
import { EVERY_RULE } from '#values/every-rule.ts';

/** Rows that are counted together, exactly once. */
export interface CountedBatch {
  /** Identifies this run of this process. */
  readonly run: string;
  /** Increases with every batch of a run. */
  readonly number: number;
  readonly rows: readonly UpsellEventRow[];
}

type Counts = { -readonly [Figure in keyof UpsellCounts]: UpsellCounts[Figure] };

interface Addition extends Counts {
  readonly upsellRuleId: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly days: Map<string, Counts>;
  firstImpression: string | null;
}

const nothing = (): Counts => ({ impressions: 0, clicks: 0 });

const additionsOf = (
  rows: readonly UpsellEventRow[],
  dayOf: (instant: string) => string,
): readonly Addition[] => {
  const additions = new Map<string, Addition>();
  for (const { upsellRuleId: rule, eventType, dateCreated } of rows) {
    const day = dayOf(dateCreated);
    const month = monthOf(day);
    for (const upsellRuleId of [rule, EVERY_RULE]) {
      const addition = additions.getOrInsertComputed(`${upsellRuleId} ${month}`, () => ({
        ...{ upsellRuleId, month, days: new Map<string, Counts>(), firstImpression: null, ...nothing() },
      }));
      for (const counts of [addition, addition.days.getOrInsertComputed(day, nothing)])
        counts[eventType === 'Impression' ? 'impressions' : 'clicks']++;
      if (eventType === 'Impression') addition.firstImpression ??= dateCreated;
    }
  }
  return [...additions.values()];
};

const patchOf = ({ impressions, clicks, days }: Addition, counted: string, number: number): Patch => ({
  increment: {
    ...{ impressions, clicks },
    ...Object.fromEntries(
      [...days].flatMap(([day, counts]) =>
        Object.entries(counts).map(([figure, count]) => [`days.${day}.${figure}`, count]),
      ),
    ),
  },
  set: { [counted]: number },
});

/**
 * Adds a batch to the documents of its months. Each knows the last batch it holds of every run, so a retry after a lost
 * answer matches none. Errors: `EngineUnavailable`.
 */
export const addToMonths = async (
  stateStore: DocumentStore,
  { run, number, rows }: CountedBatch,
  dayOf: (instant: string) => string,
): Promise<void> => {
  const field = `counted.${run}`;
  await Promise.all(
    additionsOf(rows, dayOf).map(async (addition) => {
      const { upsellRuleId, month: day, firstImpression } = addition;
      const _id = `${upsellRuleId} ${day}`;
      const patch = patchOf(addition, field, number);
      const add = async (): Promise<boolean> =>
        (await stateStore.updateIf(upsellDaysCollection, { _id, [field]: { lt: number } }, patch)) !== null ||
        (await stateStore.updateIf(upsellDaysCollection, { _id, [field]: { exists: false } }, patch)) !==
          null;
      if (!(await add())) {
        // Another run may insert it first, also without our batch.
        const empty: UpsellMonth = {
          ...{ _id, upsellRuleId, day, ...nothing(), days: {}, firstImpression: null },
        };
        await stateStore.insertIfAbsent(upsellDaysCollection, empty);
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
