import { expect } from 'chai';
import type { Answer, TestShop } from './shop.ts';

/** What the log took while something was done, by type. */
const eventsSince = async ({ shop }: TestShop, before: number): Promise<readonly string[]> => {
  const page = await shop.house.store.readAll(before);
  return page.map(({ type }) => type);
};

/** Sends a request that must be refused; fails when it left an event behind. */
export const refusedWithoutATrace = async (shop: TestShop, send: () => Promise<Answer>): Promise<Answer> => {
  await shop.settle();
  const before = await shop.shop.house.store.head();
  const answer = await send();
  expect(answer.status, JSON.stringify(answer.body)).to.be.within(400, 499);
  await shop.settle();
  expect(await eventsSince(shop, before), `events that a ${answer.status} left`).to.deep.equal([]);
  return answer;
};
