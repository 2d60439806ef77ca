import {
  upsellDaysCollection,
  type UpsellCounts,
  type UpsellMonth,
} from '#contracts/upsell-events.contract.ts';
import type { DocumentStore } from '#ports/document-store.ts';

export interface SeenUpsells {
  /** Only days with any. */
  readonly days: ReadonlyMap<string, UpsellCounts>;
  /** ISO instant. */
  readonly firstImpression: string | null;
}

/** Impressions and clicks of a rule or of `EVERY_RULE`. Errors: `EngineUnavailable`. */
export interface UpsellDays {
  of(upsellRuleId: string): Promise<SeenUpsells>;
  totals(upsellRuleId: string): Promise<UpsellCounts>;
}

/** For the service that writes them, and for one that reads them and may start first. */
export const declareUpsellDays = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(upsellDaysCollection, [{ fields: ['upsellRuleId', 'day'] }]);

/** Twenty years of months: few enough to read at once. */
const PAGE = 240;

const seenIn = (months: readonly UpsellMonth[]): SeenUpsells => {
  const days = new Map<string, UpsellCounts>();
  for (const month of months)
    for (const [day, { impressions, clicks }] of Object.entries(month.days ?? { [month.day]: month })) {
      const before = days.get(day);
      const added = {
        impressions: (before?.impressions ?? 0) + impressions,
        clicks: (before?.clicks ?? 0) + clicks,
      };
      days.set(day, added);
    }
  const first = months.flatMap(({ firstImpression }) => firstImpression ?? []).toSorted();
  return { days, firstImpression: first[0] ?? null };
};

export const readUpsellDays = (stateStore: DocumentStore): UpsellDays => {
  const sum = (upsellRuleId: string, field: keyof UpsellCounts): Promise<number> =>
    stateStore.sum(upsellDaysCollection, field, { upsellRuleId });
  return {
    of: async (upsellRuleId) => {
      const months: UpsellMonth[] = [];
      for (let after = ''; ; after = months.at(-1)?.day ?? '') {
        const filter = { upsellRuleId, day: { gt: after } };
        const page = await stateStore.find<UpsellMonth>(upsellDaysCollection, {
          filter,
          sort: [['day', 1]],
          limit: PAGE,
        });
        months.push(...page);
        if (page.length < PAGE) return seenIn(months);
      }
    },
    totals: async (upsellRuleId) => {
      const [impressions, clicks] = await Promise.all([
        sum(upsellRuleId, 'impressions'),
        sum(upsellRuleId, 'clicks'),
      ]);
      return { impressions, clicks };
    },
  };
};
