import { expect } from 'chai';
import type { Json } from '#agents/dialects.ts';
import { cartForms } from '#agents/forms/cart-forms.ts';
import { productForms, productsForms } from '#agents/forms/catalogue-forms.ts';
import { orderForms } from '#agents/forms/order-forms.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import type {
  CatalogueProduct,
  CatalogueVariant,
  ProtocolProducts,
  ShownProduct,
} from '#agents/protocol-catalogue.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { schemaProblems } from '#test/support/agents/answer-schemas.ts';
import {
  cardHandler,
  currentContext,
  mugs,
  mugsOrder,
  olderContext,
  sentBy,
} from '#test/support/builders/agent-answers.ts';

const current = (session: ProtocolSession): Json => sessionForms['2026-04-08'](session, currentContext);
const older = (session: ProtocolSession): Json => sessionForms['2026-01-11'](session, olderContext);

const firstDestination = (body: Json): unknown =>
  (body['fulfillment'] as { methods: { destinations: unknown[] }[] }).methods[0]?.destinations[0];

describe('A checkout session for agents (docs/rules/agent-dialects.md#sessions)', () => {
  it('has discounts that are subtracted by their sign, or in 2026-01-11 by their type', () => {
    expect(current(mugs)['totals']).to.deep.include({ type: 'items_discount', amount: -200 });
    expect(current(mugs)['totals']).to.deep.include({ type: 'discount', amount: -100 });
    expect(older(mugs)['totals']).to.deep.equal([
      { type: 'subtotal', amount: 2000 },
      { type: 'items_discount', amount: 200 },
      { type: 'discount', amount: 100 },
      { type: 'fulfillment', amount: 500 },
      { type: 'tax', amount: 85 },
      { type: 'total', amount: 2285 },
    ]);
  });

  it('says which capabilities it rests on, by name or in 2026-01-11 as a list', () => {
    const version = '2026-04-08';
    expect(current(mugs)['ucp']).to.deep.equal({
      version,
      status: 'success',
      capabilities: {
        'dev.ucp.shopping.checkout': [{ version }],
        'dev.ucp.shopping.fulfillment': [{ version }],
      },
      payment_handlers: {
        'com.example.mock': [
          {
            id: 'mock:card',
            version,
            spec: cardHandler.specUrl,
            schema: cardHandler.schemaUrl,
            available_instruments: [{ type: 'card' }],
            config: { environment: 'test' },
          },
        ],
      },
    });
    expect(older(mugs)['ucp']).to.deep.equal({
      version: '2026-01-11',
      capabilities: [
        { name: 'dev.ucp.shopping.checkout', version: '2026-01-11' },
        { name: 'dev.ucp.shopping.fulfillment', version: '2026-01-11' },
      ],
    });
  });

  it('lists ways to pay under `payment` in 2026-01-11, whole', () => {
    expect(older(mugs)['payment']).to.deep.equal({
      handlers: [
        {
          id: 'mock:card',
          name: 'com.example.mock',
          version: '2026-01-11',
          spec: cardHandler.specUrl,
          config_schema: cardHandler.schemaUrl,
          instrument_schemas: [],
          config: { environment: 'test' },
        },
      ],
      instruments: [],
    });
    expect(current(mugs)['payment']).to.deep.equal({ instruments: [] });
  });

  it('has one status word for agents and one for its life; a draft swaps them', () => {
    const expired = { ...mugs, lifecycle: 'expired', status: 'canceled', continueUrl: null } as const;
    expect(current(expired)).to.include({ status: 'canceled', session_status: 'expired' });
    expect(sessionForms.draft(expired, { ...currentContext, version: 'draft-7' })).to.include({
      status: 'expired',
      checkout_status: 'canceled',
      session_status: 'expired',
    });
    expect(current(expired)).not.to.have.any.keys('checkout_status', 'continue_url', 'order');
  });

  it('shows an instrument with what is known of its card; 2026-01-11 has no form for others', () => {
    const card = { id: 'i1', handlerId: 'mock:card', type: 'card', isSelected: true };
    const instruments = [
      { ...card, brand: 'visa', lastDigits: '4242' },
      { ...card, id: 'i2', type: 'wallet', isSelected: false },
    ];
    const paying = { ...mugs, payment: { handlers: [], instruments } };
    expect(current(paying)['payment']).to.deep.equal({
      instruments: [
        {
          id: 'i1',
          handler_id: 'mock:card',
          type: 'card',
          display: { brand: 'visa', last_digits: '4242' },
          selected: true,
        },
        { id: 'i2', handler_id: 'mock:card', type: 'wallet' },
      ],
    });
    expect(older(paying)['payment']).to.deep.equal({
      handlers: [],
      instruments: [{ id: 'i1', handler_id: 'mock:card', type: 'card', brand: 'visa', last_digits: '4242' }],
      selected_instrument_id: 'i1',
    });
  });

  it('gives back what the agent said of a destination, but no name that would make it a place to collect', () => {
    const further = { type: 'home', name: 'Depot', full_name: 'Depot', first_name: 'Eve' };
    const home = { id: 'home', firstName: 'Ada', lastName: 'King', countryCode: 'GB', further };
    const sent = sentBy({ destinations: [home] });
    const shown = {
      id: 'home',
      type: 'home',
      first_name: 'Ada',
      last_name: 'King',
      address_country: 'GB',
    };
    expect(firstDestination(current(sent))).to.deep.equal(shown);
    expect(firstDestination(older(sent))).to.deep.equal({ ...shown, full_name: 'Ada King' });
  });

  it('leaves out destinations where there are none to choose from', () => {
    const { fulfillment } = current(
      sentBy({ destinations: null, selectedDestinationId: null, groups: null }),
    );
    expect(fulfillment).to.deep.equal({
      methods: [{ id: 'shipping', type: 'shipping', line_item_ids: ['line-1'] }],
    });
  });

  it('names its order once it is completed; the label is not in 2026-01-11', () => {
    const order = { id: mugsOrder.id, permalinkUrl: mugsOrder.permalinkUrl, label: 'INV-7' };
    const sold = { ...mugs, lifecycle: 'completed', status: 'completed', order } as const;
    const link = { id: order.id, permalink_url: order.permalinkUrl };
    expect(current(sold)['order']).to.deep.equal({ ...link, label: 'INV-7' });
    expect(older(sold)['order']).to.deep.equal(link);
  });

  it('tells an error that is beyond mending as one for the buyer in 2026-01-11', () => {
    const messages = [
      { type: 'error', code: 'invalid', content: 'No.', severity: 'unrecoverable' },
      { type: 'error', code: 'invalid', content: 'Not so.' },
      { type: 'info', code: 'free_shipping_applied', content: 'Free.', path: '$.fulfillment' },
    ] as const;
    const told = { ...mugs, messages };
    expect(current(told)['messages']).to.deep.equal([
      messages[0],
      { ...messages[1], severity: 'recoverable' },
      messages[2],
    ]);
    expect(older(told)['messages']).to.deep.include({ ...messages[0], severity: 'requires_buyer_input' });
  });
});

describe('A cart for agents (docs/rules/agent-dialects.md#carts)', () => {
  it('says where it stands, and whom it is for', () => {
    const { payment: _, fulfilment: __, order: ___, lifecycle: ____, ...shared } = mugs;
    const cart = { ...shared, status: 'converted', context: { address_country: 'GB' } } as const;
    const body = cartForms['2026-04-08'](cart, currentContext);
    expect(body).to.deep.include({ cart_status: 'converted', context: { address_country: 'GB' } });
    expect(body['buyer']).to.deep.equal({
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
    });
    expect(body).not.to.have.any.keys('payment', 'status', 'session_status');
    expect(cartForms['2026-01-11'](cart, olderContext)['buyer']).to.include({ full_name: 'Ada Lovelace' });
  });
});

describe('An order for agents (docs/rules/agent-dialects.md#orders)', () => {
  const now = orderForms['2026-04-08'](mugsOrder, currentContext);
  const then = orderForms['2026-01-11'](mugsOrder, olderContext);

  it('adjusts by signed figures, or in 2026-01-11 by positive ones', () => {
    const refund = {
      id: 'refund-1',
      type: 'refund',
      occurred_at: '2026-01-05T12:00:00.000Z',
      status: 'completed',
    };
    expect(now['adjustments']).to.deep.equal([
      {
        ...refund,
        line_items: [{ id: 'line-1', quantity: -1 }],
        totals: [{ type: 'total', amount: -900 }],
      },
    ]);
    expect(then['adjustments']).to.deep.equal([
      { ...refund, line_items: [{ id: 'line-1', quantity: 1 }], amount: 900 },
    ]);
  });

  it('counts what was bought at first, names its currency and number, and gives the attribution back', () => {
    expect(now).to.deep.include({ currency: 'USD', label: 'INV-7', attribution: { campaign: 'spring' } });
    expect(then).not.to.have.any.keys('currency', 'label', 'attribution');
    const quantityIn = (body: Json): unknown =>
      (body['line_items'] as readonly { quantity: unknown }[])[0]?.quantity;
    expect(quantityIn(now)).to.deep.equal({ original: 2, total: 1, fulfilled: 1 });
    expect(quantityIn(then)).to.deep.equal({ total: 1, fulfilled: 1 });
  });

  it('has a word for a line that was taken out, which 2026-01-11 lacks', () => {
    const lines = mugsOrder.lines.map((line) => ({ ...line, status: 'removed' }) as const);
    const statusIn = (body: Json): unknown =>
      (body['line_items'] as readonly { status: unknown }[])[0]?.status;
    const order = { ...mugsOrder, lines };
    expect(statusIn(orderForms['2026-04-08'](order, currentContext))).to.equal('removed');
    expect(statusIn(orderForms['2026-01-11'](order, olderContext))).to.equal('fulfilled');
  });

  it('expects goods to come by the chosen option, to a place that may be unknown', () => {
    const to = mugsOrder.expectations.map((one) => ({ ...one, destination: null }));
    const body = orderForms['2026-04-08']({ ...mugsOrder, expectations: to }, currentContext);
    expect(body['fulfillment']).to.deep.equal({
      expectations: [
        {
          id: 'group-1',
          line_items: [{ id: 'line-1', quantity: 1 }],
          method_type: 'shipping',
          destination: {},
          description: 'Post',
          fulfillable_on: 'now',
        },
      ],
      events: [],
    });
  });
});

describe('Products for agents (docs/rules/agent-dialects.md#catalogue)', () => {
  const price = { amount: 1000, currency: 'USD' };
  const product: CatalogueProduct = {
    id: 'mug',
    handle: 'mug',
    title: 'Mug',
    description: '',
    url: null,
    categories: ['Kitchen'],
    priceRange: { min: price, max: price },
    media: [{ type: 'image', url: 'https://shop.example/mug.png', altText: 'A mug' }],
    options: [{ name: 'Colour', values: [{ label: 'Blue', isAvailable: true, exists: true }] }],
  };
  const variant: CatalogueVariant = {
    id: 'blue-mug',
    sku: 'MUG-B',
    title: 'Mug, blue',
    description: '',
    price,
    listPrice: null,
    availability: { isAvailable: true, status: 'in_stock' },
    options: [{ name: 'Colour', label: 'Blue' }],
    media: [],
  };
  const mug: ShownProduct = { product, variants: [{ variant, inputs: [{ id: 'MUG-B', match: 'exact' }] }] };
  const written = (found: ProtocolProducts): Json =>
    JSON.parse(productsForms['2026-04-08'](found, currentContext)) as Json;
  const capabilities = ['dev.ucp.shopping.catalog.lookup'] as const;

  it('come in pages, whose last has no cursor', () => {
    const page = { products: [mug], messages: [], capabilities };
    const pageWith = (cursor: string | null): Json =>
      written({ ...page, pagination: { cursor, totalCount: 3 } });
    expect(pageWith('next')['pagination']).to.deep.equal({
      has_next_page: true,
      cursor: 'next',
      total_count: 3,
    });
    expect(pageWith(null)['pagination']).to.deep.equal({ has_next_page: false, total_count: 3 });
    expect(schemaProblems('products', '2026-04-08', pageWith('next'))).to.deep.equal([]);
  });

  it('are looked up with what led to each variant', () => {
    const found = { products: [mug], pagination: null, messages: [], capabilities };
    const body = written(found);
    expect(schemaProblems('lookup', '2026-04-08', body)).to.deep.equal([]);
    expect(body).not.to.have.any.keys('pagination', 'messages');
    const [shown] = body['products'] as readonly Json[];
    expect(shown?.['variants']).to.deep.equal([
      {
        id: 'blue-mug',
        sku: 'MUG-B',
        title: 'Mug, blue',
        description: { plain: '' },
        price,
        availability: { available: true, status: 'in_stock' },
        options: [{ name: 'Colour', label: 'Blue' }],
        inputs: [{ id: 'MUG-B', match: 'exact' }],
      },
    ]);
    expect(written({ ...found, products: [{ ...mug, kept: {} }] })).to.deep.equal(body);
    for (const products of [[], [mug, mug, mug]])
      expect(written({ ...found, products })['products']).to.deep.equal(products.map(() => shown));
    const again = written({ ...found, products: [{ ...mug, variants: [{ variant }] }] });
    expect(again['products']).to.have.deep.nested.property('[0].variants[0].id', 'blue-mug');
    expect(again['products']).not.to.have.nested.property('[0].variants[0].inputs');
  });

  it('are shown one by one with their choices; one that is not there is an answer with an error', () => {
    const shown = { product: { ...mug, selected: [] }, messages: [], capabilities };
    const body = productForms['2026-04-08'](shown, currentContext);
    expect(schemaProblems('product', '2026-04-08', body)).to.deep.equal([]);
    expect((body['product'] as Json)['options']).to.deep.equal([
      { name: 'Colour', values: [{ label: 'Blue', available: true, exists: true }] },
    ]);

    const messages = [{ type: 'error', code: 'not_found', content: 'Not found.' }] as const;
    const missing = productForms['2026-04-08']({ product: null, messages, capabilities }, currentContext);
    expect(missing['ucp']).to.deep.include({ status: 'error' });
    expect(schemaProblems('error', '2026-04-08', missing)).to.deep.equal([]);
  });
});
