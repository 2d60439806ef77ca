import { finding, management, must, storefront, type Attack } from '../attack.ts';

/** Comes with a basket's id, as a webhook, an order or the log names it, instead of its cookie. */
export const attack: Attack = {
  title: "use a basket's id as its cookie",
  before: 'who met the id in a webhook, an order or the log held the basket',
  kind: 'harmless',
  run: async ({ shop }) => {
    const list = must('products', await shop.admin.get(`${management}/products?pageSize=50`));
    const productId = (
      list.items as readonly {
        readonly variants: readonly { readonly id: string; readonly availableStock: number | null }[];
      }[]
    )
      .flatMap(({ variants }) => variants)
      .find(({ availableStock }) => availableStock === null || availableStock > 3)?.id;
    if (productId === undefined) throw new Error('the shop has nothing on sale');
    const owner = shop.shopper();
    must('add', await owner.add(productId, 2));
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
    if (left !== 2) complaints.push(`strangers changed it: ${left} items instead of 2`);
    return finding('without a right signature there is no basket', complaints);
  },
};
