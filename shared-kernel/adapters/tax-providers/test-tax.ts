import { setTimeout as pause } from 'node:timers/promises';
import type { TaxConfiguration, TaxProvider, TaxRequest } from '#ports/tax-provider.ts';
import { percentOf, toDecimal } from '#values/money.ts';
import { providerField } from '#values/provider-field.ts';

const number = (configuration: TaxConfiguration, key: string, byDefault: number): number => {
  const value = configuration[key];
  return value === undefined || value === '' ? byDefault : Number(value);
};

/** The same request is always answered alike. */
const answerTo = (
  { lines, shipping, currency, isFinal, reference }: TaxRequest,
  configuration: TaxConfiguration,
) => {
  const rate =
    number(configuration, 'ratePercent', 10) + (isFinal ? number(configuration, 'finalDelta', 0) : 0);
  const shippingTax = percentOf(shipping, number(configuration, 'shippingRatePercent', 10));
  const taxed = lines.map(({ lineItemId, sku, amount, isTaxable }) => {
    const taxRate = isTaxable ? rate : 0;
    const tax = percentOf(amount, taxRate);
    return { lineItemId, sku, isTaxable, taxRate, tax, jurisdiction: 'Testland' };
  });
  const totalTax = taxed.reduce((sum, { tax }) => sum + tax, shippingTax);
  return {
    totalTax: toDecimal(totalTax, currency),
    lines: taxed.map(({ tax, ...line }) => ({ ...line, taxAmount: toDecimal(tax, currency) })),
    shippingTax: toDecimal(shippingTax, currency),
    transactionId: `test-${reference}`,
    isEstimated: false,
  };
};

const kilobyte = 'x'.repeat(1024);

/**
 * A provider for tests, which a shop has with `TESTING_SECRET` only: one rate for goods, one for shipping, and, by
 * `behaviour`, what goes wrong with providers (docs/rules/tax.md#the-test-provider).
 */
export const testTax: TaxProvider = {
  alias: 'test',
  displayName: 'Test provider',
  fields: [
    providerField('ratePercent', 'Rate of goods', 'number', { defaultValue: '10' }),
    providerField('shippingRatePercent', 'Rate of shipping', 'number', { defaultValue: '10' }),
    providerField('finalDelta', 'By how much the rate differs when an order is placed', 'number', {
      defaultValue: '0',
    }),
    providerField('behaviour', 'answers, fails, hangs, nonsense or floods', 'text', {
      defaultValue: 'answers',
    }),
  ],
  async *calculate(request, configuration, signal) {
    switch (configuration['behaviour'] ?? 'answers') {
      case 'fails':
        throw new Error('the test provider is away');
      case 'hangs':
        await pause(60_000, undefined, { signal });
        return;
      case 'nonsense':
        yield '{"totalTax": "a lot"}';
        return;
      case 'floods':
        for (;;) yield kilobyte;
      default:
        yield JSON.stringify(answerTo(request, configuration));
    }
  },
};
