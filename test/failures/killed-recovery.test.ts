import { expect } from 'chai';
import { hoursLater, knownLinks, recoverBy, recoveryTokenOf } from '#test/support/left-checkouts.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';

const comingBack: readonly Death[] = [
  { when: 'before', eventType: 'CheckoutRecovered' },
  { when: 'after', eventType: 'CheckoutRecovered' },
  { when: 'before', eventType: 'BasketCleared' },
  { when: 'after', eventType: 'BasketCleared' },
];
const byStaff: readonly (readonly [path: string, Death])[] = [
  ['resend-email', { when: 'after', eventType: 'RecoveryMailRequested' }],
  ['regenerate-link', { when: 'after', eventType: 'RecoveryLinkIssued' }],
];

// docs/rules/abandoned-checkouts.md#coming-back
describe('A shop that is killed while a shopper comes back', () => {
  const at = useMortalShop(knownLinks);
  let mug: string;
  let basketId: string;

  beforeEach(async () => {
    mug = await at.shop.sell('mug', { price: 10, stock: 100 });
    const shopper = at.shop.shopper();
    await shopper.prepare(mug, 2, 'ada@example.com');
    ({ basketId } = shopper);
    await hoursLater(at.shop, 1);
  });

  const times = async (type: string): Promise<number> => {
    const all = await at.shop.engines.store.readAll(0);
    return all.filter((event) => event.type === type).length;
  };

  for (const point of comingBack)
    it(`${point.when} ${point.eventType}, restores the basket once, and leaves the other one once`, async () => {
      const phone = at.shop.shopper();
      await phone.add(mug, 5);
      at.shop.dieNext(point);
      await at.shop.killedBy(phone.ask(recoverBy(recoveryTokenOf(basketId))));
      const { status, body, text } = await phone.ask(recoverBy(recoveryTokenOf(basketId)));
      expect(status, text).to.equal(200);
      expect(body.basket).to.include({ id: basketId, itemCount: 2 });
      expect(phone.basketId).to.equal(basketId);
      await at.shop.settle();
      expect([await times('CheckoutRecovered'), await times('BasketCleared')]).to.deep.equal([1, 1]);
      const stranger = await at.shop.shopper().ask(recoverBy(recoveryTokenOf(basketId)));
      expect(stranger.status).to.equal(404);
    });

  for (const [path, point] of byStaff)
    it(`after ${point.eventType}, does it once for the key under which staff ask again`, async () => {
      const request = {
        ...manage.post(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}/${path}`),
        headers: { 'Idempotency-Key': 'once' },
      };
      at.shop.dieNext(point);
      await at.shop.killedBy(at.shop.admin.ask(request));
      const { status, text } = await at.shop.admin.ask(request);
      expect(status, text).to.equal(200);
      expect(await times(point.eventType)).to.equal(1);
    });
});
