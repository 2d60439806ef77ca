import { ok, route, testing, type Route } from '#http/route.ts';
import { toDecimal } from '#values/money.ts';

/** A charge as the sandbox keeps it. */
interface Charge {
  readonly _id: string;
  readonly invoiceId: string;
  readonly token: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: string;
  readonly dateCreated: string;
}

/** What the sandbox charged, oldest first, so that tests can compare it with what was recorded. */
export const sandboxChargeRoutes = (listCharges: () => Promise<readonly Charge[]>): readonly Route[] => [
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
          ({ _id, amountMinor, currency, invoiceId, token, status, dateCreated }) => ({
            invoiceId,
            idempotencyKey: _id,
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
