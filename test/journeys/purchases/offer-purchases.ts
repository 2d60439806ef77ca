import { setTimeout as delay } from 'node:timers/promises';
import { addAfterwards, previewAddition, showOffer, skipOffer } from '#test/support/buying-shop.ts';
import { add, get, initialize, manage, pay, payInvoice, post } from '#test/support/requests.ts';
import type { ShopAt } from '#test/support/shop.ts';
import { makesAccount } from './account-steps.ts';
import { invoiceOf, livingIn, nothing, shopper, staff, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * A mug at 19.99 to the USA, where nothing is taxed, for 7.25: 27.24. Afterwards two saucers at 5.00, which go with it:
 *
 *   charged      2 × 5.00      = 10.00
 *   the invoice  27.24 + 10.00 = 37.24
 */
const methods = '/api/shop/storefront/payment-methods';

interface Ids {
  saucer: string;
  rule: string;
  setup: string;
  method: string;
  order: string;
}

const emailOf = ({ productId }: Known): string => `offered-${productId}@example.com`;

const made = (path: string, body: (known: Known) => object, learn: (answer: Body) => void): PurchaseStep => ({
  by: 'staff',
  ask: (known) => manage.post(path, body(known)),
  status: 201,
  read: (answer) => {
    learn(answer);
    return '';
  },
  money: '',
});

/** What staff set up: two saucers in the West, and the rule that offers them after a mug. */
const setUp = (ids: Ids): readonly PurchaseStep[] => {
  let west = '';
  return [
    staff(
      () => manage.get('/warehouses?search=West'),
      '',
      ({ items: [found] }: Body) => {
        west = found.id;
        return '';
      },
    ),
    made(
      '/products',
      ({ productId }) => ({
        rootName: 'Saucer',
        sku: `OFFERED-${productId}`,
        price: 5,
        warehouses: [{ warehouseId: west }],
        stock: [{ warehouseId: west, stock: 10 }],
      }),
      ({ variants: [variant] }) => (ids.saucer = variant.id),
    ),
    made(
      '/upsells',
      ({ productId }) => ({
        name: `Saucers after ${productId}`,
        heading: 'Two saucers?',
        status: 'Active',
        checkoutMode: 'PostPurchase',
        displayLocation: 'Confirmation',
        triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [productId] }],
        recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.saucer] }],
      }),
      ({ id }) => (ids.rule = id),
    ),
  ];
};

/** An account, and a card that is kept for it. */
const saveCard = (ids: Ids, paymentMethodToken: string): readonly PurchaseStep[] => [
  shopper(({ productId }) => add(productId, 1)),
  ...makesAccount(emailOf),
  shopper(
    () =>
      post(`${methods}/setup`, { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' }),
    '',
    ({ setupSessionId }: Body) => {
      ids.setup = setupSessionId;
      return '';
    },
  ),
  shopper(
    () =>
      post(`${methods}/confirm`, {
        providerAlias: 'sandbox',
        setupSessionId: ids.setup,
        paymentMethodToken,
      }),
    '',
    ({ id }: Body) => {
      ids.method = id;
      return '';
    },
  ),
];

const pageOf = ({ redirectUrl }: Body): string => redirectUrl.split('/').slice(0, 3).join('/');

/** Pays what is in the basket, and is sent on to what is offered. */
const buyAndBeOffered: readonly PurchaseStep[] = [
  shopper(() => initialize({ countryCode: 'US' })),
  shopper(() => pay()),
  shopper(({ invoiceId }) => payInvoice(invoiceId), '/checkout/post-purchase', pageOf),
];

const anotherMug: readonly PurchaseStep[] = [
  shopper(({ productId }) => add(productId, 1)),
  shopper((known) => {
    const request = livingIn('US')();
    return { ...request, body: { ...(request.body as object), email: emailOf(known) } };
  }),
  ...buyAndBeOffered,
];

const offerOf = ({ suggestions, originalInvoiceTotal, windowExpired }: Body): string =>
  [
    ...suggestions.map(({ heading, products }: Body) => `${heading} ${products[0].formattedPrice}`),
    `bought for ${originalInvoiceTotal}`,
    ...(windowExpired ? ['over'] : []),
  ].join(', ');

const wish = (ids: Ids, idempotencyKey: string) => ({
  productId: ids.saucer,
  quantity: 2,
  upsellRuleId: ids.rule,
  savedPaymentMethodId: ids.method,
  idempotencyKey,
});

const addedOf = ({ formattedAmountCharged, invoiceTotal }: Body): string =>
  `charged ${formattedAmountCharged}, the invoice ${invoiceTotal}`;

const statusOf = (body: Body): string => `${body.orders[0].status}, ${invoiceOf(body)}`;

const looks = (expected: string): PurchaseStep =>
  staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), expected, statusOf);

const bought = 'West parcel 7.25, subtotal 19.99, tax 0, shipping 7.25, total 27.24 USD (27.24 USD)';

const tester = (path: string, body: object = {}): PurchaseStep => ({
  by: 'tester',
  ask: () => post(path, body),
  status: 200,
  read: nothing,
  money: '',
});

const takenSkippedExpired = (): readonly PurchaseStep[] => {
  const ids: Ids = { saucer: '', rule: '', setup: '', method: '', order: '' };
  return [
    ...setUp(ids),
    ...saveCard(ids, 'tok_success'),
    ...buyAndBeOffered,
    looks(`OnHold, ${bought}, paid 27.24, due 0`),
    shopper(({ invoiceId }) => showOffer(invoiceId), 'Two saucers? $5.00, bought for 27.24', offerOf),
    shopper(
      ({ invoiceId }) => previewAddition(invoiceId, { productId: ids.saucer, quantity: 2 }),
      '$10.00, shipping $0.00, total $10.00',
      ({ formattedSubTotal, formattedShippingDelta, formattedTotal }: Body) =>
        `${formattedSubTotal}, shipping ${formattedShippingDelta}, total ${formattedTotal}`,
    ),
    ...['the first time', 'and again'].map(() =>
      shopper(
        ({ invoiceId }) => addAfterwards(invoiceId, wish(ids, 'one press')),
        'charged $10.00, the invoice 37.24',
        addedOf,
      ),
    ),
    looks(
      'ReadyToFulfill, West parcel 7.25, subtotal 29.99, tax 0, shipping 7.25, total 37.24 USD (37.24 USD), paid 27.24 + 10, due 0',
    ),
    ...anotherMug,
    shopper(({ invoiceId }) => skipOffer(invoiceId), '', nothing, 204),
    looks(`ReadyToFulfill, ${bought}, paid 27.24, due 0`),
    ...anotherMug,
    looks(`OnHold, ${bought}, paid 27.24, due 0`),
    tester('/testing/clock', { advanceSeconds: 301 }),
    shopper(({ invoiceId }) => addAfterwards(invoiceId, wish(ids, 'too late')), '', nothing, 400),
    tester('/testing/jobs/release-holds'),
    looks(`ReadyToFulfill, ${bought}, paid 27.24, due 0`),
    shopper(({ invoiceId }) => showOffer(invoiceId), 'bought for 27.24, over', offerOf),
  ];
};

const LOOK_EVERY_MS = 25;

/** The card's provider takes its time: meanwhile the parcel leaves. */
const sendMeanwhile =
  (ids: Ids) =>
  async ({ invoiceId }: Known, shop: ShopAt): Promise<void> => {
    for (;;) {
      const charges = (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
      if (charges.length > 1) break;
      await delay(LOOK_EVERY_MS);
    }
    const sent = manage.put(`/orders/${ids.order}/status`, { status: 'Shipped' });
    const { status, text } = await shop.admin.ask(sent);
    if (status !== 200) throw new Error(`${status}: ${text}`);
  };

const undone = (): readonly PurchaseStep[] => {
  const ids: Ids = { saucer: '', rule: '', setup: '', method: '', order: '' };
  let invoice = '';
  return [
    ...setUp(ids),
    ...saveCard(ids, 'tok_timeout'),
    ...buyAndBeOffered,
    staff(
      ({ invoiceId }) => manage.get(`/orders/${invoiceId}`),
      '',
      ({ orders: [order] }: Body) => {
        ids.order = order.id;
        return '';
      },
    ),
    {
      ...shopper(
        ({ invoiceId }) => {
          invoice = invoiceId;
          return addAfterwards(invoiceId, wish(ids, 'one press'));
        },
        '',
        nothing,
        400,
      ),
      beside: sendMeanwhile(ids),
    },
    {
      by: 'tester',
      ask: () => get('/testing/sandbox-charges'),
      status: 200,
      read: (charges: Body) =>
        charges
          .filter(({ invoiceId }: Body) => invoiceId === invoice)
          .map(({ amount, status }: Body) => `${amount} ${status}`)
          .join(', '),
      money: '27.24 Completed, 10 Refunded',
    },
    looks(`Shipped, ${bought}, paid 27.24, due 0`),
    shopper(({ invoiceId }) => showOffer(invoiceId), 'bought for 27.24, over', offerOf),
  ];
};

export const offerPurchases: readonly Purchase[] = [
  {
    title:
      'a saved card, then an offer after the purchase that is taken, one that is skipped, one that expires',
    get steps() {
      return takenSkippedExpired();
    },
  },
  {
    title: 'a charge after the purchase that succeeds while the parcel leaves: it is undone',
    get steps() {
      return undone();
    },
  },
];
