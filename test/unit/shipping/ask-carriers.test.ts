import { expect } from 'chai';
import { createCarriers } from '#command/contexts/shipping/ask-carriers.ts';
import type { CarrierQuestion } from '#command/pricing/carrier-rates.ts';
import type { RateOutcome, RateRequest, ShippingRateProvider } from '#ports/shipping-rate-provider.ts';
import { silentLogger } from '#runtime/logging.ts';

const service = { serviceCode: 'EXPRESS', name: 'Express', cost: 900, transitDays: 1 };
const quoted: RateOutcome = { kind: 'quoted', services: [service] };
const london = { countryCode: 'GB', regionCode: null, postalCode: null };

const question = (providerKey = 'van', weightKg = 1): CarrierQuestion => ({
  warehouseId: 'east',
  carrier: {
    providerKey,
    configuration: {},
    isEnabled: true,
    markUpPercent: 0,
    daysFrom: null,
    daysTo: null,
  },
  origin: london,
  packages: [{ weightKg, lengthCm: null, widthCm: null, heightCm: null, count: 1 }],
});

/** Carriers that answer so, the questions that have reached them, and the shop's clock. */
const house = (answers: Readonly<Record<string, (request: RateRequest) => unknown>>, mostAtOnce = 200) => {
  const asked: string[] = [];
  const clock = { time: Date.UTC(2030, 0, 1), now: (): number => clock.time };
  const providers = Object.entries(answers).map(([key, answer]): ShippingRateProvider => ({
    key,
    quote: async (request) => {
      asked.push(key);
      return answer(request) as RateOutcome;
    },
  }));
  const settings = () => ({ shippingQuoteCacheMinutes: 10, storeCurrencyCode: 'GBP' });
  const options = { providers, clock, settings, log: silentLogger(), patienceMs: 5, mostAtOnce };
  const { ratesFor } = createCarriers(options);
  const ask = async (...questions: CarrierQuestion[]) =>
    (await ratesFor([{ groupId: 'one', questions }], london))?.get('one');
  return { ask, asked, clock, ratesFor };
};

describe('asking carriers', () => {
  it('is skipped if there are none', async () => {
    const { ratesFor, asked } = house({ van: () => quoted });
    expect(await ratesFor([{ groupId: 'one', questions: [] }], london)).to.equal(null);
    expect(asked).to.deep.equal([]);
  });

  it('is not done again for the same goods and place within ten minutes', async () => {
    const { ask, asked, clock } = house({ van: () => quoted });
    const [first] = (await ask(question())) ?? [];
    clock.time += 10 * 60_000 - 1;
    expect((await ask(question()))?.[0]).to.deep.equal(first);
    expect(asked).to.have.length(1);
    await ask(question('van', 2));
    expect(asked).to.have.length(2);
    clock.time += 1;
    const [later] = (await ask(question())) ?? [];
    expect(asked).to.have.length(3);
    expect(later).to.deep.include({ kind: 'quoted', quotedAt: '2030-01-01T00:10:00.000Z' });
  });

  it('is done once for those who ask the same at the same time', async () => {
    const { ask, asked } = house({ van: () => quoted });
    await Promise.all([ask(question()), ask(question())]);
    expect(asked).to.have.length(1);
  });

  const flood = new Array(1_000_000).fill(service);
  const useless: Readonly<Record<string, () => unknown>> = {
    'says nothing': () => new Promise(() => undefined),
    throws: () => Promise.reject(new Error('broken')),
    'is not available': () => ({ kind: 'unavailable', reason: 'x'.repeat(10_000_000) }),
    'says undefined': () => undefined,
    'says no list': () => ({ kind: 'quoted', services: 'all' }),
    'floods with services': () => ({ kind: 'quoted', services: flood }),
    'floods with text': () => ({ ...quoted, services: [{ ...service, name: 'x'.repeat(10_000_000) }] }),
    'gives money back': () => ({ ...quoted, services: [{ ...service, cost: -1 }] }),
    'asks for parts of a penny': () => ({ ...quoted, services: [{ ...service, cost: 0.5 }] }),
    'asks for more than there is': () => ({ ...quoted, services: [{ ...service, cost: 1e15 }] }),
    'says when in words': () => ({ ...quoted, services: [{ ...service, transitDays: 'soon' }] }),
    'never arrives': () => ({ ...quoted, services: [{ ...service, transitDays: Infinity }] }),
    'has a service without a code': () => ({ ...quoted, services: [{ ...service, serviceCode: '' }] }),
    'names a service twice': () => ({ ...quoted, services: [service, service] }),
  };
  for (const [fault, answer] of Object.entries(useless)) {
    it(`fails where a carrier ${fault}, and the others have quoted all the same`, async () => {
      const { ask } = house({ van: answer, bike: () => quoted });
      const [van, bike] = (await ask(question('van'), question('bike'))) ?? [];
      expect(van).to.deep.equal({ providerKey: 'van', kind: 'failed' });
      expect(bike?.kind).to.equal('quoted');
    });
  }

  it('is tried again after a failure, and fails at once where too many wait', async () => {
    let isBroken = true;
    const { ask } = house({ van: () => (isBroken ? new Promise(() => undefined) : quoted) }, 1);
    const [waiting, tooMany] = await Promise.all([ask(question()), ask(question('van', 2))]);
    expect([waiting?.[0]?.kind, tooMany?.[0]?.kind]).to.deep.equal(['failed', 'failed']);
    isBroken = false;
    expect((await ask(question()))?.[0]?.kind).to.equal('quoted');
  });
});
