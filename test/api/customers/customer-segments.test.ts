import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));
const message = (part: string) => body((found) => expect(found.message).to.include(part));
const path = '/customer-segments';

describe('segments of customers', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);
  const person = async (name: string): Promise<string> =>
    (await make('/customers', { email: `${name}@example.com` })).id as string;

  it('are kept with all their fields, criteria as their fields ask', async () => {
    const given = {
      name: 'Big spenders',
      description: 'Who buy a lot',
      segmentType: 'automated',
      matchMode: 1,
      criteria: [
        { field: 'totalspend', operator: 'Between', value: '100', value2: 250.5 },
        { field: 'LastOrderDate', operator: 'GreaterThan', value: '2026-01-05T23:30:00-05:00' },
        { field: 'Tag', operator: 'IsEmpty', value: 'ignored' },
      ],
    };
    const created = await make(path, given);
    expect(created).to.deep.include({
      ...given,
      segmentType: 'Automated',
      matchMode: 'Any',
      isActive: true,
      isSystemSegment: false,
      memberCount: null,
      criteria: [
        { field: 'TotalSpend', operator: 'Between', value: 100, value2: 250.5 },
        { field: 'LastOrderDate', operator: 'GreaterThan', value: '2026-01-06', value2: null },
        { field: 'Tag', operator: 'IsEmpty', value: null, value2: null },
      ],
    });
    // Members are counted when somebody looks.
    await seen(path, { ...created, memberCount: 0 });
    const whole = manage.put(`${path}/${created.id}`, created);
    await when(whole).then(200).and(noNewEvents());
    await when(manage.put(`${path}/${created.id}`, { isActive: false })).then(200, { isActive: false });
  });

  it('are refused with criteria that make no sense, all at once', async () => {
    const criteria = [
      { field: 'ShoeSize', operator: 'Equals', value: 42 },
      { field: 'OrderCount', operator: 'Resembles', value: 3 },
      { field: 'OrderCount', operator: 'Contains', value: 3 },
      { field: 'OrderCount', operator: 'Equals', value: 'three' },
      { field: 'TotalSpend', operator: 'Equals', value: 1.005 },
      { field: 'FirstOrderDate', operator: 'Equals', value: '2026-02-30' },
      { field: 'Email', operator: 'Contains' },
      { field: 'OrderCount', operator: 'Between', value: 3, value2: 2 },
      { field: 'OrderCount', operator: 'Between', value: 3 },
    ];
    const compared = 'Equals, NotEquals, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual, Between';
    const errors = [
      'criteria.0.field: must be one of OrderCount, TotalSpend, AverageOrderValue, DaysSinceLastOrder, FirstOrderDate, LastOrderDate, DateCreated, Email, Country, Tag',
      `criteria.1.operator: must be one of ${compared}, Contains, NotContains, StartsWith, EndsWith, IsEmpty, IsNotEmpty`,
      `criteria.2.operator: must be one of ${compared} of OrderCount`,
      'criteria.3.value: must be a whole number, 0 or more',
      'criteria.4.value: must be an amount, 0 or more, with the decimals of the store currency',
      'criteria.5.value: must be a date YYYY-MM-DD',
      'criteria.6.value: must be text',
      'criteria.7.value2: must be value or more',
      'criteria.8.value2: must be a whole number, 0 or more',
    ];
    await when(manage.post(path, { name: 'Odd', segmentType: 'Automated', criteria }))
      .then(400)
      .and(problems(...errors))
      .and(noNewEvents());
    await when(manage.post(`${path}/criteria/validate`, { criteria }))
      .then(200, { isValid: false, errors, warnings: [] })
      .and(noNewEvents());
    await when(manage.post(`${path}/criteria/validate`, { criteria: 3 })).then(400);
  });

  it('can be tried before they are kept', async () => {
    const fine = { field: 'OrderCount', operator: 'GreaterThan', value: 3 };
    const verdictOn = (...criteria: readonly object[]) =>
      when(manage.post(`${path}/criteria/validate`, { criteria }));
    await verdictOn(fine).then(200, { isValid: true, errors: [], warnings: [] });
    const twice = ['criteria.1: this criterion is there already'];
    await verdictOn(fine, fine).then(200, { isValid: true, warnings: twice });
    const none = ['A segment without criteria has no members.'];
    await verdictOn().then(200, { isValid: true, warnings: none });
  });

  it('keep their type, and a manual one has no criteria', async () => {
    const { id } = await make(path, { name: 'Friends', segmentType: 'Manual' });
    await when(manage.put(`${path}/${id}`, { segmentType: 'Automated' }))
      .then(400)
      .and(problems('segmentType: must be Manual, which cannot be changed'))
      .and(noNewEvents());
    const criteria = [{ field: 'Tag', operator: 'IsEmpty' }];
    await when(manage.put(`${path}/${id}`, { criteria }))
      .then(400)
      .and(problems('criteria: must be empty for a Manual segment'))
      .and(noNewEvents());
  });

  it('have members whom staff put in and take out, if they are manual', async () => {
    const { id, memberCount } = await make(path, { name: 'Press', segmentType: 'Manual' });
    expect(memberCount).to.equal(0);
    const [ada, bob] = [await person('ada'), await person('bob')];
    const members = `${path}/${id}/members`;
    await when(manage.post(members, { customerIds: [ada, bob, ada], notes: 'met in May' }))
      .then(200, { added: 2, alreadyMembers: 0 })
      .and(events('CustomerSegmentJoined', 'CustomerSegmentJoined'));
    await when(manage.post(members, { customerIds: [ada] }))
      .then(200, { added: 0, alreadyMembers: 1 })
      .and(noNewEvents());
    await when(manage.delete(`${members}/${ada}`))
      .then(204)
      .and(events('CustomerSegmentLeft'));
    await when(manage.delete(`${members}/${ada}`))
      .then(404)
      .and(noNewEvents());
    await when(manage.post(members, { customerIds: [bob, nobody] }))
      .then(400)
      .and(problems('customerIds.1: must be an existing customer'))
      .and(noNewEvents());
    await when(manage.post(members, { customerIds: [] }))
      .then(400)
      .and(noNewEvents());
    await when(manage.post(`${path}/${nobody}/members`, { customerIds: [bob] })).then(404);
    await when(manage.delete(`${path}/${nobody}/members/${bob}`)).then(404);
  });

  it('of the automated kind have no members that somebody could choose', async () => {
    const { id } = await make(path, { name: 'New people', segmentType: 'Automated' });
    const cleo = await person('cleo');
    const expected = 'id: must be a Manual segment; the members of an Automated one follow from its criteria';
    await when(manage.post(`${path}/${id}/members`, { customerIds: [cleo] }))
      .then(400)
      .and(problems(expected))
      .and(noNewEvents());
    await when(manage.delete(`${path}/${id}/members/${cleo}`))
      .then(400)
      .and(problems(expected))
      .and(noNewEvents());
  });

  it('that are part of the shop stay', async () => {
    const { id } = await make(path, { name: 'Everyone', segmentType: 'Manual', isSystemSegment: true });
    await when(manage.put(`${path}/${id}`, { isSystemSegment: false })).then(200, { isSystemSegment: true });
    await when(manage.delete(`${path}/${id}`))
      .then(409)
      .and(message('part of the shop'))
      .and(noNewEvents());
  });
});

describe('who is in a segment', () => {
  let shop: TestShop;
  let ada: string;
  let buyers: string;
  let friends: string;

  before(async () => {
    shop = await TestShop.open();
    ada = (await make('/customers', { email: 'ada@example.com', firstName: 'Ada', tags: ['VIP'] }))
      .id as string;
    await make('/customers', { email: 'bob@example.com' });
    const criteria = [{ field: 'TotalSpend', operator: 'GreaterThan', value: 10 }];
    buyers = (await make(path, { name: 'Buyers', segmentType: 'Automated', criteria })).id as string;
    friends = (await make(path, { name: 'Friends', segmentType: 'Manual' })).id as string;
    const members = { customerIds: [ada], notes: 'met in May' };
    await when(manage.post(`${path}/${friends}/members`, members)).then(200);
    const shopper = shop.shopper();
    await shopper.prepare(await shop.sell('mug', { price: 10, stock: 5 }), 2, 'ADA@example.com');
    const { body: order } = await shopper.pay();
    expect((await shopper.payWith(order.invoiceId)).status).to.equal(200);
    await shop.settle();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const items = (...wanted: readonly object[]) =>
    body(({ items: found, totalItems }) => {
      expect(totalItems).to.equal(wanted.length);
      expect(found).to.have.length(wanted.length);
      wanted.forEach((one, place) => expect(found[place]).to.deep.include(one));
    });
  // Two mugs with 20 % tax, and a parcel.
  const totalSpend = 29;

  it('is shown of each customer, by name', async () => {
    const { body: found } = await when(manage.get(`/customers/${ada}/segments`)).then(200);
    expect((found.items as { name: string }[]).map(({ name }) => name)).to.deep.equal(['Buyers', 'Friends']);
    await when(manage.get(`/customers/${nobody}/segments`)).then(404);
  });

  it('is shown of an automated segment by its preview, and what they have bought', async () => {
    const figures = { orderCount: 1, totalSpend, averageOrderValue: totalSpend, countryCode: 'GB' };
    const row = { id: ada, name: 'Ada', email: 'ada@example.com', ...figures };
    await when(manage.get(`${path}/${buyers}/preview`))
      .then(200)
      .and(items(row));
    await when(manage.get(`${path}/${buyers}/statistics`)).then(200, {
      totalMembers: 1,
      activeMembers: 1,
      totalRevenue: totalSpend,
      averageOrderValue: totalSpend,
    });
    await when(manage.get(`${path}/${buyers}/members`)).then(400);
    for (const what of ['preview', 'statistics', 'members'])
      await when(manage.get(`${path}/${nobody}/${what}`)).then(404);
  });

  it('is shown of a manual segment with who said so when', async () => {
    const member = {
      customerId: ada,
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
      notes: 'met in May',
    };
    await when(manage.get(`${path}/${friends}/members`))
      .then(200)
      .and(items(member));
    await when(manage.get(`${path}/${friends}/preview`))
      .then(200)
      .and(items({ id: ada, totalSpend }));
  });

  it('is counted in lists, at once for whoever has just changed it', async () => {
    const counts = (wanted: Readonly<Record<string, number>>) =>
      body(({ items: found }) =>
        expect(
          Object.fromEntries(
            (found as { name: string; memberCount: number }[]).map((one) => [one.name, one.memberCount]),
          ),
        ).to.deep.equal(wanted),
      );
    await when(manage.get(path))
      .then(200)
      .and(counts({ Buyers: 1, Friends: 1 }));
    await when(manage.put(`${path}/${buyers}`, { isActive: false })).then(200, { memberCount: null });
    await when(manage.get(path))
      .then(200)
      .and(counts({ Buyers: 0, Friends: 1 }));
    await when(manage.delete(`${path}/${friends}/members/${ada}`)).then(204);
    await when(manage.get(`${path}/${friends}`)).then(200, { memberCount: 0 });
    await when(manage.get(`${path}/${friends}/members`))
      .then(200)
      .and(items());
  });

  it('can be asked for by what criteria know', async () => {
    const { body: fields } = await when(manage.get(`${path}/criteria/fields`)).then(200);
    expect(fields).to.have.length(10);
    expect(fields[9]).to.deep.equal({
      field: 'Tag',
      label: 'Tag',
      type: 'Tag',
      operators: ['Contains', 'NotContains', 'IsEmpty', 'IsNotEmpty'],
    });
  });
});

describe('a segment that a discount is for', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());
  const { when, make } = managing(() => shop);

  it('cannot be deleted: the refusal names the discount', async () => {
    const { id } = await make(path, { name: 'Trade', segmentType: 'Manual' });
    const rule = await make('/discounts', {
      name: 'Trade prices',
      code: 'TRADE',
      category: 'AmountOffOrder',
      method: 'Code',
      valueType: 'Percentage',
      value: 5,
      eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [id] }],
    });
    await when(manage.delete(`${path}/${id}`))
      .then(409)
      .and(message('the discount Trade prices'))
      .and(noNewEvents());
    await when(manage.delete(`/discounts/${rule.id}`)).then(204);
    await when(manage.delete(`${path}/${id}`)).then(204);
  });
});
