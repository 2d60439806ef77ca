import { entityParams } from '#contracts/management.contract.ts';
import { discountPerformance, usageReportQuery, usageReportRow } from '#contracts/discounts.contract.ts';
import { discount } from '#entities/discount.entity.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { scale, toDecimal } from '#values/money.ts';
import type { EntityViewDocument } from '../../engine/entity-view.ts';
import { listRoute } from '../../engine/list-view.ts';
import { idsFound } from '../../engine/entity-routes.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { discountUsesProjection, usesKey, type DiscountUses } from './discount-uses.projection.ts';

/** The most days with a use that are shown, the last ones. */
const DAYS = 1000;

const uses = { name: discountUsesProjection.name };
const rules = { name: discount.list };

/** What its uses have brought, as numbers on the wire. */
const brought = (found: DiscountUses | null, currency: string) => ({
  totalUsageCount: found?.uses ?? 0,
  totalDiscountAmount: toDecimal(found?.amount ?? 0, currency),
  totalOrderRevenue: toDecimal(found?.revenue ?? 0, currency),
  firstUsed: found?.firstUsed ?? null,
  lastUsed: found?.lastUsed ?? null,
});

const average = (sum: number, count: number, currency: string): number =>
  count === 0 ? 0 : toDecimal(scale(sum, 1, count), currency);

interface Limited {
  readonly totalUsageLimit?: number | null;
}

/** How many uses a limit leaves; null without one. */
const remaining = ({ fields, ...figures }: EntityViewDocument): number | null => {
  const { totalUsageLimit = null } = fields as Limited;
  const { claimed = 0 } = figures as { readonly claimed?: number };
  return totalUsageLimit === null ? null : Math.max(0, totalUsageLimit - claimed);
};

const performance = async ({ reader, settings }: ProjectionDeps, id: string) => {
  const [rule, all, days, customers] = await Promise.all([
    reader.get<EntityViewDocument>(discount.list, id),
    reader.get<DiscountUses>(uses.name, usesKey(id)),
    reader.find<DiscountUses>(uses.name, {
      filter: { discountId: id, of: 'day' },
      sort: [['day', -1]],
      limit: DAYS,
    }),
    reader.count(uses.name, { discountId: id, of: 'customer' }),
  ]);
  if (!rule) throw notFound(discount.noun);
  const currency = settings().storeCurrencyCode;
  return {
    ...brought(all, currency),
    uniqueCustomersCount: customers,
    remainingUses: remaining(rule),
    averageDiscountPerUse: average(all?.amount ?? 0, all?.uses ?? 0, currency),
    averageOrderValue: average(all?.revenue ?? 0, all?.uses ?? 0, currency),
    usageByDate: days.toReversed().map((one) => ({
      date: one.day,
      usageCount: one.uses,
      discountAmount: toDecimal(one.amount, currency),
    })),
  };
};

/** What discounts have brought (docs/rules/discounts.md#performance). */
export const discountRoutes = (deps: ProjectionDeps): readonly Route[] => [
  listRoute<DiscountUses, typeof usageReportQuery>(deps, {
    path: `${discount.path}/usage-report`,
    summary: 'What discounts have brought in confirmed sales, those used last first, by page',
    view: uses,
    reads: [rules],
    query: usageReportQuery,
    order: {
      fields: { totalUsageCount: 'uses', lastUsed: 'lastUsed' },
      newest: 'lastUsed',
      direction: 'desc',
    },
    filter: async ({ search }) =>
      search
        ? { of: 'all', discountId: { in: await idsFound(deps.reader, discount.list, search) } }
        : { of: 'all' },
    errors: ['invalid-request'],
    row: usageReportRow,
    rows: async (documents) => {
      const found = await deps.reader.getMany<EntityViewDocument>(
        discount.list,
        documents.map(({ discountId }) => discountId),
      );
      const byId = new Map(found.map((rule) => [rule._id, rule.fields]));
      const currency = deps.settings().storeCurrencyCode;
      return documents.map((one) => {
        const { name = null, code = null } = byId.get(one.discountId) ?? {};
        return { id: one.discountId, name, code, ...brought(one, currency) };
      });
    },
    file: import.meta.url,
  }),
  route({
    method: 'GET',
    base: 'management',
    path: `${discount.path}/{id}/performance`,
    service: 'projection',
    caller: anyReader,
    summary: 'What a discount has brought in confirmed sales',
    schemas: { params: entityParams },
    response: discountPerformance,
    errors: ['entity-not-found'],
    file: import.meta.url,
    reads: [uses, rules],
    handle: async ({ params }) => ok(await performance(deps, params.id)),
  }),
];
