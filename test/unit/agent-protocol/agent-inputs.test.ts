import { expect } from 'chai';
import { cartBody } from '#contracts/agent-cart.contract.ts';
import {
  completeSessionBody,
  createSessionBody,
  updateSessionBody,
} from '#contracts/agent-session.contract.ts';

const limits = { maxLineItems: 3, maxQuantity: 100, maxDiscountCodes: 2 };
const create = createSessionBody(limits);
const update = updateSessionBody(limits);

const line = { item: { id: 'MUG' }, quantity: 1 };
const lines = { line_items: [line] };

/** Where each problem is, and what is said of it. */
const problems = (schema: typeof create | typeof update, body: unknown): readonly string[] =>
  schema.safeParse(body).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('What an agent asks of a session (docs/rules/agent-dialects.md#requests)', () => {
  it('names lines by what the agent calls them; its titles, prices, totals and status change nothing', () => {
    const input = create.parse({
      id: 'mine',
      status: 'completed',
      session_status: 'completed',
      ucp: { version: 'x' },
      totals: [{ type: 'total', amount: 1 }],
      links: 'none',
      messages: 7,
      ap2: { checkout_mandate: 'x' },
      line_items: [
        {
          id: 'line-1',
          item: { id: ' MUG ', title: 'Free mug', price: 0, options: [{ name: 'Colour', value: 'Blue' }] },
          quantity: 2,
          totals: [],
        },
      ],
    });
    expect(input).to.deep.equal({
      lines: [{ itemId: 'MUG', quantity: 2, options: [{ name: 'Colour', label: 'Blue' }], id: 'line-1' }],
    });
  });

  it('needs lines, or a cart that has them', () => {
    expect(problems(create, {})).to.deep.equal(['line_items: must be a list of at least one line']);
    expect(problems(create, { line_items: [] })[0]).to.match(/^line_items: /);
    expect(create.parse({ cart_id: 'Cart-1' })).to.deep.equal({ cartId: 'cart-1' });
    expect(update.parse({})).to.deep.equal({});
    expect(problems(update, { line_items: [] })[0]).to.match(/^line_items: /);
  });

  it('leaves what it does not say, and takes back what it says is null', () => {
    const taken = { buyer: null, context: null, discounts: null, payment: null, fulfillment: null };
    expect(update.parse(taken)).to.deep.equal({
      buyer: null,
      context: null,
      codes: [],
      instruments: [],
      fulfilment: null,
    });
    expect(update.parse({ discounts: { codes: [] } })).to.deep.equal({ codes: [] });
  });

  it('tells where a figure or a list is beyond what is allowed', () => {
    const path = (body: object): string | undefined => problems(update, body)[0]?.split(':')[0];
    expect(path({ line_items: [{ ...line, quantity: 101 }] })).to.equal('line_items.0.quantity');
    expect(path({ line_items: [{ ...line, quantity: 0 }] })).to.equal('line_items.0.quantity');
    expect(path({ line_items: [{ ...line, quantity: '2' }] })).to.equal('line_items.0.quantity');
    expect(path({ line_items: [{ quantity: 1 }] })).to.equal('line_items.0.item');
    expect(path({ line_items: [line, line, line, line] })).to.equal('line_items');
    expect(path({ discounts: { codes: ['a', 'b', 'c'] } })).to.equal('discounts.codes');
    expect(path({ discounts: { codes: ['a', 7] } })).to.equal('discounts.codes.1');
    expect(path({ buyer: { email: 'ada' } })).to.equal('buyer.email');
    expect(path({ buyer: { consent: { marketing: 'yes' } } })).to.equal('buyer.consent.marketing');
    expect(path({ payment: { instruments: 'card' } })).to.equal('payment.instruments');
    expect(
      update.parse({ line_items: [line, line, line], discounts: { codes: ['a', 'b'] } }).codes,
    ).to.have.length(2);
  });

  it('may name the buyer in one piece, which is split at its last blank', () => {
    const named = (buyer: object) => update.parse({ buyer }).buyer;
    const king = { firstName: 'Ada Lovelace', lastName: 'King' };
    expect(named({ full_name: 'Ada Lovelace King' })).to.deep.equal(king);
    expect(named({ fullName: 'Ada Lovelace  King ' })).to.deep.equal(king);
    expect(named({ name: 'Ada' })).to.deep.equal({ firstName: 'Ada' });
    expect(named({ first_name: 'Ada', full_name: 'Eve Moneypenny' })).to.deep.equal({ firstName: 'Ada' });
  });

  it('is remembered as it was said of a buyer, with consent as it was given', () => {
    const buyer = {
      email: 'ada@example.com',
      phone_number: '',
      loyalty_id: 'A1',
      nothing: null,
      consent: { marketing: false, sale_of_data: true, unheard_of: true },
    };
    expect(update.parse({ buyer }).buyer).to.deep.equal({
      email: 'ada@example.com',
      consent: { marketing: false, saleOfData: true },
      further: { loyalty_id: 'A1' },
    });
  });

  it('takes hints for what they are: what is no text, or no claim, is passed over', () => {
    const context = {
      address_country: 'gb',
      currency: 'eur',
      language: 7,
      intent: 'gift',
      eligibility: ['com.example.loyalty', 'A Member!', 'com.example.loyalty', 7],
    };
    expect(
      update.parse({ context, currency: 9, attribution: { campaign: 'spring', rank: 3 } }),
    ).to.deep.equal({
      context: {
        countryCode: 'GB',
        currency: 'EUR',
        eligibility: ['com.example.loyalty', 'A Member!'],
        said: {
          address_country: 'gb',
          currency: 'eur',
          intent: 'gift',
          eligibility: ['com.example.loyalty'],
        },
      },
      currency: 'EUR',
      attribution: { campaign: 'spring' },
    });
    expect(update.parse({ context, currency: 'jpy' }).currency).to.equal('JPY');
  });
});

describe('Where an agent wants goods sent (docs/rules/agent-dialects.md#fulfilment)', () => {
  const input = (...methods: readonly object[]) => update.parse({ fulfillment: { methods } }).fulfilment;

  it('is read under each of the names that an address may have', () => {
    const addresses = [
      {
        id: 'home',
        full_name: 'Ada King',
        street_address: '1 High Street',
        extended_address: 'Flat 2',
        address_locality: 'London',
        address_region: 'LND',
        postal_code: 'SW1A 1AA',
        address_country: 'gb',
        phone_number: '1',
      },
      { id: '', name: 'Ada King', locality: 'Leeds', region: 'WY', country: 'GB', type: 'home', floor: 3 },
      { city: 'York', state: 'NY' },
    ];
    expect(input({ type: 'shipping', destinations: addresses })?.destinations).to.deep.equal([
      {
        firstName: 'Ada',
        lastName: 'King',
        addressOne: '1 High Street',
        addressTwo: 'Flat 2',
        townCity: 'London',
        region: 'LND',
        postalCode: 'SW1A 1AA',
        countryCode: 'GB',
        phone: '1',
        id: 'home',
      },
      {
        firstName: 'Ada',
        lastName: 'King',
        townCity: 'Leeds',
        region: 'WY',
        countryCode: 'GB',
        further: { type: 'home', floor: 3 },
      },
      { townCity: 'York', region: 'NY' },
    ]);
  });

  it('may be said in several methods, which count as one; goods are not collected', () => {
    expect(
      input(
        { type: 'pickup', id: 'depot', destinations: [{ id: 'depot', name: 'Depot' }] },
        { id: 'post', destinations: [{ id: 'a' }], groups: [{ selected_option_id: 'fast' }] },
        { id: 'van', selected_destination_id: 'a', groups: [{ id: 'g', line_item_ids: ['x'] }] },
      ),
    ).to.deep.equal({
      methodId: 'post',
      destinations: [{ id: 'a' }],
      selectedDestinationId: 'a',
      groups: [{ selectedOptionId: 'fast' }],
    });
  });

  it('may be taken back with null', () => {
    expect(
      input({ selected_destination_id: null, groups: [{ id: 'group_1', selected_option_id: null }] }),
    ).to.deep.equal({
      selectedDestinationId: null,
      groups: [{ id: 'group_1', selectedOptionId: null }],
    });
    expect(update.parse({ fulfillment: {} }).fulfilment).to.deep.equal({ groups: [] });
  });
});

describe('What an agent pays with (docs/rules/agent-dialects.md#instruments)', () => {
  const token = { type: 'token', token: 'tok_1', binding: { checkout_id: 's1' } };
  const card = { id: 'i1', handler_id: 'mock:card', type: 'card' };

  const paying = (body: object) => completeSessionBody.parse(body).instrument;

  it('is the instrument that is marked, else the one that is named, else the first', () => {
    const two = [card, { ...card, id: 'i2' }];
    const marked = [card, { ...card, id: 'i2', selected: true }];
    expect(paying({ payment: { instruments: two } })?.id).to.equal('i1');
    expect(paying({ payment: { instruments: two, selected_instrument_id: 'i2' } })?.id).to.equal('i2');
    expect(paying({ payment: { instruments: marked, selected_instrument_id: 'i1' } })?.id).to.equal('i2');
    expect(paying({ payment: { instruments: [] } })).to.equal(undefined);
    expect(paying({})).to.equal(undefined);
  });

  it('comes with a mandate, or with what is none and is left out', () => {
    const mandateOf = (ap2: unknown) => completeSessionBody.parse({ ap2 }).mandate;
    expect(mandateOf({ checkout_mandate: 'a.b.c~' })).to.equal('a.b.c~');
    for (const none of [undefined, null, 'a.b.c~', [], {}, { checkout_mandate: '' }, { checkout_mandate: 7 }])
      expect(mandateOf(none)).to.equal(undefined);
  });

  it('may be said in the words of either version', () => {
    const same = {
      id: 'i1',
      handlerId: 'mock:card',
      type: 'card',
      isSelected: false,
      brand: 'visa',
      lastDigits: '4242',
      credential: { type: 'token', token: 'tok_1', checkoutId: 's1', isCard: false },
    };
    const older = { ...card, brand: 'visa', last_digits: '4242', credential: token };
    expect(paying({ payment_data: older })).to.deep.equal(same);
    const display = { brand: 'visa', last_digits: '4242' };
    expect(paying({ payment: { instruments: [{ ...card, display, credential: token }] } })).to.deep.equal({
      ...same,
      display,
    });
  });

  it('is a card itself where it has the numbers of one, whatever it is called', () => {
    const number = '4242424242424242';
    expect(
      paying({ payment_data: { ...card, credential: { type: 'card', number } } })?.credential,
    ).to.deep.equal({
      type: 'card',
      isCard: true,
    });
    expect(
      paying({ payment_data: { ...card, credential: { type: 'other', number } } })?.credential?.isCard,
    ).to.equal(true);
  });

  it('is remembered before the completion without what pays', () => {
    const payment = { handlers: [{ id: 'x' }], instruments: [{ ...card, credential: token }] };
    expect(update.parse({ payment: { ...payment, selected_instrument_id: 'i1' } }).instruments).to.deep.equal(
      [{ id: 'i1', handlerId: 'mock:card', type: 'card', isSelected: true }],
    );
  });
});

describe('What an agent asks of a cart (docs/rules/agent-dialects.md#requests)', () => {
  it('is the whole cart, with its lines', () => {
    const cart = cartBody(limits);
    expect(cart.parse({ ...lines, discounts: { codes: ['Save'] }, payment: 'ignored' })).to.deep.equal({
      lines: [{ itemId: 'MUG', quantity: 1, options: [] }],
      codes: ['Save'],
    });
    expect(cart.safeParse({ buyer: {} }).error?.issues[0]?.path).to.deep.equal(['line_items']);
  });
});

describe('A request that means harm (docs/rules/agent-dialects.md#requests)', () => {
  it('reaches nothing beyond its own object by the names of its members', () => {
    const body: unknown = JSON.parse(
      '{ "buyer": { "__proto__": { "email": "eve@example.com" }, "constructor": "x" }, "__proto__": { "line_items": 1 } }',
    );
    const { buyer } = update.parse(body);
    expect(buyer?.email).to.equal(undefined);
    expect(Object.getPrototypeOf(buyer?.further ?? {})).to.equal(Object.prototype);
    expect(({} as { email?: unknown }).email).to.equal(undefined);
  });
});
