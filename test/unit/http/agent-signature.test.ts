import { expect } from 'chai';
import type { AgentProfile, AgentProfiles, PublicKey, ResolvedProfile } from '#agents/agent-profile.ts';
import type { AgentDemands } from '#http/agent-step.ts';
import type { RequestFacts } from '#http/request-facts.ts';
import { Rejection } from '#kernel/rejection.ts';
import { signMessage } from '#signatures/sign-message.ts';
import { agentStepWith } from '#test/support/agent-step.ts';
import { agentKey, type AgentKey } from '#test/support/agents/agent-key.ts';

const uri = 'https://agent.example/profile.json';
const now = Date.UTC(2026, 0, 1);
const [first, second] = [agentKey('k1'), agentKey('k2')];

const reading: AgentDemands = {
  ...{ mayBeAnonymous: false, needsProfile: false, followsProfile: false },
  counted: 'request',
};
const discovering: AgentDemands = {
  ...reading,
  mayBeAnonymous: true,
  needsProfile: true,
  counted: 'nothing',
};

/** Reads a session, signed by a key, or by none. */
const asked = (key: AgentKey | null, ip = '203.0.113.7'): RequestFacts => {
  const message = {
    method: 'GET',
    url: 'https://shop.example/api/v1/checkout-sessions/1',
    headers: { 'ucp-agent': `profile="${uri}"` },
    body: Buffer.alloc(0),
  };
  const added =
    key && signMessage(message, ['@method', '@authority', '@path', 'ucp-agent'], key, { at: now });
  const headers: Record<string, string> = {
    ...message.headers,
    ...(added && { 'signature-input': added['Signature-Input'], signature: added.Signature }),
  };
  return {
    ...{ cookies: {}, basketId: null, ip, headers, baseUrl: 'https://shop.example' },
    header: (name) => headers[name],
    message: { ...message, headers },
  };
};

const profileWith = (...signingKeys: readonly PublicKey[]): ResolvedProfile => {
  const profile: AgentProfile = { uri, name: null, version: '2026-04-08', capabilities: [], signingKeys };
  return { kind: 'resolved', profile };
};
const away: ResolvedProfile = { kind: 'unresolved', reason: 'unreachable', message: 'It is away.' };

/** Profiles that count how often they are asked for. */
const profilesOf = (resolved: ResolvedProfile, refreshed: ResolvedProfile = resolved) => {
  const asks = { resolve: 0, refresh: 0 };
  const profiles: AgentProfiles = {
    resolve: async () => {
      asks.resolve++;
      return resolved;
    },
    refresh: async () => {
      asks.refresh++;
      return refreshed;
    },
  };
  return { asks, profiles };
};

type Environment = Readonly<Record<string, string>>;

/** The refusal's code, or whether who asks is verified. */
const outcome = async (
  request: RequestFacts,
  profiles: AgentProfiles,
  {
    demands = reading,
    environment = {} as Environment,
    step = agentStepWith(environment, { profiles }),
  } = {},
): Promise<string | boolean | undefined> => {
  try {
    return (await step.identify(request, demands)).identity?.isVerified;
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
};

// docs/rules/agent-signatures.md#requests
describe('A signature on an agent path', () => {
  it('needs the profile, where nothing else does', async () => {
    const { asks, profiles } = profilesOf(profileWith(first.published));
    expect(await outcome(asked(null), profiles)).to.equal(false);
    expect(asks).to.deep.equal({ resolve: 0, refresh: 0 });
    expect(await outcome(asked(first), profiles)).to.equal(true);
    expect(asks).to.deep.equal({ resolve: 1, refresh: 0 });
  });

  it('is checked on the manifest too, which can be read without one even where the shop requires it', async () => {
    const { profiles } = profilesOf(profileWith(first.published));
    const environment = { Protocol__Ucp__RequireSignature: 'true' };
    expect(await outcome(asked(null), profiles, { environment, demands: discovering })).to.equal(false);
    expect(await outcome(asked(second), profiles, { environment, demands: discovering })).to.equal(
      'key_not_found',
    );
    expect(await outcome(asked(null), profiles, { environment })).to.equal('signature_missing');
    expect(await outcome(asked(first), profiles, { environment })).to.equal(true);
  });

  it('asks for the profile again where it does not have the key, and believes it then', async () => {
    const { asks, profiles } = profilesOf(profileWith(first.published), profileWith(second.published));
    expect(await outcome(asked(second), profiles)).to.equal(true);
    expect(asks.refresh).to.equal(1);
    const gone = profilesOf(profileWith(first.published), away);
    expect(await outcome(asked(second), gone.profiles)).to.equal('key_not_found');
    const none = profilesOf(profileWith());
    expect(await outcome(asked(first), none.profiles)).to.equal('key_not_found');
  });

  it('cannot be checked without the profile, leniently or strictly', async () => {
    const { profiles } = profilesOf(away);
    const strict = { Protocol__Ucp__ProfileResolution: 'strict' };
    expect(await outcome(asked(first), profiles)).to.equal('profile_unreachable');
    expect(await outcome(asked(first), profiles, { environment: strict })).to.equal('profile_unreachable');
    const malformed: ResolvedProfile = { ...away, reason: 'malformed' };
    expect(await outcome(asked(first), profilesOf(malformed).profiles)).to.equal('profile_unreachable');
    expect(await outcome(asked(first), profilesOf(malformed).profiles, { environment: strict })).to.equal(
      'profile_malformed',
    );
  });

  it('holds at the shop that it was made for, and not at another to which that one sends it on', async () => {
    const { profiles } = profilesOf(profileWith(first.published));
    const at = (baseUrl: string) => outcome({ ...asked(first), baseUrl }, profiles);
    expect(await at('https://shop.example')).to.equal(true);
    expect(await at('https://other.example')).to.equal('signature_invalid');
    // Where agents are told no address but that by which they come, or one of a shop that is tried out.
    expect(await at('http://localhost:8080')).to.equal(true);
  });

  it('counts by profile where it holds, and by address where it does not', async () => {
    const { profiles } = profilesOf(profileWith(first.published));
    const step = agentStepWith(
      {
        Protocol__Ucp__RateLimits__RequestsPerMinute: '3',
        Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '2',
      },
      { profiles },
    );
    const ask = (key: AgentKey | null, ip?: string) => outcome(asked(key, ip), profiles, { step });
    expect([await ask(second), await ask(null), await ask(second)]).to.deep.equal([
      ...['key_not_found', false, 'rate_limited'],
    ]);
    expect([await ask(first), await ask(first, '198.51.100.4'), await ask(first)]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(await ask(first, '192.0.2.9')).to.equal('rate_limited');
    expect(await ask(null, '192.0.2.9')).to.equal(false);
  });
});
