import {
  customerByEmailParams,
  customerListQuery,
  customerLookupQuery,
  customerSearchQuery,
  customerSegmentRow,
  customerTagRow,
} from '#contracts/customers.contract.ts';
import { pageOfAll, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { customerSegment, type CustomerSegment } from '#entities/customer-segment.entity.ts';
import { customerResponse, customerSchema, foundCustomerSchema } from '#entities/customer.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { normalEmail } from '#values/email-address.ts';
import { belongsTo } from '#values/customer-segments.ts';
import { isFound } from '#values/search.ts';
import { searchFilter } from '../../engine/entity-routes.ts';
import { listRoute, type ListOrder } from '../../engine/list-view.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import {
  customerListProjection,
  factsOfDocument,
  type CustomerDocument,
} from './customer-list.projection.ts';
import { customerTagsProjection, type CustomerTagDocument } from './customer-tags.projection.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const view = customerListProjection.name;

const order: ListOrder = {
  fields: {
    name: 'searchText',
    email: 'fields.email',
    dateCreated: 'dateCreated',
    orderCount: 'orderCount',
    totalSpend: 'totalSpend',
    lastOrderDate: 'lastOrderAt',
  },
  newest: 'dateCreated',
};

const show = (
  deps: ProjectionDeps,
  { _id: id, fields, dateCreated, dateUpdated, ...figures }: CustomerDocument,
) => customerResponse({ id, fields, figures, dateCreated, dateUpdated }, deps.settings().storeCurrencyCode);

const find = async (deps: ProjectionDeps, id: string): Promise<CustomerDocument> => {
  const document = await deps.reader.get<CustomerDocument>(view, id);
  if (!document) throw notFound('customer');
  return document;
};

/** A customer as the order desk needs them: whom an order is for, where to, and on what terms. */
const showFound = (deps: ProjectionDeps, document: CustomerDocument) => {
  const { firstName, lastName } = document.fields;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return { ...show(deps, document), customerId: document._id, name };
};

const lookUp = (deps: ProjectionDeps): readonly Route[] => [
  listRoute<CustomerDocument, typeof customerLookupQuery>(deps, {
    path: '/orders/customer-lookup',
    summary: 'Find whom an order is for, by a part of the name or e-mail address',
    view: customerListProjection,
    query: customerLookupQuery,
    order,
    filter: ({ search, email, name }) =>
      searchFilter([search, email, name].find((text) => text !== undefined && text !== '')),
    row: foundCustomerSchema,
    rows: (documents) => documents.map((document) => showFound(deps, document)),
    file,
  }),
  route({
    ...common,
    path: '/orders/customer/{email}',
    summary: 'Show the customer with an e-mail address',
    schemas: { params: customerByEmailParams },
    response: foundCustomerSchema,
    errors: ['entity-not-found'],
    reads: [customerListProjection],
    handle: async ({ params }) => {
      const filter = { 'fields.email': normalEmail(params.email) };
      const [document] = await deps.reader.find<CustomerDocument>(view, { filter, limit: 1 });
      if (!document) throw notFound('customer');
      return ok(showFound(deps, document));
    },
  }),
];

const lists = (deps: ProjectionDeps): readonly Route[] => {
  const shared = {
    view: customerListProjection,
    order,
    row: customerSchema,
    rows: (documents: readonly CustomerDocument[]) => documents.map((document) => show(deps, document)),
    file,
  };
  return [
    listRoute<CustomerDocument, typeof customerListQuery>(deps, {
      ...shared,
      path: '/customers',
      summary: 'List customers, newest first, by page',
      query: customerListQuery,
      filter: ({ search }) => searchFilter(search),
    }),
    listRoute<CustomerDocument, typeof customerSearchQuery>(deps, {
      ...shared,
      path: '/customers/search',
      summary: 'Find customers by a part of their names, e-mail addresses or tags',
      query: customerSearchQuery,
      filter: ({ search }) => searchFilter(search),
    }),
  ];
};

const tagsRoute = (deps: ProjectionDeps): Route =>
  listRoute<CustomerTagDocument, typeof customerListQuery>(deps, {
    path: '/customers/tags',
    summary: 'List the tags that customers have, and how many have each',
    view: customerTagsProjection,
    query: customerListQuery,
    order: { fields: { name: '_id', customerCount: 'customerCount' }, newest: 'customerCount' },
    filter: ({ search }) => (search ? { _id: { contains: search.toLowerCase() } } : {}),
    row: customerTagRow,
    rows: (documents) => documents.map(({ name, customerCount }) => ({ name, customerCount })),
    file,
  });

const detailRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/customers/{id}',
    summary: 'Show one customer',
    schemas: { params: entityParams },
    response: customerSchema,
    errors: ['entity-not-found'],
    reads: [customerListProjection],
    handle: async (request) => ok(show(deps, await find(deps, request.params.id))),
  });

const segmentsRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/customers/{id}/segments',
    summary: 'List the segments that a customer is in now',
    schemas: { params: entityParams, query: customerListQuery },
    response: pageSchema(customerSegmentRow),
    errors: ['entity-not-found'],
    reads: [customerListProjection, referenceState],
    handle: async ({ params: { id: customerId }, query }) => {
      const facts = factsOfDocument(await find(deps, customerId));
      const now = deps.clock.now();
      const all = [...deps.reference.entities.all(customerSegment.category)]
        .map(([id, fields]) => ({ id, fields: fields as unknown as CustomerSegment }))
        .filter(({ id, fields }) => belongsTo(id, fields, facts, now))
        .filter(({ fields: { name, description } }) => isFound(query.search, [name, description]))
        .map(({ id, fields: { name, description, segmentType } }) => ({ id, name, description, segmentType }))
        .sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
      return ok(pageOfAll(all, query));
    },
  });

/** Customers, to be read by the backoffice (docs/rules/customers.md#fields). */
export const customersRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ...lists(deps),
  ...lookUp(deps),
  tagsRoute(deps),
  detailRoute(deps),
  segmentsRoute(deps),
];
