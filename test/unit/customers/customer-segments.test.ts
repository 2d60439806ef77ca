import { expect } from 'chai';
import {
  belongsTo,
  criterionFields,
  operatorsOf,
  type CriterionField,
  type CriterionOperator,
  type CustomerFacts,
  type SegmentCriterion,
  type SegmentRule,
} from '#values/customer-segments.ts';

const now = Date.parse('2026-03-15T00:30:00.000Z');

/** 3 orders of 100.00 in all; the last one late on the 10th. */
const buyer: CustomerFacts = {
  email: 'Ada@Example.com',
  tags: ['VIP', 'trade'],
  dateCreated: '2026-01-05T09:00:00.000Z',
  orderCount: 3,
  totalSpend: 10_000,
  firstOrderAt: '2026-01-06T00:00:00.000Z',
  lastOrderAt: '2026-03-10T23:59:59.999Z',
  countryCode: 'GB',
  segmentIds: ['friends'],
};

/** Nothing is known: forgotten, or new. */
const nobody: CustomerFacts = {
  email: null,
  tags: [],
  dateCreated: null,
  orderCount: 0,
  totalSpend: 0,
  firstOrderAt: null,
  lastOrderAt: null,
  countryCode: null,
  segmentIds: [],
};

const segment = (criteria: readonly SegmentCriterion[], changes: Partial<SegmentRule> = {}): SegmentRule => ({
  segmentType: 'Automated',
  criteria,
  matchMode: 'All',
  isActive: true,
  ...changes,
});

const meets = (
  facts: CustomerFacts,
  field: string,
  operator: string,
  value: string | number | null = null,
  value2: string | number | null = null,
): boolean => {
  const criterion = { field, operator, value, value2 } as SegmentCriterion;
  return belongsTo('some', segment([criterion]), facts, now);
};

type Row = readonly [CriterionField, CriterionOperator, ...values: (string | number)[]];

/** With a value that matches, and one that does not, for the buyer. */
const comparing = (
  field: CriterionField,
  below: string | number,
  same: string | number,
  above: string | number,
): { readonly yes: readonly Row[]; readonly no: readonly Row[] } => ({
  yes: [
    [field, 'Equals', same],
    [field, 'NotEquals', above],
    [field, 'GreaterThan', below],
    [field, 'GreaterThanOrEqual', same],
    [field, 'LessThan', above],
    [field, 'LessThanOrEqual', same],
    [field, 'Between', below, same],
    [field, 'Between', same, above],
  ],
  no: [
    [field, 'Equals', above],
    [field, 'NotEquals', same],
    [field, 'GreaterThan', same],
    [field, 'GreaterThanOrEqual', above],
    [field, 'LessThan', same],
    [field, 'LessThanOrEqual', below],
    [field, 'Between', above, above],
  ],
});

const compared = [
  comparing('OrderCount', 2, 3, 4),
  comparing('TotalSpend', 9_999, 10_000, 10_001),
  // 100.00 / 3 is 33.33.
  comparing('AverageOrderValue', 3_332, 3_333, 3_334),
  // From the 10th to the 15th, though little more than four times 24 hours have passed.
  comparing('DaysSinceLastOrder', 4, 5, 6),
  comparing('FirstOrderDate', '2026-01-05', '2026-01-06', '2026-01-07'),
  comparing('LastOrderDate', '2026-03-09', '2026-03-10', '2026-03-11'),
  comparing('DateCreated', '2026-01-04', '2026-01-05', '2026-01-06'),
];

const yes: readonly Row[] = [
  ...compared.flatMap((one) => one.yes),
  ['Email', 'Equals', 'ADA@example.com'],
  ['Email', 'NotEquals', 'bob@example.com'],
  ['Email', 'Contains', '@EXAMPLE'],
  ['Email', 'NotContains', 'bob'],
  ['Email', 'StartsWith', 'ada'],
  ['Email', 'EndsWith', '.COM'],
  ['Email', 'IsNotEmpty'],
  ['Country', 'Equals', 'gb'],
  ['Country', 'Equals', 'united kingdom'],
  ['Country', 'NotEquals', 'FR'],
  ['Country', 'Contains', 'kingdom'],
  ['Country', 'NotContains', 'states'],
  ['Country', 'StartsWith', 'united'],
  ['Country', 'EndsWith', 'B'],
  ['Country', 'IsNotEmpty'],
  ['Tag', 'Contains', 'vip'],
  ['Tag', 'NotContains', 'vi'],
  ['Tag', 'IsNotEmpty'],
];

const no: readonly Row[] = [
  ...compared.flatMap((one) => one.no),
  ['Email', 'Equals', 'ada'],
  ['Email', 'NotEquals', 'ada@example.com'],
  ['Email', 'Contains', 'bob'],
  ['Email', 'NotContains', 'example'],
  ['Email', 'StartsWith', 'example'],
  ['Email', 'EndsWith', 'ada'],
  ['Email', 'IsEmpty'],
  ['Country', 'Equals', 'FR'],
  ['Country', 'NotEquals', 'United Kingdom'],
  ['Country', 'Contains', 'states'],
  ['Country', 'NotContains', 'kingdom'],
  ['Country', 'StartsWith', 'kingdom'],
  ['Country', 'EndsWith', 'united'],
  ['Country', 'IsEmpty'],
  ['Tag', 'Contains', 'vi'],
  ['Tag', 'NotContains', 'TRADE'],
  ['Tag', 'IsEmpty'],
];

const titleOf = ([field, operator, ...values]: Row): string => [field, operator, ...values].join(' ');

describe('the criteria of a segment', () => {
  it('are tried with every operator of every field, met and not met', () => {
    const wanted = Object.entries(criterionFields).flatMap(([field, { kind }]) =>
      operatorsOf[kind].map((operator) => `${field} ${operator}`),
    );
    for (const rows of [yes, no]) {
      const tried = new Set(rows.map(([field, operator]) => `${field} ${operator}`));
      // Once the address is known, it is not empty; both are met by somebody below.
      expect(wanted.filter((one) => !tried.has(one) && !/Empty$/.test(one))).to.deep.equal([]);
    }
  });

  for (const row of yes) it(`are met: ${titleOf(row)}`, () => expect(meets(buyer, ...row)).to.equal(true));
  for (const row of no)
    it(`are not met: ${titleOf(row)}`, () => expect(meets(buyer, ...row)).to.equal(false));

  it('take an unknown number or date as unequal to everything, and match nothing else', () => {
    const dated: readonly CriterionField[] = [
      'AverageOrderValue',
      'DaysSinceLastOrder',
      'FirstOrderDate',
      'LastOrderDate',
      'DateCreated',
    ];
    for (const field of dated) {
      const { kind } = criterionFields[field];
      const [value, value2] = kind === 'Date' ? ['0001-01-01', '9999-12-31'] : [0, 1_000_000];
      const met = operatorsOf[kind].filter((operator) => meets(nobody, field, operator, value, value2));
      expect(met, field).to.deep.equal(['NotEquals']);
    }
  });

  it('take a text that is missing as empty', () => {
    for (const field of ['Email', 'Country', 'Tag'] as const) {
      const operators = operatorsOf[criterionFields[field].kind];
      const met = operators.filter((operator) => meets(nobody, field, operator, 'x'));
      const wanted = field === 'Tag' ? ['NotContains', 'IsEmpty'] : ['NotEquals', 'NotContains', 'IsEmpty'];
      expect(met, field).to.deep.equal(wanted);
    }
  });

  it('that name an unknown field, or an operator that the field does not have, are never met', () => {
    expect(meets(buyer, 'ShoeSize', 'NotEquals', 42)).to.equal(false);
    expect(meets(buyer, 'OrderCount', 'Contains', 3)).to.equal(false);
    expect(meets(buyer, 'Email', 'GreaterThan', 'a')).to.equal(false);
    expect(meets(buyer, 'Tag', 'Equals', 'VIP')).to.equal(false);
  });
});

describe('a segment', () => {
  const many: SegmentCriterion = { field: 'OrderCount', operator: 'GreaterThan', value: 2, value2: null };
  const tagged: SegmentCriterion = { field: 'Tag', operator: 'Contains', value: 'press', value2: null };
  const has = (rule: SegmentRule, id = 'some'): boolean => belongsTo(id, rule, buyer, now);

  it('asks for all criteria or for any', () => {
    expect(has(segment([many, tagged]))).to.equal(false);
    expect(has(segment([many, tagged], { matchMode: 'Any' }))).to.equal(true);
    expect(has(segment([tagged], { matchMode: 'Any' }))).to.equal(false);
  });

  it('without criteria, or inactive, has no members', () => {
    expect(has(segment([]))).to.equal(false);
    expect(has(segment([], { matchMode: 'Any' }))).to.equal(false);
    expect(has(segment([many], { isActive: false }))).to.equal(false);
    expect(has(segment([], { segmentType: 'Manual', isActive: false }), 'friends')).to.equal(false);
  });

  it('that staff put together has the members they chose', () => {
    const manual = segment([], { segmentType: 'Manual' });
    expect(has(manual, 'friends')).to.equal(true);
    expect(has(manual, 'strangers')).to.equal(false);
  });
});
