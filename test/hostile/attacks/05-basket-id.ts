import { finding, must, putSomethingIn, storefront, type Attack } from '../attack.ts';

/** Comes with a basket's id, as a webhook, an order or the log names it, instead of its cookie. */
export const attack: Attack = {
  title: "use a basket's id as its cookie",
  before: 'who met the id in a webhook, an order or the log held the basket',
  kind: 'harmless',
  run: async (target) => {
    const { shop } = target;
    const owner = shop.shopper();
    await putSomethingIn(target, owner);
    const put = must('the basket', await owner.basket()).itemCount as number;
    const [id = ''] = (owner.cookies.get('shop_basket') ?? '').split('.');
    const complaints: string[] = [];
    for (const cookie of [id, `${id}.`, `${id}.${'A'.repeat(43)}`, id.toUpperCase()]) {
      const thief = shop.shopper();
      thief.cookies.set('shop_basket', cookie);
      const shape = cookie.replace(id, '<id>').replace(id.toUpperCase(), '<ID>').slice(0, 12);
      if (((await thief.basket()).body.itemCount ?? 0) > 0) complaints.push(`${shape} shows the basket`);
      thief.cookies.set('shop_basket', cookie);
      await thief.post(`${storefront}/basket/clear`);
    }
    const left = must('the basket', await owner.basket()).itemCount as number;
    if (left !== put) complaints.push(`strangers changed it: ${left} items instead of ${put}`);
    return finding('without a right signature there is no basket', complaints);
  },
};
