import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { Customer } from '#test/support/member-shop.ts';
import {
  add,
  changeFirstLine,
  chooseCountry,
  chooseCurrency,
  get,
  giveAddresses,
  manage,
} from '#test/support/requests.ts';
import { body, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { typedAddress } from '#test/support/builders/address.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const upsells = (query = '') => get(`/api/shop/storefront/upsells${query}`);
const beside = (productId: string, query = '') =>
  get(`/api/shop/storefront/upsells/product/${productId}${query}`);
const headings = (...expected: readonly string[]) =>
  body((found: unknown) => {
    expect((found as { heading: string }[]).map(({ heading }) => heading)).to.deep.equal(expected);
  });

describe('what shoppers are suggested', () => {
  let shop: TestShop;
  let ids: Readonly<Record<'mug' | 'cup' | 'plate' | 'digital', string>>;

  before(async () => {
    shop = await TestShop.open({ settings: { displayPricesIncTax: true } });
    ids = {
      mug: await shop.sell('mug', { price: 10, stock: 50 }),
      cup: await shop.sell('cup', { price: 4.99, stock: 5 }),
      plate: await shop.sell('plate', { price: 7, stock: 0 }),
      digital: await shop.sell('digital', { price: 3, isDigital: true }),
    };
    await shop.admin.ask(
      manage.put('/exchange-rate-providers/manual/settings', {
        configuration: { rates: { EUR: 1.25, JPY: 190 } },
      }),
    );
    await shop.admin.ask(manage.post('/exchange-rate-providers/refresh'));
    await shop.settle();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  /** A rule for whoever has a mug, switched on; forgotten by `forget`. */
  const made: string[] = [];
  const rule = async (heading: string, changes: object = {}): Promise<string> => {
    const { id } = await make('/upsells', {
      name: heading,
      heading,
      status: 'Active',
      triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [ids.mug] }],
      recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.cup] }],
      ...changes,
    });
    made.push(id);
    return id as string;
  };
  afterEach(async () => {
    for (const id of made.splice(0)) await when(manage.delete(`/upsells/${id}`)).then(204);
  });

  it('is nothing without a basket, with an empty one, and where no rule fits', async () => {
    await shop.given().when(upsells()).then(200).and(exactly([])).and(noNewEvents());
    await rule('Cups');
    await shop.given(add(ids.mug), changeFirstLine(0)).when(upsells()).then(200).and(exactly([]));
    await shop.given(add(ids.cup)).when(upsells()).then(200).and(exactly([]));
  });

  it('is shown in full, with tax, in the currency and for the place of the shopper', async () => {
    const displayStyles = { basket: { heading: { color: 'red' } } };
    const upsellRuleId = await rule('Cups', {
      message: 'Two fit.',
      checkoutMode: 'OrderBump',
      defaultChecked: true,
      displayStyles,
    });
    const cup = {
      productId: ids.cup,
      name: 'Product cup',
      sku: 'cup',
      price: 5.99,
      formattedPrice: '£5.99',
      priceIncludesTax: true,
      taxRate: 20,
      taxAmount: 1,
      formattedTaxAmount: '£1.00',
      onSale: false,
      previousPrice: null,
      formattedPreviousPrice: null,
      imageUrl: null,
      availableForPurchase: true,
      hasVariants: false,
      variants: [],
    };
    const { body: inPounds } = await shop.given(add(ids.mug)).when(upsells()).then(200).and(noNewEvents());
    const [{ products, ...suggestion }] = inPounds;
    expect(suggestion).to.deep.equal({
      upsellRuleId,
      heading: 'Cups',
      message: 'Two fit.',
      checkoutMode: 'OrderBump',
      defaultChecked: true,
      displayStyles,
    });
    expect(products).to.have.lengthOf(1);
    expect(products[0]).to.deep.include(cup);
    const shown = async (currencyCode: string) =>
      (await shop.given(add(ids.mug), chooseCurrency({ currencyCode })).when(upsells()).then(200)).body[0]
        .products[0];
    expect(await shown('EUR')).to.include({ price: 7.49, formattedPrice: '€7.49', taxAmount: 1.25 });
    expect(await shown('JPY')).to.include({ price: 1138, formattedPrice: '¥1,138', taxAmount: 190 });
  });

  it('depends on the location asked for: the basket, unless another is named', async () => {
    await rule('Basket', { displayLocation: 'Basket', priority: 1 });
    await rule('Later', {
      displayLocation: 'Checkout, Confirmation',
      checkoutMode: 'PostPurchase',
      priority: 2,
    });
    await rule('Checkout', { displayLocation: 'Checkout', priority: 3 });
    const at = (query: string) => shop.given(add(ids.mug)).when(upsells(query));
    await at('').then(200).and(headings('Basket'));
    await at('?location=').then(200).and(headings('Basket'));
    await at('?location=basket').then(200).and(headings('Basket'));
    await at('?location=1').then(200).and(headings('Checkout'));
    await at('?location=Confirmation').then(200).and(headings('Later'));
    for (const wrong of ['Attic', '3', 'None', 'All', 'Basket,Checkout'])
      await at(`?location=${wrong}`).then(400, { success: false }).and(refusedFor('invalid-request'));
    await at('?location=Basket&location=Email').then(400);
    await at('?countryCode=XX').then(400, { success: false });
  });

  it('holds from the next request on, and no longer once a rule is switched off or deleted', async () => {
    const shopper = shop.shopper();
    await shopper.add(ids.mug);
    const shown = async () =>
      (await shopper.ask(upsells())).body.map(({ heading }: { heading: string }) => heading);
    const id = await rule('Cups');
    expect(await shown()).to.deep.equal(['Cups']);
    await when(manage.put(`/upsells/${id}`, { heading: 'Bowls' })).then(200);
    expect(await shown()).to.deep.equal(['Bowls']);
    await when(manage.post(`/upsells/${id}/deactivate`)).then(200);
    expect(await shown()).to.deep.equal([]);
    await when(manage.post(`/upsells/${id}/activate`)).then(200);
    expect(await shown()).to.deep.equal(['Bowls']);
    await when(manage.delete(`/upsells/${id}`)).then(204);
    made.pop();
    expect(await shown()).to.deep.equal([]);
  });

  it('is never half of a rule that is deleted while it is suggested', async () => {
    const shopper = shop.shopper();
    await shopper.add(ids.mug);
    for (let turn = 0; turn < 5; turn++) {
      const id = await rule('Cups');
      made.pop();
      const asked = Promise.all(Array.from({ length: 10 }, () => shopper.ask(upsells())));
      const [answers] = await Promise.all([asked, when(manage.delete(`/upsells/${id}`)).then(204)]);
      for (const { status, body: found } of answers) {
        expect(status).to.equal(200);
        const sizes = found.map(({ products }: { products: unknown[] }) => products.length);
        expect(sizes.join()).to.be.oneOf(['', '1']);
      }
      await shop.given(add(ids.mug)).when(upsells()).then(200).and(exactly([]));
    }
  });

  it('is at most three suggestions of what can be had', async () => {
    for (const priority of [4, 2, 3, 1]) await rule(`Cups ${priority}`, { priority });
    const soldOut = { recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.plate] }] };
    await rule('Plates', { priority: 0, ...soldOut });
    await shop
      .given(add(ids.mug))
      .when(upsells())
      .then(200)
      .and(headings('Cups 1', 'Cups 2', 'Cups 3'));
  });

  it('goes by the country asked for, then that of the address, then where the shopper is', async () => {
    const north = await make('/warehouses', {
      name: 'Lille',
      address: { countryCode: 'FR' },
      serviceRegions: [{ countryCode: 'FR' }],
    });
    await make('/shipping-options', { name: 'Colis', warehouseId: north.id, fixedCost: 5 });
    const pot = await make('/products', {
      rootName: 'Pot',
      sku: 'pot',
      price: 9,
      warehouses: [{ warehouseId: north.id }],
      stock: [{ warehouseId: north.id, stock: 3 }],
    });
    await rule('Pots', { recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [pot.id] }] });
    const toFrance = giveAddresses({ billingAddress: typedAddress({ countryCode: 'FR' }) });
    await shop.given(add(ids.mug)).when(upsells()).then(200).and(headings());
    await shop.given(add(ids.mug)).when(upsells('?countryCode=fr')).then(200).and(headings('Pots'));
    await shop.given(add(ids.mug), toFrance).when(upsells()).then(200).and(headings('Pots'));
    await shop.given(add(ids.mug), toFrance).when(upsells('?countryCode=GB')).then(200).and(headings());
    const abroad = chooseCountry({ countryCode: 'FR' });
    await shop.given(add(ids.mug), abroad).when(upsells()).then(200).and(headings('Pots'));
    await shop.given(abroad).when(beside(ids.mug)).then(200).and(headings('Pots'));
  });

  it('beside a product is never the product, and goes by its price', async () => {
    const worth = (value: number) => ({ triggerRules: [{ triggerType: 'MinimumCartValue', value }] });
    const all = {
      recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.mug, ids.cup, ids.digital] }],
    };
    await rule('From 10', { ...worth(10), ...all, suppressIfInCart: false, displayLocation: 'ProductPage' });
    await rule('From 10.01', worth(10.01));
    await rule('In the basket', { displayLocation: 'Basket' });
    const { body: found } = await shop
      .given()
      .when(beside(ids.mug))
      .then(200)
      .and(headings('From 10'))
      .and(noNewEvents());
    expect(found[0].products.map(({ sku }: { sku: string }) => sku)).to.have.members(['cup', 'digital']);
    await shop.given().when(beside(ids.cup)).then(200).and(headings());
    await shop.given().when(beside(nobody)).then(404, { success: false }).and(refusedFor('entity-not-found'));
    await shop.given().when(beside(ids.mug, '?countryCode=XX')).then(400);
  });

  it('names all variants, the recommended one first', async () => {
    const colour = (name: string) => ({ name, priceAdjustment: 0 });
    const bowl = await make('/products', {
      rootName: 'Bowl',
      sku: 'bowl',
      price: 6,
      options: [
        { name: 'Colour', isVariant: true, values: [colour('Red'), colour('Blue'), colour('Green')] },
      ],
    });
    const { productRootId = bowl.id, variants } = bowl as {
      id: string;
      productRootId?: string;
      variants: { id: string; name: string }[];
    };
    const green = variants.find(({ name }) => name === 'Green')?.id;
    await rule('Green', { recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [green] }] });
    const { body: found } = await shop.given(add(ids.mug)).when(upsells()).then(200);
    const [product] = found[0].products;
    expect(product).to.include({ productId: green, productRootId, hasVariants: true, name: 'Bowl' });
    const names = product.variants.map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(['Green', 'Red', 'Blue']);
    expect(product.variants[1]).to.include({ price: 6, formattedPrice: '£6.00', availableForPurchase: true });
  });

  it('may be for some customers only: those who have signed in, by their segments of now', async () => {
    const customer = new Customer(shop.base);
    await customer.register('member@example.com', ids.mug);
    await shop.settle();
    const found = await shop.admin.ask(manage.get('/customers?search=member@example.com'));
    const customerId = found.body.items[0].id as string;
    const segment = await make('/customer-segments', { name: 'Friends', segmentType: 'Manual' });
    const forFriends = [{ eligibilityType: 'CustomerSegments', ids: [segment.id] }];
    const forAda = [{ eligibilityType: 'SpecificCustomers', ids: [customerId] }];
    await rule('Ada', { eligibilityRules: forAda, priority: 1 });
    await rule('Friends', { eligibilityRules: forFriends, priority: 2 });
    const shown = async (who: Customer) => {
      const { body: suggestions } = await who.ask(upsells());
      return suggestions.map(({ heading }: { heading: string }) => heading);
    };
    const stranger = new Customer(shop.base);
    await stranger.add(ids.mug);
    expect(await shown(stranger)).to.deep.equal([]);
    expect(await shown(customer)).to.deep.equal(['Ada']);
    await when(manage.post(`/customer-segments/${segment.id}/members`, { customerIds: [customerId] })).then(
      200,
    );
    expect(await shown(customer)).to.deep.equal(['Ada', 'Friends']);
    await customer
      .ask(beside(ids.mug))
      .then(({ body: suggestions }) => expect(suggestions).to.have.lengthOf(2));
    await customer.signOut();
    await customer.add(ids.mug);
    expect(await shown(customer)).to.deep.equal([]);
  });
});
