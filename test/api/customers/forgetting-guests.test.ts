import { expect } from 'chai';
import { agentAt, wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage, post } from '#test/support/requests.ts';
import type { Shopper, TestShop } from '#test/support/shop.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';

/** docs/rules/forgetting.md#when */
describe('forgetting those of whom only an e-mail address was typed', () => {
  let members: MemberShop;
  let shop: TestShop;
  let log: FaultyEventStore;
  let tea: string;

  before(async () => {
    members = await openMemberShop({ wrapStore: (store) => (log = faultyEventStore(store)) });
    shop = members.shop;
    tea = await shop.sell('tea', { price: 10 });
  });
  after(() => members.close());

  const types = async (email: string, shopper: Shopper): Promise<Shopper> => {
    await shopper.add(tea);
    const { status, text } = await shopper.ask(post('/api/shop/checkout/capture-email', { email }));
    expect(status, text).to.equal(200);
    return shopper;
  };
  /** Of a basket, which the shopper's cookie may not name any more. */
  type Left = Pick<Shopper, 'basketId'>;
  const clears = async (shopper: Shopper): Promise<Left> => {
    const { basketId } = shopper;
    const { status, text } = await shopper.ask(post('/api/shop/storefront/basket/clear'));
    expect(status, text).to.be.below(300);
    return { basketId };
  };
  const forget = async ({ basketId }: Left): Promise<void> => {
    const { text } = await shop.admin.ask(
      manage.post(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}/forget`),
    );
    expect(text).to.include('"Forgotten"');
  };
  /** What can still be read of a basket's stream. */
  const held = async ({ basketId }: Left): Promise<string> => {
    const { codec, store } = shop.shop.runtime;
    return JSON.stringify(await codec.decodeAll(await store.readStream(streamOf.basket(basketId))));
  };

  it('frees the address where the basket was cleared since', async () => {
    const email = 'cleared@example.com';
    const shopper = await clears(await types(email, shop.shopper()));
    await forget(shopper);
    expect(await held(shopper)).to.not.include(email);
    const again = await types(email, shop.shopper());
    expect(await held(again)).to.include(email);
    expect((await again.basket()).body.lineItems).to.have.length(1);
  });

  it('leaves alone who has typed an address in the same basket since', async () => {
    const [email, other] = ['typed-first@example.com', 'typed-later@example.com'];
    const account = members.customer();
    await account.signUp(other);
    const shared = await types(other, await types(email, shop.shopper()));
    const own = await clears(await types(email, shop.shopper()));
    await forget(own);
    expect(await held(own)).to.not.include(email);
    expect(await held(shared)).to.not.include(email);
    expect((await account.signIn(other)).body).to.include({ success: true });
  });

  it('takes the account of that address along', async () => {
    const email = 'signed-up@example.com';
    const account = members.customer();
    await account.signUp(email);
    await forget(await clears(await types(email, shop.shopper())));
    expect((await account.signIn(email)).body).to.include({ success: false });
  });

  it('keeps nothing more for them once it has begun: who types the address then is someone new', async () => {
    const email = 'meanwhile@example.com';
    await members.customer().signUp(email);
    const first = await types(email, shop.shopper());
    const second = shop.shopper();
    log.runBefore('append', holds('AddressBookClosed'), async () => {
      await types(email, second);
    });
    await forget(first);
    expect(await held(first)).to.not.include(email);
    expect(await held(second)).to.include(email);
    await second.prepare(tea, 1, email);
    expect(await customerNamed(shop, email)).to.not.equal('');
  });

  it('is refused for a record that belongs to a customer, and for one that there is not', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'becomes@example.com');
    for (const [recordId, expected] of [
      [abandonedCheckoutId(shopper.basketId), [409, 'belongs-to-customer']],
      ['00000000-0000-4000-8000-000000000000', [404, 'entity-not-found']],
    ] as const) {
      const { status, code } = await shop.admin.ask(manage.post(`/abandoned-checkouts/${recordId}/forget`));
      expect([status, code]).to.deep.equal(expected);
    }
  });

  for (const [what, path, streamOfOne] of [
    ['checkout', '/api/v1/checkout-sessions', streamOf.agentSession],
    ['cart', '/api/v1/carts', streamOf.agentCart],
  ] as const)
    it(`forgets whom an agent has named in a ${what} alone, and frees their address`, async () => {
      const email = `named-in-${what}@example.com`;
      const agent = agentAt(shop.base);
      const lines = { line_items: wanting(['tea', 1]) };
      const namedIn = async (): Promise<string> => {
        const begun = await agent.post(path, { ...lines, buyer: { email, first_name: 'Grace' } });
        expect(begun.status, begun.text).to.equal(201);
        return String(begun.body.id);
      };
      const said = async (id: string): Promise<string> => {
        const { codec, store } = shop.shop.runtime;
        return JSON.stringify(await codec.decodeAll(await store.readStream(streamOfOne(id))));
      };
      const [first, second] = [await namedIn(), await namedIn()];
      expect(await said(second)).to.include(email);
      const management = what === 'cart' ? '/agent-carts' : '/agent-sessions';
      const { body, text } = await shop.admin.ask(manage.post(`${management}/${first}/forget`));
      expect(body, text).to.include({ id: first, status: 'Forgotten' });
      for (const id of [first, second]) expect(await said(id)).to.not.match(/named-in|Grace/);
      const again = await namedIn();
      expect(await said(again), 'the same person comes back').to.include(email);
      const repeated = await shop.admin.ask(manage.post(`${management}/${first}/forget`));
      expect(repeated.body).to.include({ status: 'Forgotten' });
      expect(await said(again)).to.include(email);
    });

  it('forgets who bought through an agent without an e-mail address, once they owe nothing', async () => {
    const agent = new BuyingAgent(shop.base);
    const { id, path } = await agent.beginWith({ buyer: { first_name: 'Ada' } }, ['tea', 1]);
    const done = await agent.complete(path);
    expect(done.status, done.text).to.equal(200);
    await shop.settle();
    const invoiceId = String(done.body.order.id);
    const order = manage.get(`/orders/${invoiceId}`);
    expect((await shop.admin.ask(order)).text).to.include('12 High Street');
    const dearer = { customItems: [{ name: 'Gift wrap', amount: 2 }] };
    const edited = await shop.admin.ask(manage.put(`/orders/${invoiceId}/edit`, dearer));
    expect(edited.status, edited.text).to.equal(200);
    await shop.settle();

    const forgetting = (body?: object) => shop.admin.ask(manage.post(`/agent-sessions/${id}/forget`, body));
    const refused = await forgetting();
    expect([refused.status, refused.code]).to.deep.equal([409, 'money-still-due']);
    const forced = await forgetting({ force: true });
    expect(forced.body, forced.text).to.include({ id, status: 'Forgotten' });
    await shop.settle();
    expect((await shop.admin.ask(order)).text).to.not.match(/Ada|High Street/);
  });
});
