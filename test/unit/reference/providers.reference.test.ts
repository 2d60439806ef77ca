import { expect } from 'chai';
import { exchangeRateProviders } from '#entities/exchange-rate.providers.ts';
import { exchangeRateEvents } from '#events/exchange-rate.events.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createProviderReference } from '#reference/providers.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { keyFor } from '#runtime/keys.ts';
import { recordedEvents } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const { ExchangeRateProviderConfigured, ExchangeRatesRefreshed } = exchangeRateEvents.create;

describe('the configuration of an exchange rate provider', () => {
  it('survives a restart with the rates in force, and no snapshot holds the key of its address', () => {
    const cipher = createTextCipher(keyFor(Buffer.alloc(32, 'a'), 'test'));
    const before = createProviderReference(exchangeRateProviders, cipher);
    const at = '2030-06-01T12:00:00.000Z';
    const fetched = { provider: 'frankfurter', baseCurrency: 'USD', quotedAt: at, fetchedAt: at };
    for (const event of recordedEvents([
      ExchangeRateProviderConfigured({
        provider: 'frankfurter',
        configuration: { url: 'https://rates.example/v1?key=sesame' },
      }),
      ExchangeRatesRefreshed({ ...fetched, rates: { EUR: '0.9' } }),
    ]))
      applyEvent(before, event);
    expect(JSON.stringify(snapshotOf(before)))
      .to.include('0.9')
      .and.not.include('sesame');
    const after = restarted(createProviderReference(exchangeRateProviders, cipher), before);
    expect(after.current()).to.deep.equal(before.current());
    expect(after.current().configurations['frankfurter']).to.deep.equal({
      url: 'https://rates.example/v1?key=sesame',
    });
  });
});
