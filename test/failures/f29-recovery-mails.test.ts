import { expect } from 'chai';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import type { ShopAt, Shopper } from '#test/support/shop.ts';

const HOUR_SECONDS = 3600;

const hoursPass = (shop: ShopAt, hours: number) =>
  shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });

const run = async (shop: ShopAt): Promise<Record<string, number>> => {
  await shop.settle();
  return (await shop.tester.post('/testing/jobs/detect-abandoned')).body as Record<string, number>;
};

const leave = async (shop: ShopAt, productId: string): Promise<Shopper> => {
  const shopper = shop.shopper();
  await shopper.prepare(productId, 1, 'ada@example.com');
  await shop.settle();
  return shopper;
};

const buy = async (shopper: Shopper): Promise<void> => {
  await shopper.initialize();
  const { invoiceId } = (await shopper.pay()).body;
  const { status, text } = await shopper.payWith(invoiceId as string);
  if (status !== 200) throw new Error(`${status}: ${text}`);
};

/** Types of a record's events. */
const recordIn = (log: readonly { readonly stream: string; readonly type: string }[], basketId: string) => {
  const stream = streamOf.abandonedCheckout(abandonedCheckoutId(basketId));
  return log.filter((event) => event.stream === stream).map(({ type }) => type);
};

// docs/rules/abandoned-checkouts.md#job
describe('Recovery mails', () => {
  describe('of a shop that is killed', () => {
    const at = useMortalShop();
    const record = async (basketId: string) => recordIn(await at.shop.log.readAll(0, 10_000), basketId);
    const killedOver = async (eventType: string, when: 'before' | 'after', doing: () => Promise<unknown>) => {
      await at.shop.live({ when, eventType });
      await at.shop.settle();
      await at.shop.dieAfter(doing());
      await at.shop.live();
    };

    for (const when of ['before', 'after'] as const) {
      it(`are due once, killed ${when} the abandonment and ${when} the mail are recorded`, async () => {
        const { basketId } = await leave(at.shop, await at.shop.sell('mug', { price: 10 }));
        await hoursPass(at.shop, 1);
        await killedOver('CheckoutAbandoned', when, () => run(at.shop));
        await run(at.shop);
        await hoursPass(at.shop, 1);
        await killedOver('RecoveryMailRequested', when, () => run(at.shop));
        for (let again = 0; again < 3; again++) await run(at.shop);
        expect(await record(basketId)).to.deep.equal(['CheckoutAbandoned', 'RecoveryMailRequested']);
      });

      it(`follow no sale, killed ${when} the record is told of it`, async () => {
        const shopper = await leave(at.shop, await at.shop.sell('mug', { price: 10 }));
        const { basketId } = shopper;
        await hoursPass(at.shop, 1);
        await run(at.shop);
        await hoursPass(at.shop, 1);
        await run(at.shop);
        await hoursPass(at.shop, 24);
        await killedOver('CheckoutConverted', when, async () => {
          await buy(shopper);
          await at.shop.settle();
        });
        await at.shop.settle();
        await hoursPass(at.shop, 100);
        await run(at.shop);
        const types = await record(basketId);
        expect(types.filter((type) => type === 'RecoveryMailRequested')).to.have.length(1);
        expect(types.filter((type) => type === 'CheckoutConverted')).to.have.length(1);
        expect(types.at(-1)).to.equal('CheckoutConverted');
        await at.shop.soundSales();
      });
    }
  });

  describe('of a shop with two command processes', () => {
    let shop: DistributedShop;
    const memory = sharedMemory();
    before(async () => {
      shop = await DistributedShop.open({ engines: memory.open, replicas: { command: 2 } });
    });
    after(() => shop.close());
    const record = async (basketId: string) => recordIn(await memory.log.readAll(0, 10_000), basketId);
    const bothRun = async () => {
      await shop.settle();
      const doors = shop.replicas('command').map(({ at }) => at.tester);
      const answers = await Promise.all(doors.map((door) => door.post('/testing/jobs/detect-abandoned')));
      await shop.settle();
      return answers.map(({ body }) => body as Record<string, number>);
    };

    it('are due once, though both look at the same moment, and one at a time after three days at rest', async () => {
      const { basketId } = await leave(shop, await shop.sell('mug', { price: 10 }));
      await hoursPass(shop, 72);
      await bothRun();
      expect(await record(basketId)).to.deep.equal(['CheckoutAbandoned']);
      await hoursPass(shop, 72);
      for (let pass = 0; pass < 2; pass++) await bothRun();
      expect(await record(basketId)).to.deep.equal(['CheckoutAbandoned', 'RecoveryMailRequested']);
    });

    it('stop with a purchase at the second one’s due time, whichever comes first', async () => {
      const shopper = await leave(shop, await shop.sell('bowl', { price: 10 }));
      const { basketId } = shopper;
      for (const hours of [1, 1]) {
        await hoursPass(shop, hours);
        await bothRun();
      }
      await hoursPass(shop, 24);
      await Promise.all([buy(shopper), bothRun()]);
      await shop.settle();
      await hoursPass(shop, 200);
      await bothRun();
      const types = await record(basketId);
      const sale = types.indexOf('CheckoutConverted');
      expect(sale).to.be.greaterThan(0);
      expect(types.slice(sale + 1)).to.deep.equal([]);
      expect(types.filter((type) => type === 'RecoveryMailRequested').length).to.be.within(1, 2);
    });
  });
});
