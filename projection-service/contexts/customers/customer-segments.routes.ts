import {
  criteriaFields,
  customerListQuery,
  segmentMemberRow,
  segmentPreviewRow,
  segmentStatistics,
} from '#contracts/customers.contract.ts';
import { pageResponse, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { figuresResponse } from '#entities/customer.entity.ts';
import { customerSegment, type CustomerSegment } from '#entities/customer-segment.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { averageOrderValue } from '#values/customer-figures.ts';
import { criterionFields, operatorsOf } from '#values/customer-segments.ts';
import { toDecimal } from '#values/money.ts';
import { entityQueryRoutes, idsFound, type CountedFigures } from '../../engine/entity-routes.ts';
import { listRoute } from '../../engine/list-view.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { customerListProjection, nameOf, type CustomerDocument } from './customer-list.projection.ts';
import { segmentMembersProjection, type SegmentMemberDocument } from './segment-members.projection.ts';
import {
  createSegmentCounter,
  noMembers,
  type NamedSegment,
  type SegmentCounter,
} from './segment-counter.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const path = '/customer-segments';
/** What says who belongs to segments. */
const reads = [customerListProjection, segmentMembersProjection, referenceState];

const knownSegment = ({ reference }: ProjectionDeps, id: string): NamedSegment | null => {
  const fields = reference.entities.find(customerSegment.category, id);
  return fields ? { id, fields: fields as unknown as CustomerSegment } : null;
};

const findSegment = (deps: ProjectionDeps, id: string): NamedSegment => {
  const found = knownSegment(deps, id);
  if (!found) throw notFound(customerSegment.noun);
  return found;
};

const memberRows = async (deps: ProjectionDeps, members: readonly SegmentMemberDocument[]) => {
  const ids = members.map(({ customerId }) => customerId);
  const customers = await deps.reader.getMany<CustomerDocument>(customerListProjection.name, ids);
  const byId = new Map(customers.map((customer) => [customer._id, customer]));
  return members.map(({ segmentId, customerId, dateAdded, notes }) => {
    const customer = byId.get(customerId);
    return {
      id: derivedId('segment-member', segmentId, customerId),
      customerId,
      customerName: customer ? nameOf(customer) : null,
      customerEmail: customer?.fields.email ?? null,
      dateAdded,
      notes,
    };
  });
};

const membersRoute = (deps: ProjectionDeps): Route =>
  listRoute<SegmentMemberDocument, typeof customerListQuery>(deps, {
    path: `${path}/{id}/members`,
    summary: 'List whom staff have put in a manual segment, newest first',
    view: segmentMembersProjection,
    reads: [customerListProjection, referenceState],
    query: customerListQuery,
    order: { fields: { dateAdded: 'dateAdded' }, newest: 'dateAdded' },
    filter: async ({ search }) =>
      search ? { customerId: { in: await idsFound(deps.reader, customerListProjection.name, search) } } : {},
    within: (segmentId) => {
      if (findSegment(deps, segmentId).fields.segmentType === 'Automated')
        refuseProblems(['id: must be a Manual segment; preview shows who is in an Automated one']);
      return { segmentId };
    },
    errors: ['invalid-request'],
    row: segmentMemberRow,
    rows: (members) => memberRows(deps, members),
    file,
  });

const previewRoute = (deps: ProjectionDeps, counter: SegmentCounter): Route =>
  route({
    ...common,
    path: `${path}/{id}/preview`,
    summary: 'List who is in a segment now',
    schemas: { params: entityParams, query: customerListQuery },
    response: pageSchema(segmentPreviewRow),
    errors: ['entity-not-found', 'too-many-requests'],
    reads,
    handle: async ({ params: { id }, query }) => {
      const { customers, totalItems } = await counter.page(findSegment(deps, id), query);
      const currency = deps.settings().storeCurrencyCode;
      const rows = customers.map((customer) => ({
        id: customer._id,
        name: nameOf(customer),
        email: customer.fields.email,
        ...figuresResponse(customer, currency),
      }));
      return ok(pageResponse(rows, totalItems, query));
    },
  });

const statisticsRoute = (deps: ProjectionDeps, counter: SegmentCounter): Route =>
  route({
    ...common,
    path: `${path}/{id}/statistics`,
    summary: 'What the members of a segment have bought',
    schemas: { params: entityParams },
    response: segmentStatistics,
    errors: ['entity-not-found', 'too-many-requests'],
    reads,
    handle: async ({ params: { id }, position }) => {
      const [counters] = await counter.counters([findSegment(deps, id)], position?.log);
      const { members, active, orders, revenue } = counters ?? noMembers;
      const currency = deps.settings().storeCurrencyCode;
      const average = averageOrderValue({ orderCount: orders, totalSpend: revenue }) ?? 0;
      return ok({
        totalMembers: members,
        activeMembers: active,
        totalRevenue: toDecimal(revenue, currency),
        averageOrderValue: toDecimal(average, currency),
      });
    },
  });

const fieldsRoute = (): Route =>
  route({
    ...common,
    path: `${path}/criteria/fields`,
    summary: 'What the criteria of a segment can ask, and how',
    response: criteriaFields,
    handle: () =>
      Promise.resolve(
        ok(
          Object.entries(criterionFields).map(([field, { label, kind }]) => ({
            field,
            label,
            type: kind,
            operators: [...operatorsOf[kind]],
          })),
        ),
      ),
  });

/** Segments of customers with how many belong to each, and who (docs/rules/customers.md#segments). */
export const customerSegmentsRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const counter = createSegmentCounter(deps.reader, deps.clock);
  const counted: CountedFigures = {
    reads,
    errors: ['too-many-requests'],
    of: async (ids, position) => {
      const segments = ids.flatMap((id) => knownSegment(deps, id) ?? []);
      const found = await counter.counters(segments, position);
      return new Map(segments.map(({ id }, place) => [id, { memberCount: found[place]?.members ?? 0 }]));
    },
  };
  return [
    fieldsRoute(),
    ...entityQueryRoutes(deps, customerSegment, counted),
    membersRoute(deps),
    previewRoute(deps, counter),
    statisticsRoute(deps, counter),
  ];
};
