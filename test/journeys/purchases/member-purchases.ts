import { goodPassword } from '#test/support/member-shop.ts';
import { add, initialize, manage, post } from '#test/support/requests.ts';
import { makesAccount } from './account-steps.ts';
import { basketOf, buy, nothing, shippingOf, shopper, staff, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * A member of a segment that gets half off, 2 mugs at 19.99 and a download at 8.00, to the USA, where nothing is taxed:
 *
 *   2 mugs                      39.98
 *   half of it                 −19.99    once they have signed in
 *   the download                 8.00    half of 47.98: −23.99
 *   shipping from the West       7.25
 *   total                       31.24
 */
const account = '/api/shop/checkout';
const emailOf = ({ productId }: Known): string => `member-of-${productId}@example.com`;
const signIn = (known: Known) =>
  post(`${account}/sign-in`, { email: emailOf(known), password: goodPassword });

const made = (ask: PurchaseStep['ask'], learn: (body: Body) => void): PurchaseStep => ({
  by: 'staff',
  ask,
  status: 201,
  read: (body) => {
    learn(body);
    return '';
  },
  money: '',
});

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const stepsOf = (): readonly PurchaseStep[] => {
  const ids = { customer: '', segment: '', download: '' };
  return [
    shopper(
      ({ productId }) => add(productId, 2),
      '$39.98, tax $0.00, shipping $0.00, total $39.98 ($39.98)',
      basketOf,
    ),
    ...makesAccount(emailOf, '$39.98, tax $0.00, shipping $0.00, total $39.98 ($39.98)', basketOf),
    staff(
      (known) => manage.get(`/customers?search=${emailOf(known)}`),
      'one customer',
      ({ items }: Body) => {
        ids.customer = items[0]?.id;
        return items.length === 1 ? 'one customer' : `${items.length} customers`;
      },
    ),
    made(
      ({ productId }) => manage.post('/customer-segments', { name: productId, segmentType: 'Manual' }),
      ({ id }) => (ids.segment = id),
    ),
    staff(
      () => manage.post(`/customer-segments/${ids.segment}/members`, { customerIds: [ids.customer] }),
      '',
      nothing,
    ),
    made(
      ({ productId }) =>
        manage.post('/discounts', {
          name: `Half off ${productId}`,
          category: 'AmountOffOrder',
          method: 'Automatic',
          valueType: 'Percentage',
          value: 50,
          eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [ids.segment] }],
        }),
      () => undefined,
    ),
    made(
      ({ productId }) =>
        manage.post('/products', {
          rootName: 'Download',
          sku: `DOWNLOAD-${productId}`,
          price: 8,
          isDigitalProduct: true,
        }),
      ({ variants }) => (ids.download = variants[0].id),
    ),
    shopper(() => post(`${account}/sign-out`)),
    shopper(signIn, '$39.98, tax $0.00, shipping $0.00, total $19.99 ($19.99)', basketOf),
    shopper(() => add(ids.download, 1), '$47.98, tax $0.00, shipping $0.00, total $23.99 ($23.99)', basketOf),
    shopper(
      () => initialize({ countryCode: 'US' }),
      '2 by West parcel $7.25; $47.98, tax $0.00, shipping $7.25, total $31.24 ($31.24)',
      shippingOf,
    ),
    ...buy(
      'West parcel 7.25, subtotal 47.98, tax 0, shipping 7.25, total 31.24 USD (31.24 USD), paid 31.24, due 0',
    ),
  ];
};

export const memberPurchases: readonly Purchase[] = [
  {
    title: 'a member, whose price appears at the sign-in, and who buys a download',
    get steps() {
      return stepsOf();
    },
  },
];
