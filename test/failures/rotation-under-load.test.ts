import { expect } from 'chai';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Signer } from '#agents/own-keys.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { cartsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { sendAsIs, SigningAgent, type WireAnswer } from '#test/support/agents/signing-agent.ts';
import { get, manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const ROTATIONS = 50;

// docs/rules/agents.md#signing-keys
describe('Signed requests and answers while the keys of the shop rotate', () => {
  let shop: TestShop;
  let agent: SigningAgent;
  before(async () => {
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    await shop.sell('mug', { price: 10 });
    agent = await SigningAgent.start();
  });
  after(async () => {
    await agent.close();
    await shop.close();
  });

  /** As a test agent of the shop, which signs by the shop's own keys. */
  const ask = async (key: Signer): Promise<WireAnswer> => {
    const asked = agent.request('POST', cartsPath, { line_items: wanting(['mug', 1]) });
    const named = `profile="${shop.base}/.well-known/ucp-test-agent/tester"`;
    const headers = asked.headers.map(
      ([name, value]) => [name, name === 'UCP-Agent' ? named : value] as const,
    );
    return sendAsIs(shop.base, agent.signed(shop.base, { ...asked, headers }, { key }));
  };
  const rotate = (wish: object) => shop.admin.ask(manage.post('/agent-keys/rotate', wish));
  const signer = (): Signer => shop.shop.runtime.ownKeys.signer();

  it(`are all accepted in ${ROTATIONS} rotations, but under no key that is removed`, async () => {
    const first = signer();
    const answers: WireAnswer[] = [];
    for (let rotation = 0; rotation < ROTATIONS; rotation++) {
      const former = signer();
      const [before, { status }, meanwhile] = await Promise.all([
        ask(former),
        rotate({ immediately: true }),
        ask(first),
      ]);
      expect(status).to.equal(200);
      expect(signer().kid).not.to.equal(former.kid);
      answers.push(before, meanwhile, await ask(signer()));
    }
    expect([...new Set(answers.map(({ status }) => status))]).to.deep.equal([201]);
    const { body } = await shop.admin.ask(get('/.well-known/ucp'));
    const published = body.signing_keys as readonly PublicKey[];
    expect(published).to.have.lengthOf(ROTATIONS + 1);
    const findKey = (kid: string) => published.find((key) => key.kid === kid);
    const kinds = answers.map(
      ({ status, headers, bytes }) =>
        verifyMessage({ status, headers, body: bytes }, findKey, { now: Date.now() }).kind,
    );
    expect([...new Set(kinds)]).to.deep.equal(['verified']);

    const last = signer();
    await rotate({ immediately: true, removeFormer: true });
    for (const removed of [first, last])
      expect((await ask(removed)).body.code, removed.kid).to.equal('key_not_found');
    expect((await ask(signer())).status).to.equal(201);
  });
});
