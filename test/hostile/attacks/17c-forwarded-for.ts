import { ShopProcess } from '../../support/shop-process.ts';
import { checkout, finding, must, unique, type Attack } from '../attack.ts';

const GUESSES = 60;
/** Codes that one address may try in a minute, as the shop comes. */
const ALLOWED = 30;

/** Says of itself that it comes from elsewhere, each time anew, where no proxy is trusted. */
export const attack: Attack = {
  title: 'another X-Forwarded-For with every guess',
  before: 'requests with the header counted apart from those without: ten times as many guesses',
  kind: 'own',
  run: async () => {
    const shop = await ShopProcess.open();
    try {
      await shop.furnish();
      const productId = await shop.sell(unique('SPOOF'), { price: 5 });
      let tried = 0;
      for (let guess = 0; guess < GUESSES; guess++) {
        const visitor = shop.shopper();
        must('add', await visitor.add(productId));
        const from = guess % 2 ? {} : { 'X-Forwarded-For': `198.51.100.${guess + 1}` };
        const body = { code: `GUESS${guess}` };
        const { status } = await visitor.post(`${checkout}/discount/apply`, body, from);
        if (status !== 429) tried++;
      }
      const complaints = tried > ALLOWED ? [`${tried} of ${GUESSES} guesses were looked at`] : [];
      if (tried === 0) complaints.push('not one guess was looked at');
      return finding(`${tried} of ${GUESSES} guesses, then 429`, complaints);
    } finally {
      await shop.close();
    }
  },
};
