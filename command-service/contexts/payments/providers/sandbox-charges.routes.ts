import { ok, route, testing, type Route } from '#http/route.ts';
import type { MadeCharge, MadeRefund, PaymentProvider } from '#ports/payment-provider.ts';
import { toDecimal } from '#values/money.ts';

const common = {
  method: 'GET',
  base: 'testing',
  service: 'command',
  caller: testing,
  status: 200,
  file: import.meta.url,
} as const;

const chargeRow = (charge: MadeCharge) => {
  const { _id, amountMinor, currency, invoiceId, transactionId, token, status, dateCreated } = charge;
  const amount = toDecimal(amountMinor, currency);
  return { invoiceId, idempotencyKey: _id, transactionId, token, amount, currency, status, dateCreated };
};

const refundRow = (refund: MadeRefund) => {
  const { amountMinor, currency, invoiceId, chargeTransactionId, transactionId, dateCreated } = refund;
  const amount = toDecimal(amountMinor, currency);
  return { invoiceId, chargeTransactionId, transactionId, amount, currency, dateCreated };
};

/** What a provider for tests took and gave back, oldest first, to be compared with what was recorded. */
export const sandboxChargeRoutes = ({
  charges,
  refunds,
}: Pick<PaymentProvider, 'charges' | 'refunds'>): readonly Route[] => [
  ...(charges
    ? [
        route({
          ...common,
          path: '/sandbox-charges',
          summary: 'The charges that the sandbox provider made',
          handle: async () => ok((await charges()).map(chargeRow)),
        }),
      ]
    : []),
  ...(refunds
    ? [
        route({
          ...common,
          path: '/sandbox-refunds',
          summary: 'The refunds that the sandbox provider made',
          handle: async () => ok((await refunds()).map(refundRow)),
        }),
      ]
    : []),
];
