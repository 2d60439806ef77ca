import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { captureBody, paymentRow } from '#contracts/payments.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { toDecimal } from '#values/money.ts';
import type { OrderShipmentsApi } from '../../invoices/fulfilment/shipment.commands.ts';
import { invoiceOfPayment } from '../invoice-of-payment.ts';
import { inMinor } from '../refunds/amount-in-minor.ts';
import type { AskedAuthorization, Authorizations } from './authorizations.actions.ts';

interface AuthorizationRouteDeps {
  readonly authorizations: Authorizations;
  readonly find: OrderShipmentsApi['invoiceOf'];
}

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  method: 'POST',
  response: paymentRow,
  isIdempotent: true,
} as const;

const errors = [
  'invalid-request',
  'entity-not-found',
  'invoice-not-found',
  'capture-not-possible',
  'capture-declined',
  'payment-unknown',
] as const;

const invoiceOf = ({ authorizations, find }: AuthorizationRouteDeps, paymentId: string) =>
  invoiceOfPayment({ find, load: authorizations.load }, paymentId);

const statuses = { captured: 'Completed', voided: 'Cancelled', expired: 'Cancelled' } as const;

/** `Pending`: the provider has not answered, and is asked again until it does. */
const rowOf = ({ authorization, invoice }: AskedAuthorization) => {
  const { paymentId, transactionId, status, amount: authorized } = authorization;
  const payment = invoice.payments.find((made) => made.paymentId === paymentId);
  return {
    id: paymentId,
    parentPaymentId: null,
    paymentType: 'Payment',
    amount: toDecimal(payment?.amount ?? authorized, invoice.content.currency),
    transactionId,
    paymentSuccess: status === 'captured',
    status: status === 'held' ? 'Pending' : statuses[status],
  };
};

const capture = async (
  deps: AuthorizationRouteDeps,
  paymentId: string,
  amount: number | null | undefined,
  meta: CommandMeta,
): Promise<AskedAuthorization> => {
  const { invoiceId, invoice } = await invoiceOf(deps, paymentId);
  const wanted = inMinor(amount, invoice.content.currency);
  return deps.authorizations.capture(invoiceId, paymentId, wanted, meta);
};

/** Money that is set aside, by staff (docs/rules/authorizations.md). */
export const authorizationRoutes = (deps: AuthorizationRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/payments/{id}/capture',
    summary: 'Take money that is authorised; what of it is not taken goes back',
    schemas: { params: entityParams, body: captureBody },
    errors: [...errors, 'invoice-cancelled'],
    handle: async (request) => {
      const asked = await capture(deps, request.params.id, request.body.amount, metaOf(request));
      return ok(rowOf(asked), { position: asked.position });
    },
  }),
  route({
    ...common,
    path: '/payments/{id}/void',
    summary: 'Let money go that is authorised',
    schemas: { params: entityParams },
    errors,
    handle: async (request) => {
      const { id } = request.params;
      const { invoiceId } = await invoiceOf(deps, id);
      const asked = await deps.authorizations.letGo(invoiceId, id, metaOf(request));
      return ok(rowOf(asked), { position: asked.position });
    },
  }),
];
