import { ok, route, testing, type Route } from '#http/route.ts';
import type { MadeCharge } from '#ports/payment-provider.ts';
import { toDecimal } from '#values/money.ts';

/** What the sandbox charged, oldest first, so that tests can compare it with what was recorded. */
export const sandboxChargeRoutes = (listCharges: () => Promise<readonly MadeCharge[]>): readonly Route[] => [
  route({
    method: 'GET',
    base: 'testing',
    path: '/sandbox-charges',
    service: 'command',
    caller: testing,
    status: 200,
    file: import.meta.url,
    summary: 'The charges that the sandbox provider made',
    handle: async () =>
      ok(
        (await listCharges()).map(
          ({ _id, amountMinor, currency, invoiceId, transactionId, token, status, dateCreated }) => ({
            invoiceId,
            idempotencyKey: _id,
            transactionId,
            token,
            amount: toDecimal(amountMinor, currency),
            currency,
            status,
            dateCreated,
          }),
        ),
      ),
  }),
];
