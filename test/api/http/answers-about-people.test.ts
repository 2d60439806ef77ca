import { expect } from 'chai';
import type { Document } from '#kernel/projection.ts';
import { add, giveAddresses, keyed, manage, pay } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

interface Kept extends Document {
  readonly answer: string;
}

// docs/rules/personal-data.md#rows
describe('answers that are kept for repeats', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('MUG', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  /** For whom the answer is sealed that a request has left. */
  const sealedFor = async (work: () => Promise<unknown>): Promise<string> => {
    const { stateStore } = shop.shop.runtime;
    const before = new Set((await stateStore.find<Kept>('idempotency')).map(({ _id }) => _id));
    await work();
    const [left] = (await stateStore.find<Kept>('idempotency')).filter(({ _id }) => !before.has(_id));
    return /^sealed:([^:]*):/.exec(left?.answer ?? '')?.[1] ?? expect.fail('no answer is kept');
  };
  const asked = async (who: Shopper, request: Parameters<Shopper['ask']>[0]) => {
    const answer = await who.ask(request);
    expect(answer.status, answer.text).to.be.below(300);
    return answer;
  };

  it('concern nobody while a basket holds only goods', async () => {
    const shopper = shop.shopper();
    await asked(shopper, add(mug));
    expect(await sealedFor(() => asked(shopper, keyed('second', add(mug))))).to.equal('');
  });

  it('belong to the basket once it knows an address, and to its customer when it is paid', async () => {
    const shopper = shop.shopper();
    await asked(shopper, add(mug));
    await asked(shopper, giveAddresses({ email: 'ada@example.com' }));
    expect(await sealedFor(() => asked(shopper, keyed('more', add(mug))))).to.equal(shopper.basketId);
    await shopper.initialize();
    expect(await sealedFor(() => asked(shopper, keyed('pay', pay())))).to.equal(shopper.basketId);
  });

  it('belong to the customer whom staff write down', async () => {
    let id = '';
    const made = await sealedFor(async () => {
      const { status, body } = await shop.admin.ask(
        keyed('grace', manage.post('/customers', { email: 'grace@example.com', firstName: 'Grace' })),
      );
      expect(status).to.equal(201);
      id = String(body.id);
    });
    expect(made).to.equal(id);
  });
});
