import { expect } from 'chai';
import { LeftCheckouts, recoverBy } from '#test/support/left-checkouts.ts';
import { eventsIn } from '#test/support/shop-log.ts';

// docs/rules/abandoned-checkouts.md#coming-back
describe('F29 A recovery link that is opened in several browsers at once', () => {
  let left: LeftCheckouts;

  before(async () => {
    left = await LeftCheckouts.open();
  });
  after(() => left.close());

  const recoveries = async (): Promise<number> => {
    await left.shop.settle();
    return (await eventsIn(left.shop)).filter(({ type }) => type === 'CheckoutRecovered').length;
  };

  it('brings one of them back, and the others keep what they had', async () => {
    const { basketId, token } = await left.left();
    const browsers = [1, 2, 3, 4, 5].map(() => left.shop.shopper());
    await Promise.all(browsers.map((browser) => browser.add(left.mug, 3)));
    const answers = await Promise.all(browsers.map((browser) => browser.ask(recoverBy(token))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404, 404, 404]);
    expect(await recoveries()).to.equal(1);
    for (const [index, browser] of browsers.entries()) {
      const isBack = answers[index]?.status === 200;
      const basket = (await browser.basket()).body;
      expect(basket.itemCount).to.equal(isBack ? 2 : 3);
      expect(browser.basketId === basketId).to.equal(isBack);
    }
  });

  it('is opened twice at once by one browser, and both answers are the basket', async () => {
    const { basketId, token } = await left.left('bob@example.com');
    const before = await recoveries();
    const phone = left.shop.shopper();
    await phone.add(left.mug, 3);
    const answers = await Promise.all([phone.ask(recoverBy(token)), phone.ask(recoverBy(token))]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    for (const { body } of answers) expect(body.basket).to.include({ id: basketId, itemCount: 2 });
    expect(await recoveries()).to.equal(before + 1);
  });
});
