import { add, get, initialize, manage, post } from '#test/support/requests.ts';
import { basketOf, buy, livingIn, nothing, plain, shippingOf, shopper, staff, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * Two mugs at 19.99, and two saucers at 5.00 that the basket suggests, to the USA, where nothing is taxed, for 7.25:
 *
 *   mugs and saucers    39.98 + 10.00 = 49.98
 *   total               49.98 + 7.25  = 57.23
 */
const upsells = '/api/shop/storefront/upsells';

const made = (
  path: string,
  body: (productId: string) => object,
  learn: (body: Body) => void,
): PurchaseStep => ({
  by: 'staff',
  ask: ({ productId }) => manage.post(path, body(productId)),
  status: 201,
  read: (answer) => {
    learn(answer);
    return '';
  },
  money: '',
});

const suggestionsOf = (suggestions: Body): string =>
  plain(
    suggestions
      .map(({ heading, products }: Body) => {
        const shown = products.map(({ name, formattedPrice }: Body) => `${name} ${formattedPrice}`);
        return `${heading}: ${shown.join(', ')}`;
      })
      .join('; '),
  );

const performanceOf = (body: Body): string =>
  [
    `seen ${body.totalImpressions}`,
    `clicked ${body.totalClicks} (${body.clickThroughRate} %)`,
    `sold ${body.totalConversions} (${body.conversionRate} %) for ${body.totalRevenue}`,
    `${body.averageOrderValue} an order`,
    `customers ${body.uniqueCustomersCount}`,
  ].join(', ');

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const stepsOf = (): readonly PurchaseStep[] => {
  const ids = { west: '', saucer: '', rule: '' };
  const performance = (expected: string): PurchaseStep =>
    staff(() => manage.get(`/upsells/${ids.rule}/performance`), expected, performanceOf);
  return [
    staff(
      () => manage.get('/warehouses?search=West'),
      '',
      ({ items: [west] }: Body) => {
        ids.west = west.id;
        return '';
      },
    ),
    made(
      '/products',
      (productId) => ({
        rootName: 'Saucer',
        sku: `SAUCER-${productId}`,
        price: 5,
        warehouses: [{ warehouseId: ids.west }],
      }),
      ({ variants: [saucer] }) => (ids.saucer = saucer.id),
    ),
    made(
      '/upsells',
      (productId) => ({
        name: `Saucers for ${productId}`,
        heading: 'Goes well with it',
        status: 'Active',
        triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [productId] }],
        recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.saucer] }],
      }),
      ({ id }) => (ids.rule = id),
    ),
    shopper(
      ({ productId }) => add(productId, 2),
      '$39.98, tax $0.00, shipping $0.00, total $39.98 ($39.98)',
      basketOf,
    ),
    shopper(() => get(`${upsells}?location=Basket`), 'Goes well with it: Saucer $5.00', suggestionsOf),
    shopper(() => get(`${upsells}?location=Checkout`), 'Goes well with it: Saucer $5.00', suggestionsOf),
    performance('seen 2, clicked 0 (0 %), sold 0 (0 %) for 0, 0 an order, customers 0'),
    shopper(
      () =>
        post(`${upsells}/events`, {
          events: [
            { upsellRuleId: ids.rule, displayLocation: 'Basket', productId: ids.saucer, eventType: 'Click' },
          ],
        }),
      '',
      nothing,
      204,
    ),
    shopper(() => add(ids.saucer, 2), '$49.98, tax $0.00, shipping $0.00, total $49.98 ($49.98)', basketOf),
    shopper(livingIn('US'), '$49.98, tax $0.00, shipping $0.00, total $49.98 ($49.98)', basketOf),
    shopper(
      () => initialize({ countryCode: 'US' }),
      '2 by West parcel $7.25; $49.98, tax $0.00, shipping $7.25, total $57.23 ($57.23)',
      shippingOf,
    ),
    ...buy(
      'West parcel 7.25, subtotal 49.98, tax 0, shipping 7.25, total 57.23 USD (57.23 USD), paid 57.23, due 0',
    ),
    performance('seen 2, clicked 1 (50 %), sold 1 (100 %) for 10, 10 an order, customers 1'),
  ];
};

export const upsellPurchases: readonly Purchase[] = [
  {
    title: 'a suggestion of the basket: seen, clicked, bought and counted',
    get steps() {
      return stepsOf();
    },
  },
];
