import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidConfiguration, loadConfig, type Environment } from '#runtime/config.ts';
import { paymentWarning } from '#runtime/config-payments.ts';

const problemsOf = (env: Environment): readonly string[] => {
  try {
    loadConfig({ env });
  } catch (error) {
    if (error instanceof InvalidConfiguration) return error.problems;
    throw error;
  }
  return [];
};

describe('The configuration', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-config-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('needs nothing: everything has a default under ./data', () => {
    const config = loadConfig({ env: {} });
    expect(config).to.deep.include({
      port: 4000,
      dataDir: resolve('./data'),
      storeFile: { kind: 'demo' },
      testingSecret: null,
      payments: {
        providers: ['manual', 'sandbox', 'purchaseorder'],
        offered: ['manual', 'sandbox', 'purchaseorder'],
        manualHoldMinutes: null,
        callbacksPerMinute: 60,
        given: { sandbox: {}, stripe: {} },
      },
    });
    expect(config.engines).to.deep.equal({
      events: { kind: 'sqlite', file: resolve('./data/events.db') },
      read: { kind: 'sqlite', file: resolve('./data/read.db') },
      state: { kind: 'sqlite', file: resolve('./data/state.db') },
      bus: { kind: 'sqlite', file: resolve('./data/bus.db') },
    });
    expect(config.webhooks.retryDelaysSeconds).to.deep.equal([60, 300, 900, 3600, 14_400]);
    expect(config.store).to.deep.equal({});
  });

  it('reads YAML and JSON, in any case, and lets the environment override them', () => {
    const yaml = file(
      'a.yaml',
      'webhooks:\n  maxretries: 2\n  DefaultTimeoutSeconds: 9\nStore:\n  NAME: Tea\n',
    );
    const config = loadConfig({
      env: { CONFIG_FILE: yaml, Webhooks__MaxRetries: '7', Store__storeCurrencyCode: 'jpy' },
    });
    expect(config.webhooks).to.include({ maxRetries: 7, defaultTimeoutSeconds: 9 });
    expect(config.store).to.deep.equal({ name: 'Tea', storeCurrencyCode: 'JPY' });
    const json = file('b.json', '{"Payments":{"Providers":["manual"]}}');
    expect(loadConfig({ env: { CONFIG_FILE: json } }).payments.providers).to.deep.equal(['manual']);
  });

  it('prefers the abandoned-cart section of checkout, key by key', () => {
    const { store } = loadConfig({
      env: {
        AbandonedCheckout__CheckIntervalMinutes: '20',
        AbandonedCheckout__MaxRecoveryEmails: '2',
        Checkout__AbandonedCart__CheckIntervalMinutes: '30',
      },
    });
    expect(store).to.deep.equal({
      'abandonedCheckout.checkIntervalMinutes': 30,
      'abandonedCheckout.maxRecoveryEmails': 2,
    });
  });

  it('bounds the unpaid invoices of an address, unless it is told not to', () => {
    const { checkout } = loadConfig({ env: {} });
    const limits = { openInvoicesPerAddress: 20, heldUnitsPerAddress: 50, largeHoldMinutes: 10 };
    const defaults = { ...limits, newCustomersPerMinute: 10 };
    expect(checkout).to.deep.equal(defaults);
    const env = { Checkout__OpenInvoicesPerAddress: '0', Checkout__HeldUnitsPerAddress: '0' };
    const none = { ...defaults, openInvoicesPerAddress: 0, heldUnitsPerAddress: 0 };
    expect(loadConfig({ env }).checkout).to.deep.equal(none);
    expect(problemsOf({ Checkout__OpenInvoicesPerAddress: '-1' })).to.have.length(1);
    expect(problemsOf({ Checkout__LargeHoldMinutes: '0' })).to.have.length(1);
  });

  it('takes lists and empty values from the environment', () => {
    const config = loadConfig({
      env: {
        Webhooks__RetryDelaysSeconds: '1, 2',
        Protocol__Ucp__AllowedAgents: '["https://a.example"]',
        Store__defaultShippingCountry: '',
        Storefront__Cookies__Secure: 'true',
      },
    });
    expect(config.webhooks.retryDelaysSeconds).to.deep.equal([1, 2]);
    const without = loadConfig({ env: { Webhooks__RetryDelaysSeconds: '[]' } });
    expect(without.webhooks.retryDelaysSeconds).to.deep.equal([]);
    expect(config.protocol.ucp.allowedAgents).to.deep.equal(['https://a.example']);
    expect(config.store.defaultShippingCountry).to.equal(null);
    expect(config.storefront.cookies.secure).to.equal(true);
  });

  it('names what it does not know and the nearest that it does', () => {
    expect(problemsOf({ Store__storeCurency: 'GBP' })).to.deep.equal([
      'Store.storeCurency: there is no such setting; the nearest is Store.storeCurrencyCode',
    ]);
    expect(problemsOf({ Webhook__MaxRetries: '3' })).to.deep.equal([
      'Webhook__MaxRetries: there is no such section; the nearest is Webhooks',
    ]);
    expect(problemsOf({ CONFIG_FILE: file('c.yaml', 'Stroe:\n  name: Tea\n') })).to.deep.equal([
      'Stroe: there is no such setting; the nearest is Store',
    ]);
  });

  it("leaves other programs' variables alone", () => {
    expect(problemsOf({ npm_config__jsr__registry: 'x', __CF_USER: '1', FOO__BAR: 'y' })).to.deep.equal([]);
  });

  it('reports all problems at once, and what each value must be', () => {
    const problems = problemsOf({
      PORT: 'http',
      EVENT_STORE: 'kafka://somewhere',
      APPLICATION_KEY: 'short',
      PUBLIC_BASE_URL: 'shop',
      Webhooks__MaxRetries: 'many',
      Store__reportingTimeZone: 'Mars/Olympus',
    });
    expect(problems).to.have.length(6);
    expect(problems).to.include('Webhooks.MaxRetries: must be a number');
    expect(problems.join('\n')).to.include('kafka:// is for BUS');
    expect(problems.join('\n')).to.include('Store.reportingTimeZone: must be an IANA time zone');
  });

  it('refuses in production what is for tests, and offers no payment of its own', () => {
    const NODE_ENV = 'production';
    expect(problemsOf({ NODE_ENV, TESTING_SECRET: 's', ALLOW_LOOPBACK_TARGETS: 'true' })).to.have.length(2);
    const { payments } = loadConfig({ env: { NODE_ENV } });
    expect([payments.providers, payments.offered]).to.deep.equal([[], []]);
    expect(paymentWarning(payments)).to.include('Payments.Providers');
  });

  it('lets no test of agents into production, and no test endpoint without a secret', () => {
    const tests = {
      Protocol__Ucp__TestEndpoints__Enabled: 'true',
      Protocol__Ucp__TestEndpoints__SimulationSecret: 'secret',
      Protocol__Ucp__AllowInsecureLoopback: 'true',
      Protocol__Ucp__StoredAddressInjection: 'all',
    };
    expect(problemsOf(tests)).to.deep.equal([]);
    expect(problemsOf({ ...tests, NODE_ENV: 'production' })).to.deep.equal([
      'Protocol.Ucp.TestEndpoints.Enabled: true is refused when NODE_ENV=production',
      'Protocol.Ucp.AllowInsecureLoopback: true is refused when NODE_ENV=production',
      'Protocol.Ucp.StoredAddressInjection: all is refused when NODE_ENV=production',
    ]);
    expect(problemsOf({ Protocol__Ucp__TestEndpoints__Enabled: 'true' })).to.deep.equal([
      'Protocol.Ucp.TestEndpoints.SimulationSecret: must be set where the test endpoints are on',
    ]);
    expect(problemsOf({ ...tests, Protocol__Ucp__TestEndpoints__SimulationSecret: 'süß' })).to.deep.equal([
      'Protocol.Ucp.TestEndpoints.SimulationSecret: must be visible ASCII characters',
    ]);
    const { ucp } = loadConfig({ env: { NODE_ENV: 'production' } }).protocol;
    expect(ucp.testAgentEnabled).to.equal(false);
  });

  it('takes a version of TLS in the usual spellings, and no older one', () => {
    const version = (text: string) =>
      loadConfig({ env: { Protocol__MinimumTlsVersion: text } }).protocol.minimumTlsVersion;
    expect(['1.2', 'Tls12', 'TLSv1.3', 'tls13', ''].map(version)).to.deep.equal([
      '1.2',
      '1.2',
      '1.3',
      '1.3',
      '',
    ]);
    expect(problemsOf({ Protocol__MinimumTlsVersion: '1.0' })).to.deep.equal([
      'Protocol.MinimumTlsVersion: must be 1.2, 1.3 or empty',
    ]);
  });

  it('takes test cards in production only where it is told to', () => {
    const env = { NODE_ENV: 'production', Payments__Providers: 'sandbox' };
    expect(problemsOf(env)[0]).to.match(/^Payments.Providers: sandbox .*Payments.AllowSandboxInProduction/);
    const { payments } = loadConfig({ env: { ...env, Payments__AllowSandboxInProduction: 'true' } });
    expect(payments.offered).to.deep.equal(['sandbox']);
    expect(paymentWarning(payments)).to.be.null;
  });

  it('keeps manual payments in production for the backoffice, unless shoppers may promise them', () => {
    const env = { NODE_ENV: 'production', Payments__Providers: 'manual' };
    const kept = loadConfig({ env }).payments;
    expect([kept.providers, kept.offered]).to.deep.equal([['manual'], []]);
    expect(paymentWarning(kept)).to.include('Payments.Manual.ForShoppers');
    const promised = loadConfig({ env: { ...env, Payments__Manual__ForShoppers: 'true' } }).payments;
    expect(promised).to.deep.include({ offered: ['manual'], manualHoldMinutes: 10_080 });
    expect(problemsOf({ ...env, Payments__Manual__HoldMinutes: '0' })[0]).to.include('HoldMinutes');
  });

  it('takes return hosts by name only, and no unreachable public address', () => {
    for (const hosts of ['https://shop.example', '*.example', 'me@shop.example', 'shop.example:0'])
      expect(problemsOf({ Storefront__AllowedReturnHosts: hosts })[0], hosts).to.match(
        /^Storefront.AllowedReturnHosts.0: must be a host such as/,
      );
    expect(problemsOf({ Protocol__PublicBaseUrl: 'shop.example' })).to.deep.equal([
      'Protocol.PublicBaseUrl: must be an http or https address',
    ]);
    expect(problemsOf({ Storefront__AllowedReturnHosts: 'shop.example, localhost:3000' })).to.deep.equal([]);
  });

  it('links accounts in production only under an address that no request names', () => {
    const env = { NODE_ENV: 'production', Protocol__Ucp__Capabilities__IdentityLinking: 'true' };
    expect(problemsOf(env)).to.deep.equal([
      'Protocol.Ucp.Capabilities.IdentityLinking: needs Protocol.PublicBaseUrl or PUBLIC_BASE_URL when NODE_ENV=production',
    ]);
    const address = 'https://shop.example';
    expect(problemsOf({ ...env, PUBLIC_BASE_URL: address })).to.deep.equal([]);
    expect(problemsOf({ ...env, Protocol__PublicBaseUrl: address })).to.deep.equal([]);
    expect(problemsOf({ ...env, NODE_ENV: 'test' })).to.deep.equal([]);
  });

  it('registers clients once each, by a hash of their secret, with addresses where only they listen', () => {
    const client = {
      clientId: 'pia',
      name: 'Pia',
      profileUri: 'https://pia.example/profile.json',
      redirectUris: ['https://pia.example/linked'],
    };
    const problem = (...clients: readonly object[]) =>
      problemsOf({ Protocol__Ucp__OAuth__Clients: JSON.stringify(clients) }).join();
    expect(problem(client)).to.equal('');
    expect(problem(client, client)).to.include('must name each ClientId once');
    expect(problem({ ...client, clientSecretHash: 'secret' })).to.include('64 hexadecimal digits');
    expect(problem({ ...client, redirectUris: ['http://pia.example/linked'] })).to.include('https address');
    expect(problem({ ...client, redirectUris: [] })).to.include('RedirectUris');
    expect(problem({ ...client, profileUri: undefined })).to.include('ProfileUri');
  });

  it('takes origins as browsers send them, and says what each other one should be', () => {
    const problemOf = (origin: string) =>
      problemsOf({ Storefront__AllowedOrigins: `https://ok.example,${origin}` });
    const wrong: Readonly<Record<string, RegExp>> = {
      '*': /must be one origin without \*/,
      null: /must not be null/,
      'shop.example': /must be an origin as browsers send it/,
      'https://*.example': /must be one origin without \*/,
      'ftp://shop.example': /must be an origin/,
      'https://shop.example/': /it is https:\/\/shop.example$/,
      'https://shop.example:443': /it is https:\/\/shop.example$/,
      'https://Shop.example': /it is https:\/\/shop.example$/,
      'https://me@shop.example': /it is https:\/\/shop.example$/,
      'https://shop.example/window': /it is https:\/\/shop.example$/,
      'https://münchen.example': /it is https:\/\/xn--mnchen-3ya.example$/,
    };
    for (const [origin, expected] of Object.entries(wrong)) {
      const [problem = '', ...more] = problemOf(origin);
      expect(problem, origin)
        .to.match(/^Storefront.AllowedOrigins.1: /)
        .and.match(expected);
      expect(more).to.deep.equal([]);
    }
    const origins = ['https://ok.example', 'http://localhost:3000', 'http://[::1]:3000'];
    const { storefront } = loadConfig({ env: { Storefront__AllowedOrigins: origins.join(', ') } });
    expect(storefront.allowedOrigins).to.deep.equal(origins);
    expect(loadConfig({ env: {} }).storefront.allowedOrigins).to.deep.equal([]);
  });

  it('says when the file cannot be read', () => {
    expect(problemsOf({ CONFIG_FILE: join(folder, 'missing.yaml') })[0]).to.include('missing.yaml');
    expect(problemsOf({ CONFIG_FILE: file('list.yaml', '- 1') })).to.have.length(1);
  });

  it('names the webhook of the operator with its secret, or neither', () => {
    const url = { Webhooks__Operator__Url: 'https://alerts.example.com' };
    const secret = Buffer.alloc(32, 'operator').toString('base64');
    expect(problemsOf({ ...url, Webhooks__Operator__Secret: secret })).to.deep.equal([]);
    for (const wrong of [
      url,
      { Webhooks__Operator__Secret: secret },
      { ...url, Webhooks__Operator__Secret: 'too short' },
    ])
      expect(problemsOf(wrong))
        .to.have.length(1)
        .and.to.satisfy(([one]: string[]) => /Operator.Secret: /i.test(one ?? ''));
    expect(problemsOf({ Webhooks__Operator__Url: 'alerts', Webhooks__Operator__Secret: secret })[0]).to.match(
      /Operator.Url: /i,
    );
  });
});
