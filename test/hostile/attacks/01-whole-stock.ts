import { expectStatus, finding, must, unique, type Attack } from '../attack.ts';

const STOCK = 40;
const HOLD_MINUTES = 60;

/** Orders all there is from one address, and pays for nothing. */
export const attack: Attack = {
  title: 'order everything, pay nothing',
  before: '141 unpaid invoices in 4 s left every tracked product at 0, for ever',
  kind: 'own',
  run: async ({ shop, own }) => {
    const productId = await shop.sell(unique('HOARD'), { price: 5, stock: STOCK });
    let placed = 0;
    let refused = null;
    while (placed < STOCK && !refused) {
      const visitor = shop.shopper();
      await visitor.prepare(productId, 1, `nobody-${placed}@example.com`);
      const answer = await visitor.pay();
      if (answer.status === 200) placed += 1;
      else refused = answer;
    }
    const complaints = refused
      ? [
          ...expectStatus(`invoice ${placed + 1} of one address`, refused, 429),
          ...(refused.headers.get('retry-after') === null ? ['without Retry-After'] : []),
        ]
      : [`one address held all ${STOCK} units by ${placed} unpaid invoices`];
    await own?.advance((HOLD_MINUTES + 2) * 60);
    await own?.runJob('release-reservations');
    await shop.settle();
    const honest = shop.shopper();
    const added = await honest.add(productId, STOCK);
    complaints.push(...expectStatus(`all ${STOCK} units, after an hour`, added, 200));
    if (added.status === 200) must('an honest basket', await honest.basket());
    return finding(`429 after ${placed} unpaid invoices; all on sale again after an hour`, complaints);
  },
};
