import { expect } from 'chai';
import { CHECKOUT_SCOPE, type AccessToken, type TokenCheck } from '#agents/access-tokens.ts';
import type { AgentRequest } from '#agents/agent-request.ts';
import { createFindMember } from '#http/agent-member.ts';
import type { AgentDemands } from '#http/agent-step.ts';
import { errorReply } from '#http/errors.ts';
import type { RequestFacts } from '#http/request-facts.ts';
import { agent as surface } from '#http/surfaces/agent.ts';
import { agentStepWith } from '#test/support/agent-step.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const base = 'https://shop.example';
const uri = 'https://agent.example/profile.json';

const token = (given: Partial<AccessToken> = {}): TokenCheck => ({
  kind: 'verified',
  token: {
    ...{ memberId: idNamed('ada'), clientId: 'helper', profileUri: uri, scopes: [CHECKOUT_SCOPE] },
    ...{ tokenId: idNamed('token'), grantId: idNamed('grant'), timesDisabled: 0 },
    ...given,
  },
});
/** As the shop has given them out. */
const given: Readonly<Record<string, TokenCheck>> = {
  good: token(),
  narrow: token({ scopes: ['openid'] }),
  stolen: token({ profileUri: 'https://other.example/profile.json' }),
};

const step = agentStepWith(
  {},
  {
    findMember: createFindMember({
      verify: (bearer, issuer) => (issuer === base ? given[bearer] : undefined) ?? { kind: 'refused' },
    }),
  },
);
const asking = (authorization?: string): RequestFacts => ({
  ...{ cookies: {}, basketId: null, ip: '203.0.113.7', headers: {}, baseUrl: base },
  header: (name) => ({ 'ucp-agent': `profile="${uri}"`, authorization })[name],
});
const buying: AgentDemands = {
  mayBeAnonymous: false,
  needsProfile: false,
  followsProfile: false,
  counted: 'request',
};
const identify = (authorization?: string, demands = buying) =>
  step.identify(asking(authorization), demands) as AgentRequest;
const refused = (authorization: string) => {
  try {
    identify(authorization);
  } catch (error) {
    const { status, text = '', headers = {} } = errorReply(surface, error, 'c1');
    return { status, body: JSON.parse(text) as object, challenge: headers['WWW-Authenticate'] };
  }
  throw new Error('it was let through');
};

// docs/rules/linked-members.md#tokens
describe('The token of a member, beside the profile of an agent', () => {
  it('says for whom the agent asks; without one it asks for a guest', () => {
    expect(identify('Bearer good').member).to.deep.equal({
      memberId: idNamed('ada'),
      grantId: idNamed('grant'),
    });
    for (const none of [undefined, '', 'Basic Z29vZDpnb29k']) expect(identify(none).member).to.equal(null);
  });

  it('is 401 where it is not good here, and the answer says where to learn how to get one', () => {
    for (const none of ['Bearer', 'Bearer ', 'bearer good or', 'Bearer good, Bearer other'])
      expect(refused(none).status, none).to.equal(401);
    const { status, body, challenge } = refused('Bearer forged');
    const content = 'The token of the buyer is not valid, or no longer valid. Get a new one.';
    expect([status, body]).to.deep.equal([
      401,
      { code: 'invalid_token', content, error: 'invalid_token', message: content },
    ]);
    expect(challenge).to.equal(
      `Bearer realm="${base}", error="invalid_token", resource_metadata="${base}/.well-known/oauth-protected-resource"`,
    );
  });

  it('is 403 without the scope, which the answer names', () => {
    const { status, body, challenge } = refused('Bearer narrow');
    expect(status).to.equal(403);
    expect(body).to.include({ code: 'insufficient_scope' });
    expect(challenge).to.equal(
      `Bearer realm="${base}", error="insufficient_scope", scope="ucp:scopes:checkout_session"`,
    );
  });

  it('is 403 in the hands of another agent', () => {
    const { status, body, challenge } = refused('Bearer stolen');
    expect([status, challenge]).to.deep.equal([403, undefined]);
    expect(body).to.include({ code: 'access_denied' });
  });

  it('is not looked at where the shop only says what it can do, and where it links no accounts', () => {
    const discovering = { ...buying, mayBeAnonymous: true, counted: 'nothing' } as const;
    expect(identify('Bearer forged', discovering).member).to.equal(null);
    const { member } = agentStepWith().identify(asking('Bearer forged'), buying) as AgentRequest;
    expect(member).to.equal(null);
  });
});
