import type { FulfilmentOrder, FulfilmentProvider, FulfilmentSettings } from '#ports/fulfilment-provider.ts';
import { callOut, NotFetched } from '#runtime/fetch-json.ts';
import { supplierDirect } from '#values/fulfilment-providers.ts';
import { bearer, orOutcome, succeeded, timeoutOf, type FulfilmentHttpOptions } from './generic-http.ts';

/** An order as it is mailed. */
export interface MailedOrder {
  readonly to: string;
  readonly supplierName: string | null;
  readonly order: FulfilmentOrder;
  /** The data subject whom it is about; null: it is made up. */
  readonly subject: string | null;
}

export interface SupplierDirectOptions extends FulfilmentHttpOptions {
  /** Has an order mailed once, however often it is asked for under its id. False where no mail is set up for it. */
  readonly mailOrder: (id: string, mailed: MailedOrder) => Promise<boolean>;
}

const MOST_BYTES = 65_536;
const isOverHttp = ({ transport }: FulfilmentSettings): boolean => transport === 'http';

/** Suppliers that send the goods themselves: by mail, or as JSON to an address (docs/rules/fulfilment.md#providers). */
export const supplierDirectProvider = ({ check, mailOrder }: SupplierDirectOptions): FulfilmentProvider => {
  const post = (settings: FulfilmentSettings, body: object, key: string): Promise<void> => {
    const headers = { 'Content-Type': 'application/json', ...bearer(settings), 'Idempotency-Key': key };
    const asked = { method: 'POST', headers, body: JSON.stringify(body) } as const;
    const limits = { timeoutMs: timeoutOf(settings), maxBytes: MOST_BYTES };
    return callOut(settings['url'] ?? '', check, limits, asked).then(
      (answer) => void succeeded(answer, settings),
    );
  };
  return {
    description: supplierDirect,
    testConnection: async (settings) => {
      const checked = isOverHttp(settings) ? await check(settings['url'] ?? '') : null;
      const isReachable = checked === null || checked.kind === 'allowed';
      return {
        success: isReachable,
        providerVersion: null,
        accountName: null,
        warehouseCount: null,
        errorMessage: isReachable ? null : `its address cannot be used: ${checked.reason}`,
        errorCode: isReachable ? null : checked.kind,
      };
    },
    submitOrder: (settings, order, { idempotencyKey, supplier, subject }) =>
      orOutcome(async () => {
        const submitted = { kind: 'submitted', reference: idempotencyKey, status: null } as const;
        if (isOverHttp(settings)) {
          await post(settings, order, idempotencyKey);
          return submitted;
        }
        const to = settings['email'] ?? supplier?.contactEmail ?? null;
        if (to === null) throw new NotFetched('there is no mail address of the supplier');
        const supplierName = supplier?.name ?? null;
        if (await mailOrder(idempotencyKey, { to, supplierName, order, subject })) return submitted;
        throw new NotFetched('no mail of the topic fulfilment.supplier_order is switched on');
      }),
  };
};
