import { expect } from 'chai';
import { refreshRates } from '#command/contexts/currency/refresh-rates.job.ts';
import { noRates, type RatesView } from '#entities/exchange-rate.providers.ts';

const at = (time: string): number => Date.parse(`2026-03-01T${time}:00.000Z`);
const instant = (time: string): string => new Date(at(time)).toISOString();

const fetched = (time: string, provider = 'frankfurter'): RatesView => ({
  ...noRates,
  rates: { provider, baseCurrency: 'GBP', rates: {}, quotedAt: instant(time), fetchedAt: instant(time) },
});
const failed = (time: string, before: RatesView): RatesView => ({
  ...before,
  failure: { provider: 'frankfurter', reason: 'away', consecutiveFailures: 1, failedAt: instant(time) },
});

const jobFor = (view: RatesView, provider = 'frankfurter', everyMinutes = 60) =>
  refreshRates({
    known: () => ({ view, provider }),
    refresh: () => Promise.resolve(null),
    everyMinutes,
    freshMinutes: () => 30,
  });

describe('the job that asks for exchange rates', () => {
  it('asks if there are no rates of this provider, and then once per interval', () => {
    expect(jobFor(noRates).isDue?.(at('12:00'))).to.equal(true);
    expect(jobFor(fetched('11:59', 'manual')).isDue?.(at('12:00'))).to.equal(true);
    const job = jobFor(fetched('11:45'));
    expect(['12:00', '12:44', '12:45'].map((time) => job.isDue?.(at(time)))).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('asks at the start if the rates have expired', () => {
    const job = jobFor(fetched('11:25'));
    expect(['12:00', '12:01'].map((time) => job.isDue?.(at(time)))).to.deep.equal([true, false]);
  });

  it('runs before its first tick if there are no rates at all, and again soon if that fails', () => {
    expect(jobFor(noRates).isUrgent?.(at('12:00'))).to.equal(true);
    expect(jobFor(noRates, 'manual').isUrgent?.(at('12:00'))).to.equal(false);
    expect(jobFor(fetched('01:00')).isUrgent?.(at('12:00'))).to.equal(false);
    const job = jobFor(failed('12:00', noRates));
    expect(['12:01', '12:04', '12:05'].map((time) => job.isDue?.(at(time)))).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('waits an interval after a failure, too', () => {
    const job = jobFor(failed('11:50', fetched('09:00')));
    expect(['12:00', '12:50'].map((time) => job.isDue?.(at(time)))).to.deep.equal([false, true]);
  });

  it('never asks for rates that are entered by hand', async () => {
    const job = jobFor(fetched('01:00', 'manual'), 'manual');
    expect(job.isDue?.(at('12:00'))).to.equal(false);
    expect(await job.runOnce(at('12:00'))).to.deep.equal({ refreshed: 0, failed: 0 });
  });
});
