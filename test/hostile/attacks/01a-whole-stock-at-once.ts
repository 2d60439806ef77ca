import { expectStatus, finding, must, unique, type Attack } from '../attack.ts';

const STOCK = 40;
const LARGE_HOLD_MINUTES = 10;

/** Puts all there is into one basket, orders it, and has a card declined just before it expires. */
export const attack: Attack = {
  title: 'order everything in one basket, pay with a card that is declined',
  before: 'one unpaid order held all stock for a day, card after card, and then again',
  kind: 'own',
  run: async ({ shop, own }) => {
    const productId = await shop.sell(unique('GREED'), { price: 5, stock: STOCK });
    const thief = shop.shopper();
    await thief.prepare(productId, STOCK, 'thief@example.com');
    const placed = must('an order of everything', await thief.pay());
    await own?.advance((LARGE_HOLD_MINUTES - 1) * 60);
    await thief.payWith(placed.invoiceId as string, 'tok_decline');
    await own?.advance(2 * 60);
    await own?.runJob('release-reservations');
    await shop.settle();
    const added = await shop.shopper().add(productId, STOCK);
    const again = shop.shopper();
    await again.prepare(productId, STOCK, 'thief-again@example.com');
    const honest = shop.shopper();
    await honest.prepare(productId, 1, 'honest@example.com');
    const complaints = [
      ...expectStatus(`all ${STOCK} units, ${LARGE_HOLD_MINUTES + 1} minutes later`, added, 200),
      ...expectStatus('everything again from the same address', await again.pay(), 400),
      ...expectStatus('one unit from that address', await honest.pay(), 200),
    ];
    return finding(`held for ${LARGE_HOLD_MINUTES} minutes, then 400 for an hour`, complaints);
  },
};
