import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('discounts in the management API', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);
  const rule = {
    name: 'Ten off',
    category: 'AmountOffOrder',
    method: 'Code',
    code: 'TENOFF',
    valueType: 'Percentage',
    value: 10,
  };
  const pair = {
    buyTriggerType: 'MinimumQuantity',
    buyTriggerValue: 2,
    getQuantity: 1,
    getValueType: 'Free',
  };
  const without = (field: string): object =>
    Object.fromEntries(Object.entries(rule).filter(([name]) => name !== field));

  const wrongs: readonly (readonly [body: object, error: string])[] = [
    [without('name'), 'name: must be text'],
    [{ ...rule, name: ' ' }, 'name: must not be empty'],
    [without('category'), 'category: must be text or a number'],
    [
      { ...rule, category: 'Points' },
      'category: must be one of AmountOffProducts, BuyXGetY, AmountOffOrder, FreeShipping',
    ],
    [{ ...rule, method: 'Magic' }, 'method: must be one of Code, Automatic'],
    [{ ...rule, valueType: 9 }, 'valueType: must be one of FixedAmount, Percentage, Free'],
    [without('code'), 'code: must be a code'],
    [{ ...rule, value: 101 }, 'value: must be a percentage above 0 and up to 100'],
    [{ ...rule, value: 1.00001 }, 'value: must be a percentage with at most 4 decimals'],
    [{ ...rule, valueType: 'Free', value: -1 }, 'value: must be 0 or more'],
    [{ ...rule, valueType: 'FixedAmount', value: 0 }, 'value: must be more than 0'],
    [
      { ...rule, valueType: 'FixedAmount', value: 1.005 },
      'value: must be an amount with the decimals of the store currency',
    ],
    [{ ...rule, startsAt: 'soon' }, 'startsAt: must be an ISO 8601 date and time with its offset'],
    [
      { ...rule, startsAt: '2030-02-01T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' },
      'endsAt: must not be before startsAt',
    ],
    [{ ...rule, totalUsageLimit: 0 }, 'totalUsageLimit: must be more than 0'],
    [{ ...rule, perCustomerUsageLimit: 1.5 }, 'perCustomerUsageLimit: must be a whole number'],
    [{ ...rule, requirementType: 'MinimumQuantity' }, 'requirementValue: must be given for MinimumQuantity'],
    [
      { ...rule, requirementType: 'MinimumQuantity', requirementValue: 1.5 },
      'requirementValue: must be a whole number',
    ],
    [
      { ...rule, requirementType: 'MinimumPurchaseAmount', requirementValue: 0.005 },
      'requirementValue: must be an amount with the decimals of the store currency',
    ],
    [{ ...rule, requirementValue: -1 }, 'requirementValue: must be 0 or more'],
    [{ ...rule, category: 'BuyXGetY' }, 'buyXGetY: must say what to buy and what to get'],
    [{ ...rule, category: 'FreeShipping' }, 'freeShipping: must say where shipping is free'],
    [
      { ...rule, buyXGetY: { ...pair, buyTriggerValue: 1.5 } },
      'buyXGetY.buyTriggerValue: must be a whole number from 1',
    ],
    [
      { ...rule, buyXGetY: { ...pair, getQuantity: 0 } },
      'buyXGetY.getQuantity: must be a whole number from 1',
    ],
    [
      { ...rule, buyXGetY: { ...pair, getValueType: 'Percentage', getValue: 101 } },
      'buyXGetY.getValue: must be 100 or less',
    ],
    [
      { ...rule, freeShipping: { countryScope: 'SelectedCountries' } },
      'freeShipping.countryCodes: must be given for SelectedCountries',
    ],
    [
      { ...rule, freeShipping: { countryCodes: ['XX'] } },
      'freeShipping.countryCodes.0: must be an ISO 3166-1 country code',
    ],
    [
      { ...rule, freeShipping: { allowedShippingOptionIds: [`so:${nobody}`] } },
      'freeShipping.allowedShippingOptionIds.0: must be an existing shipping option',
    ],
    [
      { ...rule, targetRules: [{ targetType: 'Collections' }] },
      'targetRules.0.targetIds: must be given for Collections',
    ],
    [
      { ...rule, targetRules: [{ targetType: 'Collections', targetIds: ['tea'] }] },
      'targetRules.0.targetIds.0: must be a GUID',
    ],
    ...(
      [
        ['SpecificProducts', 'product'],
        ['Collections', 'collection'],
        ['ProductFilters', 'filter'],
        ['ProductTypes', 'product type'],
        ['Suppliers', 'supplier'],
        ['Warehouses', 'warehouse'],
        ['Skus', 'sku'],
      ] as const
    ).map(
      ([targetType, noun]) =>
        [
          { ...rule, targetRules: [{ targetType, targetIds: [nobody] }] },
          `targetRules.0.targetIds.0: must be an existing ${noun}`,
        ] as const,
    ),
    [
      { ...rule, buyXGetY: { ...pair, getTargetType: 'Skus', getTargetIds: ['NONE'] } },
      'buyXGetY.getTargetIds.0: must be an existing sku',
    ],
    [
      { ...rule, eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [nobody] }] },
      'eligibilityRules.0.ids.0: must be an existing customer segment',
    ],
    [
      { ...rule, eligibilityRules: [{ eligibilityType: 'SpecificCustomers', ids: [nobody] }] },
      'eligibilityRules.0.ids.0: must be an existing customer',
    ],
    [{ ...rule, status: 'Active' }, 'status: must be Draft or nothing: it follows from the dates'],
  ];
  for (const [wrong, error] of wrongs) {
    it(`are not saved: ${error}`, async () => {
      await when(manage.post('/discounts', wrong))
        .then(400, { success: false, message: 'The request is not valid.' })
        .and(refusedFor('invalid-request'))
        .and(body(({ errors }) => expect(errors).to.include(error)))
        .and(noNewEvents());
    });
  }

  it('are not saved with the code of another, in any case', async () => {
    await make('/discounts', { ...rule, code: ' spring ' });
    await when(manage.post('/discounts', { ...rule, code: 'Spring' }))
      .then(409, { success: false })
      .and(refusedFor('value-taken'))
      .and(body(({ message }) => expect(message).to.include('code')))
      .and(noNewEvents());
  });

  it('are drafts when they are saved so, until they are activated', async () => {
    const draft = await make('/discounts', { ...rule, code: 'DRAFT', status: 'draft' });
    expect(draft).to.include({ status: 'Draft', usageCount: 0 });
    await seen('/discounts', draft);
    await when(manage.put(`/discounts/${draft.id}`, { value: 5 })).then(200, { status: 'Draft', value: 5 });
    await when(manage.post(`/discounts/${draft.id}/activate`, {}))
      .then(200, { status: 'Active' })
      .and(events('DiscountActivated'));
    await when(manage.put(`/discounts/${draft.id}`, { status: 'Draft' })).then(200, { status: 'Draft' });
  });

  it('begin and end by their dates: each change once, whoever runs the job and how often', async () => {
    const now = Date.parse((await shop.tester.post('/testing/clock', { advanceSeconds: 0 })).body.now);
    const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    const dates = { startsAt: inSeconds(60), endsAt: inSeconds(120) };
    const { id, status } = await make('/discounts', { ...rule, code: 'BRIEF', ...dates });
    expect(status).to.equal('Scheduled');
    const off = await make('/discounts', { ...rule, code: 'OFF', ...dates });
    await when(manage.post(`/discounts/${off.id}/deactivate`, {})).then(200);
    const run = () => shop.tester.post('/testing/jobs/discount-status');
    const shown = async () => {
      await shop.settle();
      return (await shop.admin.ask(manage.get(`/discounts/${id}`))).body.status;
    };
    const changesAfter = async (seconds: number) => {
      await shop.tester.post('/testing/clock', { advanceSeconds: seconds });
      const before = (await eventsIn(shop)).length;
      await Promise.all([run(), run()]);
      await shop.settle();
      await run();
      return (await eventsIn(shop)).slice(before).map(({ type }) => type);
    };
    expect(await changesAfter(59)).to.deep.equal([]);
    expect(await changesAfter(1)).to.deep.equal(['DiscountActivated']);
    expect(await shown()).to.equal('Active');
    expect(await changesAfter(61)).to.deep.equal(['DiscountExpired']);
    expect(await shown()).to.equal('Expired');
  });

  it('get codes that are easy to read and that nobody has', async () => {
    const found = await when(manage.get('/discounts/generate-code')).then(200);
    expect(found.body.code).to.match(/^[A-HJ-NP-Z2-9]{8}$/);
    const long = await when(manage.get('/discounts/generate-code?length=20')).then(200);
    expect(long.body.code).to.match(/^[A-HJ-NP-Z2-9]{20}$/);
    await when(manage.get('/discounts/generate-code?length=1')).then(400);
  });

  it('say whether a code is free, for a new rule and for one that has it', async () => {
    const { id } = await make('/discounts', { ...rule, code: 'TAKEN' });
    const free = { isAvailable: true, available: true };
    const taken = { isAvailable: false, available: false };
    for (const path of ['validate-code', 'check-code']) {
      await when(manage.get(`/discounts/${path}?code=%20taken`)).then(200, taken);
      await when(manage.get(`/discounts/${path}?code=FREE`)).then(200, free);
    }
    await when(manage.get(`/discounts/check-code?code=TAKEN&excludeId=${id}`)).then(200, free);
    await when(manage.get(`/discounts/check-code?code=TAKEN&excludeId=${nobody}`)).then(200, taken);
    await when(manage.get('/discounts/check-code')).then(400);
  });
});
