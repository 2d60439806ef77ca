import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { builtInAddressLookup } from '#adapters/address-lookups/built-in-lookup.ts';
import { httpAddressLookup } from '#adapters/address-lookups/http-lookup.ts';
import type { AddressLookup, AddressLookupConfiguration } from '#ports/address-lookup.ts';
import { checkTarget } from '#runtime/check-target.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import type { TargetPolicy } from '#values/target-address.ts';

const onLoopback: TargetPolicy = { allowLoopback: true, allowPrivate: false };
const limits = { timeoutMs: 10_000, maxBytes: 65_536 };

const askingUnder = (
  policy: TargetPolicy,
  url: string | null = null,
  timeoutMs = limits.timeoutMs,
): AddressLookup =>
  httpAddressLookup({
    check: (address) => checkTarget(address, policy, () => Promise.resolve([])),
    url,
    limits: { ...limits, timeoutMs },
  });

const downing = { query: '10 Downing', countryCode: 'GB', limit: 6, sessionId: null };

interface Source {
  readonly lookup: AddressLookup;
  readonly configuration: AddressLookupConfiguration;
}

/** What everybody who is asked for addresses is held to; each knows 10 Downing Street. */
const describeLookup = (name: string, open: () => Promise<Source>): void => {
  describe(`address lookups: ${name}`, () => {
    it('suggest an address, and know it by the id that they gave', async () => {
      const { lookup, configuration } = await open();
      expect(await lookup.problems(configuration)).to.deep.equal([]);
      const found = await lookup.suggest(downing, configuration);
      if (found.kind !== 'suggested') return expect.fail(found.reason);
      const [first] = found.suggestions;
      expect(first?.label).to.equal('10 Downing Street');
      const wanted = { id: first?.id ?? '', countryCode: null, sessionId: null };
      expect(await lookup.resolve(wanted, configuration)).to.deep.include({ kind: 'found' });
    });

    it('know no address by an id that nobody gave', async () => {
      const { lookup, configuration } = await open();
      const wanted = { id: '../secrets', countryCode: null, sessionId: null };
      expect(await lookup.resolve(wanted, configuration)).to.deep.equal({ kind: 'unknown' });
    });
  });
};

describe('who is asked for addresses', () => {
  const opened: Receiver[] = [];
  const serve = async (respond: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
    const receiver = await startReceiver(respond);
    opened.push(receiver);
    return receiver;
  };
  const answering = (answer: unknown) =>
    serve((response: ServerResponse) => response.end(JSON.stringify(answer)));
  afterEach(async () => {
    for (const receiver of opened.splice(0)) await receiver.close();
  });

  describeLookup('built in', () => Promise.resolve({ lookup: builtInAddressLookup, configuration: {} }));

  describeLookup('over HTTP', async () => {
    const address = { addressOne: '10 Downing Street', townCity: 'London', postalCode: 'SW1A 2AA' };
    const { url } = await serve((response, request) => {
      const path = new URL(request.path, 'http://localhost').pathname;
      const known = {
        '/v1/suggestions': { suggestions: [{ id: 'a/b', label: '10 Downing Street' }] },
        '/v1/addresses/a%2Fb': { address },
      }[path];
      response.statusCode = known ? 200 : 404;
      response.end(JSON.stringify(known ?? {}));
    });
    return { lookup: askingUnder(onLoopback), configuration: { url: `${url}/v1?key=k` } };
  });

  it('over HTTP are sent what stands in the query of their own address, and what is looked for', async () => {
    const receiver = await answering({ suggestions: [] });
    const lookup = askingUnder(onLoopback, `${receiver.url}/v1/?key=k`);
    await lookup.suggest({ ...downing, sessionId: 's' }, {});
    expect(receiver.requests.map(({ path }) => path)).to.deep.equal([
      '/v1/suggestions?key=k&query=10+Downing&countryCode=GB&limit=6&sessionId=s',
    ]);
  });

  const failing: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'never answers': () => undefined,
    'answers without an end': (response) => {
      const more = (): void => {
        response.write('x'.repeat(65_536), (error) => void (error ?? setImmediate(more)));
      };
      more();
    },
    'answers something else': (response) => response.end('{"suggestions":"many"}'),
    'answers no JSON': (response) => response.end('<html>'),
    'answers 500': (response) => {
      response.statusCode = 500;
      response.end('{}');
    },
    'answers 404 to a search': (response) => {
      response.statusCode = 404;
      response.end('{}');
    },
  };
  for (const [what, respond] of Object.entries(failing))
    it(`over HTTP have failed when the service ${what}`, async () => {
      const { url } = await serve(respond);
      const timeoutMs = what === 'never answers' ? 300 : limits.timeoutMs;
      const found = await askingUnder(onLoopback, url, timeoutMs).suggest(downing, {});
      expect(found.kind).to.equal('failed');
    });

  it('over HTTP are not called inside', async () => {
    const receiver = await answering({ suggestions: [] });
    const lookup = askingUnder({ allowLoopback: false, allowPrivate: false });
    const configuration = { url: receiver.url };
    const [problem] = await lookup.problems(configuration);
    expect(problem).to.match(/^url: /);
    expect(await lookup.suggest(downing, configuration)).to.include({ kind: 'failed' });
    expect(receiver.requests).to.deep.equal([]);
  });

  it('over HTTP without an address have failed', async () => {
    const found = await askingUnder(onLoopback).suggest(downing, {});
    expect(found).to.deep.equal({ kind: 'failed', reason: 'no address of it is set' });
  });
});
