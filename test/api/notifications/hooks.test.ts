import { expect } from 'chai';
import { loadHooks } from '#runtime/hooks-file.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { managing } from '#test/support/managing.ts';
import { handlers, heard, hooks, says } from '#test/support/owners-hooks.ts';
import {
  add,
  applyCode,
  changeFirstLine,
  chooseCurrency,
  clearBasket,
  giveAddresses,
  initialize,
  manage,
  pay,
  payByHand,
  payThat,
  readyToPay,
  takeOutFirstLine,
  type Step,
} from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import type { BeforeNotification } from '#values/notifications.ts';

const file = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
const byTelephone = {
  name: 'Joan Clarke',
  email: 'joan@example.com',
  addressOne: '1 High Street',
  townCity: 'Hull',
  postalCode: 'HU1 1AA',
  countryCode: 'GB',
};
const objection = 'The owner does not want this.';

describe('the owner’s hooks (docs/guides/hooks.md)', function () {
  let shop: TestShop;
  let mug: string;
  let ids: Record<string, string>;
  before(async () => {
    says.clear();
    shop = await TestShop.open({ environment: { HOOKS_FILE: file } });
    mug = await shop.sell('mug', { price: 10, stock: 50 });
    const discount = await shop.discount('TEN', 10);
    const made = async (path: string, wanted: object) => (await make(path, wanted)).id as string;
    const { body: list } = await shop.admin.ask(manage.get('/products'));
    ids = {
      discount,
      product: list.items[0].id,
      warehouse: await made('/warehouses', { name: 'York', address: { countryCode: 'GB' } }),
      group: await made('/tax-groups', { name: 'Books', taxPercentage: 0 }),
      upsell: await made('/upsells', { name: 'Cups', heading: 'Cups' }),
      override: await made('/shipping-tax-overrides', { countryCode: 'US' }),
    };
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await shop.settle();
    const { body: invoice } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    ids['invoice'] = invoiceId;
    ids['order'] = invoice.orders[0].id;
    ids['line'] = invoice.orders[0].lineItems[0].id;
    ids['customer'] = await made('/customers', { email: 'grace@example.com' });
    ids['segment'] = await made('/customer-segments', { name: 'Friends', segmentType: 'Manual' });
    ids['option'] = await made('/shipping-options', { name: 'Van', warehouseId: ids['warehouse'] });
    await shop.settle();
  });
  beforeEach(() => {
    says.clear();
    heard.length = 0;
  });
  after(async () => {
    says.clear();
    await shop.close();
  });

  const { make } = managing(() => shop);
  const heardOf = (name: string) => heard.filter(({ notification }) => notification === name);

  const byShopper: readonly (readonly [BeforeNotification, readonly Step[], () => Step])[] = [
    ['BasketItemAddingNotification', [], () => add(mug)],
    ['BasketItemQuantityChangingNotification', [], () => changeFirstLine(3)],
    ['BasketItemRemovingNotification', [], () => takeOutFirstLine],
    ['BasketItemRemovingNotification', [], () => changeFirstLine(0)],
    ['BasketClearingNotification', [], () => clearBasket()],
    ['BasketCurrencyChangingNotification', [], () => chooseCurrency({ currencyCode: 'GBP' })],
    ['CheckoutAddressesChangingNotification', [], () => giveAddresses({ email: 'known@example.com' })],
    ['CheckoutDiscountCodeApplyingNotification', [], () => applyCode('TEN')],
    ['CustomerCreatingNotification', [], () => giveAddresses({ email: 'new@example.com' })],
    ['CheckoutShippingSelectionChangingNotification', [giveAddresses()], () => initialize()],
    ['InvoiceSavingNotification', [giveAddresses(), initialize()], () => pay()],
    ['OrderGroupingModifyingNotification', [giveAddresses(), initialize()], () => pay()],
    ['OrderCreatingNotification', [giveAddresses(), initialize()], () => pay()],
    ['PaymentCreatingNotification', [giveAddresses(), initialize(), pay()], () => payThat()],
    ['PaymentCreatingNotification', [giveAddresses(), initialize(), pay()], () => payByHand()],
    [
      'PaymentCreatingNotification',
      [giveAddresses(), initialize(), pay()],
      () => pay({ methodAlias: 'redirect' }),
    ],
  ];
  for (const [index, [notification, given, wanted]] of byShopper.entries()) {
    it(`stop a shopper before ${notification} (${index}), and nothing is written`, async () => {
      const objecting: Step = (last) => {
        says.set(notification, objection);
        const step = wanted();
        return typeof step === 'function' ? step(last) : step;
      };
      await shop
        .given(add(mug, 2), ...given)
        .when(objecting)
        .then(400, { success: false, message: objection })
        .and(refusedFor('cancelled'))
        .and(noNewEvents());
      expect(heardOf(notification)).to.have.length.above(0);
    });
  }

  const byStaff: readonly (readonly [BeforeNotification, () => Step])[] = [
    ['TaxGroupCreatingNotification', () => manage.post('/tax-groups', { name: 'New', taxPercentage: 1 })],
    ['TaxGroupSavingNotification', () => manage.put(`/tax-groups/${ids['group']}`, { taxPercentage: 3 })],
    ['TaxGroupDeletingNotification', () => manage.delete(`/tax-groups/${ids['group']}`)],
    [
      'ShippingTaxOverrideCreatingNotification',
      () => manage.post('/shipping-tax-overrides', { countryCode: 'FR' }),
    ],
    // Asked before anybody looks whether the place is taken.
    [
      'ShippingTaxOverrideCreatingNotification',
      () => manage.post('/shipping-tax-overrides', { countryCode: 'US' }),
    ],
    [
      'ShippingTaxOverrideSavingNotification',
      () => manage.put(`/shipping-tax-overrides/${ids['override']}`, { shippingTaxGroupId: ids['group'] }),
    ],
    [
      'ShippingTaxOverrideDeletingNotification',
      () => manage.delete(`/shipping-tax-overrides/${ids['override']}`),
    ],
    ['CustomerCreatingNotification', () => manage.post('/customers', { email: 'alan@example.com' })],
    ...(
      [
        'InvoiceSavingNotification',
        'OrderGroupingModifyingNotification',
        'OrderCreatingNotification',
        'CustomerCreatingNotification',
      ] as const
    ).map(
      (notification) =>
        [
          notification,
          () =>
            manage.post('/orders/manual', {
              billingAddress: byTelephone,
              customItems: [{ name: 'Lamp', amount: 4 }],
            }),
        ] as const,
    ),
    [
      'InventoryReleasingNotification',
      () => manage.post(`/orders/${ids['invoice']}/cancel`, { reason: 'Sold twice' }),
    ],
    ...(['ShipmentCreatingNotification', 'InventoryAllocatingNotification'] as const).flatMap(
      (notification) =>
        [
          [
            notification,
            () => manage.post(`/orders/${ids['order']}/shipments`, { lineItems: { [ids['line'] ?? '']: 1 } }),
          ],
          [notification, () => manage.put(`/orders/${ids['order']}/status`, { status: 'Completed' })],
        ] as const,
    ),
    [
      'CustomerSavingNotification',
      () => manage.put(`/customers/${ids['customer']}`, { email: 'hopper@example.com' }),
    ],
    ['CustomerSavingNotification', () => manage.put(`/customers/${ids['customer']}`, { isFlagged: true })],
    ['CustomerDeletingNotification', () => manage.delete(`/customers/${ids['customer']}`)],
    [
      'CustomerSegmentCreatingNotification',
      () => manage.post('/customer-segments', { name: 'New', segmentType: 'Manual' }),
    ],
    [
      'CustomerSegmentSavingNotification',
      () => manage.put(`/customer-segments/${ids['segment']}`, { isActive: false }),
    ],
    ['CustomerSegmentDeletingNotification', () => manage.delete(`/customer-segments/${ids['segment']}`)],
    [
      'WarehouseCreatingNotification',
      () => manage.post('/warehouses', { name: 'New', code: 'NEW', address: { countryCode: 'GB' } }),
    ],
    ['WarehouseSavingNotification', () => manage.put(`/warehouses/${ids['warehouse']}`, { name: 'Other' })],
    ['ShippingOptionDeletingNotification', () => manage.delete(`/shipping-options/${ids['option']}`)],
    [
      'ProductCreatingNotification',
      () => manage.post('/products', { rootName: 'Jug', sku: 'JUG', price: 8 }),
    ],
    ['ProductSavingNotification', () => manage.put(`/products/${ids['product']}`, { rootName: 'Beaker' })],
    ['ProductDeletingNotification', () => manage.delete(`/products/${ids['product']}`)],
    [
      'DiscountCreatingNotification',
      () =>
        manage.post('/discounts', {
          name: 'Five',
          code: 'FIVE',
          category: 'AmountOffOrder',
          method: 'Code',
          valueType: 'Percentage',
          value: 5,
        }),
    ],
    ['DiscountSavingNotification', () => manage.put(`/discounts/${ids['discount']}`, { value: 12 })],
    ['DiscountStatusChangingNotification', () => manage.post(`/discounts/${ids['discount']}/deactivate`)],
    ['DiscountDeletingNotification', () => manage.delete(`/discounts/${ids['discount']}`)],
    ['UpsellRuleCreatingNotification', () => manage.post('/upsells', { name: 'New', heading: 'New' })],
    ['UpsellRuleSavingNotification', () => manage.put(`/upsells/${ids['upsell']}`, { priority: 1 })],
    ['UpsellRuleStatusChangingNotification', () => manage.post(`/upsells/${ids['upsell']}/activate`)],
    ['UpsellRuleDeletingNotification', () => manage.delete(`/upsells/${ids['upsell']}`)],
  ];
  for (const [index, [notification, wanted]] of byStaff.entries()) {
    it(`stop staff before ${notification} (${index}), and nothing is written`, async () => {
      says.set(notification, objection);
      await shop
        .given()
        .by(shop.admin)
        .when(wanted())
        .then(400, { success: false, message: objection })
        .and(refusedFor('cancelled'))
        .and(noNewEvents());
    });
  }

  it('stop an order that is about to reserve stock, and everything is given back', async () => {
    const pen = await shop.sell('pen', { price: 1, stock: 5 });
    says.set('InventoryReservingNotification', objection);
    await shop
      .given(...readyToPay(pen))
      .when(pay())
      .then(400, { message: objection });
    says.clear();
    await shop.settle();
    const { stock, catalogue } = shop.shop.runtime.reference;
    const [row] = catalogue.variant(pen)?.variant.stockRows ?? [];
    expect(stock.level(pen, row?.warehouseId ?? '')).to.include({ stock: 5, reserved: 0 });
  });

  it('are only heard where nothing can be cancelled', async () => {
    says.set('OrderSavingNotification', objection);
    await shop
      .given(...readyToPay(mug))
      .when(pay())
      .then(200);
    expect(heardOf('OrderSavingNotification')).to.have.length.above(0);
  });

  it('let a sale go on when they throw, and hear what it is about', async () => {
    for (const { notification } of hooks) says.set(notification, new Error('broken'));
    await shop.given().when(add(mug, 2)).then(200);
    const [asked] = heardOf('BasketItemAddingNotification');
    expect(asked).to.deep.include({ productId: mug, quantity: 2, addons: [] });
  });

  it('tell of a shipping tax override before it changes as it was', async () => {
    const override = await make('/shipping-tax-overrides', { countryCode: 'IT' });
    await shop.admin.ask(
      manage.put(`/shipping-tax-overrides/${override.id}`, { shippingTaxGroupId: ids['group'] }),
    );
    await shop.admin.ask(manage.delete(`/shipping-tax-overrides/${override.id}`));
    await shop.settle();
    const heardNames = heard
      .map(({ notification }) => notification)
      .filter((name, at, all) => name !== all[at - 1] && name.startsWith('ShippingTaxOverride'));
    expect(heardNames.toSorted()).to.deep.equal(
      ['Creating', 'Created', 'Saving', 'Saved', 'Deleting', 'Deleted']
        .map((word) => `ShippingTaxOverride${word}Notification`)
        .toSorted(),
    );
    const place = { id: override.id, countryCode: 'IT', regionCode: null };
    expect(heardOf('ShippingTaxOverrideSavingNotification')[0]).to.deep.include({
      ...place,
      shippingTaxGroupId: null,
      changes: { shippingTaxGroupId: ids['group'] },
    });
    expect(heardOf('ShippingTaxOverrideDeletingNotification')[0]).to.deep.include(place);
  });

  it('have handlers that are told of what happened, each event once, also after one that failed', async () => {
    await make('/tax-groups', { name: 'Fails', taxPercentage: 1 });
    const group = await make('/warehouses', { name: 'Told', address: { countryCode: 'GB' } });
    await shop.settle();
    expect(heardOf('TaxGroupCreatedNotification')).to.have.length(1);
    const [told] = heardOf('WarehouseCreatedNotification');
    expect(told).to.deep.include({ id: group.id, event: 'WarehouseCreated' });
    expect(Object.isFrozen(told)).to.equal(true);
  });

  it('have handlers that are told once of a product that is saved, whatever that changes', async () => {
    const sizes = (...names: string[]) => [{ name: 'Size', values: names.map((name) => ({ name })) }];
    const tee = await make('/products', { rootName: 'Tee', sku: 'TEE', price: 9, options: sizes('S', 'M') });
    await shop.settle();
    expect(heardOf('ProductSavedNotification')).to.deep.equal([]);
    const change = { rootName: 'T-shirt', sku: 'TEE', price: 8, options: sizes('M', 'L') };
    await shop.admin.ask(manage.put(`/products/${tee.id}`, change));
    await shop.settle();
    expect(heardOf('ProductSavedNotification')).to.have.length(1);
    expect(heardOf('ProductSavedNotification')[0]).to.deep.include({ id: tee.id, productName: 'T-shirt' });

    await shop.admin.ask(manage.put(`/products/${tee.id}`, { options: sizes('M') }));
    await shop.settle();
    expect(heardOf('ProductSavedNotification')).to.have.length(2);
  });

  it('are listed with every notification, in the order in which they are called', async () => {
    const { body: list } = await shop.admin.ask(manage.get('/notifications'));
    const named = (name: string) => list.find((one: { name: string }) => one.name === name);
    expect(named('BasketItemAddingNotification')).to.deep.equal({
      name: 'BasketItemAddingNotification',
      domain: 'Basket',
      isCancelable: true,
      handlers: [{ name: 'test hook', priority: 1000 }],
    });
    expect(named('BasketItemAddedNotification')).to.deep.equal({
      name: 'BasketItemAddedNotification',
      domain: 'Basket',
      isCancelable: false,
      handlers: [
        { name: 'test handler', priority: 2000 },
        { name: 'outbound webhooks', priority: 2200 },
      ],
    });
    // `basket.created` goes out with the first line, which has the figures.
    expect(named('BasketCreatedNotification').handlers).to.deep.equal([
      { name: 'test handler', priority: 2000 },
      { name: 'outbound webhooks', priority: 2200 },
    ]);
    expect(named('CheckoutAddressesChangedNotification').handlers).to.deep.equal([
      { name: 'test handler', priority: 2000 },
    ]);
    for (const name of ['CheckoutAbandonedFirstNotification', 'OrderCreatedNotification'])
      expect(named(name).handlers, name).to.deep.equal([
        { name: 'test handler', priority: 2000 },
        { name: 'mails', priority: 2100 },
        { name: 'outbound webhooks', priority: 2200 },
      ]);
    expect(list).to.have.length(hooks.length + handlers.length);
  });

  it('stop an agent: 403 before anything is looked at, and 400 with the reason', async () => {
    const agent = agentAt(shop.base);
    const lines = { line_items: wanting(['mug', 1]) };
    const stopped = async (
      notification: BeforeNotification,
      path: string,
      method: 'POST' | 'PUT' = 'POST',
      asked: object = lines,
    ) => {
      await shop.settle();
      const before = await shop.shop.runtime.store.head();
      says.set(notification, objection);
      const { status, body } = await agent.call(method, path, asked);
      says.clear();
      await shop.settle();
      expect(await shop.shop.runtime.store.head(), notification).to.equal(before);
      return [status, body.code ?? body.messages[0].code, body.content ?? body.messages[0].content];
    };
    const carts = '/api/v1/carts';
    const denied = await stopped('ProtocolAgentAuthenticatingNotification', sessionsPath);
    expect(denied).to.deep.equal([403, 'access_denied', objection]);
    const session = `${sessionsPath}/${(await agent.post(sessionsPath, lines)).body.id}`;
    const cart = `${carts}/${(await agent.post(carts, lines)).body.id}`;
    const buyer = new BuyingAgent(shop.base, { name: 'tester' });
    const { path: waiting } = await buyer.begin(['mug', 1]);
    expect((await buyer.complete(waiting, 'tok_3ds')).body.status).to.equal('requires_escalation');
    for (const refused of [
      await stopped('ProtocolSessionCreatingNotification', sessionsPath),
      await stopped('ProtocolSessionUpdatingNotification', session, 'PUT'),
      // An order that waits for its buyer is not closed for what comes to nothing.
      await stopped('ProtocolSessionUpdatingNotification', waiting, 'PUT'),
      await stopped(
        'ProtocolSessionCompletingNotification',
        `${waiting}/complete`,
        'POST',
        buyer.payment('tok_success'),
      ),
      await stopped('ProtocolCartCreatingNotification', carts),
      await stopped('ProtocolCartUpdatingNotification', cart, 'PUT'),
    ])
      expect(refused).to.deep.equal([400, 'invalid', objection]);
  });

  it('are listed for what is called only', async () => {
    const { body: list } = await shop.admin.ask(manage.get('/notifications'));
    const silent = (list as { name: string; handlers: unknown[] }[]).filter(
      ({ handlers: called }) => called.length === 0,
    );
    expect(silent.filter(({ name }) => !name.startsWith('Protocol'))).to.deep.equal([]);
  });

  it('tell what an order takes back to the shelf, and how it was grouped', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    const { invoiceId } = (await shopper.pay()).body;
    const [grouping] = heardOf('OrderGroupingModifyingNotification');
    expect(grouping).to.deep.include({ invoiceId });
    expect(grouping?.['groups']).to.have.length(1);
    await shopper.payWith(invoiceId);
    await shop.settle();
    expect(heardOf('OrderGroupingNotification')).to.have.length(1);
    heard.length = 0;
    await shop.admin.ask(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Sold twice' }));
    const [released, ...others] = heardOf('InventoryReleasingNotification');
    expect(released).to.deep.include({ productId: mug, sku: 'mug', quantity: 2 });
    expect(others).to.deep.equal([]);
  });

  it('refuse the start of a shop whose file is broken', async () => {
    const opened = await TestShop.open({ environment: { HOOKS_FILE: '/nowhere/hooks.mjs' } }).catch(
      (error: unknown) => error,
    );
    expect(opened).to.be.instanceOf(Error).with.property('name', 'InvalidHooksFile');
    expect(await loadHooks(file))
      .to.have.property('hooks')
      .with.length(hooks.length);
  });
});
