import fc from 'fast-check';
import { expect } from 'chai';
import { figuresOf, type CustomerSale } from '#values/customer-figures.ts';
import {
  belongsTo,
  criterionFields,
  operatorsOf,
  type CriterionField,
  type CriterionKind,
  type CriterionOperator,
  type CustomerFacts,
  type SegmentCriterion,
} from '#values/customer-segments.ts';

const now = Date.parse('2026-06-15T12:00:00.000Z');
const instant = fc
  .integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: now })
  .map((milliseconds) => new Date(milliseconds).toISOString());
const word = fc.constantFrom('', 'a', 'Ab', 'GB', 'b@c.de', 'united');
const count = fc.integer({ min: 0, max: 5 });

const facts: fc.Arbitrary<CustomerFacts> = fc.record({
  email: fc.option(word),
  tags: fc.array(word, { maxLength: 3 }),
  dateCreated: fc.option(instant),
  orderCount: count,
  totalSpend: fc.integer({ min: 0, max: 5 }),
  firstOrderAt: fc.option(instant),
  lastOrderAt: fc.option(instant),
  countryCode: fc.option(fc.constantFrom('GB', 'FR', 'US')),
  segmentIds: fc.constant([]),
});

const valueOf: Readonly<Record<CriterionKind, fc.Arbitrary<string | number>>> = {
  Number: count,
  Money: count,
  Date: instant.map((text) => text.slice(0, 10)),
  Text: word.filter((text) => text !== ''),
  Tag: word.filter((text) => text !== ''),
};

const fields = Object.keys(criterionFields) as CriterionField[];
const criterion: fc.Arbitrary<SegmentCriterion> = fc.constantFrom(...fields).chain((field) => {
  const { kind } = criterionFields[field];
  const value = valueOf[kind];
  return fc.record({
    field: fc.constant(field),
    operator: fc.constantFrom(...operatorsOf[kind]),
    value,
    value2: value,
  });
});

const meets = (one: CustomerFacts, criteria: readonly SegmentCriterion[], matchMode: 'All' | 'Any' = 'All') =>
  belongsTo('some', { segmentType: 'Automated', criteria, matchMode, isActive: true }, one, now);

const opposite: Partial<Record<CriterionOperator, CriterionOperator>> = {
  Equals: 'NotEquals',
  Contains: 'NotContains',
  IsEmpty: 'IsNotEmpty',
};

describe('segments of customers', () => {
  it('have somebody or not: of two opposite criteria exactly one is met', () => {
    fc.assert(
      fc.property(facts, criterion, (one, asked) => {
        const other = opposite[asked.operator];
        fc.pre(other !== undefined);
        expect(meets(one, [asked])).to.not.equal(meets(one, [{ ...asked, operator: other ?? 'Equals' }]));
      }),
      { numRuns: 1000 },
    );
  });

  it('compare what is known: below, the same or above, and between is neither below nor above', () => {
    const compared = fields.filter((field) => operatorsOf[criterionFields[field].kind].includes('Between'));
    fc.assert(
      fc.property(
        facts,
        criterion.filter(({ field }) => compared.includes(field)),
        (one, asked) => {
          const is = (operator: CriterionOperator, value = asked.value) =>
            meets(one, [{ ...asked, operator, value }]);
          const met = [is('LessThan'), is('Equals'), is('GreaterThan')].filter(Boolean);
          expect(met.length).to.equal(is('LessThanOrEqual') || is('GreaterThanOrEqual') ? 1 : 0);
          expect(is('LessThanOrEqual')).to.equal(is('LessThan') || is('Equals'));
          expect(is('Between')).to.equal(is('GreaterThanOrEqual') && is('LessThanOrEqual', asked.value2));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('ask for all criteria or any of them', () => {
    fc.assert(
      fc.property(facts, fc.array(criterion, { minLength: 1, maxLength: 4 }), (one, criteria) => {
        const met = criteria.map((asked) => meets(one, [asked]));
        expect(meets(one, criteria, 'All')).to.equal(met.every(Boolean));
        expect(meets(one, criteria, 'Any')).to.equal(met.some(Boolean));
      }),
      { numRuns: 500 },
    );
  });

  it('ask for the same figures in whatever order sales are confirmed', () => {
    const sale: fc.Arbitrary<CustomerSale> = fc.record({
      total: fc.integer({ min: 0, max: 100_000 }),
      placedAt: instant,
      countryCode: fc.constantFrom('GB', 'FR', 'US'),
    });
    const distinct = fc.uniqueArray(sale, { selector: ({ placedAt }) => placedAt, maxLength: 8 });
    fc.assert(
      fc.property(distinct, fc.infiniteStream(fc.integer()), (sales, chance) => {
        const shuffled = sales
          .map((one) => ({ one, at: Number(chance.next().value) }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        expect(figuresOf(shuffled)).to.deep.equal(figuresOf(sales));
      }),
      { numRuns: 300 },
    );
  });
});
