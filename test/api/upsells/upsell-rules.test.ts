import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const locations =
  'must be None, All, a sum of Checkout = 1, Basket = 2, ProductPage = 4, Email = 8, Confirmation = 16, or names of these';

const rule = { name: 'Cups', heading: 'Goes well with it' };
const byWorth = (changes: object) => ({ ...rule, triggerRules: [changes] });
const recommending = (changes: object) => ({ ...rule, recommendationRules: [changes] });
const kinds = [
  ['ProductTypes', 'product type'],
  ['ProductFilters', 'filter'],
  ['Collections', 'collection'],
  ['SpecificProducts', 'product'],
  ['Suppliers', 'supplier'],
] as const;

const wrongs: readonly (readonly [body: object, error: string])[] = [
  [{ heading: 'x' }, 'name: must be text'],
  [{ name: 'x' }, 'heading: must be text'],
  [{ ...rule, heading: ' ' }, 'heading: must not be empty'],
  [{ ...rule, status: 'On' }, 'status: must be one of Draft, Active, Scheduled, Expired, Disabled'],
  [
    { ...rule, checkoutMode: 4 },
    'checkoutMode: must be one of Inline, Interstitial, OrderBump, PostPurchase',
  ],
  [
    { ...rule, sortBy: 'Cheapest' },
    'sortBy: must be one of BestSeller, PriceLowToHigh, PriceHighToLow, Name, DateAdded, Random',
  ],
  [{ ...rule, displayLocation: 32 }, `displayLocation: ${locations}`],
  [{ ...rule, displayLocation: 'Basket, Attic' }, `displayLocation: ${locations}`],
  [{ ...rule, displayLocation: null }, `displayLocation: ${locations}`],
  [{ ...rule, maxProducts: 0 }, 'maxProducts: must be 1 or more'],
  [{ ...rule, maxProducts: 101 }, 'maxProducts: must be 100 or less'],
  [{ ...rule, priority: 1.5 }, 'priority: must be a whole number'],
  [{ ...rule, startsAt: 'soon' }, 'startsAt: must be an ISO 8601 date and time with its offset'],
  [
    { ...rule, startsAt: '2030-02-01T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' },
    'endsAt: must not be before startsAt',
  ],
  [{ ...rule, displayStyles: 'blue' }, 'displayStyles: must be an object'],
  [
    { ...rule, displayStyles: { basket: 'x'.repeat(64_000) } },
    'displayStyles: must be at most 64000 bytes of JSON',
  ],
  [
    byWorth({ triggerType: 'Weather' }),
    'triggerRules.0.triggerType: must be one of ProductTypes, ProductFilters, Collections, SpecificProducts, Suppliers, MinimumCartValue, MaximumCartValue, CartValueBetween',
  ],
  [byWorth({ triggerType: 'Collections' }), 'triggerRules.0.triggerIds: must be given for Collections'],
  [
    byWorth({ triggerType: 'MinimumCartValue' }),
    'triggerRules.0.value: must be an amount from 0, as MinimumCartValue needs it',
  ],
  [
    byWorth({ triggerType: 'MaximumCartValue', value: 1.005 }),
    'triggerRules.0.value: must be an amount with the decimals of the store currency',
  ],
  [byWorth({ triggerType: 'MaximumCartValue', value: -1 }), 'triggerRules.0.value: must be 0 or more'],
  [
    byWorth({ triggerType: 'CartValueBetween', min: 10 }),
    'triggerRules.0.max: must be an amount from 0, as CartValueBetween needs it',
  ],
  [
    byWorth({ triggerType: 'CartValueBetween', triggerIds: { min: 10.01, max: 10 } }),
    'triggerRules.0.max: must not be less than min',
  ],
  [
    byWorth({ triggerType: 'MinimumCartValue', value: 1, extractFilterIds: [nobody] }),
    'triggerRules.0.extractFilterIds.0: must be an existing filter group or filter',
  ],
  [
    recommending({ recommendationType: 'MinimumCartValue', ids: [nobody] }),
    'recommendationRules.0.recommendationType: must be one of ProductTypes, ProductFilters, Collections, SpecificProducts, Suppliers',
  ],
  [
    recommending({ recommendationType: 'Collections', ids: [] }),
    'recommendationRules.0.ids: must name what to recommend',
  ],
  ...kinds.flatMap(([type, noun]) => [
    [
      byWorth({ triggerType: type, triggerIds: [nobody] }),
      `triggerRules.0.triggerIds.0: must be an existing ${noun}`,
    ] as const,
    [
      recommending({ recommendationType: type, ids: [nobody] }),
      `recommendationRules.0.ids.0: must be an existing ${noun}`,
    ] as const,
  ]),
  [
    { ...rule, eligibilityRules: [{ eligibilityType: 'Regulars' }] },
    'eligibilityRules.0.eligibilityType: must be one of AllCustomers, CustomerSegments, SpecificCustomers',
  ],
  [
    { ...rule, eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [nobody] }] },
    'eligibilityRules.0.ids.0: must be an existing customer segment',
  ],
  [
    { ...rule, eligibilityRules: [{ eligibilityType: 'SpecificCustomers', ids: [nobody] }] },
    'eligibilityRules.0.ids.0: must be an existing customer',
  ],
];

describe('upsell rules in the management API', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);

  it('are not saved wrong: every field is named with what it must be, and nothing is written', async () => {
    for (const [wrong, error] of wrongs)
      await when(manage.post('/upsells', wrong))
        .then(400, { success: false, message: 'The request is not valid.' })
        .and(refusedFor('invalid-request'))
        .and(body(({ errors }) => expect(errors).to.include(error)))
        .and(noNewEvents());
  });

  it('are kept as they are given, with what they mean where they say nothing', async () => {
    const plain = await make('/upsells', rule);
    expect(plain).to.include({ status: 'Draft', priority: 1000, maxProducts: 4, sortBy: 'BestSeller' });
    expect(plain).to.include({ displayLocation: 'All', checkoutMode: 'Inline', suppressIfInCart: true });
    expect(plain).to.include({ autoAddToBasket: false, defaultChecked: false, displayStyles: null });
    await seen('/upsells', plain);
    const displayStyles = { basket: { heading: { color: 'red' } } };
    const whole = await make('/upsells', {
      ...rule,
      status: 'active',
      displayLocation: 3,
      sortBy: 5,
      displayStyles,
      triggerRules: [
        { triggerType: 7, min: 10, max: 49.99 },
        { triggerType: 'MinimumCartValue', triggerIds: { value: 5 } },
      ],
    });
    expect(whole).to.include({ status: 'Active', displayLocation: 'Checkout, Basket', sortBy: 'Random' });
    expect(whole.displayStyles).to.deep.equal(displayStyles);
    const bounds = whole.triggerRules.map((one: Record<string, unknown>) => [
      one['min'],
      one['max'],
      one['value'],
    ]);
    expect(bounds).to.deep.equal([
      [10, 49.99, null],
      [null, null, 5],
    ]);
    await seen('/upsells', whole);
    const list = await when(manage.get('/upsells?search=cups&sortBy=priority')).then(200);
    expect(list.body.items).to.have.lengthOf(2);
  });

  it('say where they are shown in any of the ways there are', async () => {
    const { id } = await make('/upsells', rule);
    const ways: readonly (readonly [unknown, string])[] = [
      [0, 'None'],
      ['all', 'All'],
      ['basket', 'Basket'],
      ['Basket,Email', 'Basket, Email'],
      [['Confirmation', 'Checkout'], 'Checkout, Confirmation'],
    ];
    for (const [displayLocation, shown] of ways)
      await when(manage.put(`/upsells/${id}`, { displayLocation })).then(200, { displayLocation: shown });
  });

  it('are switched on and off, changed and deleted', async () => {
    const { id } = await make('/upsells', rule);
    const on = manage.post(`/upsells/${id}/activate`);
    await when(on).then(200, { status: 'Active' }).and(events('UpsellRuleActivated'));
    await when(on).then(200, { status: 'Active' }).and(noNewEvents());
    await when(manage.put(`/upsells/${id}`, { priority: 5 })).then(200, { status: 'Active', priority: 5 });
    await when(manage.post(`/upsells/${id}/deactivate`)).then(200, { status: 'Disabled' });
    await when(manage.delete(`/upsells/${id}`))
      .then(204)
      .and(events('UpsellRuleDeleted'));
    for (const path of [`/upsells/${id}`, `/upsells/${nobody}`]) await when(manage.get(path)).then(404);
    await when(on).then(404).and(noNewEvents());
    await when(manage.put(`/upsells/${id}`, { priority: 5 })).then(404);
    await when(manage.delete(`/upsells/${id}`)).then(404);
  });

  it('begin and end by their dates: each change once, whoever runs the job and how often', async () => {
    const now = Date.parse((await shop.tester.post('/testing/clock', { advanceSeconds: 0 })).body.now);
    const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    const dates = { startsAt: inSeconds(60), endsAt: inSeconds(120) };
    const { status } = await make('/upsells', { ...rule, ...dates, status: 'Active' });
    expect(status).to.equal('Scheduled');
    const off = await make('/upsells', { ...rule, ...dates });
    expect(off.status).to.equal('Draft');
    const run = () => shop.tester.post('/testing/jobs/upsell-status');
    const changesAfter = async (seconds: number) => {
      await shop.tester.post('/testing/clock', { advanceSeconds: seconds });
      const before = (await eventsIn(shop)).length;
      await Promise.all([run(), run()]);
      await shop.settle();
      await run();
      return (await eventsIn(shop)).slice(before).map(({ type }) => type);
    };
    expect(await changesAfter(59)).to.deep.equal([]);
    expect(await changesAfter(1)).to.deep.equal(['UpsellRuleActivated']);
    expect(await changesAfter(61)).to.deep.equal(['UpsellRuleExpired']);
  });

  it('stand in the way of a segment that they are for, as nobody else would be shown them', async () => {
    const segment = await make('/customer-segments', { name: 'Friends', segmentType: 'Manual' });
    const eligibilityRules = [{ eligibilityType: 'CustomerSegments', ids: [segment.id] }];
    const { id } = await make('/upsells', { ...rule, name: 'For friends', eligibilityRules });
    await when(manage.delete(`/customer-segments/${segment.id}`))
      .then(409)
      .and(body(({ message }) => expect(message).to.include('the upsell rule For friends')))
      .and(noNewEvents());
    await when(manage.delete(`/upsells/${id}`)).then(204);
    await when(manage.delete(`/customer-segments/${segment.id}`)).then(204);
  });
});
