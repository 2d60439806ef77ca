import type { DialectContext } from '#agents/dialects.ts';
import type { ProtocolOrder } from '#agents/protocol-order.ts';
import type { FulfilmentMethod, PaymentHandler, ProtocolSession } from '#agents/protocol-session.ts';

const schemaBaseUrl = 'https://ucp.example';
export const currentContext: DialectContext = { version: '2026-04-08', schemaBaseUrl };
export const olderContext: DialectContext = { version: '2026-01-11', schemaBaseUrl };

const at = '2026-01-05T12:00:00.000Z';
const shop = 'https://shop.example';

export const cardHandler: PaymentHandler = {
  id: 'mock:card',
  name: 'com.example.mock',
  version: null,
  specUrl: 'https://ucp.example/specification/payment',
  schemaUrl: 'https://ucp.example/schemas/payment.json',
  instruments: [{ type: 'card' }],
  config: { environment: 'test' },
};

/** Two mugs at 10.00, 2.00 off them and 1.00 off the order, sent for 5.00, with 0.85 of tax. */
export const mugs: ProtocolSession = {
  id: '11111111-1111-4111-8111-111111111111',
  lifecycle: 'active',
  status: 'ready_for_complete',
  currency: 'USD',
  lines: [
    {
      id: 'line-1',
      item: { id: 'MUG', title: 'Mug', price: 1000 },
      quantity: 2,
      totals: [
        { type: 'subtotal', amount: 2000 },
        { type: 'items_discount', amount: -200 },
        { type: 'total', amount: 1800 },
      ],
    },
  ],
  buyer: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
  totals: [
    { type: 'subtotal', amount: 2000 },
    { type: 'items_discount', amount: -200 },
    { type: 'discount', amount: -100 },
    { type: 'fulfillment', amount: 500 },
    { type: 'tax', amount: 85 },
    { type: 'total', amount: 2285 },
  ],
  messages: [],
  links: [
    { type: 'terms_of_service', url: `${shop}/terms` },
    { type: 'privacy_policy', url: `${shop}/privacy` },
  ],
  createdAt: at,
  updatedAt: at,
  expiresAt: '2026-01-05T18:00:00.000Z',
  continueUrl: `${shop}/continue/token`,
  payment: { handlers: [cardHandler], instruments: [] },
  discounts: {
    codes: ['mugs'],
    applied: [
      {
        code: 'MUGS',
        title: 'Mugs 10 %',
        amount: 200,
        isAutomatic: false,
        method: 'across',
        priority: 1,
        allocations: [{ path: '$.line_items[0]', amount: 200 }],
      },
      { title: 'Today', amount: 100, isAutomatic: true, method: 'across', priority: 2, allocations: [] },
    ],
  },
  fulfilment: {
    methods: [
      {
        id: 'shipping',
        type: 'shipping',
        lineIds: ['line-1'],
        destinations: [{ id: 'home', firstName: 'Ada', townCity: 'London', countryCode: 'GB' }],
        selectedDestinationId: 'home',
        groups: [
          {
            id: 'group_1',
            lineIds: ['line-1'],
            options: [{ id: 'post', title: 'Post', totals: [{ type: 'total', amount: 500 }] }],
            selectedOptionId: 'post',
          },
        ],
      },
    ],
  },
  order: null,
  capabilities: ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.fulfillment'],
};

/** The session with its one method changed. */
export const sentBy = (change: Partial<FulfilmentMethod>): ProtocolSession => ({
  ...mugs,
  fulfilment: { methods: (mugs.fulfilment?.methods ?? []).map((method) => ({ ...method, ...change })) },
});

/** What became of the mugs: one was taken back, with its price. */
export const mugsOrder: ProtocolOrder = {
  id: '22222222-2222-4222-8222-222222222222',
  checkoutId: mugs.id,
  permalinkUrl: `${shop}/order/22222222-2222-4222-8222-222222222222?key=k`,
  label: 'INV-7',
  currency: 'USD',
  lines: mugs.lines.map(({ id, item, totals }) => ({
    id,
    item,
    totals,
    quantity: { original: 2, total: 1, fulfilled: 1 },
    status: 'fulfilled',
  })),
  expectations: [
    {
      id: 'group-1',
      lines: [{ id: 'line-1', quantity: 1 }],
      method: 'shipping',
      destination: { firstName: 'Ada', lastName: 'Lovelace', countryCode: 'GB' },
      description: 'Post',
    },
  ],
  events: [],
  adjustments: [
    {
      id: 'refund-1',
      type: 'refund',
      occurredAt: at,
      status: 'completed',
      lines: [{ id: 'line-1', quantity: -1 }],
      amount: -900,
    },
  ],
  totals: mugs.totals,
  attribution: { campaign: 'spring' },
  capabilities: ['dev.ucp.shopping.order'],
};
