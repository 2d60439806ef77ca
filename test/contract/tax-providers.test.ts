import { expect } from 'chai';
import { manualTax } from '#adapters/tax-providers/manual-tax.ts';
import { testTax } from '#adapters/tax-providers/test-tax.ts';
import type { TaxConfiguration, TaxProvider, TaxRequest } from '#ports/tax-provider.ts';
import { askTaxProvider } from '#runtime/ask-tax-provider.ts';

const request: TaxRequest = {
  reference: 'basket',
  isFinal: false,
  currency: 'KWD',
  address: {
    addressOne: '1 Main Street',
    townCity: 'Kuwait',
    regionCode: null,
    postalCode: '13001',
    countryCode: 'KW',
  },
  lines: [
    { lineItemId: 'mug', sku: 'MUG', quantity: 2, amount: 20_005, isTaxable: true },
    { lineItemId: 'book', sku: 'BOOK', quantity: 1, amount: 1000, isTaxable: false },
  ],
  shipping: 1500,
};

const ask = (provider: TaxProvider, configuration: TaxConfiguration = {}) =>
  askTaxProvider(provider, request, configuration, { estimate: 50, final: 50 });

describe('the provider of tax test', () => {
  it('says what it can be set to, each field once', () => {
    const keys = testTax.fields.map(({ key }) => key);
    expect(keys).to.have.members(['ratePercent', 'shippingRatePercent', 'finalDelta', 'behaviour']);
  });

  it('answers for every line that it was asked about, in amounts of the currency, alike each time', async () => {
    // 10 % of 20.005 and of 1.500 dinars, which have thousandths; what is not taxable has none.
    const answer = {
      lines: [
        { lineId: 'mug', taxRate: 10, isTaxable: true, tax: 2001 },
        { lineId: 'book', taxRate: 0, isTaxable: false, tax: 0 },
      ],
      shippingTax: 150,
      isEstimated: false,
    };
    for (const _ of [1, 2]) expect(await ask(testTax)).to.deep.equal({ kind: 'answered', answer });
    const seven = { lines: [{ taxRate: 7.5, tax: 1500 }, { tax: 0 }], shippingTax: 0 };
    const set = await ask(testTax, { ratePercent: 7.5, shippingRatePercent: 0 });
    expect(set).to.containSubset({ kind: 'answered', answer: seven });
  });
});

describe('the provider of tax manual', () => {
  it('asks nobody, and has nothing to be set', () => {
    expect([manualTax.calculate, manualTax.fields]).to.deep.equal([null, []]);
  });
});

const saying = (answer: object | string): TaxProvider => ({
  ...testTax,
  async *calculate() {
    yield typeof answer === 'string' ? answer : JSON.stringify(answer);
  },
});
const line = (lineItemId: string, taxAmount: number) => ({
  lineItemId,
  taxAmount,
  taxRate: 10,
  isTaxable: true,
});
const fine = { totalTax: 2.15, lines: [line('mug', 2), line('book', 0)], shippingTax: 0.15 };

describe('what a provider of tax says (docs/rules/tax.md#providers)', () => {
  it('is taken to the minor unit', async () => {
    expect(await ask(saying(fine))).to.deep.equal({
      kind: 'answered',
      answer: {
        lines: [
          { lineId: 'mug', taxRate: 10, isTaxable: true, tax: 2000 },
          { lineId: 'book', taxRate: 10, isTaxable: true, tax: 0 },
        ],
        shippingTax: 150,
        isEstimated: false,
      },
    });
  });

  for (const [what, answer, reason] of [
    ['no JSON', 'tax: 3', 'no JSON'],
    ['nothing', '', 'no JSON'],
    ['a list', [], 'no tax for these lines'],
    ['a negative tax', { ...fine, shippingTax: -1 }, 'no tax for these lines'],
    [
      'a rate above all of it',
      { ...fine, lines: [{ ...line('mug', 2), taxRate: 101 }] },
      'no tax for these lines',
    ],
    ['fractions of the minor unit', { ...fine, totalTax: 2.1505, shippingTax: 0.1505 }, 'no amounts in KWD'],
    ['a total that is another', { ...fine, totalTax: 3 }, 'parts that do not sum to the total'],
    ['one line only', { ...fine, lines: [line('mug', 2)] }, 'not every line once'],
    ['one line twice', { ...fine, lines: [line('mug', 1), line('mug', 1)] }, 'not every line once'],
    ['another line', { ...fine, lines: [line('mug', 2), line('pen', 0)] }, 'a line that was not asked about'],
    [
      'more than the goods cost',
      { ...fine, totalTax: 30.15, lines: [line('mug', 30), line('book', 0)] },
      'more tax than the line costs',
    ],
    [
      'more than the shipping costs',
      { ...fine, totalTax: 4, shippingTax: 2 },
      'more tax than the shipping costs',
    ],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      expect(await ask(saying(answer))).to.deep.equal({ kind: 'failed', reason });
    });
  }

  for (const [behaviour, reason] of [
    ['fails', 'the test provider is away'],
    ['hangs', 'no answer within 50 ms'],
    ['nonsense', 'no tax for these lines'],
    ['floods', 'more than 262144 characters'],
  ] as const) {
    it(`is bounded in time and size: a provider that ${behaviour}`, async () => {
      expect(await ask(testTax, { behaviour })).to.deep.equal({ kind: 'failed', reason });
    });
  }
});
