import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { frankfurterRateProvider } from '#adapters/exchange-rates/frankfurter-rates.ts';
import { manualRateProvider } from '#adapters/exchange-rates/manual-rates.ts';
import { checkTarget } from '#runtime/check-target.ts';
import type { TargetPolicy } from '#values/target-address.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { describeRates } from './exchange-rates.contract.ts';

const onLoopback: TargetPolicy = { allowLoopback: true, allowPrivate: false };
const limits = { timeoutMs: 10_000, maxBytes: 1_000_000 };
const impatient = { ...limits, timeoutMs: 300 };

const askingUnder = (policy: TargetPolicy, url: string | null = null, within = limits) =>
  frankfurterRateProvider({
    check: (address) => checkTarget(address, policy, () => Promise.resolve([])),
    url,
    limits: within,
  });

describe('sources of exchange rates', () => {
  const opened: Receiver[] = [];
  const serve = async (respond: (response: ServerResponse) => void): Promise<Receiver> => {
    const receiver = await startReceiver(respond);
    opened.push(receiver);
    return receiver;
  };
  const answering = (answer: object) => serve((response) => response.end(JSON.stringify(answer)));
  afterEach(async () => {
    for (const receiver of opened.splice(0)) await receiver.close();
  });

  describeRates('manual', (rates) =>
    Promise.resolve({ provider: manualRateProvider, configuration: { rates } }),
  );
  describeRates('frankfurter', async (rates) => {
    const { url } = await answering({ amount: 1, base: 'USD', date: '2026-02-27', rates });
    return { provider: askingUnder(onLoopback), configuration: { url } };
  });

  describe('over HTTP', () => {
    const reasonOf = async (url: string, within = limits): Promise<string> => {
      const fetched = await askingUnder(onLoopback, null, within).fetchRates('USD', { url });
      return fetched.kind === 'failed' ? fetched.reason : expect.fail(JSON.stringify(fetched));
    };

    it('are asked for by their base, and say of which day they are', async () => {
      const server = await answering({ base: 'USD', date: '2026-02-27', rates: { EUR: 0.92, XAU: 1 } });
      const fetched = await askingUnder(onLoopback, `${server.url}/v1/`).fetchRates('USD', {
        url: 'ignored',
      });
      expect(fetched).to.deep.equal({
        kind: 'rates',
        rates: { EUR: '0.92' },
        quotedAt: '2026-02-27T00:00:00.000Z',
      });
      expect(server.requests[0]?.path).to.equal('/v1/latest?base=USD');
    });

    it('are refused where they are for another base, not for one unit, or no rates at all', async () => {
      const answers: readonly (readonly [object, string])[] = [
        [{ base: 'EUR', rates: { USD: 1.08 } }, 'its rates are not for USD'],
        [{ rates: { EUR: 0.92 } }, 'its rates are not for USD'],
        [{ base: 'USD', amount: 10, rates: { EUR: 9.2 } }, 'its rates are not for one unit'],
        [{ base: 'USD', rates: { EUR: 0 } }, 'its rate of EUR is none'],
        [{ base: 'USD', rates: { EUR: -0.92 } }, 'its rate of EUR is none'],
        [{ base: 'USD', rates: { EUR: '0.92' } }, 'its rate of EUR is none'],
        [{ base: 'USD', rates: [0.92] }, 'what it gives as rates is not an object'],
        [{ base: 'USD', rates: {} }, 'its answer has no rates'],
        [[], 'its answer is not an object'],
      ];
      for (const [answer, reason] of answers)
        expect(await reasonOf((await answering(answer)).url), reason).to.equal(reason);
    });

    it('are not waited for, nor read, without end', async () => {
      const silent = await serve(() => undefined);
      expect(await reasonOf(silent.url, impatient)).to.equal('it took too long');
      const trickling = await serve((response) => void response.write('{'));
      expect(await reasonOf(trickling.url, impatient)).to.equal('it took too long');
      const endless = await serve((response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(' '.repeat(100_000)));
        };
        response.on('drain', more);
        more();
      });
      expect(await reasonOf(endless.url)).to.equal('its answer is larger than 1000000 bytes');
    });

    it('are not taken from an answer that is none', async () => {
      const broken = await serve((response) => response.end('<html>'));
      expect(await reasonOf(broken.url)).to.equal('its answer is not JSON');
      const away = await serve((response) => response.writeHead(503).end());
      expect(await reasonOf(away.url)).to.equal('it answered 503');
      const elsewhere = await serve((response) => response.writeHead(302, { Location: away.url }).end());
      expect(await reasonOf(elsewhere.url)).to.equal('it answered 302');
      const { url } = broken;
      await opened.shift()?.close();
      expect(await reasonOf(url)).to.match(/^the connection failed/);
    });

    it('are asked for nowhere that a webhook may not go', async () => {
      const server = await answering({ base: 'USD', rates: { EUR: 0.92 } });
      const provider = askingUnder({ allowLoopback: false, allowPrivate: false });
      const fetched = await provider.fetchRates('USD', { url: server.url });
      expect(fetched).to.deep.include({ kind: 'failed' });
      expect(server.connections()).to.equal(0);
      expect(await provider.problems({ url: server.url })).to.have.length(1);
      expect(await provider.problems({ url: 'http://10.0.0.7/rates' })).to.have.length(1);
    });
  });
});
