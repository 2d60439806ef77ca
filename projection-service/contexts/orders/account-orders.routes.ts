import {
  accountOrdersQuery,
  accountOrdersResponse,
  type AccountOrder,
} from '#contracts/account-orders.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { member, ok, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { ownerOf } from '#runtime/members.ts';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { customerListProjection, type CustomerDocument } from '../customers/customer-list.projection.ts';
import { orderListProjection } from './order-list.projection.ts';
import type { OrderDocument } from './order.document.ts';

/** Read from one end of the index. */
const newestFirst = [
  ['dateCreated', -1],
  ['_id', -1],
] as const;

const rowOf = (order: OrderDocument, storeCurrency: string): AccountOrder => {
  const { content, balance } = order;
  const currency = content?.currency ?? storeCurrency;
  const total = content?.amounts.total ?? 0;
  return {
    invoiceId: order._id,
    invoiceNumber: order.invoiceNumber,
    dateCreated: order.dateCreated,
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    total: toDecimal(total, currency),
    formattedTotal: formatMoney(total, currency),
    itemCount: content?.itemCount ?? 0,
    paymentStatus: balance.paymentStatus,
    fulfillmentStatus: order.fulfillmentStatus,
    deliveryStatus: order.deliveryStatus,
    isCancelled: order.cancellation !== null,
    isRefunded: balance.paymentStatus === 'Refunded',
  };
};

/** What a member has bought, by an index: what others have bought is not looked at (docs/rules/account.md#orders). */
export const accountOrdersRoute = ({ reader: views, stateStore, settings }: ProjectionDeps): Route =>
  route({
    base: 'account',
    service: 'projection',
    caller: member,
    file: import.meta.url,
    method: 'GET',
    path: '/orders',
    summary: 'List what the member has bought, newest first',
    schemas: { query: accountOrdersQuery },
    response: accountOrdersResponse,
    reads: [customerListProjection, orderListProjection],
    handle: async ({ actor, query }) => {
      const customer = (id: string) => views.get<CustomerDocument>(customerListProjection.name, id);
      const owner = await ownerOf(stateStore, customer, actor.id);
      if (!owner) throw new Rejection('unauthenticated', 'Sign in first.');
      const { memberId, customerId } = owner;
      const filter = { buyerId: { in: customerId === null ? [memberId] : [memberId, customerId] } };
      const { page, pageSize } = query;
      const asked = { filter, sort: newestFirst, skip: (page - 1) * pageSize, limit: pageSize };
      const [found, total] = await Promise.all([
        views.find<OrderDocument>(orderListProjection.name, asked),
        views.count(orderListProjection.name, filter),
      ]);
      const { storeCurrencyCode } = settings();
      const rows = found.map((order) => rowOf(order, storeCurrencyCode));
      return ok({ success: true, message: '', ...pageResponse(rows, total, query) });
    },
  });
