import { expect } from 'chai';
import type { PublicKey } from '#agents/agent-profile.ts';
import { verifyDetached } from '#signatures/detached-jws.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { agentAt, cartsPath, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import {
  fieldsOf,
  sendAsIs,
  SigningAgent,
  SigningBrowser,
  type WireAnswer,
} from '#test/support/agents/signing-agent.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const environment = {
  ALLOW_LOOPBACK_TARGETS: 'true',
  Storefront__TrustedProxies: '1',
  Protocol__Ucp__OpenInvoicesPerAgent: '1',
  Protocol__Ucp__RateLimits__CompletesPerMinute: '3',
  Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
};

const mug = { line_items: wanting(['mug', 1]) };

type Answer = Pick<WireAnswer, 'status' | 'bytes' | 'headers'>;

const asAnswer = ({ status, text, headers }: ApiResponse): Answer => ({
  status,
  bytes: Buffer.from(text),
  headers: Object.fromEntries(headers),
});

// docs/rules/agent-signatures.md
describe('A shop that takes signed and unsigned requests', () => {
  let shop: TestShop;
  let agent: SigningAgent;
  let other: SigningAgent;
  let findKey: (kid: string) => PublicKey | undefined;
  before(async () => {
    shop = await TestShop.open({ environment });
    await shop.sell('mug', { price: 10 });
    [agent, other] = [await SigningAgent.start(), await SigningAgent.start('2026-01-11')];
    await learnKeys();
  });
  after(async () => {
    await agent.close();
    await other.close();
    await shop.close();
  });

  /** By nothing but the manifest. */
  const learnKeys = async (): Promise<void> => {
    const { body } = await shop.tester.get('/.well-known/ucp');
    findKey = (kid) => (body.signing_keys as PublicKey[]).find((key) => key.kid === kid);
  };
  const isSigned = ({ status, headers, bytes }: Answer): boolean =>
    verifyMessage({ status, headers, body: bytes }, findKey, { now: Date.now() }).kind === 'verified';
  const isSignedOlder = ({ headers, bytes }: Answer): boolean =>
    verifyDetached(String(headers['request-signature']), bytes, findKey).kind === 'verified';

  it('shows what a signed request has made to signed requests of that profile only', async () => {
    const { status, body } = await agent.ask(shop.base, 'POST', sessionsPath, mug);
    expect(status).to.equal(201);
    const path = `${sessionsPath}/${body.id}`;
    expect((await agent.ask(shop.base, 'GET', path)).status).to.equal(200);
    expect((await sendAsIs(shop.base, agent.request('GET', path))).body.messages[0].code).to.equal(
      'not_found',
    );
    expect((await other.ask(shop.base, 'GET', path)).status).to.equal(404);
    const { body: seen } = await shop.admin.ask(manage.get(`/agent-sessions/${body.id}`));
    expect(seen.isVerified).to.equal(true);
  });

  it('shows a cart to signed requests only once a signed one has checked out with it, and after that', async () => {
    const unsigned = async (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
      sendAsIs(shop.base, agent.request(method, path, body));
    const begun = await unsigned('POST', cartsPath, mug);
    const path = `${cartsPath}/${begun.body.id}`;
    expect((await unsigned('GET', path)).status).to.equal(200);
    const { body } = await agent.ask(shop.base, 'POST', sessionsPath, { cart_id: begun.body.id });
    const session = `${sessionsPath}/${body.id}`;
    const three = { line_items: wanting(['mug', 3]) };
    expect((await agent.ask(shop.base, 'PUT', session, three)).status).to.equal(200);
    const isGone = async () => [
      (await unsigned('GET', path)).status,
      (await unsigned('PUT', path, mug)).status,
      (await unsigned('POST', `${path}/cancel`)).status,
    ];
    expect(await isGone()).to.deep.equal([404, 404, 404]);
    expect((await agent.ask(shop.base, 'POST', `${session}/cancel`)).status).to.equal(200);
    expect(await isGone()).to.deep.equal([404, 404, 404]);
    const { body: cart } = await agent.ask(shop.base, 'GET', path);
    expect([cart.cart_status, cart.line_items[0].quantity]).to.deep.equal(['active', 3]);
    const [, token = ''] = String(begun.body.continue_url).split('/continue/');
    expect((await shop.shopper().get(`/api/shop/checkout/continue/${token}`)).status).to.equal(404);
  });

  it('signs what it answers of sessions, carts and orders, and nothing else', async () => {
    const buyer = new BuyingAgent(shop.base, { browser: new SigningBrowser(shop.base, agent) });
    const { path } = await buyer.begin(['mug', 1]);
    const paid = await buyer.complete(path);
    expect(paid.status, paid.text).to.equal(200);
    const order = await agent.ask(shop.base, 'GET', `/api/v1/orders/${paid.body.order.id}`);
    const cart = await agent.ask(shop.base, 'POST', cartsPath, mug);
    const signed = [asAnswer(paid), order, cart, await agent.ask(shop.base, 'GET', path)];
    expect(signed.map(({ status }) => status)).to.deep.equal([200, 200, 201, 200]);
    expect(signed.map((answer) => isSigned(answer))).to.deep.equal([true, true, true, true]);
    const { headers, bytes } = cart;
    expect(isSigned({ status: 200, headers, bytes })).to.equal(false);
    expect(isSigned({ ...cart, bytes: Buffer.from(String(bytes).replace('mug', 'jug')) })).to.equal(false);
    const refused = await agent.ask(shop.base, 'GET', `${sessionsPath}/none`);
    const manifest = await agent.ask(shop.base, 'GET', '/.well-known/ucp');
    expect([refused, manifest].map((answer) => answer.headers['signature'])).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('signs an answer again when it is replayed, in the version of the answer', async () => {
    for (const [asking, holds, field] of [
      [agent, isSigned, 'signature'],
      [other, isSignedOlder, 'request-signature'],
    ] as const) {
      const request = asking.signed(shop.base, asking.request('POST', sessionsPath, mug));
      const first = await sendAsIs(shop.base, request);
      const again = await sendAsIs(shop.base, request);
      expect([first.status, again.status, again.headers['idempotency-replayed']]).to.deep.equal([
        201,
        201,
        'true',
      ]);
      expect(again.bytes.equals(first.bytes)).to.equal(true);
      expect([holds(first), holds(again)]).to.deep.equal([true, true]);
      expect(again.headers[field]).not.to.equal(first.headers[field]);
    }
  });

  it('signs what is read again in the same way until it changes, or another key signs', async () => {
    const { body } = await agent.ask(shop.base, 'POST', sessionsPath, mug);
    const path = `${sessionsPath}/${body.id}`;
    const read = () => agent.ask(shop.base, 'GET', path);
    const first = await read();
    const again = await read();
    expect(again.headers['signature']).to.equal(first.headers['signature']);
    await agent.ask(shop.base, 'PUT', path, { line_items: wanting(['mug', 2]) });
    const changed = await read();
    expect(changed.body.line_items[0].quantity).to.equal(2);
    expect([first, again, changed].map((answer) => isSigned(answer))).to.deep.equal([true, true, true]);
    await shop.admin.ask(manage.post('/agent-keys/rotate', { immediately: true, removeFormer: true }));
    const rotated = await read();
    expect(rotated.bytes.equals(changed.bytes)).to.equal(true);
    expect(isSigned(rotated), 'by a key of which the manifest did not know').to.equal(false);
    await learnKeys();
    expect(isSigned(rotated)).to.equal(true);
  });

  it('gives an answer that is kept to none but its agent, however another calls itself', async () => {
    const request = agent.request('POST', sessionsPath, mug);
    const first = await sendAsIs(shop.base, agent.signed(shop.base, request));
    const names = [agent.profileUri, `signed ${agent.profileUri}`, `signed guest ${agent.profileUri}`];
    for (const name of names) {
      const headers = request.headers.map(
        ([field, value]) => [field, field === 'UCP-Agent' ? `profile="${name}"` : value] as const,
      );
      const { status, body } = await sendAsIs(shop.base, { ...request, headers });
      expect([status, body.id === first.body.id], name).to.deep.equal([201, false]);
    }
  });

  it('takes the host as the outside has named it, behind a proxy', async () => {
    const request = agent.signed('https://shop.example', agent.request('POST', sessionsPath, mug));
    const through = (host: string, protocol = 'https') =>
      sendAsIs(shop.base, {
        ...request,
        headers: [...request.headers, ['X-Forwarded-Host', host], ['X-Forwarded-Proto', protocol]],
      });
    expect((await through('other.example')).body.code).to.equal('signature_invalid');
    const asSigned = `https://shop.example${sessionsPath}#`;
    expect((await through('other.example', asSigned)).body.code).to.equal('signature_invalid');
    expect((await through('shop.example')).status).to.equal(201);
  });

  it('knows its own test agents by its own keys', async () => {
    const asTester = { ...agent.request('POST', sessionsPath, mug) };
    const named = `profile="${shop.base}/.well-known/ucp-test-agent/tester"`;
    const headers = asTester.headers.map(
      ([name, value]) => [name, name === 'UCP-Agent' ? named : value] as const,
    );
    const key = shop.shop.runtime.ownKeys.signer();
    const begun = await sendAsIs(shop.base, agent.signed(shop.base, { ...asTester, headers }, { key }));
    expect(begun.status).to.equal(201);
    expect((await agentAt(shop.base).get(`${sessionsPath}/${begun.body.id}`)).status).to.equal(404);
    expect(fieldsOf({ headers })['ucp-agent']).to.equal(named);
  });

  it('takes no second unpaid order of a signed profile, and no fourth payment in a minute', async () => {
    const buyer = new BuyingAgent(shop.base, { browser: new SigningBrowser(shop.base, agent) });
    const begun = [
      await buyer.begin(['mug', 1]),
      await buyer.begin(['mug', 1]),
      await buyer.begin(['mug', 1]),
    ];
    const refusals: unknown[] = [];
    for (const { path } of begun) refusals.push(textOf(await buyer.complete(path, 'tok_decline')));
    expect(refusals[0]).to.match(/declined/i);
    expect(refusals[1]).to.match(/unpaid/i);
    expect(refusals[2]).to.match(/payments of this profile/);
    const unsigned = new BuyingAgent(shop.base);
    const { path } = await unsigned.begin(['mug', 1]);
    expect((await unsigned.complete(path)).status).to.equal(200);
  });
});

const textOf = ({ body }: ApiResponse): unknown => body.content ?? body.messages?.[0]?.content;
