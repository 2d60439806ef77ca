import { expect } from 'chai';
import { clientFinder } from '#agents/oauth-clients.ts';
import {
  readAuthorizationRequest,
  returnAddress,
  type Given,
} from '#command/contexts/identity-linking/authorization-request.ts';
import { createAgentClientReference } from '#reference/agent-clients.reference.ts';
import { formTargetsOf, isRedirectAddress } from '#values/redirect-address.ts';
import { authorization, max, newVerifier, pia } from '#test/support/agents/linking.ts';

const clients = [pia, { ...max, clientSecretHash: null }];
const find = clientFinder(clients, createAgentClientReference(), () => undefined);
const read = (client: typeof pia | typeof max, changes: Given = {}) => {
  const given: Given = { ...authorization(client, newVerifier()), ...changes };
  return readAuthorizationRequest(given, find);
};
const isAsked = (client: typeof pia | typeof max, redirectUri: string): boolean =>
  read(client, { redirect_uri: redirectUri }).kind === 'asked';

// docs/rules/identity-linking.md#clients
describe('The address to which a member is sent back', () => {
  it('is one that is registered, letter by letter', () => {
    for (const registered of pia.redirectUris) expect(isAsked(pia, registered)).to.equal(true);
    for (const near of [
      'https://pia.example/linked/',
      'https://pia.example/linked?',
      'https://pia.example/linked?from=shop&x=1',
      'https://pia.example/linked#x',
      'https://pia.example:443/linked',
      'https://PIA.example/linked',
      'https://pia.example/Linked',
      'https://pia.example/linked/../linked',
      'https://pia.example@evil.example/linked',
      'https://pia.example.evil.example/linked',
      'http://pia.example/linked',
      'https://pia.example/linked ',
      '//pia.example/linked',
      'javascript:alert(1)',
      '',
    ])
      expect(isAsked(pia, near), near).to.equal(false);
  });

  it('is on any port of the member’s own machine, where it is registered for that machine', () => {
    for (const own of [
      'http://127.0.0.1/callback',
      'http://127.0.0.1:49152/callback',
      'http://[::1]:8080/callback',
      'com.example.max:/callback',
    ])
      expect(isAsked(max, own), own).to.equal(true);
    for (const near of [
      'http://localhost:49152/callback',
      'http://127.0.0.2:49152/callback',
      'http://127.0.0.1:49152/callback/x',
      'http://127.0.0.1:49152/callback?x=1',
      'http://127.0.0.1:80@evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.1:999999/callback',
      'https://127.0.0.1:49152/callback',
      'com.example.max:8080/callback',
    ])
      expect(isAsked(max, near), near).to.equal(false);
    expect(isAsked(pia, 'http://127.0.0.1:49152/callback')).to.equal(false);
  });

  it('may be registered where no stranger can listen', () => {
    const good = ['https://a.example/x?y=1', 'http://127.0.0.1/x', 'http://[::1]:80/x', 'com.example.app:/x'];
    expect(good.filter(isRedirectAddress)).to.deep.equal(good);
    const bad = [
      'http://a.example/x',
      'http://localhost/x',
      'https://a.example/x#y',
      'https://user@a.example/x',
      'javascript:alert(1)',
      'data:text/html,x',
      'app:/x',
      'nothing',
    ];
    expect(bad.filter(isRedirectAddress)).to.deep.equal([]);
  });

  it('is named to the browser as the end of a form, IPv6 by its scheme', () => {
    expect(formTargetsOf('https://a.example:8443/x?y=1')).to.deep.equal(['https:']);
    expect(formTargetsOf('http://127.0.0.1:49152/x')).to.deep.equal(['http://127.0.0.1:49152', 'https:']);
    expect(formTargetsOf('http://[::1]:49152/x')).to.deep.equal(['http:', 'https:']);
    expect(formTargetsOf('com.example.app:/x')).to.deep.equal(['com.example.app:', 'https:']);
  });
});

// docs/rules/identity-linking.md#consent
describe('What a client asks a member for', () => {
  it('is refused without an address for the answer where client or address are unknown', () => {
    for (const changes of [
      { client_id: 'nobody' },
      { client_id: undefined },
      { client_id: ['pia', 'pia'] },
      { client_id: max.clientId },
      { redirect_uri: undefined },
      { redirect_uri: [...pia.redirectUris] },
    ])
      expect(read(pia, changes).kind).to.equal('unusable');
  });

  const refusals: readonly (readonly [string, Given])[] = [
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_type: undefined }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { state: ['a', 'b'] }],
    ['invalid_request', { scope: ['ucp:scopes:checkout_session', 'ucp:scopes:checkout_session'] }],
    ['invalid_scope', { scope: 'openid' }],
    ['invalid_scope', { scope: 'ucp:scopes:checkout_session everything' }],
  ];
  for (const [error, changes] of refusals)
    it(`goes back as ${error} for ${JSON.stringify(changes, (_, value: unknown) => value ?? 'none')}`, () => {
      const refused = read(pia, changes);
      expect(refused.kind === 'refused' && refused.error).to.equal(error);
      expect(refused.kind === 'refused' && refused.to.redirectUri).to.equal(pia.redirectUris[0]);
    });

  it('is answered where it came from, with any query and any state', () => {
    const to = { redirectUri: 'https://pia.example/linked?from=shop', state: 'ä&iss=evil' };
    const url = new URL(returnAddress(to, { code: 'abc' }, 'https://shop.example'));
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      from: 'shop',
      code: 'abc',
      state: 'ä&iss=evil',
      iss: 'https://shop.example',
    });
    const without = returnAddress(
      { redirectUri: 'com.example.max:/callback', state: null },
      { code: 'a' },
      'b',
    );
    expect(without).to.equal('com.example.max:/callback?code=a&iss=b');
  });
});
