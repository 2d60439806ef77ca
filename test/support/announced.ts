import { messagesOf, type TopicMessage } from '#topics/topics.ts';
import type { TestShop } from './shop.ts';
import { topicContext } from './topic-context.ts';

/** What the events that a request leaves have to say, with all that follows from them. */
export const announcedBy = async (
  testShop: TestShop,
  request: () => PromiseLike<unknown>,
): Promise<readonly TopicMessage[]> => {
  await testShop.settle();
  const { store, codec } = testShop.shop.runtime;
  const before = await store.head();
  await request();
  await testShop.settle();
  const recorded = await codec.decodeAll(await store.readAll(before));
  return recorded.flatMap((event) => messagesOf(event, topicContext));
};
