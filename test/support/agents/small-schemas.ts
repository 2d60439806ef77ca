/**
 * What answers must at least have, for machines that have no published schemas: who has them names their folder in
 * UCP_SCHEMAS (answer-schemas.ts).
 */
type Schema = Readonly<Record<string, unknown>>;
export type AnswerKind =
  | 'manifest'
  | 'checkout'
  | 'cart'
  | 'order'
  | 'products'
  | 'lookup'
  | 'product'
  | 'error';

const text: Schema = { type: 'string', minLength: 1 };
const address: Schema = { type: 'string', format: 'uri' };
const instant: Schema = { type: 'string', format: 'date-time' };
const natural: Schema = { type: 'integer', minimum: 0 };
const oneOf = (...words: readonly string[]): Schema => ({ enum: words });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const atLeastOne = (items: Schema): Schema => ({ ...listOf(items), minItems: 1 });

/** An object: members that end with `?` may be missing. */
const having = (members: Readonly<Record<string, Schema>>): Schema => {
  const names = Object.keys(members);
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), members[name]])),
  };
};
const nothingElse = (schema: Schema): Schema => ({ ...schema, additionalProperties: false });

const lowering = ['discount', 'items_discount'];
const known = ['subtotal', ...lowering, 'fulfillment', 'tax', 'fee', 'total'];

const totalIn = (isOlder: boolean): Schema => {
  const entry = (types: readonly string[], amount: Schema): Schema =>
    having({ type: oneOf(...types), amount, 'display_text?': text });
  if (isOlder) return entry(known, natural);
  return {
    anyOf: [
      entry(lowering, { type: 'integer', maximum: -1 }),
      entry(['subtotal', 'fulfillment', 'tax', 'fee'], natural),
      entry(['total'], { type: 'integer' }),
    ],
  };
};

const postal: Schema = having({
  'first_name?': text,
  'last_name?': text,
  'street_address?': text,
  'extended_address?': text,
  'address_locality?': text,
  'address_region?': text,
  'postal_code?': text,
  'address_country?': text,
  'phone_number?': text,
});
const destination: Schema = { allOf: [postal, having({ id: text })], not: { required: ['name'] } };

const severities = ['recoverable', 'requires_buyer_input', 'requires_buyer_review'];
const messageIn = (isOlder: boolean): Schema => ({
  anyOf: [
    having({
      type: oneOf('error'),
      code: text,
      content: text,
      severity: oneOf(...severities, ...(isOlder ? [] : ['unrecoverable'])),
    }),
    having({ type: oneOf('warning', 'info'), code: text, content: text }),
  ],
});

const item: Schema = having({ id: text, title: text, price: natural, 'image_url?': address });
const quantities: Schema = listOf(having({ id: text, quantity: { type: 'integer' } }));
const link: Schema = having({ type: text, url: address });

const discounts: Schema = having({
  codes: listOf({ type: 'string' }),
  applied: listOf(
    having({
      'code?': text,
      title: text,
      amount: natural,
      method: oneOf('each', 'across'),
      priority: { type: 'integer', minimum: 1 },
      'allocations?': listOf(having({ path: text, amount: natural })),
    }),
  ),
});

const fulfilmentIn = (total: Schema): Schema =>
  having({
    methods: listOf(
      having({
        id: text,
        type: oneOf('shipping'),
        line_item_ids: listOf(text),
        'destinations?': listOf(destination),
        'selected_destination_id?': text,
        'groups?': listOf(
          having({
            id: text,
            line_item_ids: listOf(text),
            options: listOf(having({ id: text, title: text, totals: atLeastOne(total) })),
            'selected_option_id?': text,
          }),
        ),
      }),
    ),
  });

const date: Schema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const entryOf = (members: Readonly<Record<string, Schema>>): Schema => having({ version: date, ...members });
const namedLists = (entry: Schema): Schema => ({
  type: 'object',
  propertyNames: { pattern: '^[a-z][a-z0-9]*(\\.[a-z][a-z0-9_]*)+$' },
  additionalProperties: atLeastOne(entry),
});

const envelopeIn = (isOlder: boolean, status: string, more: Readonly<Record<string, Schema>> = {}): Schema =>
  isOlder
    ? having({ version: oneOf('2026-01-11'), capabilities: listOf(entryOf({ name: text })) })
    : having({ version: date, status: oneOf(status), 'capabilities?': namedLists(entryOf({})), ...more });

const handlers = {
  payment_handlers: namedLists(
    entryOf({ id: text, 'available_instruments?': atLeastOne(having({ type: text })) }),
  ),
};

const paymentIn = (isOlder: boolean): Schema =>
  isOlder
    ? having({
        handlers: listOf(
          entryOf({
            id: text,
            name: text,
            spec: address,
            config_schema: address,
            instrument_schemas: listOf(address),
            config: { type: 'object' },
          }),
        ),
        'instruments?': listOf(
          having({ id: text, handler_id: text, type: oneOf('card'), brand: text, last_digits: text }),
        ),
      })
    : having({ instruments: listOf(having({ id: text, handler_id: text, type: text })) });

const statuses = [
  'incomplete',
  'requires_escalation',
  'ready_for_complete',
  'complete_in_progress',
  'completed',
  'canceled',
];

const basketIn = (isOlder: boolean): Readonly<Record<string, Schema>> => {
  const total = totalIn(isOlder);
  return {
    id: text,
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    line_items: listOf(
      having({ id: text, item, quantity: { type: 'integer', minimum: 1 }, totals: atLeastOne(total) }),
    ),
    totals: atLeastOne(total),
    messages: listOf(messageIn(isOlder)),
    links: listOf(link),
    expires_at: instant,
    'continue_url?': address,
    'buyer?': having({ 'first_name?': text, 'last_name?': text, 'email?': text, 'phone_number?': text }),
    'discounts?': discounts,
  };
};

const key: Schema = having({ kid: text, kty: text, crv: text, x: text, y: text });

const manifestIn = (isOlder: boolean): Schema =>
  isOlder
    ? having({
        ucp: having({
          version: oneOf('2026-01-11'),
          services: { type: 'object', additionalProperties: entryOf({ spec: address }) },
          capabilities: listOf(entryOf({ name: text, spec: address, schema: address })),
        }),
        payment: paymentIn(true),
        signing_keys: atLeastOne(key),
      })
    : having({
        ucp: having({
          version: date,
          services: namedLists(entryOf({ transport: oneOf('rest', 'mcp'), endpoint: address })),
          capabilities: namedLists(entryOf({ spec: address, schema: address })),
          ...handlers,
        }),
        signing_keys: atLeastOne(key),
      });

const orderIn = (isOlder: boolean): Schema => {
  const total = totalIn(isOlder);
  const atMost = isOlder ? {} : { original: natural };
  const happened = { id: text, type: text, occurred_at: instant, 'line_items?': quantities };
  return having({
    ucp: envelopeIn(isOlder, 'success'),
    id: text,
    checkout_id: text,
    permalink_url: address,
    ...(isOlder ? {} : { label: text, currency: text }),
    line_items: listOf(
      having({
        id: text,
        item,
        quantity: having({ ...atMost, total: natural, fulfilled: natural }),
        totals: atLeastOne(total),
        status: oneOf('processing', 'partial', 'fulfilled', ...(isOlder ? [] : ['removed'])),
      }),
    ),
    fulfillment: having({
      expectations: listOf(
        having({
          id: text,
          line_items: quantities,
          method_type: oneOf('shipping', 'digital'),
          destination: postal,
        }),
      ),
      events: listOf(having({ ...happened, line_items: quantities, 'tracking_url?': address })),
    }),
    adjustments: listOf(
      having({
        ...happened,
        status: oneOf('pending', 'completed', 'failed'),
        ...(isOlder ? { 'amount?': natural } : { 'totals?': atLeastOne(totalIn(false)) }),
      }),
    ),
    totals: atLeastOne(total),
  });
};

const price: Schema = having({ amount: natural, currency: text });
const choice: Schema = having({ name: text, label: text });

const productWith = (variant: Readonly<Record<string, Schema>>): Schema =>
  having({
    id: text,
    title: text,
    description: having({ plain: { type: 'string' } }),
    'url?': address,
    'categories?': atLeastOne(having({ value: text })),
    price_range: having({ min: price, max: price }),
    'options?': listOf(having({ name: text, values: atLeastOne(having({ label: text })) })),
    'selected?': listOf(choice),
    variants: atLeastOne(
      having({
        id: text,
        title: text,
        description: having({ plain: { type: 'string' } }),
        price,
        availability: having({ available: { type: 'boolean' }, status: text }),
        'options?': listOf(choice),
        ...variant,
      }),
    ),
  });

const inputs = atLeastOne(having({ id: text, match: oneOf('exact', 'featured') }));

/** The schema of one kind of answer in one of the dated dialects. */
export const smallSchema = (kind: AnswerKind, isOlder: boolean): Schema => {
  const ucp = envelopeIn(isOlder, 'success');
  switch (kind) {
    case 'manifest':
      return manifestIn(isOlder);
    case 'checkout':
      return having({
        ...basketIn(isOlder),
        ucp: envelopeIn(isOlder, 'success', handlers),
        status: oneOf(...statuses),
        session_status: oneOf('active', 'completed', 'cancelled', 'expired'),
        created_at: instant,
        updated_at: instant,
        payment: paymentIn(isOlder),
        'fulfillment?': fulfilmentIn(totalIn(isOlder)),
        'ap2?': having({
          merchant_authorization: { type: 'string', pattern: '^[A-Za-z0-9_-]+\\.\\.[A-Za-z0-9_-]+$' },
        }),
        'order?': having({ id: text, permalink_url: address, ...(isOlder ? {} : { 'label?': text }) }),
      });
    case 'cart':
      return having({
        ...basketIn(isOlder),
        ucp,
        cart_status: oneOf('active', 'converted', 'cancelled', 'expired'),
      });
    case 'order':
      return orderIn(isOlder);
    case 'products':
      return having({
        ucp,
        products: listOf(productWith({})),
        'pagination?': {
          ...having({ has_next_page: { type: 'boolean' }, total_count: natural, 'cursor?': text }),
          if: { properties: { has_next_page: { const: true } } },
          then: { required: ['cursor'] },
        },
      });
    case 'lookup':
      return having({ ucp, products: listOf(productWith({ inputs })) });
    case 'product':
      return having({ ucp, product: productWith({}) });
    case 'error':
      return isOlder
        ? having({
            detail: text,
            code: text,
            error: text,
            message: text,
            messages: atLeastOne(messageIn(true)),
          })
        : nothingElse(
            having({
              ucp: envelopeIn(false, 'error'),
              messages: atLeastOne(messageIn(false)),
              'continue_url?': address,
            }),
          );
  }
};
