import { metaOf } from '#command/engine/request-meta.ts';
import { listQuery, pageOfAll, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  matchBody,
  unmatchedPayment,
  type UnmatchedPaymentResponse,
} from '#contracts/unmatched-payments.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { toDecimal } from '#values/money.ts';
import type { UnmatchedActions, UnmatchedAt } from './unmatched-payments.actions.ts';
import type { UnmatchedPayments, UnmatchedRow } from './unmatched-payments.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

type Shown = Omit<UnmatchedRow, 'status' | 'invoiceId' | 'problem'>;

const shown = (
  id: string,
  { provider, transactionId, namedInvoiceId, currency, amount, left, receivedAt }: Shown,
  { status, invoiceId, problem }: Pick<UnmatchedPaymentResponse, 'status' | 'invoiceId' | 'problem'>,
): UnmatchedPaymentResponse => ({
  ...{ id, paymentProviderAlias: provider, transactionId, namedInvoiceId, currencyCode: currency },
  amount: toDecimal(amount, currency),
  refundableAmount: toDecimal(left, currency),
  ...{ invoiceId, status, problem },
  dateCreated: receivedAt,
});

const statusOf = ({ payment: { status, refund } }: UnmatchedAt): UnmatchedPaymentResponse['status'] => {
  if (refund) return 'RefundPending';
  if (status === 'open') return 'Open';
  return status === 'refunded' ? 'Refunded' : 'Matched';
};

const answered = (made: UnmatchedAt) => {
  const { id, payment, position } = made;
  const how = { status: statusOf(made), invoiceId: payment.invoiceId, problem: payment.problem };
  return ok(shown(id, payment, how), { position });
};

/** Money without an order, for staff (docs/rules/unmatched-payments.md). */
export const unmatchedPaymentRoutes = (
  actions: UnmatchedActions,
  unmatched: Pick<UnmatchedPayments, 'list'>,
): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    caller: reader,
    path: '/payments/unmatched',
    summary: 'List money that providers have taken without an order, oldest first',
    schemas: { query: listQuery },
    response: pageSchema(unmatchedPayment),
    handle: ({ query }) => {
      const search = query.search?.toLowerCase() ?? '';
      const found = unmatched
        .list()
        .filter(([, { transactionId, provider }]) =>
          `${transactionId} ${provider}`.toLowerCase().includes(search),
        );
      const page = pageOfAll(found, query);
      const items = page.items.map(([id, row]) => shown(id, row, row));
      return Promise.resolve(ok({ ...page, items }));
    },
  }),
  route({
    ...common,
    method: 'POST',
    caller: admin,
    path: '/payments/unmatched/{id}/match',
    summary: 'Record money without an order on the invoice that it is for',
    schemas: { params: entityParams, body: matchBody },
    response: unmatchedPayment,
    errors: [
      'invalid-request',
      'entity-not-found',
      'invoice-not-found',
      'other-currency',
      'unmatched-payment-settled',
      'provider-unavailable',
    ],
    isIdempotent: true,
    handle: async (request) =>
      answered(await actions.match(request.params.id, request.body.invoiceId, metaOf(request))),
  }),
  route({
    ...common,
    method: 'POST',
    caller: admin,
    path: '/payments/unmatched/{id}/refund',
    summary: 'Give back money without an order: all that is left of it',
    schemas: { params: entityParams },
    response: unmatchedPayment,
    errors: ['entity-not-found', 'unmatched-payment-settled', 'provider-unavailable'],
    isIdempotent: true,
    handle: async (request) => answered(await actions.refund(request.params.id, metaOf(request))),
  }),
];
