import { expect } from 'chai';
import type { DialectName } from '#agents/agent-request.ts';
import { offeredCapabilities } from '#agents/capabilities.ts';
import { incompatibleForms, manifestForms, type Manifest } from '#agents/manifest.ts';
import { testAgentProfile } from '#agents/test-agent.ts';
import { readProfile } from '#agents/read-profile.ts';
import { schemaProblems } from '#test/support/agents/answer-schemas.ts';

const settings = {
  capabilities: { checkout: true, order: true, identityLinking: true, cart: true, catalog: true },
  extensions: { discount: true, fulfillment: true, buyerConsent: true, ap2Mandates: true },
};
const key = { kid: 'ucp-1', kty: 'EC', crv: 'P-256', x: 'xx', y: 'yy', use: 'sig', alg: 'ES256' };
const handler = {
  id: 'acme:card',
  name: 'com.tillroll.acme',
  version: null,
  specUrl: 'https://ucp.dev/specification/payment-handler-guide',
  schemaUrl: 'https://ucp.dev/schemas/payment_handler.json',
  instruments: [{ type: 'card' }],
  config: { environment: 'sandbox' },
};

const manifest = (dialect: DialectName, changes: Partial<Manifest> = {}): Manifest => ({
  baseUrl: 'https://shop.example',
  capabilities: offeredCapabilities(settings, dialect),
  handlers: [handler],
  signingKeys: [key],
  store: { name: 'Tillroll', description: null, websiteUrl: null },
  furtherVersions: [],
  ...changes,
});

// The members that a test looks at are those of the published form.
const written = (dialect: DialectName, version: string, changes: Partial<Manifest> = {}) => {
  const schemaBaseUrl = 'https://ucp.dev';
  const body = manifestForms[dialect](manifest(dialect, changes), { version, schemaBaseUrl });
  return JSON.parse(JSON.stringify(body)) as {
    readonly ucp: Record<string, never>;
    readonly payment?: { readonly handlers: readonly object[] };
    readonly signing_keys: readonly object[];
    readonly store: object;
  };
};

describe('a manifest (docs/rules/agents.md#manifest)', () => {
  for (const version of ['2026-04-08', '2026-01-11'] as const)
    it(`fits the schemas of ${version}`, () => {
      expect(schemaProblems('manifest', version, written(version, version))).to.deep.equal([]);
      const bare = written(version, version, { handlers: [], capabilities: [] });
      expect(schemaProblems('manifest', version, bare)).to.deep.equal([]);
    });

  it('says what the shop can do, where, and by which keys it signs', () => {
    const furtherVersions = ['2026-01-11'];
    const store = { name: 'Tillroll', description: 'Everything', websiteUrl: 'https://www.example' };
    const { ucp, ...others } = written('2026-04-08', '2026-04-08', { furtherVersions, store });
    expect(others).to.deep.equal({
      signing_keys: [key],
      store: { name: 'Tillroll', description: 'Everything', url: 'https://www.example' },
    });
    expect(ucp).to.deep.include({
      version: '2026-04-08',
      supported_versions: { '2026-01-11': 'https://shop.example/.well-known/ucp/2026-01-11' },
      services: {
        'dev.ucp.shopping': [
          {
            version: '2026-04-08',
            spec: 'https://ucp.dev/2026-04-08/specification/overview',
            transport: 'rest',
            schema: 'https://ucp.dev/2026-04-08/services/shopping/rest.openapi.json',
            endpoint: 'https://shop.example/api/v1',
          },
        ],
      },
    });
    expect(ucp['capabilities']).to.deep.include({
      'dev.ucp.shopping.discount': [
        {
          version: '2026-04-08',
          spec: 'https://ucp.dev/2026-04-08/specification/discount',
          schema: 'https://ucp.dev/2026-04-08/schemas/shopping/discount.json',
          extends: ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.cart'],
        },
      ],
      'dev.ucp.common.identity_linking': [
        {
          version: '2026-04-08',
          spec: 'https://ucp.dev/2026-04-08/specification/identity-linking',
          schema: 'https://ucp.dev/2026-04-08/schemas/common/identity_linking.json',
          config: { scopes: {} },
        },
      ],
    });
    expect(Object.keys(ucp['payment_handlers'] ?? {})).to.deep.equal(['com.tillroll.acme']);
  });

  it('lists the same in the older version, whose addresses carry none', () => {
    const { ucp, payment, store } = written('2026-01-11', '2026-01-11');
    expect(store).to.deep.equal({ name: 'Tillroll' });
    expect(ucp['services']).to.deep.equal({
      'dev.ucp.shopping': {
        version: '2026-01-11',
        spec: 'https://ucp.dev/specification/overview',
        rest: {
          schema: 'https://ucp.dev/services/shopping/rest.openapi.json',
          endpoint: 'https://shop.example/api/v1',
        },
      },
    });
    expect(ucp['capabilities']).to.deep.include({
      name: 'dev.ucp.shopping.discount',
      version: '2026-01-11',
      spec: 'https://ucp.dev/specification/discount',
      schema: 'https://ucp.dev/schemas/shopping/discount.json',
      extends: 'dev.ucp.shopping.checkout',
    });
    expect(payment?.handlers).to.have.lengthOf(1);
    expect(payment?.handlers[0]).to.include.all.keys(
      'id',
      'name',
      'version',
      'spec',
      'config_schema',
      'instrument_schemas',
      'config',
    );
  });

  it('has the version of a draft everywhere', () => {
    const version = '2026-10-draft';
    const { ucp } = written('draft', version);
    expect(ucp['version']).to.equal(version);
    expect(ucp).not.to.have.property('supported_versions');
    expect(JSON.stringify(ucp)).to.include(`https://ucp.dev/${version}/specification/checkout`);
    expect(JSON.stringify(ucp)).not.to.match(/2026-0/);
  });

  it('is an error where both sides have nothing in common', () => {
    const asked = { continueUrl: 'https://www.example' };
    const context = { version: '2026-04-08', schemaBaseUrl: 'https://ucp.dev' };
    const [message] = incompatibleForms['2026-04-08'](asked, context)['messages'] as readonly object[];
    expect(message).to.include({
      type: 'error',
      code: 'capabilities_incompatible',
      severity: 'unrecoverable',
    });
    expect(incompatibleForms['2026-04-08'](asked, context)).to.deep.include({
      ucp: { version: '2026-04-08', status: 'error', capabilities: {} },
      continue_url: 'https://www.example',
    });
  });
});

describe('the profile of a test agent (docs/rules/agents.md#test-agents)', () => {
  for (const version of ['2026-04-08', '2026-01-11'] as const)
    it(`can do all that a shop of ${version} can, and reads as a profile`, () => {
      const facts = { ...settings, version, schemaBaseUrl: 'https://ucp.dev' };
      const baseUrl = 'https://shop.example';
      const text = testAgentProfile('ada', { baseUrl, settings: facts, signingKeys: [key] });
      const read = readProfile('https://shop.example/ada', text);
      if (read.kind === 'malformed') throw new Error(read.problem);
      expect(read.profile).to.deep.include({ name: 'Test agent ada', version, signingKeys: [key] });
      expect(read.profile.capabilities.map(({ name }) => name)).to.deep.equal(
        offeredCapabilities(settings, version).map(({ name }) => name),
      );
      expect(read.profile.capabilities.find(({ name }) => name.endsWith('.order'))?.config).to.deep.equal({
        webhook_url: 'https://shop.example/testing/agents/ada/webhooks/orders',
      });
    });
});
