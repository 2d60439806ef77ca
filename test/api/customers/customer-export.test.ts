import { expect } from 'chai';
import { typedAddress } from '#test/support/builders/address.ts';
import { managing } from '#test/support/managing.ts';
import { manage, withHeaders } from '#test/support/requests.ts';
import { body, header } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/rules/exports.md#customers */
const columns = [
  ...['customerId', 'name', 'email', 'phone', 'countryCode', 'tags', 'acceptsMarketing', 'dateCreated'],
  ...['orderCount', 'totalSpend', 'averageOrderValue', 'currencyCode', 'firstOrderDate', 'lastOrderDate'],
];

describe('POST /customers/export', () => {
  let shop: TestShop;
  let grace: string;
  let placedAt: string;

  before(async () => {
    shop = await TestShop.open();
    const address = { ...typedAddress(), phone: '+44 1482 1', externalKey: null };
    const who = {
      email: 'grace@example.com',
      firstName: 'Grace',
      lastName: '=Hopper()',
      addresses: [address],
    };
    grace = (await make('/customers', { ...who, tags: ['Navy', 'VIP'] })).id as string;
    const mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, 'ada@example.com');
    const { body: placed } = await shopper.pay();
    await shopper.payWith(placed.invoiceId as string);
    placedAt = (await shop.shown('/orders')).items[0].dateCreated as string;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const path = '/customers/export';

  it('lists all of them with what they have bought, the oldest first', async () => {
    await when(manage.post(path))
      .then(200)
      .and(header('content-type', 'application/json; charset=utf-8'))
      .and(
        body(([first, second, ...others]) => {
          expect(Object.keys(first)).to.deep.equal(columns);
          expect(first).to.deep.include({
            customerId: grace,
            name: 'Grace =Hopper()',
            email: 'grace@example.com',
            phone: '+44 1482 1',
            countryCode: null,
            tags: ['Navy', 'VIP'],
            orderCount: 0,
            totalSpend: 0,
            averageOrderValue: null,
            currencyCode: 'GBP',
            firstOrderDate: null,
            lastOrderDate: null,
          });
          // Two mugs at 10.00 with 20 % tax, and a parcel at 5.00.
          expect(second).to.deep.include({
            email: 'ada@example.com',
            countryCode: 'GB',
            orderCount: 1,
            totalSpend: 29,
            averageOrderValue: 29,
            firstOrderDate: placedAt,
            lastOrderDate: placedAt,
          });
          expect(others).to.deep.equal([]);
        }),
      );
  });

  it('is CSV and NDJSON likewise', async () => {
    const { text } = await when(withHeaders({ Accept: 'text/csv' }, manage.post(path)))
      .then(200)
      .and(header('content-disposition', 'attachment; filename="customers.csv"'));
    const [head, first] = text.split('\r\n');
    expect(head).to.equal(columns.join(','));
    expect(first).to.contain(
      `${grace},Grace =Hopper(),grace@example.com,'+44 1482 1,,"[""Navy"",""VIP""]",false,`,
    );
    const lines = (await when(manage.post(`${path}?format=ndjson`)).then(200)).text.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { email: string }).email)).to.deep.equal([
      'grace@example.com',
      'ada@example.com',
    ]);
  });

  it('refuses a format that is none', async () => {
    await when(manage.post(path, { format: 'xml' }))
      .then(400)
      .and(body(({ errors }) => expect(errors).to.deep.equal(['format: must be json, csv or ndjson'])));
  });
});
