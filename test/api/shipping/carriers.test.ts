import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { managing } from '#test/support/managing.ts';
import {
  add,
  estimateShipping,
  giveAddresses,
  initialize,
  manage,
  pay,
  selectShipping,
  showShipping,
} from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const EXPRESS = 'dyn:parcel:EXPRESS';
const STANDARD = 'dyn:parcel:STANDARD';

describe('shipping by a carrier', () => {
  let shop: TestShop;
  let box: string;
  let crate: string;
  let lamp: string;
  let carrierId: string;
  let warehouseId: string;
  const { when, make, seen } = managing(() => shop);

  const configure = async (configuration: object): Promise<void> => {
    await when(manage.put(`/shipping-providers/${carrierId}`, { configuration })).then(200);
    await shop.settle();
  };
  const wait = (minutes: number) => shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 });
  const choose = (id: string) => (last: ApiResponse) =>
    selectShipping({ selections: { [last.body.shippingGroups[0].groupId]: id } });
  const optionsOf = ({ body: { shippingGroups } }: ApiResponse): Record<string, number> =>
    Object.fromEntries(
      shippingGroups[0].shippingOptions.map((option: Record<string, unknown>) => [
        option['id'],
        option['cost'],
      ]),
    );

  beforeEach(async () => {
    // What was quoted is to end here, not the checkout.
    shop = await TestShop.open({ settings: { sessionSlidingTimeoutMinutes: 0 } });
    const provider = await make('/shipping-providers', { providerKey: 'parcel' });
    carrierId = provider.id;
    const providerConfigs = [{ providerKey: 'parcel', markUpPercent: 10, daysTo: 4 }];
    const address = { countryCode: 'GB' };
    warehouseId = (await make('/warehouses', { name: 'Leith', address, providerConfigs })).id;
    const product = (sku: string, changes: object) =>
      make('/products', {
        rootName: sku,
        sku,
        price: 10,
        warehouses: [{ warehouseId }],
        packages: [{ weight: 2 }],
        ...changes,
      });
    box = (await product('box', {})).variants[0].id;
    crate = (await product('crate', { packages: [{ weight: 4 }] })).variants[0].id;
    lamp = (await product('lamp', { allowExternalCarrierShipping: false })).variants[0].id;
    await shop.settle();
  });
  afterEach(() => shop.close());

  it('offers every service at the carrier’s rate and the mark-up of the warehouse', async () => {
    const begun = await shop
      .given(add(box))
      .when(initialize())
      .then(200, { combinedShippingTotal: 7.7, shippingAutoSelected: true })
      .and(events('ShippingSelected'));
    const [group] = begun.body.shippingGroups;
    expect(group).to.include({ groupName: 'Leith', rateError: null, hasFallbackRates: false });
    expect(optionsOf(begun)).to.deep.equal({ [STANDARD]: 7.7, [EXPRESS]: 15.4 });
    expect(group.shippingOptions[1]).to.include({
      selectionKey: EXPRESS,
      name: 'Parcel Express',
      shippingOptionId: null,
      providerKey: 'parcel',
      serviceCode: 'EXPRESS',
      daysFrom: 1,
      daysTo: 4,
      isNextDay: true,
      isFallbackRate: false,
    });
  });

  it('sells: the order has the service, and the invoice its cost', async () => {
    const shopper = shop.shopper();
    const told = await shop
      .given(add(box), giveAddresses(), initialize(), choose(EXPRESS))
      .by(shopper)
      .when(pay())
      .then(200);
    await shop.settle();
    const order = (await when(manage.get(`/orders/${told.body.invoiceId}`)).then(200)).body;
    expect(JSON.stringify(order)).to.include('Parcel Express').and.to.include('15.4');
  });

  it('is never asked at an add: a quote for other goods falls away with a warning, and nothing can be paid', async () => {
    const shopper = shop.shopper();
    await shop
      .given(add(box), giveAddresses(), initialize())
      .by(shopper)
      .when(add(crate))
      .then(200, { shipping: 0 })
      .and(body(({ warnings }) => expect(warnings[0]).to.include('Parcel Standard')));
    await shop.given().by(shopper).when(pay()).then(400).and(refusedFor('shipping-not-selected'));
    await shop
      .given()
      .by(shopper)
      .when(showShipping())
      .then(200)
      .and(
        body((found) => expect(optionsOf({ body: found } as ApiResponse)).to.include({ [STANDARD]: 14.3 })),
      );
    await shop.given(initialize()).by(shopper).when(pay()).then(200);
  });

  it('that fails leaves the flat rates, and says so', async () => {
    await make('/shipping-options', { name: 'Van', warehouseId, fixedCost: 20 });
    const record = { warehouseId, providerKey: 'parcel', serviceType: 'EXPRESS', daysFrom: 1, daysTo: 2 };
    await make('/shipping-options', { ...record, name: 'Our express', fixedCost: 30 });
    await shop.settle();
    const asked = await shop.given(add(box)).when(initialize()).then(200);
    expect(Object.values(optionsOf(asked)).sort()).to.deep.equal([15.4, 20, 7.7]);
    for (const fault of ['unavailable', 'nonsense', 'flood']) {
      await configure({ fault });
      const { body: told } = await shop
        .given(add(box))
        .when(initialize())
        .then(200, { combinedShippingTotal: 20 });
      const [group] = told.shippingGroups;
      expect(group).to.include({
        rateError: 'The rates of Parcel are not available at the moment.',
        hasFallbackRates: true,
      });
      const flags = group.shippingOptions.map((one: Record<string, unknown>) => [
        one['name'],
        one['cost'],
        one['isFallbackRate'],
      ]);
      expect(flags).to.have.deep.members([
        ['Van', 20, false],
        ['Our express', 30, true],
      ]);
    }
  });

  it('that fails where nothing else goes leaves the goods without a way, and the checkout goes on', async () => {
    await configure({ fault: 'unavailable' });
    const shopper = shop.shopper();
    const begun = await shop
      .given(add(box))
      .by(shopper)
      .when(initialize())
      .then(200, { shippingAutoSelected: false });
    const [group] = begun.body.shippingGroups;
    expect(group.shippingOptions).to.deep.equal([]);
    const { groupId, rateError } = group;
    await shop
      .given()
      .by(shopper)
      .when(selectShipping({ selections: { [groupId]: STANDARD } }))
      .then(422, { message: rateError, errors: { [groupId]: rateError } })
      .and(noNewEvents());
    await shop
      .given()
      .by(shopper)
      .when(estimateShipping())
      .then(200)
      .and(exactly({ success: false, code: 'cannot-ship', message: rateError }));
  });

  it('charges the lower of its quotes for half an hour, and refuses afterwards while the carrier fails', async () => {
    const shopper = shop.shopper();
    await shop.given(add(box)).by(shopper).when(initialize()).then(200, { combinedShippingTotal: 7.7 });
    await configure({ baseRate: 9 });
    await shop
      .given()
      .by(shopper)
      .when(initialize())
      .then(200, { combinedShippingTotal: 7.7, shippingAutoSelected: false })
      .and(noNewEvents());
    await configure({ fault: 'unavailable' });
    await wait(29);
    const kept = await shop
      .given(initialize())
      .by(shopper)
      .when(showShipping())
      .then(200, { combinedShippingTotal: 7.7 });
    await shop.given().by(shopper).when(choose(STANDARD)(kept)).then(200, { combinedShippingTotal: 7.7 });
    await wait(2);
    const { groupId } = kept.body.shippingGroups[0];
    const message = 'The quote for Leith has expired. The rates of Parcel are not available at the moment.';
    await shop
      .given()
      .by(shopper)
      .when(choose(STANDARD)(kept))
      .then(422, { message, errors: { [groupId]: message } })
      .and(noNewEvents());
    await shop
      .given(giveAddresses())
      .by(shopper)
      .when(pay())
      .then(400)
      .and(refusedFor('shipping-not-selected'));
    await configure({ baseRate: 9 });
    await shop.given().by(shopper).when(choose(STANDARD)(kept)).then(200, { combinedShippingTotal: 13.2 });
  });

  it('is passed by where a product may not go with carriers', async () => {
    await shop.given(add(lamp)).when(initialize()).then(422).and(noNewEvents());
    await make('/shipping-options', { name: 'Van', warehouseId, fixedCost: 20 });
    await shop.settle();
    const alone = await shop.given(add(box)).when(initialize()).then(200);
    expect(Object.keys(optionsOf(alone))).to.have.length(3);
    const together = await shop.given(add(lamp), add(box)).when(initialize()).then(200);
    expect(Object.values(optionsOf(together))).to.deep.equal([20]);
  });

  it('makes the shop deliver from a warehouse without options', async () => {
    await shop
      .given()
      .when({ method: 'GET', path: `/api/shop/storefront/products/${box}/availability?countryCode=JP` })
      .then(200, {
        canShipToLocation: true,
      });
    await shop
      .given(add(box))
      .when(estimateShipping('?countryCode=JP'))
      .then(200, { estimatedShippingTotal: 19.25 });
    await when(manage.post(`/shipping-providers/${carrierId}/toggle`, { isEnabled: false })).then(200, {
      isEnabled: false,
    });
    await shop.settle();
    await shop.given(add(box)).when(initialize()).then(422).and(noNewEvents());
  });

  it('is kept, tried, switched and put in order by staff', async () => {
    const provider = (await when(manage.get(`/shipping-providers/${carrierId}`)).then(200)).body;
    expect(provider).to.deep.include({
      providerKey: 'parcel',
      isEnabled: true,
      configuration: {},
      sortOrder: 0,
    });
    await seen('/shipping-providers', provider);
    await when(manage.post('/shipping-providers', { providerKey: 'parcel' }))
      .then(409)
      .and(refusedFor('value-taken'));
    await when(manage.post('/shipping-providers', { providerKey: 'pigeon' }))
      .then(400)
      .and(noNewEvents());
    await when(
      manage.put(`/shipping-providers/${carrierId}`, {
        configuration: { baseRate: -1, wings: 2, fault: 'x' },
      }),
    )
      .then(400)
      .and(
        body(({ errors }) =>
          expect(errors).to.deep.equal([
            'configuration.baseRate: must be a number from 0 to 1000000',
            'configuration.wings: parcel has no such setting',
            'configuration.fault: must be one of none, unavailable, silent, nonsense, flood',
          ]),
        ),
      );
    await when(manage.post(`/shipping-providers/${carrierId}/test`))
      .then(200)
      .and(exactly({ success: true, errorMessage: null }));
    await configure({ fault: 'unavailable' });
    await when(manage.post(`/shipping-providers/${carrierId}/test`)).then(200, { success: false });
    await when(manage.put('/shipping-providers/reorder', { ids: [carrierId] })).then(200);
    await when(manage.put('/shipping-providers/reorder', { ids: [warehouseId] }))
      .then(400)
      .and(noNewEvents());
    for (const ids of [[], [carrierId, carrierId], 'all'])
      await when(manage.put('/shipping-providers/reorder', { ids })).then(400);
    await when(manage.post(`/shipping-providers/${carrierId}/toggle`, {})).then(400);
    await when(manage.delete(`/shipping-providers/${carrierId}`))
      .then(409)
      .and(body(({ message }) => expect(message).to.include('Leith')));
    await when(manage.put(`/warehouses/${warehouseId}`, { providerConfigs: [] })).then(200);
    await shop.settle();
    await when(manage.delete(`/shipping-providers/${carrierId}`)).then(204);
  });

  it('is described for the forms of the backoffice', async () => {
    const services = [
      { serviceCode: 'STANDARD', name: 'Parcel Standard' },
      { serviceCode: 'EXPRESS', name: 'Parcel Express' },
    ];
    await when(manage.get('/shipping-providers/available'))
      .then(200)
      .and(body(([one]) => expect(one).to.deep.include({ providerKey: 'parcel', services })));
    await when(manage.get('/shipping-providers/parcel/fields'))
      .then(200)
      .and(body((fields) => expect(fields.map(({ key }: { key: string }) => key)).to.include('baseRate')));
    await when(manage.get('/shipping-providers/parcel/method-config'))
      .then(200)
      .and(body(([first]) => expect(first.key).to.equal('markUpPercent')));
    await when(manage.get('/shipping-providers/pigeon/fields')).then(404);
    await when(manage.get(`/shipping-providers/available-for-warehouse?warehouseId=${warehouseId}`))
      .then(200)
      .and(
        exactly([
          {
            providerKey: 'parcel',
            displayName: 'Parcel',
            isEnabled: true,
            isEnabledInWarehouse: true,
            markUpPercent: 10,
            daysFrom: null,
            daysTo: 4,
          },
        ]),
      );
    await when(manage.get(`/shipping-providers/available-for-warehouse?warehouseId=${carrierId}`)).then(404);
    await when(manage.get(`/warehouses/${warehouseId}/available-destinations`))
      .then(200)
      .and(body((list) => expect(list).to.deep.include({ code: 'JP', name: 'Japan' })));
  });

  it('is refused where a warehouse or an option says what makes no sense', async () => {
    const config = (changes: object) =>
      when(
        manage.put(`/warehouses/${warehouseId}`, {
          providerConfigs: [{ providerKey: 'parcel', ...changes }],
        }),
      );
    for (const wrong of [
      { providerKey: 'pigeon' },
      { markUpPercent: -1 },
      { markUpPercent: 101 },
      { daysFrom: 5, daysTo: 2 },
    ])
      await config(wrong).then(400).and(noNewEvents());
    const twice = [{ providerKey: 'parcel' }, { providerKey: 'parcel' }];
    await when(manage.put(`/warehouses/${warehouseId}`, { providerConfigs: twice })).then(400);
    const option = { name: 'Odd', warehouseId, providerKey: 'parcel' };
    for (const serviceType of [undefined, 'ROCKET'])
      await when(manage.post('/shipping-options', { ...option, serviceType }))
        .then(400)
        .and(noNewEvents());
    const rows = (
      await when(manage.get(`/warehouses/${warehouseId}/shipping-options`)).then(200, { totalItems: 0 })
    ).body;
    expect(rows.items).to.deep.equal([]);
  });
});
