import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import {
  agentWith,
  beginWith,
  clients,
  completeWith,
  linkedShop,
  profileOf,
  PUBLIC,
  saveCard,
  tokenOf,
} from '#test/support/agents/linked-shopping.ts';
import { LinkingMember } from '#test/support/agents/linking.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import type { ApiResponse, Browser } from '#test/support/browser.ts';
import { haltBefore, openReplicas, type Replica } from '#test/support/replicas.ts';
import { get, manage } from '#test/support/requests.ts';
import { ShopAt } from '#test/support/shop.ts';

const links = '/api/shop/storefront/linked-agents';
const emailOf = (name: string): string => `${name}@example.com`;

// docs/rules/linked-members.md
describe('A member who has linked an agent, in a shop of two processes', () => {
  let replicas: Awaited<ReturnType<typeof openReplicas>>;
  let first: Replica;
  let second: Replica;
  let at: ShopAt;
  let folder: string;
  let mug: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-linked-'));
    replicas = await openReplicas({
      ...linkedShop,
      DATA_DIR: folder,
    });
    first = await replicas.start();
    second = await replicas.start();
    at = new ShopAt(first.base);
    await at.furnish();
    mug = await at.sell('mug', { price: 10, stock: 500 });
  });
  after(async () => {
    await replicas.stop();
    rmSync(folder, { recursive: true });
  });

  const member = async (name: string): Promise<LinkingMember> => {
    const shopper = new LinkingMember(first.base);
    await shopper.register(emailOf(name), mug);
    return shopper;
  };
  const begin = async (agent: Browser): Promise<ApiResponse['body']> => (await beginWith(agent, 'mug')).body;
  /** Asks until the answer changes; returns how long that took, in milliseconds. */
  const untilRefused = async (agent: Browser, path: string): Promise<number> => {
    const began = performance.now();
    for (;;) {
      const { status, body } = await agent.get(path);
      const took = performance.now() - began;
      if (status === 401) {
        expect(body.code).to.equal('invalid_token');
        return took;
      }
      expect(took).to.be.below(5000);
    }
  };
  it('buys with a saved card through it, sees the order, ends the link: each token is dead in a second', async () => {
    const ada = await member('ada');
    const card = await saveCard(ada);
    const token = await tokenOf(ada, 'pia');
    const [link] = (await ada.ask(get(links))).body;
    expect(link).to.deep.include({ clientId: 'pia', name: 'Pia & Friends', profileUri: profileOf('pia') });
    const agent = agentWith(second.base, 'pia', token);
    const session = await begin(agent);
    const [instrument] = session.payment.instruments;
    expect(instrument).to.deep.include({ id: card, type: 'card' });
    expect(instrument.display).to.include({ brand: 'visa', last_digits: '4242' });
    const done = await completeWith(agent, session.id, { ...instrument, selected: true });
    expect(done.body.status, done.text).to.equal('completed');
    const { id: invoiceId } = done.body.order;
    expect(await at.charges(invoiceId)).to.have.length(1);
    await at.settle();
    const { items } = (await ada.ask(get('/api/shop/account/orders'))).body;
    expect(items.map((row: { invoiceId: string }) => row.invoiceId)).to.deep.equal([invoiceId]);

    const maxs = await tokenOf(ada, 'max');
    const order = `/api/v1/orders/${invoiceId}`;
    expect((await agentWith(second.base, 'max', maxs).get(order)).status).to.equal(200);
    expect((await agentWith(second.base, 'max').get(order)).status).to.equal(404);
    const beside = await agentWith(second.base, 'max', token).get(order);
    expect([beside.status, beside.body.code]).to.deep.equal([403, 'access_denied']);

    const open = await begin(agent);
    expect((await ada.ask({ method: 'DELETE', path: `${links}/pia` })).status).to.equal(200);
    const path = `${sessionsPath}/${open.id}`;
    expect(await untilRefused(agent, path)).to.be.below(1000);
    const { status, body } = await agentWith(second.base, 'pia').get(path);
    expect([status, body.messages[0].code]).to.deep.equal([401, 'identity_required']);
    expect((await ada.ask({ method: 'DELETE', path: `${links}/pia` })).status).to.equal(404);
    expect(
      (await ada.ask(get(links))).body.map(({ clientId }: { clientId: string }) => clientId),
    ).to.deep.equal(['max-app']);
  });

  it('has an order paid to its end that was placed when the link ended', async () => {
    const bob = await member('bob');
    await saveCard(bob);
    const agent = agentWith(first.base, 'pia', await tokenOf(bob, 'pia'));
    const session = await begin(agent);
    const { halted, wake } = haltBefore(first.log, 'PaymentAttempted');
    const completing = completeWith(agent, session.id, session.payment.instruments[0]);
    await halted;
    expect((await bob.ask({ method: 'DELETE', path: `${links}/pia` })).status).to.equal(200);
    wake();
    const { status, body } = await completing;
    expect([status, body.status]).to.deep.equal([200, 'completed']);
    expect(await at.charges(body.order.id)).to.have.length(1);
  });

  it('keeps the cart that was checked out for them: without their token no one goes on with it', async () => {
    const [fay, gus] = [await member('fay'), await member('gus')];
    const [fays, guss] = [await tokenOf(fay, 'pia'), await tokenOf(gus, 'pia')];
    const cart = await agentWith(first.base, 'pia').post('/api/v1/carts', {
      line_items: wanting(['mug', 1]),
    });
    expect(cart.status).to.equal(201);
    const checkOut = (token?: string) =>
      agentWith(first.base, 'pia', token).post(sessionsPath, { cart_id: cart.body.id });
    const begun = await checkOut(fays);
    expect(begun.status).to.equal(201);
    await agentWith(first.base, 'pia', fays).post(`${sessionsPath}/${begun.body.id}/cancel`);
    const [guests, other] = [await checkOut(), await checkOut(guss)];
    expect([guests.status, guests.body.messages[0].code]).to.deep.equal([401, 'identity_required']);
    expect([other.status, other.body.messages[0].code]).to.deep.equal([404, 'not_found']);
    expect((await checkOut(fays)).status).to.equal(201);
  });

  it('is not linked to a cart that a shopper has taken over', async () => {
    const token = await tokenOf(await member('hal'), 'pia');
    const [guest, hals] = [agentWith(first.base, 'pia'), agentWith(first.base, 'pia', token)];
    const { body: cart } = await guest.post('/api/v1/carts', { line_items: wanting(['mug', 1]) });
    const link = (cart.continue_url as string).split('/').at(-1);
    const taken = await new LinkingMember(first.base).get(`/api/shop/checkout/continue/${link}`);
    expect(taken.status).to.equal(200);
    const session = (await hals.post(sessionsPath, { cart_id: cart.id })).body;
    expect(JSON.stringify(session)).not.to.include('12 High Street');
    expect((await guest.get(`${sessionsPath}/${session.id}`)).status).to.equal(200);
  });

  it('is forgotten, and every token is dead in a second', async () => {
    const eve = await member('eve');
    const agent = agentWith(second.base, 'pia', await tokenOf(eve, 'pia'));
    const { id } = await begin(agent);
    const customerId = await customerNamed(at, emailOf('eve'));
    // It selects no place: what it holds of her is only what the shop has offered.
    const offered = (await agent.post(sessionsPath, { line_items: wanting(['mug', 1]) })).body;
    expect(JSON.stringify(offered)).to.include('12 High Street');
    const held = async () => JSON.stringify(await at.shown(`/agent-sessions/${offered.id}`));
    expect(await held()).to.include('12 High Street');
    expect((await at.admin.ask(manage.post(`/customers/${customerId}/forget`, {}))).status).to.equal(200);
    expect(await untilRefused(agent, `${sessionsPath}/${id}`)).to.be.below(1000);
    expect(await held()).not.to.include('12 High Street');
  });

  it('is safe from an agent that the owner has taken out of the settings', async () => {
    const dan = await member('dan');
    const token = await tokenOf(dan, 'pia');
    const { id } = await begin(agentWith(second.base, 'pia', token));
    const third = await replicas.start({
      environment: { Protocol__Ucp__OAuth__Clients: JSON.stringify([clients.max]) },
    });
    const { status, body, headers } = await agentWith(third.base, 'pia', token).get(`${sessionsPath}/${id}`);
    expect([status, body.code]).to.deep.equal([401, 'invalid_token']);
    expect(headers.get('WWW-Authenticate')).to.equal(
      `Bearer realm="${PUBLIC}", error="invalid_token", resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource"`,
    );
  });
});
