import fc from 'fast-check';
import type { Adjustment, OrderLine, ProtocolOrder } from '#agents/protocol-order.ts';
import type {
  AppliedDiscount,
  ProtocolAddress,
  ProtocolBuyer,
  ProtocolDestination,
  ProtocolLine,
  ProtocolMessage,
  ProtocolTotal,
} from '#agents/protocol-parts.ts';
import type { ProtocolCart } from '#agents/protocol-cart.ts';
import type {
  FulfilmentMethod,
  FulfilmentOption,
  PaymentHandler,
  PaymentInstrument,
  ProtocolSession,
} from '#agents/protocol-session.ts';

/** Answers of every shape that the shop may give, whose figures add up. */

const amount = fc.integer({ min: 0, max: 10_000_000 });
/** Never blank. */
const word = fc.string({ maxLength: 12 }).map((text) => `<${text}>`);
const guid = fc.uuid();
const instant = fc
  .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const currency = fc.constantFrom('USD', 'JPY', 'KWD');
const webAddress = fc.webUrl();
const orNull = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { nil: null });
/** Some of the members. */
const some = <Members>(members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> }) =>
  fc.record(members, { requiredKeys: [] });

/** What agents send beside what they should. */
const further = fc.dictionary(
  fc.oneof(fc.constantFrom('type', 'name', 'full_name', 'company', '__proto__'), word),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  { maxKeys: 3 },
);
/** Of a buyer, whose names are read, not echoed. */
const furtherOfBuyer = fc.dictionary(fc.constantFrom('loyalty_id', 'title', 'type'), fc.string(), {
  maxKeys: 2,
});

const names = { firstName: word, lastName: word };

const address: fc.Arbitrary<ProtocolAddress> = some({
  ...names,
  addressOne: word,
  addressTwo: word,
  townCity: word,
  region: word,
  postalCode: word,
  countryCode: fc.constantFrom('GB', 'US', 'JP'),
  phone: word,
  further,
});
const buyer: fc.Arbitrary<ProtocolBuyer> = some({
  ...names,
  email: fc.emailAddress(),
  phone: word,
  consent: some({
    analytics: fc.boolean(),
    preferences: fc.boolean(),
    marketing: fc.boolean(),
    saleOfData: fc.boolean(),
  }),
  further: furtherOfBuyer,
});

const message: fc.Arbitrary<ProtocolMessage> = fc.record(
  {
    type: fc.constantFrom('error', 'warning', 'info'),
    code: fc.constantFrom('out_of_stock', 'invalid', 'free_shipping_applied'),
    content: word,
    path: fc.constant('$.line_items[0]'),
    severity: fc.constantFrom(
      'recoverable',
      'requires_buyer_input',
      'requires_buyer_review',
      'unrecoverable',
    ),
  },
  { requiredKeys: ['type', 'code', 'content'] },
);

const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

/** Entries in their order; those that lower the sum are negative. */
const entry = (type: ProtocolTotal['type'], figure: number): readonly ProtocolTotal[] =>
  figure === 0 ? [] : [{ type, amount: figure }];

interface Bought {
  readonly line: ProtocolLine;
  readonly subtotal: number;
  readonly lowered: number;
}

const bought: fc.Arbitrary<Bought> = fc
  .record({
    id: guid,
    item: fc.record(
      { id: word, title: word, price: amount, imageUrl: webAddress },
      { requiredKeys: ['id', 'title', 'price'] },
    ),
    quantity: fc.integer({ min: 1, max: 9 }),
    share: fc.integer({ min: 0, max: 100 }),
    options: fc.array(fc.record({ name: word, label: word }), { maxLength: 2 }),
  })
  .map(({ id, item, quantity, share, options }) => {
    const subtotal = item.price * quantity;
    const lowered = Math.floor((subtotal * share) / 100);
    return {
      line: {
        id,
        item,
        quantity,
        options,
        totals: [
          { type: 'subtotal', amount: subtotal },
          ...entry('items_discount', -lowered),
          { type: 'total', amount: subtotal - lowered },
        ],
      },
      subtotal,
      lowered,
    };
  });

const lines = fc.uniqueArray(bought, { minLength: 1, maxLength: 5, selector: ({ line }) => line.id });

interface Further {
  readonly fulfilment: number | null;
  readonly tax: number;
  readonly fee: number;
  readonly orderShare: number;
}

const furtherFigures = fc.record({
  tax: amount,
  fee: fc.oneof(fc.constant(0), amount),
  orderShare: fc.integer({ min: 0, max: 100 }),
});

const orderDiscountOf = (all: readonly Bought[], { orderShare }: Pick<Further, 'orderShare'>): number =>
  Math.floor((sum(all.map(({ subtotal, lowered }) => subtotal - lowered)) * orderShare) / 100);

const totalsOf = (all: readonly Bought[], figures: Further): readonly ProtocolTotal[] => {
  const subtotal = sum(all.map((one) => one.subtotal));
  const lowered = sum(all.map((one) => one.lowered));
  const discount = orderDiscountOf(all, figures);
  const { fulfilment, tax, fee } = figures;
  return [
    { type: 'subtotal', amount: subtotal },
    ...entry('items_discount', -lowered),
    ...entry('discount', -discount),
    ...(fulfilment === null ? [] : [{ type: 'fulfillment' as const, amount: fulfilment }]),
    { type: 'tax', amount: tax },
    ...entry('fee', fee),
    { type: 'total', amount: subtotal - lowered - discount + (fulfilment ?? 0) + tax + fee },
  ];
};

/** One discount to the lines that are cheaper, one to the order. */
const appliedTo = (
  all: readonly Bought[],
  figures: Pick<Further, 'orderShare'>,
): readonly AppliedDiscount[] => {
  const allocations = all.flatMap(({ lowered }, index) =>
    lowered === 0 ? [] : [{ path: `$.line_items[${index}]`, amount: lowered }],
  );
  const ofOrder = orderDiscountOf(all, figures);
  const shared = { method: 'across', allocations: [] } as const;
  return [
    ...(allocations.length === 0
      ? []
      : [
          {
            ...shared,
            code: 'SAVE',
            title: 'Lines',
            amount: sum(allocations.map((one) => one.amount)),
            isAutomatic: false,
            priority: 1,
            allocations,
          },
        ]),
    ...(ofOrder === 0
      ? []
      : [{ ...shared, title: 'Order', amount: ofOrder, isAutomatic: true, priority: 2 }]),
  ];
};

const option: fc.Arbitrary<FulfilmentOption> = fc
  .record(
    {
      id: word,
      title: word,
      price: amount,
      isFree: fc.boolean(),
      description: word,
      carrier: word,
      earliestTime: instant,
      latestTime: instant,
    },
    { requiredKeys: ['id', 'title', 'price', 'isFree'] },
  )
  .map(({ price, isFree, ...named }) => ({
    ...named,
    totals: [
      ...(isFree ? [{ type: 'subtotal' as const, amount: price }, ...entry('discount', -price)] : []),
      { type: 'total', amount: isFree ? 0 : price },
    ],
  }));

const destinations: fc.Arbitrary<readonly ProtocolDestination[]> = fc.uniqueArray(
  fc.tuple(word, address).map(([id, known]) => ({ ...known, id })),
  { maxLength: 3, selector: ({ id }) => id },
);
const options = fc.uniqueArray(option, { minLength: 1, maxLength: 3, selector: ({ id }) => id });
const pick = fc.integer({ min: 0, max: 9 });

const method = (lineIds: readonly string[]): fc.Arbitrary<FulfilmentMethod> =>
  fc
    .record({
      id: word,
      destinations: orNull(destinations),
      quoted: orNull(options),
      to: orNull(pick),
      by: orNull(pick),
    })
    .map(({ id, destinations: places, quoted, to, by }) => ({
      id,
      type: 'shipping',
      lineIds,
      destinations: places,
      selectedDestinationId: (to === null ? undefined : places?.[to % places.length]?.id) ?? null,
      groups: quoted && [
        {
          id: 'group_1',
          lineIds,
          options: quoted,
          selectedOptionId: (by === null ? undefined : quoted[by % quoted.length]?.id) ?? null,
        },
      ],
    }));

const chosenPrice = ({ groups }: FulfilmentMethod): number | null => {
  const prices = (groups ?? []).flatMap((group) =>
    group.options
      .filter(({ id }) => id === group.selectedOptionId)
      .flatMap(({ totals }) => totals.filter(({ type }) => type === 'total')),
  );
  return prices.length === 0 ? null : sum(prices.map((total) => total.amount));
};

const handler: fc.Arbitrary<PaymentHandler> = fc.record({
  id: word,
  name: fc.constantFrom('com.example.pay', 'com.google.pay'),
  version: orNull(fc.constant('2026-04-08')),
  specUrl: webAddress,
  schemaUrl: webAddress,
  instruments: fc.array(
    fc.record(
      { type: word, constraints: fc.dictionary(word, fc.integer(), { maxKeys: 1 }) },
      { requiredKeys: ['type'] },
    ),
    { maxLength: 2 },
  ),
  config: fc.dictionary(word, fc.string(), { maxKeys: 2 }),
});

const instrument: fc.Arbitrary<PaymentInstrument> = fc.record(
  {
    id: word,
    handlerId: word,
    type: fc.constantFrom('card', 'wallet'),
    brand: word,
    lastDigits: fc.constant('4242'),
    isSelected: fc.boolean(),
    display: fc.dictionary(word, fc.string(), { maxKeys: 2 }),
  },
  { requiredKeys: ['id', 'handlerId', 'type', 'isSelected'] },
);

const links = webAddress.map((url) => [
  { type: 'terms_of_service' as const, url },
  { type: 'privacy_policy' as const, url },
]);

const basket = fc.record({
  id: guid,
  currency,
  buyer: orNull(buyer),
  messages: fc.array(message, { maxLength: 3 }),
  links,
  expiresAt: instant,
  continueUrl: webAddress,
});

const state = fc.constantFrom(
  { lifecycle: 'active', status: 'incomplete' } as const,
  { lifecycle: 'active', status: 'requires_escalation' } as const,
  { lifecycle: 'active', status: 'ready_for_complete' } as const,
  { lifecycle: 'active', status: 'complete_in_progress' } as const,
  { lifecycle: 'completed', status: 'completed' } as const,
  { lifecycle: 'cancelled', status: 'canceled' } as const,
  { lifecycle: 'expired', status: 'canceled' } as const,
);

export const anySession: fc.Arbitrary<ProtocolSession> = lines.chain((all) =>
  fc
    .record({
      basket,
      state,
      figures: furtherFigures,
      method: orNull(method(all.map(({ line }) => line.id))),
      instants: fc.record({ createdAt: instant, updatedAt: instant }),
      payment: fc.record({
        handlers: fc.array(handler, { maxLength: 3 }),
        instruments: fc.array(instrument, { maxLength: 2 }),
      }),
      order: fc.record({ id: guid, permalinkUrl: webAddress, label: orNull(word) }),
      codes: fc.array(word, { maxLength: 3 }),
    })
    .map(({ basket: shared, state: reached, figures, method: sent, instants, payment, order, codes }) => ({
      ...shared,
      ...instants,
      ...reached,
      continueUrl: reached.lifecycle === 'active' ? shared.continueUrl : null,
      lines: all.map(({ line }) => line),
      totals: totalsOf(all, { ...figures, fulfilment: sent && chosenPrice(sent) }),
      discounts: { codes, applied: appliedTo(all, figures) },
      fulfilment: sent && { methods: [sent] },
      payment,
      order: reached.status === 'completed' ? order : null,
      capabilities: ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.discount'],
    })),
);

export const anyCart: fc.Arbitrary<ProtocolCart> = lines.chain((all) =>
  fc
    .record({
      basket,
      figures: furtherFigures,
      status: fc.constantFrom('active', 'converted', 'cancelled', 'expired'),
      context: orNull(fc.constant({ address_country: 'GB', eligibility: ['com.example.loyalty'] })),
    })
    .map(({ basket: shared, figures, status, context }) => ({
      ...shared,
      status,
      context,
      lines: all.map(({ line }) => line),
      totals: totalsOf(all, { ...figures, fulfilment: null }),
      discounts: { codes: ['save'], applied: appliedTo(all, figures) },
      capabilities: ['dev.ucp.shopping.cart', 'dev.ucp.shopping.discount'],
    })),
);

const adjustment = (lineId: string): fc.Arbitrary<Adjustment> =>
  fc.record(
    {
      id: guid,
      type: fc.constantFrom('refund', 'return', 'cancellation', 'dispute', 'edit'),
      occurredAt: instant,
      status: fc.constantFrom('pending', 'completed', 'failed'),
      lines: fc.array(
        fc.integer({ min: -3, max: 3 }).map((quantity) => ({ id: lineId, quantity })),
        {
          maxLength: 1,
        },
      ),
      amount: orNull(fc.integer({ min: -1_000_000, max: 1_000_000 })),
      description: word,
      further: fc.dictionary(fc.constantFrom('note', 'reason'), fc.string(), { maxKeys: 1 }),
    },
    { requiredKeys: ['id', 'type', 'occurredAt', 'status', 'lines', 'amount'] },
  );

const orderLine = ({ line }: Bought): fc.Arbitrary<OrderLine> =>
  fc.constantFrom('removed', 'fulfilled', 'partial', 'processing').map((status) => ({
    id: line.id,
    item: line.item,
    totals: line.totals,
    quantity: {
      original: line.quantity,
      total: status === 'removed' ? 0 : line.quantity,
      fulfilled: status === 'fulfilled' ? line.quantity : 0,
    },
    status,
  }));

export const anyOrder: fc.Arbitrary<ProtocolOrder> = lines.chain((all) => {
  const first = all[0]?.line.id ?? '';
  const sent = [{ id: first, quantity: 1 }];
  return fc
    .record({
      ids: fc.record({ id: guid, checkoutId: guid, permalinkUrl: webAddress, label: word, currency }),
      lines: fc.tuple(...all.map(orderLine)),
      figures: furtherFigures,
      shipping: amount,
      expectations: fc.array(
        fc.record({
          id: guid,
          lines: fc.constant(sent),
          method: fc.constantFrom('shipping', 'digital'),
          destination: orNull(address),
          description: word,
        }),
        { maxLength: 2 },
      ),
      events: fc.array(
        fc.record(
          {
            id: guid,
            occurredAt: instant,
            type: fc.constantFrom('shipped', 'delivered', 'returned_to_sender'),
            lines: fc.constant(sent),
            trackingNumber: word,
            trackingUrl: webAddress,
            carrier: word,
            description: word,
          },
          { requiredKeys: ['id', 'occurredAt', 'type', 'lines'] },
        ),
        { maxLength: 2 },
      ),
      adjustments: fc.array(adjustment(first), { maxLength: 3 }),
      attribution: orNull(fc.dictionary(word, fc.string(), { maxKeys: 2 })),
    })
    .map(({ ids, figures, shipping, ...shared }) => ({
      ...ids,
      ...shared,
      totals: totalsOf(all, { ...figures, fulfilment: shipping }),
      capabilities: ['dev.ucp.shopping.order'],
    }));
});
