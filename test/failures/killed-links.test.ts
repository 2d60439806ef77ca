import { expect } from 'chai';
import {
  LinkingClient,
  LinkingMember,
  linkingEnvironment,
  newVerifier,
  pia,
} from '#test/support/agents/linking.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';

/** docs/rules/identity-linking.md#codes and #refresh-tokens */
describe('a shop that is killed while an agent fetches tokens', () => {
  let shop: MortalShop;
  let server: LinkingClient;
  let verifier: string;
  let code: string;
  beforeEach(async () => {
    shop = await MortalShop.open({ ...linkingEnvironment, Storefront__trustedProxies: '1' });
    const ada = new LinkingMember(shop.base);
    await ada.signUp('ada@example.com');
    server = new LinkingClient(shop.base, pia);
    verifier = newVerifier();
    code = await ada.consent(pia, verifier);
  });
  afterEach(() => shop.close());

  const links = async (): Promise<readonly string[]> =>
    (await shop.engines.store.readAll(0, 10_000))
      .filter(({ type }) => type.startsWith('Agent'))
      .map(({ type, data }) =>
        [type, (JSON.parse(data) as { reason?: string }).reason].filter(Boolean).join(' '),
      );

  it('before anything is recorded sells the code when the agent tries again', async () => {
    await shop.live({ when: 'before', eventType: 'AgentLinked' });
    await shop.killedBy(server.redeem(code, verifier));
    expect((await server.redeem(code, verifier)).status).to.equal(200);
    expect(await links()).to.deep.equal(['AgentLinked']);
  });

  it('before the answer to a code has handed out nothing: the second try is refused, and the member asked again', async () => {
    await shop.live({ when: 'after', eventType: 'AgentLinked' });
    await shop.killedBy(server.redeem(code, verifier));
    const { status, body } = await server.redeem(code, verifier);
    expect({ status, error: body.error }).to.deep.equal({ status: 400, error: 'invalid_grant' });
    expect(await links()).to.deep.equal(['AgentLinked', 'AgentUnlinked code-reused']);
  });

  it('before a refresh token is spent exchanges it when the agent tries again', async () => {
    const { body } = await server.redeem(code, verifier);
    await shop.live({ when: 'before', rowIn: 'oauthRefreshTokens', isChanged: true });
    await shop.killedBy(server.refresh(body.refresh_token));
    expect((await server.refresh(body.refresh_token)).status).to.equal(200);
    expect(await links()).to.deep.equal(['AgentLinked']);
  });

  it('before the next refresh token is out takes the spent one for stolen, and the member is asked again', async () => {
    const { body } = await server.redeem(code, verifier);
    await shop.live({ when: 'after', rowIn: 'oauthRefreshTokens', isChanged: true });
    await shop.killedBy(server.refresh(body.refresh_token));
    const again = await server.refresh(body.refresh_token);
    expect([again.status, again.body.error]).to.deep.equal([400, 'invalid_grant']);
    expect(await links()).to.deep.equal(['AgentLinked', 'AgentUnlinked refresh-token-reused']);
  });

  it('leaves no link that no one can use when the agent never comes back', async () => {
    await shop.live({ when: 'before', rowIn: 'oauthRefreshTokens' });
    await shop.killedBy(server.redeem(code, verifier));
    await shop.tester.post('/testing/clock', { advanceSeconds: 24 * 3600 });
    await shop.tester.post('/testing/jobs/purge-oauth');
    expect(await links()).to.deep.equal(['AgentLinked', 'AgentUnlinked expired']);
  });
});
