import { expect } from 'chai';
import { rateChecks } from '#command/contexts/currency/rate-checks.ts';
import { noRates, type RatesView } from '#entities/exchange-rate.providers.ts';

const at = '2030-01-01T12:00:00.000Z';
const fetched: RatesView = {
  ...noRates,
  provider: 'frankfurter',
  rates: { provider: 'frankfurter', baseCurrency: 'USD', rates: { EUR: '0.9' }, quotedAt: at, fetchedAt: at },
};
const failed: RatesView = {
  ...fetched,
  failure: { provider: 'frankfurter', reason: 'HTTP 500', consecutiveFailures: 1, failedAt: at },
};

const findings = (rates: RatesView, minutesLater: number): readonly unknown[] =>
  rateChecks({
    rates: () => rates,
    namedProvider: null,
    lifetime: () => 60,
    now: () => Date.parse(at) + minutesLater * 60_000,
  }).flatMap(({ look }) =>
    [...(look() as Iterable<{ readonly description: string }>)].map((one) => one.description),
  );

describe('exchange rates that are out of date (docs/rules/management.md#health-checks)', () => {
  it('are reported once a second refresh is due, or when the provider has failed', () => {
    expect(findings(fetched, 120)).to.deep.equal([]);
    expect(findings(fetched, 121)).to.deep.equal([`The rates are from ${at}`]);
    expect(findings(failed, 1)).to.deep.equal(['frankfurter: HTTP 500']);
  });

  it('are not reported if they are entered by hand, or if there are none', () => {
    expect(findings({ ...fetched, provider: 'manual' }, 9999)).to.deep.equal([]);
    expect(findings(noRates, 9999)).to.deep.equal([]);
  });
});
