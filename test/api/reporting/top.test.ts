import { expect } from 'chai';
import { registered } from '#test/support/builders/customer.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { soldContent } from '#test/support/builders/sold.ts';
import { inStream } from '#test/support/given.ts';
import { openReadingShop } from '#test/support/reading-shop.ts';
import { body } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { streamOf } from '#values/stream-name.ts';

const management = '/backoffice/api/v1';
const always = 'startDate=2020-01-01&endDate=2029-12-31';

describe('GET /reporting/top', () => {
  let shop: TestShop;
  let [mug, tea, kitchen] = ['', '', ''];

  const top = async (query: string): Promise<readonly (readonly [string | null, number])[]> => {
    const { items } = await shop.shown(`/reporting/top?${always}&${query}`);
    return items.map(({ name, value }: { name: string | null; value: number }) => [name, value] as const);
  };
  const buy = async (product: string, quantity: number, email: string): Promise<string> => {
    const shopper = shop.shopper();
    await shopper.prepare(product, quantity, email);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    return invoiceId;
  };

  before(async () => {
    shop = await TestShop.open();
    kitchen = (await shop.admin.post(`${management}/collections`, { name: 'Kitchen' })).body.id;
    mug = await shop.sell('mug', { price: 10, more: { collectionIds: [kitchen] } });
    tea = await shop.sell('tea', { price: 4 });
  });
  after(() => shop.close());

  it('ranks what was sold, until it is cancelled', async () => {
    await shop.discount('TENTH', 10);
    const first = await buy(mug, 2, 'ada@example.com');
    await buy(tea, 6, 'bob@example.com');
    // 2 × 10.00 and 6 × 4.00, 20 % tax.
    expect(await top('by=product')).to.deep.equal([
      ['Product tea', 28.8],
      ['Product mug', 24],
    ]);
    expect(await top('by=variant&figure=items&limit=1')).to.deep.equal([['Product tea', 6]]);
    expect(await top('by=collection&figure=grossSales')).to.deep.equal([['Kitchen', 20]]);
    expect(await top('by=source&figure=orders')).to.deep.equal([['web', 2]]);
    expect(await top('by=country&figure=netSales')).to.deep.equal([['United Kingdom', 44]]);
    expect(await top('by=customer&figure=grossSales')).to.deep.equal([
      ['Ada Lovelace', 24],
      ['Ada Lovelace', 20],
    ]);
    expect(await top('by=discount')).to.deep.equal([]);

    await shop.admin.post(`${management}/orders/${first}/cancel`, { reason: 'Changed her mind' });
    expect(await top('by=product')).to.deep.equal([['Product tea', 28.8]]);
    expect(await top('by=collection')).to.deep.equal([]);
    expect(await top('by=country&figure=orders')).to.deep.equal([['United Kingdom', 1]]);
  });

  it('names what a discount took off, and what it took it off', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1, 'cyd@example.com');
    await shopper.applyCode('TENTH');
    await shopper.payWith((await shopper.pay()).body.invoiceId);
    expect(await top('by=discount&figure=discounts')).to.deep.equal([['TENTH', 1]]);
    expect(await top('by=discount&figure=grossSales')).to.deep.equal([['TENTH', 10]]);
  });

  it('follows staff who edit a sale', async () => {
    const before = new Map(await top('by=product&figure=grossSales'));
    const invoiceId = await buy(mug, 3, 'dan@example.com');
    const sold = await shop.shown(`/orders/${invoiceId}`);
    const { id } = sold.orders[0].lineItems[0];
    const edited = await shop.admin.put(`${management}/orders/${invoiceId}/edit`, {
      lineItems: [{ id, quantity: 1, shouldReturnToStock: true }],
    });
    expect(edited.status).to.equal(200);
    const after = new Map(await top('by=product&figure=grossSales'));
    expect((after.get('Product mug') ?? 0) - (before.get('Product mug') ?? 0)).to.equal(10);
  });

  it('is what is left of a customer who is forgotten: a name that is null', async () => {
    const forgotten = { email: null, firstName: null, lastName: null };
    const line = { product: 'mug', quantity: 1, unitPrice: 1000, discount: 0, tax: 0 };
    const sold = invoice('sold', { content: soldContent([line], 0) });
    const reading = await openReadingShop([
      ...inStream(streamOf.customer(idNamed('ada')), registered(forgotten, '2026-03-01T09:00:00.000Z')),
      ...sold.sold(),
    ]);
    for (const by of ['customer', 'product', 'variant'])
      await reading
        .manage(`/reporting/top?by=${by}&startDate=2026-03-01&endDate=2026-03-01`)
        .then(200, { by, figure: 'sales', unit: 'amount', currency: 'GBP' })
        .and(
          body(({ items }) =>
            expect(
              items.map(({ name, value }: { name: null; value: number }) => [name, value]),
            ).to.deep.equal([[null, 10]]),
          ),
        );
    await reading.close();
  });

  it('refuses what it does not know, naming the parameter and what it may be', async () => {
    const refused = async (query: string, problem: string): Promise<void> => {
      const { status, body: answer } = await shop.admin.get(`${management}/reporting/top?${query}`);
      expect([status, answer.errors]).to.deep.equal([400, [problem]]);
    };
    const dimensions = 'product, variant, collection, country, customer, discount, source';
    const figures = 'sales, grossSales, netSales, discounts, returns, orders, items';
    await refused(`${always}&by=colour`, `by: must be one of ${dimensions}`);
    await refused(always, `by: must be one of ${dimensions}`);
    await refused(`${always}&by=product&figure=profit`, `figure: must be one of ${figures}`);
    for (const limit of ['0', '101', '1.5', 'all'])
      await refused(`${always}&by=product&limit=${limit}`, 'limit: must be a whole number from 1 to 100');
    await refused(
      'by=product&startDate=2026-03-02&endDate=2026-03-01',
      'endDate: must be a day not before startDate',
    );
    await refused(
      'by=product&startDate=2000-01-01&endDate=2029-12-31',
      'endDate: must be a day at most 3,660 days from startDate, both included',
    );
    const { status } = await shop.shopper().get(`${management}/reporting/top?${always}&by=product`);
    expect(status).to.equal(401);
  });
});
