import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const EXPRESS = 'dyn:parcel:EXPRESS';

/** Two mugs from Hull, sold with the parcel of the shop at 5.00; a box and a lamp are in Leith, where carriers come. */
describe('How something is sent that an edit adds', () => {
  let shop: TestShop;
  let invoiceId: string;
  let box: string;
  let lamp: string;
  let carrierId: string;
  let leith: string;
  let byWeight: string;
  const { when, make } = managing(() => shop);

  before(async () => {
    shop = await TestShop.open();
    carrierId = (await make('/shipping-providers', { providerKey: 'parcel' })).id;
    const providerConfigs = [{ providerKey: 'parcel', markUpPercent: 10 }];
    leith = (await make('/warehouses', { name: 'Leith', address: { countryCode: 'GB' }, providerConfigs }))
      .id;
    const weightTiers = [{ countryCode: 'GB', minWeightKg: 3, maxWeightKg: null, surcharge: 4 }];
    const pallet = { name: 'Pallet', warehouseId: leith, fixedCost: 3, weightTiers };
    byWeight = (await make('/shipping-options', pallet)).id;
    const product = async (sku: string, changes: object = {}) => {
      const goods = { rootName: sku, sku, price: 10, warehouses: [{ warehouseId: leith }] };
      return (await make('/products', { ...goods, packages: [{ weight: 2 }], ...changes })).variants[0].id;
    };
    box = await product('box');
    lamp = await product('lamp', { allowExternalCarrierShipping: false });
    await shop.settle();
    const shopper = shop.shopper();
    await shopper.prepare(await shop.sell('mug', { price: 10, stock: 9 }), 2);
    invoiceId = (await shopper.pay()).body.invoiceId;
    await shopper.payWith(invoiceId);
  });
  after(() => shop.close());

  const preview = (...productsToAdd: readonly object[]) =>
    shop.admin.post(`${management}/orders/${invoiceId}/preview-edit`, { productsToAdd });
  const refused = async (message: string, ...productsToAdd: readonly object[]) => {
    const events = (await eventsIn(shop)).length;
    const path = `${management}/orders/${invoiceId}/edit`;
    const answer = await shop.admin.put(path, { productsToAdd });
    expect([answer.status, answer.body.errors]).to.deep.equal([400, [message]]);
    expect((await eventsIn(shop)).length).to.equal(events);
  };

  it('by a carrier costs what the carrier says now, for everything that goes together', async () => {
    expect((await preview({ productId: box, selectionKey: EXPRESS })).body.shippingTotal).to.equal(5 + 15.4);
    const two = { productId: box, quantity: 2, selectionKey: EXPRESS };
    const together = (await preview(two)).body.shippingTotal;
    const one = { productId: box, selectionKey: EXPRESS };
    expect((await preview(one, one)).body.shippingTotal).to.equal(together);
    expect(together).to.be.greaterThan(5 + 15.4);
  });

  it('by an option of the shop costs what that asks for the weight of both', async () => {
    const selectionKey = `so:${byWeight}`;
    const one = { productId: box, selectionKey };
    expect((await preview(one)).body.shippingTotal).to.equal(5 + 3);
    expect((await preview(one, one)).body.shippingTotal).to.equal(5 + 7);
  });

  it('is refused by a carrier that does not take it, is not known, or does not answer', async () => {
    const none = 'must be a service that the carrier has for these goods';
    await refused(`productsToAdd.0.selectionKey: ${none}`, { productId: lamp, selectionKey: EXPRESS });
    const slow = { productId: box, selectionKey: 'dyn:parcel:SNAIL' };
    await refused(`productsToAdd.0.selectionKey: ${none}`, slow);
    const unknown = { productId: box, selectionKey: 'dyn:stork:EXPRESS' };
    await refused('productsToAdd.0.selectionKey: must be a carrier that is in use', unknown);
    const nonsense = { productId: box, selectionKey: 'EXPRESS' };
    await refused('productsToAdd.0.selectionKey: must be so:<guid> or dyn:<provider>:<service>', nonsense);
    await when(
      manage.put(`/shipping-providers/${carrierId}`, { configuration: { fault: 'unavailable' } }),
    ).then(200);
    await shop.settle();
    const away = 'The rates of Parcel are not available at the moment.';
    await refused(`productsToAdd.0.selectionKey: ${away}`, {
      productId: box,
      quantity: 3,
      selectionKey: EXPRESS,
    });
    await when(manage.put(`/shipping-providers/${carrierId}`, { configuration: {} })).then(200);
    await shop.settle();
  });

  it('joins the order that goes so already, whose shipping stays, and has one of its own by the carrier', async () => {
    const path = `${management}/orders/${invoiceId}/edit`;
    const edit = (product: object) => shop.admin.put(path, { productsToAdd: [product] });
    const added = (await edit({ productId: box, selectionKey: EXPRESS })).body.invoice;
    expect(added.orders[1]).to.deep.include({
      warehouseId: leith,
      selectionKey: EXPRESS,
      shippingCost: 15.4,
    });
    expect(added.orders[1].shippingServiceName).to.equal('Parcel Express');
    const joined = (await edit({ productId: box, selectionKey: EXPRESS })).body.invoice;
    expect([joined.orders.length, joined.shippingTotal]).to.deep.equal([2, 20.4]);
    const beside = (await edit({ productId: box, selectionKey: `so:${byWeight}` })).body.invoice;
    expect([beside.orders.length, beside.shippingTotal]).to.deep.equal([3, 23.4]);
    const [{ id }] = beside.orders[2].lineItems;
    const more = await shop.admin.put(path, { lineItems: [{ id, quantity: 500 }] });
    expect([more.status, more.body.invoice?.shippingTotal]).to.deep.equal([200, 23.4]);
  });
});
