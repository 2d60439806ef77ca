import { topAnswer, topQuery, type TopQuery } from '#contracts/top.contract.ts';
import { collection } from '#entities/collection.entity.ts';
import { reader, route, type Route } from '#http/route.ts';
import { toDecimal } from '#values/money.ts';
import { countryName } from '#values/region.ts';
import { answerAsOf } from '../../engine/moments.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import {
  customerListProjection,
  nameOf,
  type CustomerDocument,
} from '../customers/customer-list.projection.ts';
import { soldByMemberProjection } from './sold-by-member.projection.ts';
import { soldBy } from './sold.queries.ts';
import { rankedFigure, topOf, unitOf } from './top.queries.ts';

type NameOf = (id: string) => string | null;

const customerNames = async (views: ProjectionDeps['reader'], ids: readonly string[]): Promise<NameOf> => {
  const customers = await views.getMany<CustomerDocument>(customerListProjection.name, ids);
  const names = new Map(customers.map((customer) => [customer._id, nameOf(customer)]));
  return (id) => names.get(id) ?? null;
};

/** Names as they are today: those of customers are looked up for the few that are shown. */
const namesOf = async (
  { reader: views, reference }: ProjectionDeps,
  by: TopQuery['by'],
  ids: readonly string[],
): Promise<NameOf> => {
  switch (by) {
    case 'product':
      return (id) => reference.catalogue.product(id)?.root.rootName ?? null;
    case 'variant':
      return (id) => reference.catalogue.variant(id)?.variant.name ?? null;
    case 'collection':
      return (id) =>
        (reference.entities.find(collection.category, id)?.['name'] as string | undefined) ?? null;
    case 'discount':
      return (id) => reference.discounts.byId(id)?.rule.name ?? null;
    case 'customer':
      return customerNames(views, ids);
    case 'country':
      return countryName;
    case 'source':
      return (type) => type;
  }
};

/** What sold best in some days, and to whom (docs/rules/reporting.md#top). */
export const topRoute = (deps: ProjectionDeps): Route =>
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    file: import.meta.url,
    path: '/reporting/top',
    summary: 'What sold best: products, variants, collections, countries, customers, discounts or sources',
    schemas: { query: topQuery },
    response: topAnswer,
    reads: [soldByMemberProjection, customerListProjection, referenceState],
    handle: async ({ query: { startDate: start, endDate: end, by, figure, limit, asOf } }) =>
      answerAsOf(deps, asOf, [soldByMemberProjection], async (moment) => {
        const sold = await soldBy(deps.reader, by, { start, end }, rankedFigure[figure], moment);
        const top = topOf(sold, limit);
        const nameOfMember = await namesOf(
          deps,
          by,
          top.map(({ id }) => id),
        );
        const { storeCurrencyCode: currency } = deps.settings();
        const unit = unitOf(figure);
        const shown = (value: number): number => (unit === 'amount' ? toDecimal(value, currency) : value);
        const items = top.map(({ id, value }) => ({ id, name: nameOfMember(id), value: shown(value) }));
        return { by, figure, unit, currency, items };
      }),
  });
