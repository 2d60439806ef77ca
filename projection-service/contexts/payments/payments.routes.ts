import { listQuery, pageOfAll, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { formFields, paymentDetail, type PaymentDetail } from '#contracts/payments.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { toDecimal } from '#values/money.ts';
import { riskLevel } from '#values/risk-level.ts';
import { isFound } from '#values/search.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import { paymentsProjection, type PaymentDocument } from './payments.projection.ts';

const common = {
  method: 'GET',
  base: 'management',
  service: 'projection',
  caller: reader,
  file: import.meta.url,
} as const;
const view = paymentsProjection.name;

const detail = (payment: PaymentDocument, storeCurrency: string): PaymentDetail => {
  const { amountInStoreCurrency, currency, risk, settlement, dispute, paymentType, status } = payment;
  const left = paymentType === 'Payment' && status === 'Completed' ? payment.amount - payment.refunded : 0;
  return {
    id: payment._id,
    invoiceId: payment.invoiceId,
    parentPaymentId: payment.parentPaymentId,
    paymentType,
    amount: toDecimal(payment.amount, currency),
    currencyCode: currency,
    amountInStoreCurrency:
      amountInStoreCurrency === null ? null : toDecimal(amountInStoreCurrency, storeCurrency),
    storeCurrencyCode: storeCurrency,
    paymentProviderAlias: payment.provider,
    paymentMethod: payment.method,
    transactionId: payment.transactionId,
    description: payment.description,
    paymentSuccess: status === 'Completed',
    status,
    refundableAmount: toDecimal(left, currency),
    authorizedUntil: payment.authorizedUntil,
    riskScore: risk?.score ?? null,
    riskScoreSource: risk?.source ?? null,
    riskLevel: riskLevel(risk?.score ?? null),
    settlementCurrency: settlement?.currency ?? null,
    settlementAmount: settlement ? toDecimal(settlement.amountMinor, settlement.currency) : null,
    settlementExchangeRate: settlement?.exchangeRate ?? null,
    extendedData: {
      dispute: dispute && {
        ...dispute,
        amount: dispute.amount === null ? null : toDecimal(dispute.amount, currency),
      },
    },
    dateCreated: payment.dateCreated,
  };
};

const ofInvoice = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/invoices/{id}/payments',
    summary: 'List the payments and refunds of an invoice, oldest first',
    schemas: { params: entityParams, query: listQuery },
    response: pageSchema(paymentDetail),
    errors: ['entity-not-found'],
    reads: [orderListProjection, paymentsProjection],
    handle: async ({ params: { id: invoiceId }, query }) => {
      if (!(await deps.reader.get(orderListProjection.name, invoiceId))) throw notFound('invoice');
      const sort = [['dateCreated', 1]] as const;
      // An invoice has a few.
      const documents = await deps.reader.find<PaymentDocument>(view, { filter: { invoiceId }, sort });
      const { storeCurrencyCode } = deps.settings();
      const found = documents
        .map((document) => detail(document, storeCurrencyCode))
        .filter(({ transactionId, paymentMethod, paymentProviderAlias, description }) =>
          isFound(query.search, [transactionId, paymentMethod, paymentProviderAlias, description]),
        );
      return ok(pageOfAll(found, query));
    },
  });

const one = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/payments/{id}',
    summary: 'Show a payment or a refund',
    schemas: { params: entityParams },
    response: paymentDetail,
    errors: ['entity-not-found'],
    reads: [orderListProjection, paymentsProjection],
    handle: async (request) => {
      const document = await deps.reader.get<PaymentDocument>(view, request.params.id);
      // Of a deleted invoice nothing is shown, nor what it failed by.
      const isShown = document && (await deps.reader.get(orderListProjection.name, document.invoiceId));
      if (!isShown) throw notFound('payment');
      return ok(detail(document, deps.settings().storeCurrencyCode));
    },
  });

/** What the backoffice asks for money that it has seen arrive. */
const manualFields = route({
  ...common,
  path: '/payments/manual/form-fields',
  summary: 'List the fields of a payment that staff record',
  response: formFields,
  handle: () =>
    Promise.resolve(
      ok([
        { name: 'amount', label: 'Amount', type: 'number', required: true },
        { name: 'paymentMethod', label: 'Payment method', type: 'text', required: true },
        { name: 'description', label: 'Description', type: 'text', required: false },
      ]),
    ),
});

/** Payments and refunds, to be read by the backoffice (docs/rules/payments.md#list). */
export const paymentsRoutes = (deps: ProjectionDeps): readonly Route[] => [
  manualFields,
  ofInvoice(deps),
  one(deps),
];
