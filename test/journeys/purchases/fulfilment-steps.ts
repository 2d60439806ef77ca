import { FULFILMENT_KEY, FULFILMENT_SECRET, fulfilmentCallback } from '#test/support/fulfilment-server.ts';
import { manage } from '#test/support/requests.ts';
import { staff, tester, type Body } from './steps.ts';
import type { PurchaseStep } from './walk.ts';

/** What the steps of a purchase that somebody else sends tell each other. */
export interface SentBy {
  provider: string;
  readonly warehouses: Record<string, string>;
  /** The shop's clock, in milliseconds. */
  now: number;
}

export const nobodyYet = (): SentBy => ({ provider: '', warehouses: {}, now: 0 });

/** Sets up a provider: the house, but for what is said. */
export const setsUpProvider = (ids: SentBy, changes: object = {}): PurchaseStep => ({
  ...staff(
    ({ server }) => {
      const secrets = { apiKey: FULFILMENT_KEY, webhookSecret: FULFILMENT_SECRET };
      const configuration = { baseUrl: server.url, ...secrets, timeoutSeconds: 1, ...changes };
      return manage.post('/fulfilment-providers', { providerKey: 'generic-http', configuration });
    },
    'generic-http',
    ({ id, providerKey }: Body) => {
      ids.provider = id;
      return providerKey;
    },
  ),
  status: 201,
});

export const findsWarehouse = (ids: SentBy, name: string): PurchaseStep =>
  staff(
    () => manage.get(`/warehouses?search=${name}`),
    name,
    ({ items: [house] }: Body) => {
      ids.warehouses[name] = house.id;
      return house.name;
    },
  );

/** From now on it sends through the provider, or again by itself. */
export const sendsFrom = (ids: SentBy, name: string, isOurselves = false): PurchaseStep =>
  staff(
    () => {
      const fulfilmentProviderConfigurationId = isOurselves ? null : ids.provider;
      return manage.put(`/warehouses/${ids.warehouses[name]}`, { fulfilmentProviderConfigurationId });
    },
    name,
    (house: Body) => house.name,
  );

/** The events of a type in the stream of the invoice, once they are what they should be. */
export const recorded = (type: string, money: string, tell: (data: Body) => string): PurchaseStep => ({
  ...staff(
    ({ invoiceId }) => manage.get(`/audit/events?stream=invoice-${invoiceId}&type=${type}`),
    money,
    ({ events }: Body) => events.map(({ data }: Body) => tell(data)).join(', '),
  ),
  isBackground: true,
});

/** What has become of the orders of an invoice; each by how it is sent. */
export const statuses = (money: string, look: (body: Body) => void = () => undefined): PurchaseStep => ({
  ...staff(
    ({ invoiceId }) => manage.get(`/orders/${invoiceId}`),
    money,
    (body) => {
      look(body);
      return body.orders
        .map(({ shippingServiceName, status }: Body) => `${shippingServiceName} ${status}`)
        .join(', ');
    },
  ),
  isBackground: true,
});

/** What time it is in the shop. */
export const looksAtClock = (ids: SentBy): PurchaseStep =>
  tester('/testing/clock', { advanceSeconds: 0 }, '', ({ now }: Body) => {
    ids.now = Date.parse(now);
    return '';
  });

/** The house tells of the order that it has of a warehouse. */
export const providerReports = (
  ids: SentBy,
  type: string,
  orderIdOf: () => string,
  data: (sku: string) => object = () => ({}),
): PurchaseStep => ({
  by: 'provider',
  ask: ({ server }) => {
    const order = server.orders.find(({ body }) => body.orderId === orderIdOf());
    const sku = order?.body.lineItems[0]?.sku ?? '';
    const said = { reference: order?.reference ?? 'nothing of ours', ...data(sku) };
    return fulfilmentCallback(ids.provider, type, said, ids.now);
  },
  status: 200,
  read: ({ message }: Body) => message,
  money: 'Webhook processed',
});
