import { expect } from 'chai';
import { FilterSyntaxError, MAX_FILTER_LENGTH, parseFilter } from '#values/filter-expression.ts';

const envelope = {
  id: 'd-1',
  topic: 'invoice.paid',
  timestamp: '2026-03-01T09:00:00.000Z',
  data: {
    total: 25.1,
    currencyCode: 'GBP',
    note: null,
    isGift: false,
    order: { status: 'ReadyToFulfill' },
    items: [{ sku: 'MUG-BLUE', quantity: 2 }, { sku: 'PEN' }],
    tags: ['a', 'b'],
  },
};

const matches = (expression: string): boolean => parseFilter(expression)(envelope);

const positionOf = (expression: string): number => {
  try {
    parseFilter(expression);
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error.position;
    throw error;
  }
  return expect.fail(`${expression} was accepted`);
};

describe('a filter expression', () => {
  const matching = [
    '',
    '   ',
    'total',
    'total >= 25.1',
    'total == 25.10',
    'total > 25 && total < 26',
    '.total > 25',
    '$.data.total > 25',
    "$.topic == 'invoice.paid'",
    "currencyCode != 'EUR'",
    'currencyCode in ["EUR", \'GBP\']',
    "order.status startsWith 'Ready'",
    "order.status endsWith 'Fulfill'",
    "order.status contains 'ToFul'",
    "items[0].sku == 'MUG-BLUE'",
    "tags contains 'b'",
    'tags.length == 2',
    'note == null',
    'nothing == null',
    'nothing.below == null',
    "nothing != 'x'",
    'note exists',
    'note exists true',
    'nothing exists false',
    '!nothing',
    '!(total < 25 || isGift)',
    'isGift == false',
    "isGift == true || total > 1 && currencyCode == 'GBP'",
    'timestamp == null',
    "$.timestamp >= '2026-01-01'",
  ];
  for (const expression of matching) {
    it(`lets through: ${expression === '' ? '(empty)' : expression}`, () => {
      expect(matches(expression)).to.equal(true);
    });
  }

  const keepingOut = [
    'nothing',
    'note',
    'isGift',
    'nothing > 1',
    'nothing < 1',
    "total == '25.1'",
    "total > '1'",
    "currencyCode == 'gbp'",
    'currencyCode > 1',
    'total in []',
    'items[5].sku == "PEN"',
    'constructor exists',
    "isGift == true && total > 1 || currencyCode == 'EUR'",
  ];
  for (const expression of keepingOut) {
    it(`keeps out: ${expression}`, () => {
      expect(matches(expression)).to.equal(false);
    });
  }

  it('compares numbers as decimals', () => {
    const matchesTotal = (expression: string, total: number) => parseFilter(expression)({ data: { total } });
    expect(matchesTotal('total == 0.1', 0.1)).to.equal(true);
    expect(matchesTotal('total < 1e21', 999)).to.equal(true);
    expect(matchesTotal('total >= -5', -5)).to.equal(true);
  });

  it('says where it stops making sense', () => {
    expect(positionOf('total >')).to.equal(7);
    expect(positionOf('total > > 1')).to.equal(8);
    expect(positionOf('total = 1')).to.equal(6);
    expect(positionOf('(total > 1')).to.equal(10);
    expect(positionOf('total > 1 total')).to.equal(10);
    expect(positionOf("name == 'open")).to.equal(8);
    expect(positionOf('total in 5')).to.equal(9);
    expect(positionOf('items[x] == 1')).to.equal(6);
    expect(positionOf('&& total')).to.equal(0);
  });

  it('is at most 2000 characters long and 32 levels deep', () => {
    expect(positionOf(`total > ${'1'.repeat(MAX_FILTER_LENGTH)}`)).to.equal(MAX_FILTER_LENGTH);
    const nested = (levels: number) => `${'('.repeat(levels)}total${')'.repeat(levels)}`;
    expect(matches(nested(32))).to.equal(true);
    expect(() => parseFilter(nested(33))).to.throw(FilterSyntaxError);
    expect(() => parseFilter(`${'!'.repeat(1000)}total`)).to.throw(FilterSyntaxError);
  });

  it('reads long chains and odd texts in no time', () => {
    const chain = Array.from({ length: 150 }, () => 'total > 1').join(' && ');
    expect(matches(chain)).to.equal(true);
    expect(() => parseFilter(' '.repeat(1990) + '#')).to.throw(FilterSyntaxError);
    expect(() => parseFilter(`name == '${'\\'.repeat(1900)}`)).to.throw(FilterSyntaxError);
  });
});
