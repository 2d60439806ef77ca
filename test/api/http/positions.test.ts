import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { keyed, manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';

describe('the position of an answer (docs/architecture.md#reading-what-was-just-written)', () => {
  let opened: MemberShop;
  let warehouseId: string;
  before(async () => {
    opened = await openMemberShop();
    warehouseId = (await make('/warehouses', { name: 'East', code: 'E', address: { countryCode: 'GB' } })).id;
  });
  after(() => opened.close());

  const ask = (request: Parameters<MemberShop['shop']['admin']['ask']>[0]) => opened.shop.admin.ask(request);
  const make = async (path: string, wanted: object): Promise<ApiResponse['body']> => {
    const { status, body, text } = await ask(manage.post(path, wanted));
    expect(status, text).to.equal(201);
    return body;
  };
  const stock = (units: number) => [{ warehouseId, stock: units }];
  const product = (sku: string) => ({ rootName: sku, sku, price: 10, stock: stock(5) });

  /** Everything that the request wrote stands at the position that its answer tells, or before it. */
  const covers = async ({ status, headers, text }: ApiResponse, expected: number): Promise<void> => {
    expect(status, text).to.equal(expected);
    await opened.shop.settle();
    const correlationId = headers.get('x-correlation-id');
    const written = (await eventsIn(opened.shop)).filter(
      ({ metadata }) => metadata.correlationId === correlationId,
    );
    const last = written.at(-1);
    expect(written.length, 'events of the request').to.be.greaterThan(1);
    expect(Number(headers.get('tillroll-position')), `reaches ${last?.type}`).to.equal(last?.position);
  };

  it('covers the stock rows of a product that is made', async () => {
    await covers(await ask(manage.post('/products', product('ROWS'))), 201);
  });

  it('covers them when it is told again under its key', async () => {
    const request = keyed('rows', manage.post('/products', product('AGAIN')));
    const first = await ask(request);
    await covers(first, 201);
    const again = await ask(request);
    expect(again.headers.get('tillroll-position')).to.equal(first.headers.get('tillroll-position'));
  });

  it('covers the rows of a variant that is added, or gets one', async () => {
    const { id, variants } = await make('/products', { rootName: 'Cup', sku: 'CUP', price: 5 });
    const added = manage.post(`/products/${id}/variants`, { sku: 'CUP-2', price: 6, stock: stock(3) });
    await covers(await ask(added), 201);
    const changed = manage.put(`/products/${id}/variants/${variants[0].id}`, { stock: stock(2) });
    await covers(await ask(changed), 200);
  });

  it('covers the names that are given back', async () => {
    const { id } = await make('/products', product('OLD'));
    await covers(await ask(manage.put(`/products/${id}`, { rootUrl: 'new', sku: 'NEW' })), 200);
    await covers(await ask(manage.delete(`/products/${id}`)), 204);
    const depot = await make('/warehouses', { name: 'D', code: 'D', address: { countryCode: 'GB' } });
    await covers(await ask(manage.put(`/warehouses/${depot.id}`, { code: 'D2' })), 200);
    await covers(await ask(manage.delete(`/warehouses/${depot.id}`)), 204);
    const customer = await make('/customers', { email: 'ada@example.com' });
    await covers(await ask(manage.put(`/customers/${customer.id}`, { email: 'eve@example.com' })), 200);
    await covers(await ask(manage.delete(`/customers/${customer.id}`)), 204);
  });
});
