import type { ApiResponse } from '../../support/browser.ts';
import { finding, management, must, storefront, shortResponse, unique, type Attack } from '../attack.ts';

/** 2^53 is 90,071,992,547,409.92 in hundredths. */
const PRICE = 90_000_000_000_000;

/** A price may be refused already; then the highest that is taken. */
const highestPrice = async (create: (price: number) => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (let price = PRICE; ; price /= 10) {
    const answer = await create(price);
    if (answer.status !== 400 || price < 1) return answer;
  }
};

/** Orders so much that the sum is no exact number any more. */
export const attack: Attack = {
  title: 'price times quantity above 2^53',
  before: '500 on the first line, a second one, and an update',
  kind: 'destructive',
  run: async ({ shop }) => {
    const made = await highestPrice((price) =>
      shop.admin.post(`${management}/products`, {
        rootName: 'Moon',
        sku: unique('MOON'),
        price,
        taxGroupId: null,
      }),
    );
    const moon = (must('products', made).variants as readonly { readonly id: string }[])[0]?.id ?? '';
    const penny = await shop.sell(unique('PENNY'), { price: 0.01 });
    const complaints: string[] = [];
    const expectRefusal = (what: string, answer: ApiResponse): void => {
      if (answer.status === 400 && typeof answer.body?.message === 'string') return;
      if (answer.status !== 200) complaints.push(`${what}: ${shortResponse(answer)}`);
    };
    /** What was accepted must be exact. */
    const expectExact = (what: string, { status, body }: ApiResponse): void => {
      if (status === 200 && !Number.isSafeInteger(Math.round(Number(body.total) * 100)))
        complaints.push(`${what}: a total of ${body.total}`);
    };
    const first = shop.shopper();
    expectRefusal('first line', await first.add(moon, 999));
    const second = shop.shopper();
    must('a penny', await second.add(penny, 1));
    for (const quantity of [1, 99, 999]) expectRefusal('second line', await second.add(moon, quantity));
    const basket = await second.basket();
    expectExact('the basket', basket);
    const lines = (basket.body.lineItems ?? []) as readonly { readonly id: string }[];
    for (const { id } of lines) expectRefusal('update', await second.update(id, 999));
    expectExact('the basket', await second.basket());
    const huge = await second.post(`${storefront}/basket/add`, {
      productId: penny,
      quantity: Number.MAX_SAFE_INTEGER,
    });
    if (huge.status !== 400) complaints.push(`a quantity of 2^53 - 1: ${shortResponse(huge)}`);
    return finding('400 that names the limit, and nothing is written', [...new Set(complaints)]);
  },
};
