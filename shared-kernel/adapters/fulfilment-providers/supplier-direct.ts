import type { FulfilmentOrder, FulfilmentProvider, FulfilmentSettings } from '#ports/fulfilment-provider.ts';
import { callOut, NotFetched } from '#runtime/fetch-json.ts';
import type { Address } from '#values/address.ts';
import { supplierDirect } from '#values/fulfilment-providers.ts';
import { bearer, orOutcome, succeeded, timeoutOf, type FulfilmentHttpOptions } from './generic-http.ts';

export interface SupplierDirectOptions extends FulfilmentHttpOptions {
  /** Has a mail sent once, however often it is asked for under its id. */
  readonly sendMail: (
    id: string,
    mail: { readonly to: string; readonly subject: string; readonly text: string; readonly html: string },
  ) => Promise<void>;
}

const MOST_BYTES = 65_536;
const isOverHttp = ({ transport }: FulfilmentSettings): boolean => transport === 'http';

const htmlOf = (text: string): string =>
  `<pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;

/** A line break in a name would make a line of its own. */
const inOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

const addressLines = (address: Address | null): readonly string[] =>
  address === null
    ? ['(not known any more)']
    : [
        address.name,
        address.company,
        address.addressOne,
        address.addressTwo,
        [address.postalCode, address.townCity].filter((part) => part !== '').join(' '),
        address.countyState,
        address.country,
        address.phone,
      ]
        .filter((line): line is string => line !== null && line !== '')
        .map(inOneLine);

const PARENT = 'parentLineItemId';

/** `2 x MUG  Mug (Size: large)`; what was chosen for it stands indented beneath it. */
const goodsLine = ({ quantity, sku, name, extendedData }: FulfilmentOrder['lineItems'][number]): string => {
  const { [PARENT]: parent, ...options } = extendedData;
  const chosen = Object.entries(options).map(([option, value]) => `${option}: ${value}`);
  const said = chosen.length === 0 ? '' : ` (${chosen.join(', ')})`;
  return `${parent === undefined ? '' : '  + '}${inOneLine(`${quantity} x ${sku} ${name}${said}`)}`;
};

const textOf = (order: FulfilmentOrder): string =>
  [
    `Please send order ${order.orderNumber}.`,
    '',
    ...order.lineItems.map(goodsLine),
    '',
    'To:',
    ...addressLines(order.shippingAddress),
    ...(order.shippingServiceCode === null ? [] : ['', `By: ${order.shippingServiceCode}`]),
    ...(order.requestedDeliveryDate === null ? [] : ['', `Wanted by: ${order.requestedDeliveryDate}`]),
    ...(order.internalNotes === null ? [] : ['', 'Notes:', order.internalNotes]),
    '',
    `Our reference: ${order.orderId}`,
  ].join('\n');

/** Suppliers that send the goods themselves: by mail, or as JSON to an address (docs/rules/fulfilment.md#providers). */
export const supplierDirectProvider = ({ check, sendMail }: SupplierDirectOptions): FulfilmentProvider => {
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
    submitOrder: (settings, order, { idempotencyKey, supplier }) =>
      orOutcome(async () => {
        const submitted = { kind: 'submitted', reference: idempotencyKey, status: null } as const;
        if (isOverHttp(settings)) {
          await post(settings, order, idempotencyKey);
          return submitted;
        }
        const to = settings['email'] ?? supplier?.contactEmail ?? null;
        if (to === null) throw new NotFetched('there is no mail address of the supplier');
        const text = textOf(order);
        const subject = `Order ${order.orderNumber}`;
        await sendMail(idempotencyKey, { to, subject, text, html: htmlOf(text) });
        return submitted;
      }),
  };
};
