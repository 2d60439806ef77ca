import { expect } from 'chai';
import type { BasketCommand } from '#command/contexts/basket/basket.commands.ts';
import type { BasketEndCommand, CheckoutCommand } from '#command/contexts/checkout/checkout.commands.ts';
import { checkoutDecider } from '#command/contexts/checkout/checkout.decider.ts';
import type { PriceSources } from '#command/pricing/basket-prices.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { emptyAddress } from '#values/address.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, idNamed, percentOff, viewOf } from '#test/support/builders/basket.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { addresses, checkoutIn, choice, pay, type CheckoutBasket } from '#test/support/builders/checkout.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { placementStarted } from '#test/support/builders/placement.ts';
import { given, inStream, recordedEvents } from '#test/support/given.ts';

const now = '2030-06-01T12:00:00.000Z';

const openShop = (): PriceSources =>
  warehousesWith(
    { east: { options: { parcel: { fixedCost: 500 } } } },
    { mug: { price: 1000, stock: { east: 5 } }, tea: { price: 400 } },
  );

/** What the shop learns meanwhile. */
const happens = ({ reference }: PriceSources, stream: string, event: DomainEvent): void => {
  const { parts } = reference as ReturnType<typeof createReference>;
  for (const recorded of recordedEvents(inStream(stream, event))) {
    for (const part of parts) applyEvent(part, recorded);
  }
};

/** Puts a code on offer, or withdraws it. */
const offerCode = (
  shop: PriceSources,
  code: string,
  percent: number,
  isActive = true,
  changes: Partial<DiscountRule> = {},
): void => {
  const { rule } = percentOff(code, percent, changes);
  const status = isActive ? 'Active' : 'Disabled';
  const created = discount.events.create.DiscountCreated({ rule, status, at: now });
  happens(shop, streamOf.discount(idNamed(code)), created);
};

const code = (name: string): CheckoutCommand => ({
  type: 'ApplyDiscountCode',
  discountId: idNamed(name),
  code: name,
  name: `code ${name}`,
  isUsedUpByCustomer: false,
});

const placed = (name = 'placement'): BasketEndCommand => ({
  type: 'CompletePlacement',
  placementId: idNamed(name),
  turn: 99,
  invoiceId: idNamed(`invoice of ${name}`),
  invoiceNumber: 'INV-0007',
});

const completed = (invoice: string): BasketEndCommand => ({
  type: 'CompleteBasket',
  invoiceId: idNamed(invoice),
  invoiceNumber: 'INV-0007',
});

const failed = (details: Readonly<Record<string, unknown>> = {}): CheckoutCommand => ({
  type: 'FailPlacement',
  placementId: idNamed('placement'),
  turn: 99,
  code: 'usage-limit-reached',
  message: 'This discount has been used up.',
  details,
  keepsHolds: false,
});

/** Two mugs in a basket. */
const twoMugsIn = (...shop: Parameters<typeof checkoutIn>): CheckoutBasket =>
  given(checkoutIn(...shop)).after(add('mug', 2));

const shipped = (shop: PriceSources, basket: CheckoutBasket): CheckoutBasket =>
  basket.after(choice(shop, basket));

/** A basket with addresses and shipping. */
const readyIn = (shop: PriceSources, changes: Partial<StoreSettings> = {}): CheckoutBasket =>
  shipped(shop, twoMugsIn(shop, changes).after(addresses));

const setMugs = (basket: CheckoutBasket, quantity: number): BasketCommand => {
  const line = viewOf(basket).lines.find(({ sku }) => sku === 'mug');
  return { type: 'ChangeBasketLineQuantity', lineId: line?.lineId ?? '', quantity };
};

/** A code for 10 %, of which there are a hundred. */
const ten = (changes: Partial<DiscountRule> = { totalUsageLimit: 100 }): PriceSources => {
  const shop = openShop();
  offerCode(shop, 'TEN', 10, true, changes);
  return shop;
};

describe('checkout: addresses and shipping', () => {
  it('takes addresses and prices the basket for its destination', () => {
    const basket = twoMugsIn(openShop());
    basket
      .when(addresses)
      .thenLike([
        'CheckoutAddressesChanged',
        { email: 'ada@example.com', customerId: idNamed('ada'), 'shippingAddress.postalCode': 'SW1Y 4JH' },
      ]);
    const destination = { countryCode: 'GB', regionCode: null, postalCode: 'SW1Y 4JH' };
    expect(viewOf(basket.after(addresses))).to.deep.include({ destination });
  });

  it('signs no customer in by e-mail address: they are only invoiced, and can be forgotten', () => {
    const basket = twoMugsIn(openShop()).after(addresses);
    expect(viewOf(basket)).to.deep.include({
      emailCustomerId: idNamed('ada'),
      customerId: null,
      segmentIds: [],
    });
    expect(checkoutDecider.subject?.('the-basket', basket.state())).to.deep.equal({
      id: 'the-basket',
      customerId: idNamed('ada'),
    });
    const signIn = { memberId: idNamed('member'), customerId: idNamed('grace'), segmentIds: [] };
    const signedIn = readyIn(openShop()).after({ type: 'IdentifyBuyer', ...signIn });
    signedIn
      .when(pay())
      .thenLike([
        'OrderPlacementStarted',
        { 'content.customerId': idNamed('ada'), 'content.memberId': idNamed('member') },
      ]);
  });

  // docs/rules/orders.md#without-a-customer
  it('sells to somebody unknown where the caller allows it, and counts no use of theirs', () => {
    const shop = openShop();
    offerCode(shop, 'ONCE', 10, true, { perCustomerUsageLimit: 1 });
    const place = { ...emptyAddress, countryCode: 'GB' };
    const unknown = { customerId: null, email: null, billingAddress: place, shippingAddress: place };
    const basket = twoMugsIn(shop)
      .after({ ...addresses, ...unknown })
      .after(code('ONCE'));
    expect(viewOf(basket).destination).to.deep.equal({
      countryCode: 'GB',
      regionCode: null,
      postalCode: null,
    });
    basket.when(pay()).thenRefused('checkout-incomplete');
    const placed = basket
      .when({ ...pay(), mayStayUnknown: true })
      .events()
      .at(-1);
    expect(placed?.type).to.equal('OrderPlacementStarted');
    expect(placed?.data).to.deep.nested.include({ 'content.customerId': null });
    expect(placed?.data)
      .to.have.nested.property('discountClaims.0')
      .that.includes({ code: 'ONCE' })
      .and.not.has.property('perCustomer');
  });

  it('opens no checkout for the buyer of an agent, who has not visited the shop', () => {
    const [changed] = twoMugsIn(openShop())
      .when({ ...addresses, isThroughAgent: true })
      .events();
    expect(changed?.data).to.include({ email: 'ada@example.com' }).and.not.have.property('opens');
  });

  it('charges the chosen shipping, and records the same choice once', () => {
    const shop = openShop();
    const basket = twoMugsIn(shop);
    basket
      .when(choice(shop, basket))
      .thenLike(['ShippingSelected', { 'pricing.totals.shipping': 500, 'pricing.totals.total': 2500 }]);
    const chosen = shipped(shop, basket);
    chosen.when(choice(shop, chosen)).thenNothing();
  });

  it('quotes a choice for the goods at the time of the decision, or refuses it', () => {
    const tiers = [{ countryCode: '*', regionCode: null, minWeightKg: 3, maxWeightKg: null, surcharge: 700 }];
    const heavy = warehousesWith(
      { east: { options: { parcel: { weightTiers: tiers } } }, west: { options: { van: {} } } },
      { mug: { price: 1000, weightKg: 1, stock: { east: 5, west: 9 } } },
    );
    const basket = twoMugsIn(heavy);
    const seen = viewOf(basket);
    const four = basket.after(setMugs(basket, 4));
    four
      .when(choice(heavy, four, seen))
      .thenLike(['ShippingSelected', { 'pricing.totals.shipping': 1200, 'pricing.totals.total': 5200 }]);
    const nine = basket.after(setMugs(basket, 9));
    nine.when(choice(heavy, nine, seen)).thenRefused('shipping-incomplete');
  });

  it('refuses half a choice when goods added meanwhile ship in a separate group', () => {
    const split = warehousesWith(
      { east: { options: { parcel: {} } }, west: { options: { van: {} } } },
      { mug: { price: 1000, stock: { east: 2, west: 9 } }, tea: { price: 400, stock: { west: 1 } } },
    );
    const basket = twoMugsIn(split);
    const seen = viewOf(basket);
    const withTea = basket.after(add('tea'));
    withTea.when(choice(split, withTea, seen)).thenRefused('shipping-incomplete');
    withTea.when(choice(split, withTea)).thenLike(['ShippingSelected']);
  });

  it('asks for a new choice when the destination changes, but not when a postal code is added', () => {
    const shop = openShop();
    const told = shipped(shop, twoMugsIn(shop)).after(addresses);
    expect(viewOf(told).totals.shipping).to.equal(500);
    const elsewhere = { ...addresses, shippingAddress: { ...addressOf('Ada'), postalCode: 'EH1 1YZ' } };
    const moved = viewOf(told.after(elsewhere as CheckoutCommand));
    expect(moved).to.deep.include({ choices: [] });
    expect(moved.totals.shipping).to.equal(0);
  });

  it('keeps the other fields of an address when only the country changes', () => {
    const basket = readyIn(openShop());
    const destination = { countryCode: 'FR', regionCode: null, postalCode: null };
    const quotedOn = { lines: viewOf(basket).lines, destination };
    const abroad: CheckoutCommand = { type: 'SelectShipping', destination, choices: [], quotedOn };
    basket.when(abroad).thenLike(['CheckoutDestinationChanged']);
    expect(viewOf(basket.after(abroad)).shippingAddress).to.deep.include({
      countryCode: 'FR',
      addressOne: '12 St James Square',
    });
  });

  it('needs a basket that is not empty and whose order is not being placed', () => {
    const basket = twoMugsIn(openShop());
    basket.after(setMugs(basket, 0)).when(addresses).thenRefused('basket-not-found');
    readyIn(openShop()).after(pay()).when(addresses).thenRefused('order-being-placed');
  });
});

describe('checkout: codes', () => {
  it('takes a code that reduces the price', () => {
    const basket = twoMugsIn(ten());
    basket
      .when(code('TEN'))
      .thenLike([
        'DiscountCodeApplied',
        { 'pricing.totals.productDiscount': 200, 'pricing.totals.total': 1800 },
      ]);
    basket
      .after(code('TEN'))
      .when(code('TEN'))
      .thenRefused('discount-not-applicable', { errorCode: 'AlreadyApplied' });
  });

  it('refuses one that is not valid, with the reason', () => {
    const shop = openShop();
    offerCode(shop, 'OLD', 10, false);
    twoMugsIn(shop).when(code('OLD')).thenRefused('discount-not-applicable', { errorCode: 'Inactive' });
  });

  it('checks the dates of a code, then the uses of this customer, then the basket', () => {
    const usedUp = { ...code('TEN'), isUsedUpByCustomer: true } as CheckoutCommand;
    const told = (errorCode: string, changes: Partial<DiscountRule>) =>
      twoMugsIn(ten(changes)).when(usedUp).thenRefused('discount-not-applicable', { errorCode });
    told('CustomerUsageLimitReached', { minimumQuantity: 9 });
    told('Expired', { endsAt: '2030-05-01T00:00:00.000Z' });
    const applied = twoMugsIn(ten()).after(code('TEN'));
    applied.when(usedUp).thenRefused('discount-not-applicable', { errorCode: 'CustomerUsageLimitReached' });
  });

  it('leaves the basket unchanged if a code cannot be combined with one of higher rank', () => {
    const shop = ten();
    offerCode(shop, 'FIVE', 5, true, { priority: 2000 });
    const basket = twoMugsIn(shop).after(code('TEN'));
    basket.when(code('FIVE')).thenRefused('discount-not-applicable', { errorCode: 'CannotCombine' });
  });

  it('removes a code by its rule or by its line, without a warning', () => {
    const basket = twoMugsIn(ten()).after(code('TEN'));
    const [line = expect.fail('no discount')] = viewOf(basket).discounts;
    const off = {
      discountId: idNamed('TEN'),
      code: 'TEN',
      'pricing.discounts': [],
      'pricing.totals.total': 2000,
    };
    for (const id of [idNamed('TEN'), line.id]) {
      basket.when({ type: 'TakeOffDiscount', id }).thenLike(['DiscountTakenOff', off]);
    }
    basket.when({ type: 'RemoveBasketLine', lineId: line.id }).thenLike(['DiscountTakenOff', off]);
    const without = basket.after({ type: 'TakeOffDiscount', id: line.id });
    expect(viewOf(without)).to.deep.include({ codes: [], suppressed: [] });
    without
      .when({ type: 'TakeOffDiscount', id: line.id })
      .thenRefused('discount-not-applicable', { errorCode: 'NotFound' });
    without.when(code('TEN')).thenLike(['DiscountCodeApplied']);
    basket
      .when({ type: 'ChangeBasketLineQuantity', lineId: line.id, quantity: 2 })
      .thenRefused('line-is-discount');
  });
});

describe('checkout: beginning an order', () => {
  it('freezes what is bought, what is reserved and what is claimed', () => {
    readyIn(ten())
      .after(code('TEN'))
      .when(pay())
      .thenLike([
        'OrderPlacementStarted',
        {
          supersededInvoiceId: null,
          invoiceNumbersRevision: 6,
          holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 }],
          discountClaims: [{ discountId: idNamed('TEN'), code: 'TEN', amount: 200 }],
          discountReleases: [],
          'content.amounts.subTotal': 2000,
          'content.amounts.discount': 200,
          'content.amounts.shipping': 500,
          'content.amounts.total': 2300,
          'content.businessDay': '2030-06-01',
          'content.termsAcceptedAt': null,
        },
      ]);
  });

  it('claims no use of an unlimited code', () => {
    readyIn(ten({}))
      .after(code('TEN'))
      .when(pay())
      .thenLike(['OrderPlacementStarted', { discountClaims: [], 'content.amounts.discount': 200 }]);
    readyIn(ten({ perCustomerUsageLimit: 1 }))
      .after(code('TEN'))
      .when(pay())
      .thenLike(['OrderPlacementStarted', { 'discountClaims[0].discountId': idNamed('TEN') }]);
  });

  it('charges less without asking if a price has fallen, and records it', () => {
    const shop = openShop();
    const basket = readyIn(shop);
    const cheap = productOnSale('mug', { price: 900, taxGroupId: null, isTracked: true });
    happens(
      shop,
      streamOf.product(idNamed('root mug')),
      productEvents.create.ProductCreated({ ...cheap, at: now }),
    );
    basket
      .when(pay())
      .thenLike(
        ['BasketRepriced', { 'pricing.totals.total': 2300 }],
        ['OrderPlacementStarted', { 'content.amounts.total': 2300 }],
      );
  });

  it('needs addresses, and accepted terms where the shop asks for them', () => {
    twoMugsIn(openShop()).when(pay()).thenRefused('checkout-incomplete');
    const strict = readyIn(openShop(), { requireTermsAcceptance: true });
    strict.when(pay()).thenRefused('terms-not-accepted');
    strict
      .when(pay('placement', true))
      .thenLike(['OrderPlacementStarted', { 'content.termsAcceptedAt': now }]);
  });

  it('chooses the shipping if the shopper has not, but never half of it', () => {
    twoMugsIn(openShop())
      .after(addresses)
      .when(pay())
      .thenLike(['ShippingSelected'], ['OrderPlacementStarted']);
    const split = warehousesWith(
      { east: { options: { parcel: {} } }, west: { options: { van: {} } } },
      { mug: { price: 1000, stock: { east: 2 } }, tea: { price: 400, stock: { west: 1 } } },
    );
    readyIn(split).after(add('tea')).when(pay()).thenRefused('shipping-not-selected');
  });

  it('refuses an order for sold-out items, and lists all of them', () => {
    const shop = openShop();
    const basket = readyIn(shop);
    const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'mug' };
    const change = { adjustedBy: -4, reason: 'broken', stock: 1, reserved: 0 };
    const broken = inventoryEvents.create.StockAdjusted({ ...row, ...change });
    happens(shop, streamOf.stock(idNamed('stock mug east')), broken);
    const { details } = basket.when(pay()).thenRefused('items-unavailable');
    const [item] = details['unavailableItems'] as object[];
    expect(item).to.include({ sku: 'mug', requestedQuantity: 2, availableQuantity: 1 });
  });

  it('asks first before it charges more than was shown: it reprices, and starts no order', () => {
    const shop = ten();
    const basket = readyIn(shop).after(code('TEN'));
    offerCode(shop, 'TEN', 10, false);
    basket
      .when(pay())
      .thenLike(
        ['BasketRepriced', { 'pricing.discounts': [], 'pricing.totals.total': 2500 }],
        ['DiscountCodeRemoved', { code: 'TEN' }],
      );
    basket
      .after(pay())
      .when(pay())
      .thenLike(['OrderPlacementStarted', { discountClaims: [] }]);
  });

  it('asks first about shipping that an older release quoted for unknown goods', () => {
    const basket = readyIn(openShop());
    const { choices, totals } = viewOf(basket);
    const [made = expect.fail('nothing was chosen')] = choices;
    const { quotedFor: _, ...unsaid } = made;
    const cheap = basket.happened(
      checkoutEvents.create.ShippingSelected({
        choices: [{ ...unsaid, cost: 100 }],
        pricing: {
          totals: { ...totals, shipping: 100, total: totals.total - 400 },
          discounts: [],
          changedLines: [],
        },
      }),
    );
    cheap
      .when(pay())
      .thenLike(
        ['BasketRepriced', { 'pricing.totals.shipping': 500, 'pricing.totals.total': 2500 }],
        ['ShippingRequoted'],
      );
    cheap.after(pay()).when(pay()).thenLike(['OrderPlacementStarted']);
  });

  it('lets the shopper, not the shop, choose again after a choice is lost', () => {
    const split = warehousesWith(
      { east: { options: { parcel: {} } }, west: { options: { van: {} } } },
      { mug: { price: 1000, stock: { east: 2, west: 9 } } },
    );
    const basket = readyIn(split);
    const five = setMugs(basket, 5);
    basket.when(five).thenLike(['BasketLineQuantityChanged'], ['ShippingRequoted', { choices: [] }]);
    basket.after(five).when(pay()).thenRefused('shipping-not-selected');
    shipped(split, basket.after(five)).when(pay()).thenLike(['OrderPlacementStarted']);
  });

  it('ends a placement even if prices have changed', () => {
    const shop = ten();
    const basket = readyIn(shop).after(code('TEN'), pay());
    const dear = productOnSale('mug', { price: MAX_AMOUNT, taxGroupId: null, isTracked: false });
    const repriced = productEvents.create.ProductCreated({ ...dear, at: now });
    happens(shop, streamOf.product(idNamed('root mug')), repriced);
    const usedUp = failed({ discountId: idNamed('TEN') });
    basket.when(usedUp).thenLike(['OrderPlacementFailed'], ['DiscountCodeRemoved'], ['ShippingRequoted']);
    const open = basket.after(usedUp);
    expect(viewOf(open).totals).to.include({ subTotal: 2000, shipping: 0, total: 2000 });
    open.when(pay()).thenRefused('shipping-not-selected');
  });

  it('means the last invoice until something changes, and then replaces it', () => {
    const ordered = readyIn(openShop()).after(pay(), placed());
    ordered.when(pay('again')).thenNothing();
    ordered
      .after(add('tea'))
      .when(pay('again'))
      .thenLike(['OrderPlacementStarted', { supersededInvoiceId: idNamed('invoice of placement') }]);
  });

  it('releases stock and codes that the new order does not need', () => {
    const shop = ten();
    const ordered = readyIn(shop).after(code('TEN'), add('tea'), pay(), placed());
    const onlyTea = ordered.after(setMugs(ordered, 0));
    offerCode(shop, 'TEN', 10, false);
    shipped(shop, onlyTea.after(pay('again')))
      .when(pay('again'))
      .thenLike([
        'OrderPlacementStarted',
        {
          holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 0 }],
          discountClaims: [],
          discountReleases: [idNamed('TEN')],
        },
      ]);
  });
});

describe('checkout: what an order remembers of suggestions', () => {
  // docs/rules/upsell-performance.md#attribution
  it('is only what was bought, however many were shown', () => {
    const showing = (rule: string, ...roots: readonly string[]) => ({
      upsellRuleId: idNamed(rule),
      displayLocation: 'Basket' as const,
      productRootIds: roots.map(idNamed),
    });
    const shownUpsells = [showing('more', 'root pot', 'root mug'), showing('others', 'root pot')];
    readyIn(openShop())
      .when({ ...pay(), shownUpsells })
      .thenLike(['OrderPlacementStarted', { shownUpsells: [showing('more', 'root mug')] }]);
    const [started] = readyIn(openShop())
      .when({ ...pay(), shownUpsells: [showing('others', 'root pot')] })
      .events();
    expect(started?.data).to.not.have.property('shownUpsells');
  });
});

describe('checkout: the end of an order', () => {
  it('comes once, and only from the placement that is open', () => {
    const placing = readyIn(openShop()).after(pay());
    placing.when(placed('another')).thenNothing();
    placing.when(placed()).thenLike(['OrderPlaced', { invoiceNumber: 'INV-0007' }]);
    placing.after(placed()).when(placed()).thenNothing();
    placing.after(placed()).when(failed()).thenNothing();
  });

  it('keeps an automatic discount that is used up off the basket, and says so', () => {
    const placing = readyIn(openShop());
    const { totals } = viewOf(placing);
    const taken = {
      id: idNamed('line of SPRING'),
      discountId: idNamed('SPRING'),
      name: 'Spring',
      code: null,
      category: 'AmountOffOrder' as const,
      lineId: null,
      amount: 300,
    };
    const pricing = {
      totals: { ...totals, total: totals.total - 300 },
      discounts: [taken],
      changedLines: [],
    };
    const { destination } = viewOf(placing);
    const shown = placing.after(pay()).happened(basketEvents.create.BasketRepriced({ destination, pricing }));
    const usedUp = failed({ discountId: idNamed('SPRING') });
    const [refusal, dropped] = shown.when(usedUp).events();
    expect(refusal?.data).to.deep.nested.include({ 'details.warnings': ['This discount has been used up.'] });
    expect(dropped).to.deep.nested.include({
      type: 'AutomaticDiscountDropped',
      'data.staysOff': true,
      'data.pricing.totals.total': totals.total,
    });
    expect(viewOf(shown.after(usedUp)).suppressed).to.deep.equal([idNamed('SPRING')]);
  });

  it('removes a code that is used up, and prices the basket without it', () => {
    const usedUp = failed({ discountId: idNamed('TEN') });
    const placing = readyIn(ten()).after(code('TEN'), pay());
    placing
      .when(usedUp)
      .thenLike(
        ['OrderPlacementFailed', { code: 'usage-limit-reached' }],
        ['DiscountCodeRemoved', { code: 'TEN', 'pricing.discounts': [], 'pricing.totals.total': 2500 }],
      );
  });

  it('closes a bought basket for good, whatever happens to a later order', () => {
    const bought = completed('invoice of an older order');
    const placing = readyIn(openShop()).after(pay());
    placing.when(bought).thenLike(['BasketCompleted', { invoiceId: idNamed('invoice of an older order') }]);
    placing.after(bought).when(bought).thenNothing();
    placing.after(bought, failed()).when(addresses).thenRefused('basket-not-found');
  });

  it('ends the placement of an invoice that is paid before the basket says that it is placed', () => {
    const placing = readyIn(openShop()).after(pay());
    const bought = completed('invoice of placement');
    placing
      .when(bought)
      .thenLike(
        ['OrderPlaced', { placementId: idNamed('placement'), invoiceNumber: 'INV-0007' }],
        ['BasketCompleted', { invoiceId: idNamed('invoice of placement') }],
      );
    placing.after(bought).when(placed()).thenNothing();
    const { order } = placing.after(bought).state();
    expect(order).to.include({ invoiceId: idNamed('invoice of placement'), invoiceNumber: 'INV-0007' });
    expect(order?.holds).to.have.length(1);
    placing.after(placed()).when(bought).thenLike(['BasketCompleted', {}]);
  });

  it('leaves a placement open that has something to give back, until that is done', () => {
    const holds = [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 0 }];
    readyIn(openShop())
      .happened(...placementStarted({ holds }))
      .when(completed('invoice'))
      .thenLike(['BasketCompleted', {}]);
  });
});
