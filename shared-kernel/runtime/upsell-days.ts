import { upsellDaysCollection, type UpsellDay } from '#contracts/upsell-events.contract.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** How much was shown and clicked, by the days on which there was any. Errors: `EngineUnavailable`. */
export interface UpsellDays {
  /** Of a rule, or of `EVERY_RULE`, from the first day on. */
  of(upsellRuleId: string): Promise<readonly UpsellDay[]>;
  /** The same added up. */
  totals(upsellRuleId: string): Promise<Pick<UpsellDay, 'impressions' | 'clicks'>>;
}

/** For a service that writes them, and for one that answers from them and may start first. */
export const declareUpsellDays = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(upsellDaysCollection, [{ fields: ['upsellRuleId', 'day'] }]);

const PAGE = 1000;

export const readUpsellDays = (stateStore: DocumentStore): UpsellDays => {
  const sum = (upsellRuleId: string, field: 'impressions' | 'clicks'): Promise<number> =>
    stateStore.sum(upsellDaysCollection, field, { upsellRuleId });
  return {
    of: async (upsellRuleId) => {
      const days: UpsellDay[] = [];
      for (let after = ''; ; after = days.at(-1)?.day ?? '') {
        const filter = { upsellRuleId, day: { gt: after } };
        const page = await stateStore.find<UpsellDay>(upsellDaysCollection, {
          filter,
          sort: [['day', 1]],
          limit: PAGE,
        });
        days.push(...page);
        if (page.length < PAGE) return days;
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
