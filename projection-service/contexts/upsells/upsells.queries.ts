import { upsellRule } from '#entities/upsell-rule.entity.ts';
import { notFound } from '#kernel/entity.ts';
import type { SeenUpsells } from '#runtime/upsell-days.ts';
import { EVERY_RULE } from '#values/every-rule.ts';
import { scale, toDecimal } from '#values/money.ts';
import { percentage } from '#values/percentage.ts';
import type { EntityDocument } from '../../entity-document.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { salesKey, upsellSalesProjection, type Sold, type UpsellSales } from './upsell-sales.projection.ts';

type QueryDeps = Pick<ProjectionDeps, 'reader' | 'settings' | 'upsellDays'>;
type RuleDocument = EntityDocument<{ readonly name: string; readonly status: string }>;

const sales = upsellSalesProjection.name;
const PAGE = 1000;
/** Twenty years: few enough to be read at once. */
const MONTHS = 240;
/** The most days that are shown, the last ones. */
const DAYS = 1000;
const TOP = 5;

/** Every day on which something was sold. */
const soldOn = async ({ reader }: QueryDeps, upsellRuleId: string): Promise<ReadonlyMap<string, Sold>> => {
  const months: UpsellSales[] = [];
  for (let after = ''; ; after = months.at(-1)?.month ?? '') {
    const filter = { upsellRuleId, of: 'month', month: { gt: after } };
    const page = await reader.find<UpsellSales>(sales, { filter, sort: [['month', 1]], limit: MONTHS });
    months.push(...page);
    if (page.length < MONTHS) return new Map(months.flatMap(({ days }) => Object.entries(days)));
  }
};

/** Each day on which there was anything. */
const byDate = (seen: SeenUpsells, sold: ReadonlyMap<string, Sold>, currency: string) =>
  [...new Set([...seen.days.keys(), ...sold.keys()])]
    .toSorted()
    .slice(-DAYS)
    .map((date) => ({
      date,
      impressions: seen.days.get(date)?.impressions ?? 0,
      clicks: seen.days.get(date)?.clicks ?? 0,
      conversions: sold.get(date)?.conversions ?? 0,
      revenue: toDecimal(sold.get(date)?.revenue ?? 0, currency),
    }));

const rates = (impressions: number, clicks: number, conversions: number) => ({
  clickThroughRate: percentage(clicks, impressions, 2),
  conversionRate: percentage(conversions, clicks, 2),
});

const totalsOf = ({ days }: SeenUpsells, all: UpsellSales | null, currency: string) => {
  const counted = [...days.values()];
  return {
    totalImpressions: counted.reduce((sum, { impressions }) => sum + impressions, 0),
    totalClicks: counted.reduce((sum, { clicks }) => sum + clicks, 0),
    totalConversions: all?.conversions ?? 0,
    totalRevenue: toDecimal(all?.revenue ?? 0, currency),
  };
};

/** What a rule has brought. */
export const performanceOf = async (deps: QueryDeps, id: string) => {
  const { reader, settings, upsellDays } = deps;
  const [rule, all, sold, seen, uniqueCustomersCount] = await Promise.all([
    reader.get<RuleDocument>(upsellRule.list, id),
    reader.get<UpsellSales>(sales, salesKey(id)),
    soldOn(deps, id),
    upsellDays.of(id),
    reader.count(sales, { upsellRuleId: id, of: 'customer' }),
  ]);
  if (!rule) throw notFound(upsellRule.noun);
  const currency = settings().storeCurrencyCode;
  const totals = totalsOf(seen, all, currency);
  const { revenue, invoices } = all ?? { revenue: 0, invoices: 0 };
  return {
    upsellRuleId: id,
    name: rule.fields.name,
    ...totals,
    ...rates(totals.totalImpressions, totals.totalClicks, totals.totalConversions),
    averageOrderValue: invoices === 0 ? 0 : toDecimal(scale(revenue, 1, invoices), currency),
    uniqueCustomersCount,
    firstImpression: seen.firstImpression,
    lastConversion: all?.lastConversion ?? null,
    eventsByDate: byDate(seen, sold, currency),
  };
};

const rowOf = async ({ reader, settings, upsellDays }: QueryDeps, { _id: id, fields }: RuleDocument) => {
  const [all, { impressions, clicks }] = await Promise.all([
    reader.get<UpsellSales>(sales, salesKey(id)),
    upsellDays.totals(id),
  ]);
  const conversions = all?.conversions ?? 0;
  return {
    ...{ id, name: fields.name, status: fields.status, impressions, clicks, conversions },
    revenue: toDecimal(all?.revenue ?? 0, settings().storeCurrencyCode),
    ...rates(impressions, clicks, conversions),
  };
};

/** Rules by what they have sold, then those that have sold nothing by their priority. */
export const summaryOf = async (deps: QueryDeps, topN: number) => {
  const { reader } = deps;
  const best = await reader.find<UpsellSales>(sales, {
    filter: { of: 'all', upsellRuleId: { ne: EVERY_RULE } },
    sort: [['revenue', -1]],
    limit: PAGE,
  });
  const ids = best.map(({ upsellRuleId }) => upsellRuleId);
  const found = await reader.getMany<RuleDocument>(upsellRule.list, ids);
  const selling = new Map(found.map((rule) => [rule._id, rule]));
  // What is deleted has sold, but is no rule any more.
  const ranked = ids.flatMap((id) => selling.get(id) ?? []);
  const others =
    ranked.length >= topN
      ? []
      : await reader.find<RuleDocument>(upsellRule.list, { sort: [['fields.priority', 1]], limit: PAGE });
  const rules = [...ranked, ...others.filter(({ _id }) => !selling.has(_id))].slice(0, topN);
  return Promise.all(rules.map((rule) => rowOf(deps, rule)));
};

/** What all rules have brought together. */
export const dashboardOf = async (deps: QueryDeps) => {
  const { reader, settings, upsellDays } = deps;
  const [totalActiveRules, all, sold, seen, topPerformers] = await Promise.all([
    reader.count(upsellRule.list, { _id: { gt: '' }, 'fields.status': 'Active' }),
    reader.get<UpsellSales>(sales, salesKey(EVERY_RULE)),
    soldOn(deps, EVERY_RULE),
    upsellDays.of(EVERY_RULE),
    summaryOf(deps, TOP),
  ]);
  const currency = settings().storeCurrencyCode;
  const totals = totalsOf(seen, all, currency);
  const { clickThroughRate, conversionRate } = rates(
    totals.totalImpressions,
    totals.totalClicks,
    totals.totalConversions,
  );
  return {
    totalActiveRules,
    ...totals,
    overallClickThroughRate: clickThroughRate,
    overallConversionRate: conversionRate,
    topPerformers,
    trendByDate: byDate(seen, sold, currency),
  };
};
