import { expect } from 'chai';
import type { Socket } from 'node:net';
import type { AgentProfile, AgentProfiles, ResolvedProfile } from '#agents/agent-profile.ts';
import type { AgentRequest } from '#agents/agent-request.ts';
import { createAgentLimits } from '#http/agent-limits.ts';
import type { AgentDemands, AgentStep } from '#http/agent-step.ts';
import type { RequestFacts } from '#http/request-facts.ts';
import { Rejection } from '#kernel/rejection.ts';
import { agentStepWith, protocolWith } from '#test/support/agent-step.ts';

const uri = 'https://agent.example/profile.json';
const named = `profile="${uri}"`;

const facts = (ucpAgent?: string, ip = '203.0.113.7'): RequestFacts => ({
  cookies: {},
  basketId: null,
  ip,
  header: (name) => (name === 'ucp-agent' ? ucpAgent : undefined),
  headers: {},
  baseUrl: 'https://shop.example',
});

const creating: AgentDemands = {
  mayBeAnonymous: false,
  needsProfile: true,
  followsProfile: true,
  counted: 'request',
};
const reading: AgentDemands = { ...creating, needsProfile: false, followsProfile: false };
const discovering: AgentDemands = { ...creating, mayBeAnonymous: true, counted: 'nothing' };

/** The code of what the step throws; null where it lets through. */
const refusalOf = async (ask: () => unknown): Promise<string | null> => {
  try {
    await ask();
    return null;
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
};

const identify = (step: AgentStep, ucpAgent: string | undefined, demands = reading) =>
  refusalOf(() => step.identify(facts(ucpAgent), demands));

const profile: AgentProfile = {
  uri,
  name: 'Ada’s assistant',
  version: '2026-01-11',
  capabilities: [
    {
      name: 'dev.ucp.shopping.order',
      version: '2026-01-11',
      config: { webhook_url: 'https://agent.example/orders' },
    },
    {
      name: 'dev.ucp.shopping.fulfillment',
      version: null,
      config: { supports_multi_group: true },
    },
  ],
  signingKeys: [],
};

const profiles = (resolved: ResolvedProfile): AgentProfiles => ({
  resolve: () => Promise.resolve(resolved),
  refresh: () => Promise.resolve(resolved),
});
const unresolved = (reason: 'malformed-address' | 'unreachable' | 'malformed' | 'too-many') =>
  profiles({ kind: 'unresolved', reason, message: 'It could not be had.' });

describe('The step on agent paths', () => {
  const socket = (protocol: string | null) => ({ getProtocol: () => protocol }) as unknown as Socket;
  const transport = (step: AgentStep, path: string, secure = false, protocol: string | null = null) =>
    refusalOf(() => step.checkTransport({ secure, socket: socket(protocol) }, path));

  it('wants HTTPS on exactly the four prefixes', async () => {
    const step = agentStepWith({ Protocol__RequireHttps: 'true' });
    const guarded = ['/.well-known/ucp', '/.well-known/ucp/2026-01-11', '/api/v1/checkout-sessions'];
    for (const path of [...guarded, '/api/v1/orders/1', '/api/v1/orders/stats', '/api/v1/carts/1/cancel']) {
      expect(await transport(step, path), path).to.equal('https_required');
      expect(await transport(step, path, true), path).to.equal(null);
    }
    const others = [
      '/.well-known/ucp-test-agent/a',
      '/api/v1/catalog/search',
      '/api/v1/ordersx',
      '/oauth/token',
    ];
    for (const path of others) expect(await transport(step, path), path).to.equal(null);
  });

  for (const spelling of ['1.3', 'Tls13', 'TLSv1.3']) {
    it(`refuses a connection that is older than ${spelling}, but for one of a proxy’s`, async () => {
      const setting = { Protocol__MinimumTlsVersion: spelling };
      const step = agentStepWith(setting);
      const ask = (protocol: string | null, one = step) => transport(one, '/api/v1/carts', true, protocol);
      expect(await ask('TLSv1.2')).to.equal('tls_version_unsupported');
      expect(await ask('TLSv1.3')).to.equal(null);
      expect(await ask(null)).to.equal(null);
      expect(await ask('TLSv1.2', agentStepWith(setting, { trustedProxies: 1 }))).to.equal(null);
    });
  }

  it('wants to know the profile, but for the manifest', async () => {
    const step = agentStepWith();
    for (const field of [undefined, '', 'version="2026-01-11"', 'profile="', `profile="${'x'.repeat(2001)}"`])
      expect(await identify(step, field), field ?? 'none').to.equal('invalid_profile_url');
    expect(await identify(step, undefined, discovering)).to.equal(null);
    expect(await identify(step, named)).to.equal(null);
  });

  it('lets through the agents that are listed, letter by letter', async () => {
    const step = agentStepWith({ Protocol__Ucp__AllowedAgents: uri });
    expect(await identify(step, named)).to.equal(null);
    expect(await identify(step, `profile="${uri}/"`)).to.equal('profile_not_trusted');
    expect(await identify(step, `profile="${uri}/"`, discovering)).to.equal('profile_not_trusted');
  });

  it('sells to no agent without a signature where signatures are required; the manifest can be read', async () => {
    const setting = { Protocol__Ucp__RequireSignature: 'true', Protocol__Ucp__AllowedAgents: uri };
    const step = agentStepWith(setting, { profiles: profiles({ kind: 'resolved', profile }) });
    expect(await identify(step, named)).to.equal('signature_missing');
    expect(await identify(step, named, creating)).to.equal('signature_missing');
    expect(await identify(step, named, discovering)).to.equal(null);
  });

  it('refuses a version that the shop does not speak, and says which it does', async () => {
    const rejection = (environment: Record<string, string>) => {
      try {
        void agentStepWith(environment).identify(facts(`${named};version="2099-01-01"`), reading);
        return null;
      } catch (error) {
        return (error as Rejection).details['protocolError'];
      }
    };
    expect(rejection({})).to.include({
      code: 'version_unsupported',
      continueUrl: 'https://shop.example/demo',
    });
    expect(rejection({})).to.have.property('text').that.includes('2026-04-08, 2026-01-11');
    expect(rejection({})).not.to.have.property('httpStatus');
    expect(rejection({ Protocol__Ucp__Version: '2026-01-11' })).to.have.property('httpStatus', 400);
    expect(rejection({ Protocol__Ucp__Version: 'draft-7' })).to.equal(null);
    expect(await refusalOf(() => agentStepWith().browse(facts('version="2099-01-01"')))).to.equal(
      'version_unsupported',
    );
  });

  it('takes from the profile what it says, and answers in its version', async () => {
    const step = agentStepWith({}, { profiles: profiles({ kind: 'resolved', profile }) });
    const request = await step.identify(facts(named), creating);
    expect(request).to.include({ dialect: '2026-01-11', requestedVersion: null });
    expect(request.identity).to.include({
      profileUri: uri,
      profileState: 'resolved',
      name: 'Ada’s assistant',
      webhookUrl: 'https://agent.example/orders',
      checkoutWebhookUrl: null,
      supportsMultiGroup: true,
      isVerified: false,
    });
    const asked = await step.identify(facts(`${named};version="2026-04-08"`), creating);
    expect(asked).to.include({ dialect: '2026-04-08', requestedVersion: '2026-04-08' });
  });

  it('takes no webhook whose address is longer than 2,000 characters', async () => {
    const webhookAfter = async (length: number) => {
      const url = 'https://agent.example/'.padEnd(length, 'x');
      const order = {
        name: 'dev.ucp.shopping.order',
        version: null,
        config: { webhook_url: url },
      };
      const calledAt = profiles({ kind: 'resolved', profile: { ...profile, capabilities: [order] } });
      const { identity } = await agentStepWith({}, { profiles: calledAt }).identify(facts(named), creating);
      return identity?.webhookUrl?.length ?? null;
    };
    expect([await webhookAfter(2000), await webhookAfter(2001)]).to.deep.equal([2000, null]);
  });

  it('refuses a profile of a version that the shop does not speak where nothing else chooses one', async () => {
    const future = profiles({ kind: 'resolved', profile: { ...profile, version: '2099-01-01' } });
    const step = agentStepWith({}, { profiles: future });
    expect(await identify(step, named, creating)).to.equal('version_unsupported');
    expect(await identify(step, `${named};version="2026-04-08"`, creating)).to.equal(null);
    expect(await identify(step, named, { ...creating, followsProfile: false })).to.equal(null);
  });

  const strictly = [
    ['malformed-address', 'invalid_profile_url'],
    ['unreachable', 'profile_unreachable'],
    ['malformed', 'profile_malformed'],
    ['too-many', 'rate_limited'],
  ] as const;
  for (const [reason, code] of strictly) {
    it(`goes on without a profile that is ${reason}, unless the shop is strict`, async () => {
      const lenient = agentStepWith({}, { profiles: unresolved(reason) });
      const { identity } = await lenient.identify(facts(named), creating);
      expect(identity).to.include({ profileUri: uri, profileState: reason, capabilities: null });
      const strict = { Protocol__Ucp__ProfileResolution: 'strict' };
      expect(
        await identify(agentStepWith(strict, { profiles: unresolved(reason) }), named, creating),
      ).to.equal(code);
    });
  }

  it('asks the owner’s hooks about an agent, and about nobody', async () => {
    const asked: unknown[] = [];
    const step = agentStepWith(
      {},
      {
        askHooks: (notification, input) => {
          asked.push([notification, (input as { agent: { profileUri: string } }).agent.profileUri]);
          return 'Not you.';
        },
      },
    );
    expect(await identify(step, named)).to.equal('access_denied');
    expect(await identify(step, undefined, discovering)).to.equal(null);
    expect(asked).to.deep.equal([['ProtocolAgentAuthenticatingNotification', uri]]);
  });
});

describe('The rates of agents', () => {
  const request = (profileUri: string, isVerified: boolean): AgentRequest => ({
    identity: {
      profileUri,
      profileState: 'resolved',
      name: null,
      version: null,
      capabilities: null,
      signingKeys: [],
      webhookUrl: null,
      checkoutWebhookUrl: null,
      supportsMultiGroup: false,
      isVerified,
    },
    member: null,
    ownVersion: '2026-04-08',
    requestedVersion: null,
    dialect: '2026-04-08',
  });
  const rates = { requestsPerMinute: 3, completesPerMinute: 1, unsignedPerAddressPerMinute: 2 };
  const address = '203.0.113.7';

  it('count unsigned requests by address, whatever profiles they name', async () => {
    const take = createAgentLimits(() => 0, rates);
    const ask = (profileUri: string, ip = address) =>
      refusalOf(() => take(request(profileUri, false), ip, 'complete'));
    expect([await ask('a'), await ask('b'), await ask('c')]).to.deep.equal([null, null, 'rate_limited']);
    expect(await ask('a', '198.51.100.4')).to.equal(null);
    expect(await refusalOf(() => take(request('a', false), address, 'nothing'))).to.equal(null);
  });

  it('count signed ones by profile, payments besides', async () => {
    const take = createAgentLimits(() => 0, rates);
    const ask = (profileUri: string, counted: 'request' | 'complete') =>
      refusalOf(() => take(request(profileUri, true), address, counted));
    expect(await ask('a', 'complete')).to.equal(null);
    expect(await ask('a', 'complete')).to.equal('rate_limited');
    expect(await ask('a', 'request')).to.equal(null);
    expect(await ask('a', 'request')).to.equal('rate_limited');
    expect(await ask('b', 'request')).to.equal(null);
  });

  it('are off at 0', async () => {
    const off = { requestsPerMinute: 0, completesPerMinute: 0, unsignedPerAddressPerMinute: 0 };
    const take = createAgentLimits(() => 0, off);
    for (let i = 0; i < 50; i++) take(request('a', i % 2 === 0), address, 'complete');
  });
});

describe('The settings of the protocol', () => {
  it('keep to what the shop says, with a slash less', () => {
    const { publicBaseUrl, ucp } = protocolWith({
      Protocol__PublicBaseUrl: 'https://shop.example/',
      Protocol__Ucp__SchemaBaseUrl: 'https://schemas.example/',
    });
    expect([publicBaseUrl, ucp.schemaBaseUrl, ucp.testAgentEnabled]).to.deep.equal([
      'https://shop.example',
      'https://schemas.example',
      true,
    ]);
  });
});
