import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { get, manage, pay, payInvoice, readyToPay } from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/payment-providers';

interface Row {
  readonly alias: string;
  readonly methodAlias?: string;
  readonly displayName: string;
}

describe('payment providers (docs/rules/payment-providers.md#keeping)', () => {
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 50 });
  });
  afterEach(() => shop.close());

  const { when } = managing(() => shop);
  const offered = async (): Promise<readonly string[]> => {
    const answer = await shop.given().when(get('/api/shop/checkout/payment-methods')).then(200);
    return (answer.body as Row[]).map(({ alias, methodAlias }) => `${alias} ${methodAlias}`);
  };
  const all = ['manual manual', 'sandbox card', 'sandbox redirect', 'sandbox widget'];

  it('are listed in their order, with what they can do and their methods', async () => {
    await when(manage.get(path))
      .then(200)
      .and(
        body(({ items }) => {
          expect(items.map(({ alias }: Row) => alias)).to.deep.equal(['manual', 'sandbox', 'purchaseorder']);
          expect(items[1]).to.deep.include({
            displayName: 'Sandbox',
            isEnabled: true,
            isConfigured: true,
            sortOrder: 1,
            vaultingEnabled: true,
            supportsRefunds: true,
            supportsPartialRefunds: true,
            supportsAuthAndCapture: true,
            supportsPaymentLinks: false,
            supportsVaultedPayments: true,
            requiresProviderCustomerId: false,
            requiresWebhook: false,
            configuration: {},
          });
          expect(items[1].methods[0]).to.deep.equal({
            methodAlias: 'card',
            displayName: 'Card',
            integrationType: 'HostedFields',
            isExpressCheckout: false,
            methodType: null,
            showInCheckout: true,
          });
        }),
      );
    await when(manage.get(`${path}/manual`)).then(200, { alias: 'manual', supportsRefunds: false });
    await when(manage.get(`${path}/available`))
      .then(200)
      .and(
        body((list) =>
          expect(list.map(({ alias }: Row) => alias)).to.deep.equal(['manual', 'sandbox', 'purchaseorder']),
        ),
      );
    await when(manage.get(`${path}/sandbox/fields`))
      .then(200)
      .and(
        body(([field]) => expect(field).to.include({ key: 'webhookSecret', type: 'Secret', isSecret: true })),
      );
  });

  it('are offered no more once they are off, and refused; and again once they are on', async () => {
    expect(await offered()).to.deep.equal(all);
    await when(manage.post(`${path}/sandbox/toggle`, { isEnabled: false }))
      .then(200, { alias: 'sandbox', isEnabled: false })
      .and(events('PaymentProviderSwitched'));
    await when(manage.post(`${path}/sandbox/toggle`, { isEnabled: false }))
      .then(200)
      .and(noNewEvents());
    expect(await offered()).to.deep.equal(['manual manual']);
    await shop
      .given(...readyToPay(mug))
      .when(pay())
      .then(400)
      .and(refusedFor('invalid-request'));
    await when(manage.put(`${path}/sandbox`, { isEnabled: true })).then(200, { isEnabled: true });
    expect(await offered()).to.deep.equal(all);
  });

  it('are shown in the order, under the names and with the methods that staff choose', async () => {
    await when(manage.put(`${path}/reorder`, { ids: ['sandbox'] }))
      .then(200)
      .and(
        body((list) =>
          expect(list.map(({ alias }: Row) => alias)).to.deep.equal(['sandbox', 'manual', 'purchaseorder']),
        ),
      );
    const methods = [
      { methodAlias: 'card', displayName: 'Credit card' },
      { methodAlias: 'redirect', showInCheckout: false },
    ];
    await when(manage.put(`${path}/sandbox`, { displayName: 'Our bank', vaultingEnabled: false, methods }))
      .then(200, { displayName: 'Our bank', vaultingEnabled: false })
      .and(events('PaymentProviderPresented'));
    const { body: list } = await shop.given().when(get('/api/shop/checkout/payment-methods')).then(200);
    expect(list[0]).to.deep.include({ displayName: 'Credit card', supportsVaulting: false, sortOrder: 0 });
    expect(await offered()).to.deep.equal(['sandbox card', 'sandbox widget', 'manual manual']);
    await when(manage.put(`${path}/sandbox`, { displayName: null }))
      .then(200, { displayName: 'Sandbox', vaultingEnabled: false })
      .and(body((row) => expect(row.methods[0].displayName).to.equal('Credit card')));
  });

  it('are set to secrets that nobody is shown again, and that the log holds sealed only', async () => {
    const secret = 'whsec_very_secret';
    const set = (configuration: object) => manage.put(`${path}/sandbox/settings`, { configuration });
    await when(set({ webhookSecret: secret }))
      .then(200, { configuration: { webhookSecret: '***' } })
      .and(events('PaymentProviderConfigured'));
    await when(set({ webhookSecret: '***' }))
      .then(200)
      .and(noNewEvents());
    await when(set({ webhookSecret: '***', authorisesFirst: true })).then(200, {
      configuration: { webhookSecret: '***', authorisesFirst: true },
    });
    expect(JSON.stringify(await shop.shop.runtime.store.readAll(0))).to.not.include(secret);
    await when(manage.post(`${path}/sandbox/test`))
      .then(200)
      .and(exactly({ success: true, errorMessage: null }));
  });

  it('take the whole charge, also where they authorise it first', async () => {
    const configuration = { authorisesFirst: true };
    await when(manage.put(`${path}/sandbox/settings`, { configuration })).then(200);
    const shopper = shop.shopper();
    const placed = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay())
      .then(200);
    await shop.given().by(shopper).when(payInvoice(placed.body.invoiceId)).then(200, { status: 'Completed' });
    const [charge] = (await shop.tester.get('/testing/sandbox-charges')).body;
    expect(charge).to.include({ invoiceId: placed.body.invoiceId, status: 'Completed' });
  });

  it('are refused where there is no such one', async () => {
    for (const request of [
      manage.get(`${path}/acme`),
      manage.get(`${path}/acme/fields`),
      manage.put(`${path}/acme`, {}),
      manage.put(`${path}/acme/settings`, { configuration: {} }),
      manage.post(`${path}/acme/toggle`, { isEnabled: true }),
      manage.post(`${path}/acme/test`),
    ])
      await when(request).then(404).and(refusedFor('entity-not-found')).and(noNewEvents());
  });

  it('are refused what they cannot be, with every problem at once', async () => {
    for (const [request, problems] of [
      [
        manage.put(`${path}/sandbox/settings`, { configuration: { authorisesFirst: 'yes', colour: 1 } }),
        [
          'configuration.colour: there is no such field',
          'configuration.authorisesFirst: must be true or false',
        ],
      ],
      [
        manage.put(`${path}/sandbox/settings`, { configuration: { webhookSecret: 'x'.repeat(251) } }),
        ['configuration.webhookSecret: must be text of at most 250 characters'],
      ],
      [
        manage.put(`${path}/sandbox`, { methods: [{ methodAlias: 'cash' }] }),
        ['methods.0.methodAlias: must be one of card, redirect, widget, wallet'],
      ],
      [
        manage.put(`${path}/reorder`, { ids: ['sandbox', 'acme', 'sandbox'] }),
        ['ids.1: must be an existing payment provider', 'ids.2: must name each payment provider once'],
      ],
    ] as const)
      await when(request)
        .then(400)
        .and(body(({ errors }) => expect(errors).to.deep.equal(problems)))
        .and(noNewEvents());
  });
});

describe('a payment provider that the configuration sets', () => {
  it('cannot be set to anything else by the backoffice', async () => {
    const shop = await TestShop.open({
      config: {
        payments: {
          providers: ['sandbox'],
          offered: ['sandbox'],
          manualHoldMinutes: null,
          callbacksPerMinute: 60,
          given: { sandbox: { webhookSecret: 'whsec_of_the_file' } },
        },
      },
    });
    const { when } = managing(() => shop);
    const set = (configuration: object) => manage.put(`${path}/sandbox/settings`, { configuration });
    try {
      await when(set({ webhookSecret: 'whsec_other' }))
        .then(409)
        .and(refusedFor('setting-fixed'))
        .and(noNewEvents());
      await when(set({ webhookSecret: '***', authorisesFirst: true })).then(200, {
        configuration: { webhookSecret: '***', authorisesFirst: true },
      });
    } finally {
      await shop.close();
    }
  });
});
