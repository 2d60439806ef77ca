import { expect } from 'chai';
import {
  addAfterwards,
  buyerAt,
  offeringRule,
  previewAddition,
  showOffer,
  skipOffer,
  type Buyer,
} from '#test/support/buying-shop.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';

// docs/rules/post-purchase.md
describe('What is offered after a purchase', () => {
  let opened: MemberShop;
  let mug: string;
  let cup: string;
  let ruleId: string;
  before(async () => {
    opened = await openMemberShop();
    mug = await opened.shop.sell('mug', { price: 10, stock: 1000 });
    cup = await opened.shop.sell('cup', { price: 4, stock: 100 });
    ruleId = (await opened.shop.admin.ask(offeringRule(mug, cup))).body.id as string;
    await opened.shop.settle();
  });
  after(() => opened.close());

  const wish = ({ methodId }: Buyer, changes: object = {}) => ({
    productId: cup,
    quantity: 2,
    upsellRuleId: ruleId,
    savedPaymentMethodId: methodId,
    idempotencyKey: 'first',
    ...changes,
  });
  const by = ({ customer }: Buyer) => opened.shop.given().by(customer);
  const statuses = async (invoiceId: string) => {
    await opened.shop.settle();
    const { body: order } = await opened.shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    return (order.orders as { status: string }[]).map(({ status }) => status);
  };
  const chargesOf = async (id: string) =>
    (await opened.shop.charges()).filter(({ invoiceId }) => invoiceId === id).map(({ amount }) => amount);

  it('holds the order, shows the offer, adds and charges it, and lets the order go', async () => {
    const buyer = await buyerAt(opened.shop, mug);
    const { invoiceId } = buyer;
    expect(buyer.sentTo).to.equal(`/checkout/post-purchase/${invoiceId}`);
    expect(await statuses(invoiceId)).to.deep.equal(['OnHold']);
    await by(buyer)
      .when(showOffer(invoiceId))
      .then(200, { invoiceId, originalInvoiceTotal: 17, windowExpired: false, timeRemainingSeconds: 300 })
      .and(
        body(({ suggestions, savedPaymentMethod }) => {
          expect(suggestions[0]).to.include({ upsellRuleId: ruleId, heading: 'One more?' });
          expect(suggestions[0].products[0]).to.include({ productId: cup, price: 4 });
          expect(savedPaymentMethod.id).to.equal(buyer.methodId);
        }),
      )
      .and(noNewEvents());
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: cup, quantity: 2 }))
      .then(200, {
        productName: 'Product cup',
        unitPrice: 4,
        subTotal: 8,
        taxAmount: 1.6,
        taxRate: 20,
        shippingDelta: 0,
        total: 9.6,
        totalInStoreCurrency: 9.6,
        isAvailable: true,
        unavailableReason: null,
      })
      .and(noNewEvents());
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(200, { success: true, errorMessage: null, amountCharged: 9.6, invoiceId, invoiceTotal: 26.6 });
    expect(await chargesOf(invoiceId)).to.deep.equal([17, 9.6]);
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    expect((await eventTypesOf(opened.shop, invoiceId)).slice(3)).to.deep.equal([
      'OrderStatusChanged',
      'SaleConfirmed',
      'PostPurchaseOpened',
      'PostPurchaseAddBegun',
      'PostPurchaseAdded',
      'InvoiceEdited',
      'PaymentCaptured',
      'OrderStatusChanged',
      'UpsellConverted',
      'PostPurchaseAddSettled',
    ]);
    const { body: order } = await opened.shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    expect(order).to.include({ total: 26.6, balanceDue: 0 });
    await by(buyer)
      .when(showOffer(invoiceId))
      .then(200, { suggestions: [], windowExpired: true, originalInvoiceTotal: 17 });
  });

  it('answers the same again under the same key, and charges nothing more', async () => {
    const buyer = await buyerAt(opened.shop, mug);
    const { invoiceId } = buyer;
    const add = addAfterwards(invoiceId, wish(buyer));
    const [first, other] = await Promise.all([buyer.customer.ask(add), buyer.customer.ask(add)]);
    expect([first.status, other.text]).to.deep.equal([200, first.text]);
    await by(buyer)
      .when(add)
      .then(200)
      .and(body((again) => expect(again).to.deep.equal(first.body)))
      .and(noNewEvents());
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer, { quantity: 1 })))
      .then(400, { success: false })
      .and(body(({ message }) => expect(message).to.match(/^idempotencyKey/)))
      .and(noNewEvents());
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer, { idempotencyKey: 'second' })))
      .then(400, { success: false })
      .and(refusedFor('offer-ended'))
      .and(noNewEvents());
    expect(await chargesOf(invoiceId)).to.deep.equal([17, 9.6]);
  });

  it('is for whoever shows the cookie of this very invoice, before anything else is looked at', async () => {
    const [ada, bob] = [await buyerAt(opened.shop, mug), await buyerAt(opened.shop, mug)];
    const own = ada.customer.cookies.get('shop_confirmation') ?? '';
    const [invoiceId = '', expiry = '', signature = ''] = own.split('.');
    const cookies = {
      none: null,
      altered: `${invoiceId}.${expiry}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      prolonged: `${invoiceId}.${Number(expiry) + 1}.${signature}`,
      short: `${invoiceId}.${expiry}`,
      theOthers: bob.customer.cookies.get('shop_confirmation') ?? '',
      bareInvoice: invoiceId,
    };
    const answers = new Set<string>();
    for (const value of Object.values(cookies)) {
      const stranger = opened.customer();
      if (value !== null) stranger.cookies.set('shop_confirmation', value);
      for (const request of [
        showOffer(invoiceId),
        previewAddition(invoiceId, 'no JSON'),
        addAfterwards(invoiceId, {}),
        skipOffer(invoiceId),
      ])
        await opened.shop
          .given()
          .by(stranger)
          .when(request)
          .then(403, { success: false })
          .and(refusedFor('not-yours'))
          .and(body((found) => void answers.add(JSON.stringify(found))))
          .and(noNewEvents());
    }
    expect(answers.size).to.equal(1);
    await by(ada).when(showOffer(bob.invoiceId)).then(403);
    await by(ada).when(showOffer('00000000-0000-4000-8000-000000000000')).then(403);
    await by(ada).when(showOffer('nonsense')).then(404);
  });

  it('refuses what is not offered, and cannot be had, sent or charged, and stays open', async () => {
    const buyer = await buyerAt(opened.shop, mug);
    const other = await buyerAt(opened.shop, mug);
    const expired = await buyerAt(opened.shop, mug, { savedToken: 'tok_saved_expired' });
    const { invoiceId } = buyer;
    const nobodys = '00000000-0000-4000-8000-000000000000';
    const bad: readonly (readonly [changes: object, message: RegExp])[] = [
      [{ idempotencyKey: undefined }, /idempotencyKey/],
      [{ idempotencyKey: '  ' }, /idempotencyKey/],
      [{ quantity: 0 }, /quantity/],
      [{ quantity: 1.5 }, /quantity/],
      [{ quantity: 10_000 }, /quantity/],
      [{ quantity: 1000 }, /Product cup: 1000 wanted, 9\d available/],
      [{ productId: mug }, /^productId/],
      [{ productId: nobodys }, /^productId/],
      [{ upsellRuleId: nobodys }, /^upsellRuleId/],
      [{ savedPaymentMethodId: nobodys }, /^savedPaymentMethodId/],
      [{ savedPaymentMethodId: other.methodId }, /^savedPaymentMethodId/],
      [{ savedPaymentMethodId: expired.methodId }, /^savedPaymentMethodId/],
      [{ addons: [{ optionId: nobodys, valueId: nobodys }] }, /addons/],
    ];
    for (const [changes, message] of bad)
      await by(buyer)
        .when(addAfterwards(invoiceId, wish(buyer, changes)))
        .then(400, { success: false })
        .and(body((found) => expect(found.message, JSON.stringify(changes)).to.match(message)))
        .and(noNewEvents());
    await by(expired)
      .when(addAfterwards(expired.invoiceId, wish(expired)))
      .then(400)
      .and(refusedFor('offer-ended'));
    await buyer.customer.ask({
      method: 'DELETE',
      path: `/api/shop/storefront/payment-methods/${buyer.methodId}`,
    });
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(body((found) => expect(found.message).to.match(/^savedPaymentMethodId/)))
      .and(noNewEvents());
    expect(await statuses(invoiceId)).to.deep.equal(['OnHold']);
    expect(await chargesOf(invoiceId)).to.deep.equal([17]);
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: cup, quantity: 1000 }))
      .then(200, { isAvailable: false, subTotal: 4000 })
      .and(body((found) => expect(found.unavailableReason).to.match(/1000 wanted/)));
  });

  it('offers and adds nothing that is free, that cannot be sent there, or whose rule is gone', async () => {
    const gift = await opened.shop.sell('gift', { price: 0, stock: 10 });
    const book = await opened.shop.sell('book', { price: 9, stock: 10 });
    const pen = await opened.shop.sell('pen', { price: 10, stock: 100 });
    const rules = [gift, book].map((id) => offeringRule(pen, id));
    const [giftRule, bookRule] = [
      (await opened.shop.admin.ask(rules[0] ?? expect.fail())).body.id as string,
      (await opened.shop.admin.ask(rules[1] ?? expect.fail())).body.id as string,
    ];
    await opened.shop.settle();
    const buyer = await buyerAt(opened.shop, pen);
    const { invoiceId } = buyer;
    const of = (productId: string, upsellRuleId: string) =>
      addAfterwards(invoiceId, wish(buyer, { productId, upsellRuleId, quantity: 1 }));
    await by(buyer).when(of(gift, giftRule)).then(400).and(noNewEvents());
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: gift }))
      .then(200, { isAvailable: false, total: 0 });
    const { body: found } = await opened.shop.admin.ask(manage.get('/warehouses'));
    const [{ id: warehouseId }] = found.items as [{ id: string }];
    const far = { serviceRegions: [{ countryCode: 'FR', regionCode: null, isExcluded: false }] };
    const warehouse = (await opened.shop.admin.ask(manage.get(`/warehouses/${warehouseId}`))).body;
    await opened.shop.admin.ask(manage.put(`/warehouses/${warehouseId}`, { ...warehouse, ...far }));
    await opened.shop.settle();
    await by(buyer)
      .when(of(book, bookRule))
      .then(400, { message: 'Not available in United Kingdom' })
      .and(noNewEvents());
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: book }))
      .then(200, { isAvailable: false });
    await opened.shop.admin.ask(
      manage.put(`/warehouses/${warehouseId}`, { ...warehouse, serviceRegions: [] }),
    );
    await opened.shop.admin.ask(manage.delete(`/upsells/${bookRule}`));
    await opened.shop.settle();
    await by(buyer).when(of(book, bookRule)).then(400).and(noNewEvents());
    await by(buyer)
      .when(showOffer(invoiceId))
      .then(200)
      .and(
        body(({ suggestions }) =>
          expect((suggestions as { upsellRuleId: string }[]).map((one) => one.upsellRuleId)).to.deep.equal([
            giftRule,
          ]),
        ),
      );
  });

  it('gives a card back what it would not pay for: the order goes without', async () => {
    const buyer = await buyerAt(opened.shop, mug, { savedToken: 'tok_saved_decline' });
    const { invoiceId } = buyer;
    const add = addAfterwards(invoiceId, wish(buyer));
    const { body: refused } = await by(buyer)
      .when(add)
      .then(400, { success: false })
      .and(refusedFor('add-failed'));
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    expect(await chargesOf(invoiceId)).to.deep.equal([17]);
    await by(buyer)
      .when(add)
      .then(400)
      .and(body((again) => expect(again).to.deep.equal(refused)))
      .and(noNewEvents());
    await by(buyer).when(showOffer(invoiceId)).then(200, { windowExpired: true });
  });

  it('asks nobody to go to their bank: it is refused in words, and the order goes without', async () => {
    const buyer = await buyerAt(opened.shop, mug, { savedToken: 'tok_3ds' });
    const { invoiceId } = buyer;
    const { body: refused } = await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(refusedFor('add-failed'));
    expect(JSON.stringify(refused)).to.include('The bank of this card wants to see you first.');
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    expect(await chargesOf(invoiceId)).to.deep.equal([17]);
  });

  it('lets go again what is pending', async () => {
    const buyer = await buyerAt(opened.shop, mug, { savedToken: 'tok_pending' });
    const { invoiceId } = buyer;
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(refusedFor('add-failed'));
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    expect((await eventTypesOf(opened.shop, invoiceId)).slice(-2)).to.deep.equal([
      'PostPurchaseChargeUndone',
      'PostPurchaseAddSettled',
    ]);
  });

  it('lets the order go when it is skipped, once, and harmlessly where nothing is offered', async () => {
    const buyer = await buyerAt(opened.shop, mug);
    const { invoiceId } = buyer;
    await by(buyer)
      .when(skipOffer(invoiceId))
      .then(204)
      .and(events('PostPurchaseEnded', 'OrderStatusChanged'));
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    await by(buyer).when(skipOffer(invoiceId)).then(204).and(noNewEvents());
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: cup }))
      .then(400)
      .and(refusedFor('offer-ended'));
    const plain = await buyerAt(opened.shop, cup);
    expect(plain.sentTo).to.equal(`/checkout/confirmation/${plain.invoiceId}`);
    await by(plain).when(skipOffer(plain.invoiceId)).then(204).and(noNewEvents());
    await by(plain).when(showOffer(plain.invoiceId)).then(404, { success: false });
  });

  it('opens for a buyer who was signed in as the customer and has a card, and for nobody else', async () => {
    const guest = opened.customer();
    await guest.prepare(mug, 1, (await buyerAt(opened.shop, mug)).email);
    const invoiceId = (await guest.pay()).body.invoiceId as string;
    const { body: paid } = await guest.payWith(invoiceId);
    expect(paid.redirectUrl).to.equal(`/checkout/confirmation/${invoiceId}`);
    expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);

    const without = opened.customer();
    await without.register('nothing-saved@example.com', mug);
    await without.initialize();
    const other = (await without.pay()).body.invoiceId as string;
    expect((await without.payWith(other)).body.redirectUrl).to.equal(`/checkout/confirmation/${other}`);
  });

  it('leaves on hold what staff hold, also when they say so while it waits for the offer', async () => {
    const [kept, skipped] = [await buyerAt(opened.shop, mug), await buyerAt(opened.shop, mug)];
    const { body: order } = await opened.shop.admin.ask(manage.get(`/orders/${kept.invoiceId}`));
    const [{ id }] = order.orders as [{ id: string }];
    const hold = manage.put(`/orders/${id}/status`, { status: 'OnHold', reason: 'Looks odd' });
    await opened.shop.given().by(opened.shop.admin).when(hold).then(200).and(events('OrderHoldTakenOver'));
    await opened.shop.given().by(opened.shop.admin).when(hold).then(200).and(noNewEvents());
    await by(kept).when(skipOffer(kept.invoiceId)).then(204).and(events('PostPurchaseEnded'));
    await by(skipped).when(skipOffer(skipped.invoiceId)).then(204);
    expect(await statuses(kept.invoiceId)).to.deep.equal(['OnHold']);
    expect(await statuses(skipped.invoiceId)).to.deep.equal(['ReadyToFulfill']);
  });

  it('ends by itself after five minutes, whoever looks or not', async () => {
    const [one, other] = [await buyerAt(opened.shop, mug), await buyerAt(opened.shop, mug)];
    const run = () => opened.shop.tester.post('/testing/jobs/release-holds');
    await run();
    expect(await statuses(one.invoiceId)).to.deep.equal(['OnHold']);
    await opened.shop.tester.post('/testing/clock', { advanceSeconds: 301 });
    await by(one)
      .when(addAfterwards(one.invoiceId, wish(one)))
      .then(400)
      .and(refusedFor('offer-ended'));
    await by(one).when(showOffer(one.invoiceId)).then(200, { suggestions: [], windowExpired: true });
    expect((await run()).body).to.deep.include({ failed: 0 });
    for (const { invoiceId } of [one, other])
      expect(await statuses(invoiceId)).to.deep.equal(['ReadyToFulfill']);
    expect((await run()).body).to.deep.include({ released: 0 });
    await opened.shop.tester.post('/testing/clock', { advanceSeconds: 24 * 3600 });
    await by(one).when(showOffer(one.invoiceId)).then(403);
  });
});
