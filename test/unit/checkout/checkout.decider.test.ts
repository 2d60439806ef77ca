import { expect } from 'chai';
import { basketContext } from '#command/contexts/basket/basket.context.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import type { BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import type { CheckoutCommand, StartPlacement } from '#command/contexts/checkout/checkout.commands.ts';
import { checkoutContext } from '#command/contexts/checkout/checkout.context.ts';
import { checkoutDecider } from '#command/contexts/checkout/checkout.decider.ts';
import { initialChoices, planShipping } from '#command/pricing/shipping-plan.ts';
import type { PriceSources } from '#command/pricing/basket-prices.ts';
import { productEvents } from '#events/catalogue.events.ts';
import type { BasketView } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { discountEvents } from '#events/discount.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { eventDefinition } from '#events/registry.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, idNamed, percentOff } from '#test/support/builders/basket.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

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
const offerCode = (shop: PriceSources, code: string, percent: number, isActive = true): void => {
  const { rule } = percentOff(code, percent);
  const status = isActive ? 'Active' : 'Disabled';
  const created = discountEvents.create.DiscountCreated({ rule, status, at: now });
  happens(shop, streamOf.discount(idNamed(code)), created);
};

const addresses: CheckoutCommand = {
  type: 'ChangeAddresses',
  customerId: idNamed('ada'),
  email: 'ada@example.com',
  billingAddress: addressOf('Ada Lovelace'),
  shippingAddress: addressOf('Ada Lovelace'),
  shippingSameAsBilling: true,
  acceptsMarketing: false,
};

const code = (name: string): CheckoutCommand => ({
  type: 'ApplyDiscountCode',
  discountId: idNamed(name),
  code: name,
  name: `code ${name}`,
});

const pay = (name = 'placement', hasAcceptedTerms = false): StartPlacement => ({
  type: 'StartPlacement',
  placementId: idNamed(name),
  invoiceId: idNamed(`invoice of ${name}`),
  basketId: idNamed('basket'),
  invoiceNumbersRevision: 6,
  hasAcceptedTerms,
  openInvoices: null,
});

const placed = (name = 'placement'): CheckoutCommand => ({
  type: 'CompletePlacement',
  placementId: idNamed(name),
  turn: 99,
  invoiceId: idNamed(`invoice of ${name}`),
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

const nobodyElse = { countOpenInvoices: () => 0 };

/** A basket with two mugs in a shop; commands are decided and folded one after another. */
const basketIn = (shop: PriceSources, changes: Partial<StoreSettings> = {}, counting = nobodyElse) => {
  const sources: PriceSources = { ...shop, settings: () => ({ ...shop.settings(), ...changes }) };
  let state = checkoutDecider.initial();
  const record = (events: readonly BasketStreamEvent[]): readonly BasketStreamEvent[] => {
    for (const { type, data } of events)
      expect(eventDefinition(type)?.schema.parse(data)).to.deep.equal(data);
    state = events.reduce(checkoutDecider.evolve, state);
    return events;
  };
  const change = (command: Parameters<typeof basketDecider.decide>[1]) =>
    record(basketDecider.decide(state, command, basketContext(sources)(command)(state)));
  const decide = (command: CheckoutCommand) =>
    record(
      checkoutDecider.decide(state, command, checkoutContext({ ...sources, ...counting })(command)(state)),
    );
  const refusal = (command: CheckoutCommand): Rejection => {
    try {
      decide(command);
    } catch (error) {
      if (error instanceof Rejection) return error;
      throw error;
    }
    return expect.fail('was not refused');
  };
  /** Chooses what the shop would; `seen`: for a basket as it was a moment ago. */
  const ship = (seen?: BasketView): readonly BasketStreamEvent[] => {
    const { basket, holds } = state;
    const quotedOn = seen ?? basket ?? expect.fail('no basket');
    const plan = planShipping(sources, quotedOn, { holds });
    const { choices } = initialChoices(plan, {}, true, now);
    return decide({ type: 'SelectShipping', destination: null, choices, quotedOn });
  };
  const setMugs = (quantity: number): readonly BasketStreamEvent[] => {
    const line = state.basket?.lines.find(({ sku }) => sku === 'mug');
    return change({ type: 'ChangeBasketLineQuantity', lineId: line?.lineId ?? '', quantity });
  };
  change(add('mug', 2));
  return {
    change,
    record,
    setMugs,
    decide,
    refusal,
    ship,
    state: () => state,
    basket: () => state.basket ?? expect.fail('no basket'),
  };
};

/** A basket with addresses and shipping. */
const readyBasketIn = (...shop: Parameters<typeof basketIn>) => {
  const basket = basketIn(...shop);
  basket.decide(addresses);
  basket.ship();
  return basket;
};

const types = (events: readonly BasketStreamEvent[]): string[] => events.map(({ type }) => type);

describe('checkout: addresses and shipping', () => {
  it('takes addresses and prices the basket for where it goes', () => {
    const basket = basketIn(openShop());
    expect(types(basket.decide(addresses))).to.deep.equal(['CheckoutAddressesChanged']);
    expect(basket.basket()).to.deep.include({
      email: 'ada@example.com',
      customerId: idNamed('ada'),
      destination: { countryCode: 'GB', regionCode: null, postalCode: 'SW1Y 4JH' },
    });
  });

  it('charges what was chosen, and chooses nothing twice', () => {
    const basket = basketIn(openShop());
    expect(types(basket.ship())).to.deep.equal(['ShippingSelected']);
    expect(basket.basket().totals).to.include({ shipping: 500, total: 2500 });
    expect(basket.ship()).to.deep.equal([]);
  });

  it('quotes a choice for the goods that are there when it is decided, or refuses it', () => {
    const tiers = [{ countryCode: '*', regionCode: null, minWeightKg: 3, maxWeightKg: null, surcharge: 700 }];
    const heavy = warehousesWith(
      { east: { options: { parcel: { weightTiers: tiers } } }, west: { options: { van: {} } } },
      { mug: { price: 1000, weightKg: 1, stock: { east: 5, west: 9 } } },
    );
    const basket = basketIn(heavy);
    const seen = basket.basket();
    basket.setMugs(4);
    basket.ship(seen);
    expect(basket.basket().totals).to.include({ shipping: 1200, total: 5200 });

    const late = basketIn(heavy);
    const before = late.basket();
    late.setMugs(9);
    expect(() => late.ship(before))
      .to.throw(Rejection)
      .with.property('code', 'shipping-incomplete');
  });

  it('opens the choice again when the parcel goes elsewhere, but not when a postal code is told at last', () => {
    const basket = basketIn(openShop());
    basket.ship();
    basket.decide(addresses);
    expect(basket.basket().totals.shipping).to.equal(500);
    const elsewhere = { ...addressOf('Ada'), postalCode: 'EH1 1YZ' };
    basket.decide({ ...addresses, shippingAddress: elsewhere } as CheckoutCommand);
    expect(basket.basket()).to.deep.include({ choices: [] });
    expect(basket.basket().totals.shipping).to.equal(0);
  });

  it('keeps the other fields of an address when only the country changes', () => {
    const basket = readyBasketIn(openShop());
    const destination = { countryCode: 'FR', regionCode: null, postalCode: null };
    const { lines } = basket.basket();
    const quotedOn = { lines, destination };
    const events = basket.decide({ type: 'SelectShipping', destination, choices: [], quotedOn });
    expect(types(events)).to.deep.equal(['CheckoutDestinationChanged']);
    expect(basket.basket().shippingAddress).to.deep.include({
      countryCode: 'FR',
      addressOne: '12 St James Square',
    });
  });

  it('needs a basket with something in it that is not being bought just now', () => {
    const basket = basketIn(openShop());
    basket.setMugs(0);
    expect(basket.refusal(addresses).code).to.equal('basket-not-found');
    const busy = readyBasketIn(openShop());
    busy.decide(pay());
    expect(busy.refusal(addresses).code).to.equal('order-being-placed');
  });
});

describe('checkout: codes', () => {
  it('takes a code that takes something off', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = basketIn(shop);
    expect(types(basket.decide(code('TEN')))).to.deep.equal(['DiscountCodeApplied']);
    expect(basket.basket().totals).to.include({ productDiscount: 200, total: 1800 });
    expect(basket.refusal(code('TEN')).details).to.deep.include({ errorCode: 'AlreadyApplied' });
  });

  it('refuses one that is not valid, with the reason', () => {
    const shop = openShop();
    offerCode(shop, 'OLD', 10, false);
    const { code: refused, details } = basketIn(shop).refusal(code('OLD'));
    expect(refused).to.equal('discount-not-applicable');
    expect(details).to.deep.include({ errorCode: 'Inactive' });
  });
});

describe('checkout: beginning an order', () => {
  it('freezes what is bought, what is reserved and what is claimed', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = readyBasketIn(shop);
    basket.decide(code('TEN'));
    const [started] = basket.decide(pay());
    if (started?.type !== 'OrderPlacementStarted') expect.fail('no order was begun');
    expect(started.data).to.deep.include({
      supersededInvoiceId: null,
      invoiceNumbersRevision: 6,
      holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 }],
      discountClaims: [{ discountId: idNamed('TEN'), code: 'TEN', amount: 200 }],
      discountReleases: [],
      email: 'ada@example.com',
    });
    expect(started.data.content.amounts).to.include({
      subTotal: 2000,
      discount: 200,
      shipping: 500,
      total: 2300,
    });
    expect(started.data.content).to.include({ businessDay: '2030-06-01', termsAcceptedAt: null });
  });

  it('needs addresses, and accepted terms where the shop asks for them', () => {
    const basket = basketIn(openShop());
    expect(basket.refusal(pay()).code).to.equal('checkout-incomplete');
    const strict = readyBasketIn(openShop(), { requireTermsAcceptance: true });
    expect(strict.refusal(pay()).code).to.equal('terms-not-accepted');
    const [started] = strict.decide(pay('placement', true));
    expect(started?.type === 'OrderPlacementStarted' && started.data.content.termsAcceptedAt).to.equal(now);
  });

  it('chooses the shipping when nobody has, but not half of it', () => {
    const basket = basketIn(openShop());
    basket.decide(addresses);
    expect(types(basket.decide(pay()))).to.deep.equal(['ShippingSelected', 'OrderPlacementStarted']);

    const split = warehousesWith(
      { east: { options: { parcel: {} } }, west: { options: { van: {} } } },
      { mug: { price: 1000, stock: { east: 2 } }, tea: { price: 400, stock: { west: 1 } } },
    );
    const half = readyBasketIn(split);
    half.change(add('tea'));
    expect(half.refusal(pay()).code).to.equal('shipping-not-selected');
  });

  it('refuses what is sold out meanwhile, with all the items', () => {
    const shop = openShop();
    const basket = readyBasketIn(shop);
    const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'mug' };
    const change = { adjustedBy: -4, reason: 'broken', stock: 1, reserved: 0 };
    const broken = inventoryEvents.create.StockAdjusted({ ...row, ...change });
    happens(shop, streamOf.stock(idNamed('stock mug east')), broken);
    const { code: refused, details } = basket.refusal(pay());
    expect(refused).to.equal('items-unavailable');
    const [item] = details['unavailableItems'] as object[];
    expect(item).to.include({ sku: 'mug', requestedQuantity: 2, availableQuantity: 1 });
  });

  it('asks first when figures have moved: they are recorded and no order is begun', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = readyBasketIn(shop);
    basket.decide(code('TEN'));
    offerCode(shop, 'TEN', 10, false);
    expect(types(basket.decide(pay()))).to.deep.equal(['BasketRepriced', 'DiscountCodeRemoved']);
    expect(basket.basket()).to.deep.include({ codes: [], discounts: [] });
    expect(types(basket.decide(pay()))).to.deep.equal(['OrderPlacementStarted']);
  });

  it('asks first what is charged for shipping that an older release quoted for who knows what', () => {
    const basket = readyBasketIn(openShop());
    const [made = expect.fail('nothing was chosen')] = basket.basket().choices;
    const { quotedFor: _, ...unsaid } = made;
    const { totals } = basket.basket();
    const cheap = { ...totals, shipping: 100, total: totals.total - 400 };
    basket.record([
      checkoutEvents.create.ShippingSelected({
        choices: [{ ...unsaid, cost: 100 }],
        pricing: { totals: cheap, discounts: [], changedLines: [] },
      }),
    ]);
    expect(types(basket.decide(pay()))).to.deep.equal(['BasketRepriced', 'ShippingRequoted']);
    expect(basket.basket().totals).to.include({ shipping: 500, total: 2500 });
    expect(types(basket.decide(pay()))).to.deep.equal(['OrderPlacementStarted']);
  });

  it('lets the shopper choose again after a choice has fallen away, and not the shop', () => {
    const split = warehousesWith(
      { east: { options: { parcel: {} } }, west: { options: { van: {} } } },
      { mug: { price: 1000, stock: { east: 2, west: 9 } } },
    );
    const basket = readyBasketIn(split);
    expect(types(basket.setMugs(5))).to.deep.equal(['BasketLineQuantityChanged', 'ShippingRequoted']);
    expect(basket.basket()).to.deep.include({ choices: [] });
    expect(basket.refusal(pay()).code).to.equal('shipping-not-selected');
    basket.ship();
    expect(types(basket.decide(pay()))).to.deep.equal(['OrderPlacementStarted']);
  });

  it('ends a placement whatever prices have done meanwhile', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = readyBasketIn(shop);
    basket.decide(code('TEN'));
    basket.decide(pay());
    const { root, variants } = productOnSale('mug', {
      price: MAX_AMOUNT,
      taxGroupId: null,
      isTracked: false,
    });
    happens(
      shop,
      streamOf.product(idNamed('root mug')),
      productEvents.create.ProductCreated({ root, variants, at: now }),
    );
    const events = basket.decide(failed({ discountId: idNamed('TEN') }));
    expect(types(events)).to.deep.equal(['OrderPlacementFailed', 'DiscountCodeRemoved', 'ShippingRequoted']);
    expect(basket.basket().totals).to.include({ subTotal: 2000, shipping: 0, total: 2000 });
    expect(basket.refusal(pay()).code).to.equal('shipping-not-selected');
  });

  it('means the last invoice as long as nothing has changed, and replaces it afterwards', () => {
    const basket = readyBasketIn(openShop());
    basket.decide(pay());
    basket.decide(placed());
    expect(basket.decide(pay('again'))).to.deep.equal([]);
    basket.change(add('tea'));
    const [started] = basket.decide(pay('again'));
    expect(started?.data).to.deep.include({ supersededInvoiceId: idNamed('invoice of placement') });
  });

  it('gives back what the new order does not need: stock and codes', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = readyBasketIn(shop);
    basket.decide(code('TEN'));
    basket.change(add('tea'));
    basket.decide(pay());
    basket.decide(placed());
    basket.setMugs(0);
    offerCode(shop, 'TEN', 10, false);
    basket.decide(pay('again'));
    basket.ship();
    const started = basket.decide(pay('again')).at(-1);
    expect(started?.data).to.deep.include({
      holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 0 }],
      discountClaims: [],
      discountReleases: [idNamed('TEN')],
    });
  });
});

describe('checkout: the end of an order', () => {
  it('comes once, and only from the placement that is open', () => {
    const basket = readyBasketIn(openShop());
    basket.decide(pay());
    expect(basket.decide(placed('another'))).to.deep.equal([]);
    expect(types(basket.decide(placed()))).to.deep.equal(['OrderPlaced']);
    expect(basket.decide(placed())).to.deep.equal([]);
    expect(basket.decide(failed())).to.deep.equal([]);
  });

  it('takes a code out of the basket whose uses ran out, and prices it anew', () => {
    const shop = openShop();
    offerCode(shop, 'TEN', 10);
    const basket = readyBasketIn(shop);
    basket.decide(code('TEN'));
    basket.decide(pay());
    const events = basket.decide(failed({ discountId: idNamed('TEN') }));
    expect(types(events)).to.deep.equal(['OrderPlacementFailed', 'DiscountCodeRemoved']);
    expect(basket.basket()).to.deep.include({ status: 'open', codes: [], discounts: [] });
    expect(basket.basket().totals.total).to.equal(2500);
  });

  it('closes a bought basket for good, whatever a later order comes to', () => {
    const basket = readyBasketIn(openShop());
    basket.decide(pay());
    const bought: CheckoutCommand = { type: 'CompleteBasket', invoiceId: idNamed('invoice') };
    expect(types(basket.decide(bought))).to.deep.equal(['BasketCompleted']);
    expect(basket.decide(bought)).to.deep.equal([]);
    basket.decide(failed());
    expect(basket.basket().status).to.equal('completed');
    expect(basket.refusal(addresses).code).to.equal('basket-not-found');
  });
});
