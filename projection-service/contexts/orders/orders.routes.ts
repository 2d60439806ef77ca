import { entityParams } from '#contracts/management.contract.ts';
import {
  orderDetail as detailSchema,
  orderListQuery,
  orderRow as rowSchema,
} from '#contracts/orders.contract.ts';
import { fulfillmentSummary as summarySchema } from '#contracts/shipments.contract.ts';
import { paymentStatus } from '#contracts/payments.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { toDecimal } from '#values/money.ts';
import { listRoute, type ListOrder } from '../../engine/list-view.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { agentSessionsProjection } from '../agent-protocol/sessions/agent-sessions.projection.ts';
import { customerAccountsProjection } from '../customers/customer-accounts.projection.ts';
import { fulfillmentSummary } from './fulfillment-summary.ts';
import { orderNotesProjection } from './order-notes.projection.ts';
import { readNotes } from './order-notes.queries.ts';
import { orderListProjection } from './order-list.projection.ts';
import { countedOrders } from './order-counters.ts';
import type { OrderDocument } from './order.document.ts';
import { orderSource } from './order-source.ts';
import { loadRowContext, balanceFigures, orderDetail, orderFilter, orderRow } from './orders.queries.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const view = orderListProjection.name;

const order: ListOrder = {
  fields: {
    date: 'dateCreated',
    dateCreated: 'dateCreated',
    total: 'totalInStoreCurrency',
    invoiceNumber: 'invoiceNumber',
    customerName: 'customerKey',
    dueDate: 'dueDate',
  },
  newest: 'dateCreated',
  direction: 'desc',
};

const ordersList = (deps: ProjectionDeps): Route =>
  listRoute<OrderDocument, typeof orderListQuery>(deps, {
    path: '/orders',
    summary: 'List orders, one row an invoice, newest first',
    view: orderListProjection,
    query: orderListQuery,
    order,
    filter: (query, figures) => orderFilter(query, figures, deps.settings().reportingTimeZone),
    total: countedOrders,
    row: rowSchema,
    reads: [customerAccountsProjection],
    rows: async (documents) => {
      const asked = await loadRowContext(deps, documents);
      return documents.map((document) => orderRow(document, asked));
    },
    file,
  });

/** The newest notes, which stand in the order's detail itself. */
const NOTES_SHOWN = 200;

const detailRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/orders/{id}',
    summary: 'Show an invoice with its orders, discounts and payments',
    schemas: { params: entityParams },
    response: detailSchema,
    errors: ['entity-not-found'],
    reads: [orderListProjection, orderNotesProjection, customerAccountsProjection, agentSessionsProjection],
    handle: async (request) => {
      const { reader: views } = deps;
      const document = await views.get<OrderDocument>(view, request.params.id);
      if (!document) throw notFound('order');
      const { customerId } = document;
      const [customerOrderCount, newest, source] = await Promise.all([
        customerId === null ? 0 : views.count(view, { customerId, cancellationStatus: 'active' }),
        readNotes(views, document, 0, NOTES_SHOWN),
        orderSource(views, document),
      ]);
      const beside = { customerOrderCount, notes: newest.toReversed(), source };
      return ok(orderDetail(document, await loadRowContext(deps, [document]), beside));
    },
  });

const paymentStatusRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/invoices/{id}/payment-status',
    summary: 'Show what of an invoice is paid, refunded and due',
    schemas: { params: entityParams },
    response: paymentStatus,
    errors: ['entity-not-found'],
    reads: [orderListProjection],
    handle: async (request) => {
      const order = await deps.reader.get<OrderDocument>(view, request.params.id);
      if (!order) throw notFound('invoice');
      const row = orderRow(order, await loadRowContext(deps, [order]));
      const own = (amount: number) => toDecimal(amount, row.currencyCode);
      const { payments: _, ...figures } = balanceFigures(order, { own });
      return ok({
        invoiceId: row.id,
        invoiceNumber: row.invoiceNumber,
        paymentStatus: row.paymentStatus,
        paymentStatusDisplay: row.paymentStatusDisplay,
        currencyCode: row.currencyCode,
        total: row.total,
        ...figures,
        givenBack: own(order.balance.givenBack),
        maxRiskScore: row.maxRiskScore,
        maxRiskScoreSource: row.maxRiskScoreSource,
        riskLevel: row.riskLevel,
      });
    },
  });

const fulfillmentRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/orders/{id}/fulfillment-summary',
    summary: 'Show what of an invoice is packed, sent and left, order by order',
    schemas: { params: entityParams },
    response: summarySchema,
    errors: ['entity-not-found'],
    reads: [orderListProjection],
    handle: async (request) => {
      const order = await deps.reader.get<OrderDocument>(view, request.params.id);
      if (!order) throw notFound('order');
      return ok(fulfillmentSummary(order));
    },
  });

/** Orders, to be read by the backoffice (docs/rules/orders.md#list). */
export const ordersRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ordersList(deps),
  detailRoute(deps),
  fulfillmentRoute(deps),
  paymentStatusRoute(deps),
];
