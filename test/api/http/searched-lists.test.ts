import { expect } from 'chai';
import { DownloadShop } from '#test/support/download-shop.ts';
import { manage } from '#test/support/requests.ts';
import { API_KEY, type TestShop } from '#test/support/shop.ts';

interface List {
  readonly path: string;
  /** Searched for in the other case than it is written in. */
  readonly search: string;
}

// docs/rules/management.md#lists
describe('Lists that belong to something', () => {
  let files: DownloadShop;
  let shop: TestShop;
  const lists: Record<string, List> = {};
  const make = async (path: string, body: object, expected = 201) => {
    const answer = await shop.admin.ask(manage.post(path, body));
    if (answer.status !== expected) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };

  const buy = async (email: string, code: string, productId: string, token: string): Promise<string> => {
    const shopper = shop.shopper();
    await shopper.prepare(productId, 1, email);
    await shopper.applyCode(code);
    const invoiceId: string = (await shopper.pay()).body.invoiceId;
    expect((await shopper.payWith(invoiceId, token)).body).to.include({ success: true });
    return invoiceId;
  };

  const segments = async (): Promise<void> => {
    const customers = (await shop.admin.ask(manage.get('/customers?search=@example.org'))).body.items;
    const ids: string[] = customers.map(({ id }: { id: string }) => id);
    expect(ids).to.have.length(2);
    const manual = await make('/customer-segments', { name: 'Friends', segmentType: 'Manual' });
    await make(`/customer-segments/${manual.id}/members`, { customerIds: ids }, 200);
    const other = await make('/customer-segments', { name: 'Regulars', segmentType: 'Manual' });
    await make(`/customer-segments/${other.id}/members`, { customerIds: ids }, 200);
    lists['members of a segment'] = { path: `/customer-segments/${manual.id}/members`, search: 'ADA@' };
    lists['who is in a segment'] = { path: `/customer-segments/${manual.id}/preview`, search: 'Ada@EX' };
    lists['segments of a customer'] = { path: `/customers/${ids[0]}/segments`, search: 'friEND' };
  };

  const productFile = async (): Promise<void> => {
    const send = async (kind: string, profile: string, text: string) => {
      const answer = await fetch(
        `${shop.base}/backoffice/api/v1/product-sync/imports/${kind}?profile=${profile}`,
        {
          method: 'POST',
          headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${API_KEY}` },
          body: text,
        },
      );
      const { id } = (await answer.json()) as { id: string };
      for (;;) {
        const { body } = await shop.admin.ask(manage.get(`/product-sync/runs/${id}`));
        if (body.dateCompleted !== null) return id;
      }
    };
    await send('validate', 'extended', 'Handle,Title\nmug,Mug\n');
    const id = await send(
      'validate',
      'strict',
      'Handle,Title,Variant Price,Status\nmug,Mug,much,active\ntea,Tea,1,often\n',
    );
    lists['runs of product files'] = { path: '/product-sync/runs', search: 'EXTended' };
    lists['issues of a product file'] = { path: `/product-sync/runs/${id}/issues`, search: 'DRAFT or' };
  };

  before(async () => {
    files = await DownloadShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    shop = files.shop;
    for (const name of ['book.pdf', 'film.mp4']) files.store(name);
    const buyer = await files.bought(await files.sell({ files: ['book.pdf', 'film.mp4'] }));
    const mug = await shop.sell('MUG', { price: 10 });
    const tea = await shop.sell('TEA', { price: 5 });
    await shop.discount('SPRING', 10);
    await shop.discount('AUTUMN', 20);
    await make('/webhooks', { name: 'paid', topic: 'invoice.paid', targetUrl: 'http://127.0.0.1:9/hook' });
    await shop.settle();
    const first = await buy('ada@example.org', 'SPRING', mug, 'tok_success');
    await buy('bob@example.org', 'AUTUMN', tea, 'tok_success');
    await shop.settle();
    const { body: payments } = await shop.admin.ask(manage.get(`/invoices/${first}/payments`));
    const [{ id: paymentId, amount }] = payments.items;
    await make(`/payments/${paymentId}/refund`, { amount: amount / 2, reason: 'A scratch' }, 200);
    await shop.settle();
    const [subscription] = (await shop.admin.ask(manage.get('/webhooks'))).body.items;
    const [warehouse] = (await shop.admin.ask(manage.get('/warehouses'))).body.items;
    for (const name of ['By bike', 'By boat'])
      await make('/shipping-options', { name, warehouseId: warehouse.id, fixedCost: 3 });
    lists['downloads of an order'] = { path: `/orders/${buyer.invoiceId}/downloads`, search: 'BOOK' };
    lists['payments of an invoice'] = { path: `/invoices/${first}/payments`, search: 'SCRATCH' };
    lists['uses of discounts'] = { path: '/discounts/usage-report', search: 'sprinG' };
    lists['deliveries of a subscription'] = {
      path: `/webhooks/${subscription.id}/deliveries`,
      search: first.toUpperCase(),
    };
    lists['options of a warehouse'] = {
      path: `/warehouses/${warehouse.id}/shipping-options`,
      search: 'BIKE',
    };
    lists['findings of a check'] = {
      path: '/health-checks/products-missing-images/details',
      search: 'product mug',
    };
    await segments();
    await productFile();
    await shop.settle();
  });
  after(() => files.close());

  for (const name of [
    'downloads of an order',
    'payments of an invoice',
    'uses of discounts',
    'deliveries of a subscription',
    'options of a warehouse',
    'findings of a check',
    'members of a segment',
    'who is in a segment',
    'segments of a customer',
    'runs of product files',
    'issues of a product file',
  ])
    it(`are searched too: ${name}`, async () => {
      const { path, search } = lists[name] ?? expect.fail(`nothing was made for ${name}`);
      const totalOf = async (query: string): Promise<number> => {
        const { status, body } = await shop.admin.ask(manage.get(`${path}?${query}`));
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.items, query).to.have.length(body.totalItems);
        return body.totalItems;
      };
      expect(await totalOf(''), 'in all').to.be.at.least(2);
      expect(await totalOf(`search=${encodeURIComponent(search)}`), 'found').to.equal(1);
      expect(await totalOf('search=nobody+has+this'), 'nothing').to.equal(0);
    });
});
