import { expect } from 'chai';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const checkout = '/api/shop/checkout';

/** Parcels for 6.50, from 20 kg on for 27.50; a courier for 10.50, who goes to SW1 for 12.00. */
const byWeight = {
  name: 'Parcel by weight',
  fixedCost: 6.5,
  weightTiers: [{ countryCode: '*', minWeightKg: 20, surcharge: 21 }],
};
const courier = {
  name: 'Courier',
  fixedCost: 10.5,
  postcodeRules: [
    { countryCode: 'GB', pattern: 'SW1', matchType: 'Prefix', action: 'Surcharge', surcharge: 1.5 },
  ],
};

interface Shown {
  readonly optionKey: string;
  readonly groupId: string;
}

describe('F32: a shipping quote for other goods', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let warehouseId: string;
  let tea: string;
  let anvil: string;
  let shopper: Shopper;

  const createOption = async (option: object): Promise<string> => {
    const { body } = await shop.admin.post(`${management}/shipping-options`, { ...option, warehouseId });
    await shop.settle();
    return body.id as string;
  };
  const change = async (path: string, body: object): Promise<void> => {
    const answer = await shop.admin.put(`${management}${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    await shop.settle();
  };

  /** The option with this name, as the basket's one group offers it. */
  const offered = async (name: string): Promise<Shown> => {
    const { body } = await shopper.initialize();
    const [group] = body.shippingGroups;
    const option = group.shippingOptions.find((candidate: { name: string }) => candidate.name === name);
    return { groupId: group.groupId, optionKey: option.id };
  };
  const choose = async (name: string): Promise<number> => {
    const { groupId, optionKey } = await offered(name);
    const { status, body } = await shopper.selectShipping({ [groupId]: optionKey });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.basket.shipping as number;
  };
  const lineOf = async (sku: string): Promise<string> => {
    const { body } = await shopper.basket();
    return body.lineItems.find((line: { sku: string }) => line.sku === sku).id as string;
  };
  /** What the provider is asked to charge. */
  const charged = async (): Promise<number> => {
    const paid = await shopper.pay();
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    expect((await shopper.payWith(paid.body.invoiceId)).status).to.equal(200);
    const mine = (await shop.charges()).filter(({ invoiceId }) => invoiceId === paid.body.invoiceId);
    return mine.reduce((sum, { amount }) => sum + amount, 0);
  };

  beforeEach(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    tea = await shop.sell('tea', { price: 4, weightKg: 0.2 });
    anvil = await shop.sell('anvil', { price: 50, weightKg: 17 });
    warehouseId = (await shop.admin.get(`${management}/warehouses`)).body.items[0].id;
    shopper = shop.shopper();
  });
  afterEach(() => shop.close());

  it('charges 51 kg for 51 kg, though the shipping was chosen for one pouch of tea', async () => {
    await createOption(byWeight);
    await shopper.add(tea);
    await shopper.giveAddress();
    expect(await choose(byWeight.name)).to.equal(6.5);

    const added = await shopper.add(anvil, 3);
    expect(added.body.basket).to.include({ shipping: 27.5 });
    expect(added.body.warnings).to.deep.equal([]);
    expect(added.body).to.include({ subTotal: 154, tax: 30.8, shipping: 27.5, total: 212.3 });
    expect(added.body).to.include({ displayShipping: 27.5, displayTotal: 212.3 });
    await shop.settle();
    expect((await shopper.basket()).body).to.include({ shipping: 27.5, total: 212.3 });
    expect((await shopper.get(`${checkout}/shipping-groups`)).body).to.include({
      combinedShippingTotal: 27.5,
    });
    expect(await charged()).to.equal(212.3);
  });

  it('charges one pouch for one pouch, though the shipping was chosen for 51 kg', async () => {
    await createOption(byWeight);
    await shopper.add(tea);
    await shopper.add(anvil, 3);
    await shopper.giveAddress();
    expect(await choose(byWeight.name)).to.equal(27.5);
    await shop.settle();

    const lighter = await shopper.update(await lineOf('anvil'), 1);
    expect(lighter.body).to.include({ shipping: 6.5 });
    await shop.settle();
    const removed = await shopper.delete(`/api/shop/storefront/basket/${await lineOf('anvil')}`);
    expect(removed.body).to.include({ subTotal: 4, shipping: 6.5, total: 11.3 });
    expect(await charged()).to.equal(11.3);
  });

  it('asks for the postal code’s surcharge when the address is told after the choice', async () => {
    await createOption(courier);
    await shopper.add(tea);
    expect(await choose('Courier')).to.equal(10.5);
    const told = await shopper.giveAddress();
    expect(told.body.basket).to.include({ shipping: 12, total: 16.8 });
    expect(await charged()).to.equal(16.8);
  });

  it('says that a choice is gone when another warehouse has to send the goods, and asks for another one', async () => {
    await createOption(courier);
    const west = await shop.admin.post(`${management}/warehouses`, {
      name: 'West',
      address: { countryCode: 'GB' },
    });
    await shop.admin.post(`${management}/shipping-options`, {
      name: 'Van',
      warehouseId: west.body.id,
      fixedCost: 9,
    });
    const stock = (units: number, there: number) => [
      { warehouseId, stock: units },
      { warehouseId: west.body.id, stock: there },
    ];
    const product = { rootName: 'Mug', sku: 'mug', price: 10, warehouses: [{ warehouseId }] };
    const warehouses = [{ warehouseId }, { warehouseId: west.body.id }];
    const created = await shop.admin.post(`${management}/products`, {
      ...product,
      warehouses,
      stock: stock(2, 9),
    });
    await shop.settle();
    await shopper.add(created.body.variants[0].id, 2);
    await shopper.giveAddress();
    await choose('Courier');
    await shop.settle();

    const more = await shopper.update(await lineOf('mug'), 5);
    const gone = 'Courier is not offered any more for what is in the basket. Choose again how it is shipped.';
    expect(more.body.warnings).to.deep.equal([gone]);
    expect(more.body.basket.warnings).to.deep.equal([gone]);
    expect(more.body).to.include({ shipping: 0, total: 50 });

    const refused = await shopper.pay();
    expect([refused.status, refused.body.success]).to.deep.equal([400, false]);
    await shopper.initialize();
    expect(await charged()).to.equal(59);
  });

  it('names the option that the shop has withdrawn before the order, and charges nothing', async () => {
    const id = await createOption(courier);
    await shopper.add(tea);
    await shopper.giveAddress();
    await choose('Courier');
    await change(`/shipping-options/${id}`, { isEnabled: false });
    const refused = await shopper.pay();
    expect(refused.status).to.equal(400);
    expect(refused.body.message).to.include('Courier is not offered any more');
    expect(await shop.charges()).to.deep.equal([]);
  });

  it('charges the lower of the quote and today’s price', async () => {
    const id = await createOption(courier);
    await shopper.add(tea);
    await shopper.giveAddress();
    expect(await choose('Courier')).to.equal(12);
    await change(`/shipping-options/${id}`, { fixedCost: 99 });
    expect(await charged()).to.equal(16.8);

    shopper = shop.shopper();
    await shopper.add(tea);
    await shopper.giveAddress();
    expect(await choose('Courier')).to.equal(100.5);
    await change(`/shipping-options/${id}`, { fixedCost: 2.5 });
    expect(await charged()).to.equal(8.8);
  });

  it('quotes what is in the basket when the choice is written, not what was in it when it was asked for', async () => {
    await createOption(byWeight);
    await shopper.add(tea);
    await shopper.giveAddress();
    const { groupId, optionKey } = await offered(byWeight.name);
    let meanwhile: Promise<unknown> | undefined;
    log.runBefore('append', holds('ShippingSelected'), () => {
      meanwhile = shopper.add(anvil, 3);
    });
    await shopper.selectShipping({ [groupId]: optionKey });
    await meanwhile;
    expect(await charged()).to.equal(212.3);
  });

  it('writes nothing more for a basket whose shipping has not been chosen', async () => {
    await createOption(byWeight);
    await shopper.add(tea);
    await shopper.add(anvil, 3);
    const added = (await eventsIn(shop)).filter(({ stream }) => stream.startsWith('basket-'));
    expect(added.map(({ type }) => type)).to.deep.equal([
      'BasketStarted',
      'BasketLineAdded',
      'BasketLineAdded',
    ]);
  });
});
