import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { datedVersions, schemaProblems, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { base64url, jws, presented, walletKey } from '#test/support/agents/mandates.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { TestShop } from '#test/support/shop.ts';

const agentKey = walletKey('agent-1');
const ap2 = 'dev.ucp.shopping.ap2_mandate';

/** Members in the order of RFC 8785; these bodies have nothing else that it could change. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
};

const profileOf = (version: string, ...names: readonly string[]) => ({
  name: 'Agent with mandates',
  ucp: {
    version,
    capabilities: Object.fromEntries(
      ['checkout', 'fulfillment', ...names].map((name) => [`dev.ucp.shopping.${name}`, [{ version }]]),
    ),
  },
  signing_keys: [agentKey.publicKey],
});

// docs/rules/agent-mandates.md
describe('Buying with mandates', () => {
  let shop: TestShop;
  let profiles: Receiver;
  before(async () => {
    profiles = await startReceiver((response, { path }) => {
      const [, version = '', ...names] = path.split('/');
      response.end(JSON.stringify(profileOf(version, ...names)));
    });
    shop = await TestShop.open({
      environment: { ALLOW_LOOPBACK_TARGETS: 'true', Protocol__Ucp__Extensions__Ap2Mandates: 'true' },
    });
    await shop.sell('mug', { price: 10, stock: 50 });
  });
  after(async () => {
    await shop.close();
    await profiles.close();
  });

  const buyer = (version: DatedVersion, ...names: readonly string[]) =>
    new BuyingAgent(shop.base, { version, profile: [profiles.url, version, ...names].join('/') });
  const isSigned = async (body: ApiResponse['body']): Promise<boolean> => {
    const { ap2: said, ...terms } = body;
    const [header, , signature] = said.merchant_authorization.split('.');
    const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
    expect(alg).to.equal('ES256');
    const { signing_keys: keys } = (await shop.tester.get('/.well-known/ucp')).body;
    const jwk = keys.find((key: { readonly kid: string }) => key.kid === kid);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const input = Buffer.from(`${header}.${base64url(canonical(terms))}`);
    return verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  };
  const mandateOf = (checkout: unknown): string => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    return presented(jws({ vct: 'mandate.checkout.1', exp, checkout }, agentKey));
  };
  const codeOf = ({ body }: ApiResponse): string => body.code ?? body.messages[0].code;

  for (const version of datedVersions) {
    it(`takes the buyer's word for what it has signed, and for nothing else, in ${version}`, async () => {
      const agent = buyer(version, 'ap2_mandate');
      const complete = (path: string, mandate?: string) =>
        agent.complete(path, 'tok_success', { beside: { ap2: { checkout_mandate: mandate } } });
      const { path } = await agent.beginWith({ buyer: { first_name: 'Ada \ud800' } }, ['mug', 1]);
      const { body: before } = await agent.browser.get(path);
      expect(schemaProblems('checkout', version, before)).to.deep.equal([]);
      expect(JSON.stringify(before.ucp.capabilities)).to.include(ap2);
      expect(await isSigned(before)).to.equal(true);
      expect(await isSigned({ ...before, currency: 'USD' })).to.equal(false);
      expect((await agent.browser.get(path)).body).to.deep.equal(before);

      const more = [{ item: { id: 'mug' }, quantity: 2 }];
      const { body: now } = await agent.browser.put(path, { line_items: more });
      expect(await isSigned(now)).to.equal(true);
      for (const [mandate, code] of [
        [undefined, 'mandate_required'],
        [mandateOf(before), 'mandate_scope_mismatch'],
        [mandateOf({ ...now, ap2: before.ap2 }), 'merchant_authorization_invalid'],
      ] as const) {
        const refused = await complete(path, mandate);
        expect([refused.status, codeOf(refused)]).to.deep.equal([400, code]);
        expect(schemaProblems('error', version, refused.body)).to.deep.equal([]);
      }
      const agreed = mandateOf(now);
      const done = await complete(path, agreed);
      expect([done.status, done.body.status], done.text).to.deep.equal([200, 'completed']);
      expect(await isSigned(done.body)).to.equal(true);

      await shop.settle();
      const { body: asked } = (await shop.admin.ask(manage.get(`/agent-sessions/${done.body.id}`))).body;
      const { kid, kty, crv, x, y } = agentKey.publicKey;
      expect(asked.mandate).to.deep.equal({ sdJwt: agreed, signedBy: { kid, kty, crv, x, y } });
    });

    it(`asks an agent for none that has not agreed on it, and signs nothing, in ${version}`, async () => {
      const agent = buyer(version);
      const { path } = await agent.begin(['mug', 1]);
      const { body } = await agent.browser.get(path);
      expect(body).not.to.have.property('ap2');
      expect(JSON.stringify(body.ucp.capabilities)).not.to.include(ap2);
      const beside = { ap2: { checkout_mandate: 7 } };
      const done = await agent.complete(path, 'tok_success', { beside });
      expect([done.status, done.body.status], done.text).to.deep.equal([200, 'completed']);
    });
  }
});
