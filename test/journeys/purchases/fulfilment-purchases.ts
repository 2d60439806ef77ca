import { add, initialize, manage, post } from '#test/support/requests.ts';
import { buy, livingIn, nothing, shopper, staff, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * Two mugs at 19.99 to the USA, where nothing is taxed: 39.98, the West sends them for 7.25, together 47.23. The West
 * belongs to somebody else by then, who cannot be reached: it is tried five times, and staff send the mugs themselves.
 */
const invoice =
  'West parcel 7.25, subtotal 39.98, tax 0, shipping 7.25, total 47.23 USD (47.23 USD), paid 47.23, due 0';

const tester = (path: string, body: object = {}): PurchaseStep => ({
  by: 'tester',
  ask: () => post(path, body),
  status: 200,
  read: nothing,
  money: '',
});

const failuresOf = ({ events }: Body): string =>
  events
    .map(({ data }: Body) => (data.isFinal ? `${data.retryCount} given up` : String(data.retryCount)))
    .join(', ');
const statusesOf = ({ orders }: Body): string => orders.map(({ status }: Body) => status).join(', ');

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const sentByNobody = (): readonly PurchaseStep[] => {
  const ids = { provider: '', west: '', order: '' };
  const failures = (money: string): PurchaseStep => ({
    ...staff(
      ({ invoiceId }) => manage.get(`/audit/events?stream=invoice-${invoiceId}&type=FulfilmentAttemptFailed`),
      money,
      failuresOf,
    ),
    isBackground: true,
  });
  const later = (minutes: number): readonly PurchaseStep[] => [
    tester('/testing/clock', { advanceSeconds: minutes * 60 + 1 }),
    tester('/testing/jobs/fulfilment-retry'),
  ];
  const status = (money: string): PurchaseStep => ({
    ...staff(
      ({ invoiceId }) => manage.get(`/orders/${invoiceId}`),
      money,
      (body) => {
        ids.order = body.orders[0].id;
        return statusesOf(body);
      },
    ),
    isBackground: true,
  });
  const sendsFromWest = (fulfilmentProviderConfigurationId: () => string | null): PurchaseStep =>
    staff(
      () =>
        manage.put(`/warehouses/${ids.west}`, {
          fulfilmentProviderConfigurationId: fulfilmentProviderConfigurationId(),
        }),
      'West',
      ({ name }: Body) => name,
    );
  const configuration = { baseUrl: 'http://house.invalid', timeoutSeconds: 1 };
  return [
    {
      ...staff(
        () => manage.post('/fulfilment-providers', { providerKey: 'generic-http', configuration }),
        'generic-http',
        ({ id, providerKey }: Body) => {
          ids.provider = id;
          return providerKey;
        },
      ),
      status: 201,
    },
    staff(
      () => manage.get('/warehouses?search=West'),
      'West',
      ({ items: [west] }: Body) => {
        ids.west = west.id;
        return west.name;
      },
    ),
    sendsFromWest(() => ids.provider),
    shopper(({ productId }) => add(productId, 2)),
    shopper(livingIn('US')),
    shopper(() => initialize({ countryCode: 'US' })),
    ...buy(invoice),
    failures('1'),
    status('Processing'),
    ...later(5),
    failures('1, 2'),
    ...later(15),
    failures('1, 2, 3'),
    ...later(30),
    failures('1, 2, 3, 4'),
    ...later(60),
    failures('1, 2, 3, 4, 5 given up'),
    status('FulfilmentFailed'),
    sendsFromWest(() => null),
    staff(() => manage.put(`/orders/${ids.order}/status`, { status: 'Shipped' }), '', nothing),
    status('Shipped'),
  ];
};

export const fulfilmentPurchases: readonly Purchase[] = [
  {
    title: 'to be sent by somebody who cannot be reached: tried five times, then sent by hand',
    get steps() {
      return sentByNobody();
    },
  },
];
