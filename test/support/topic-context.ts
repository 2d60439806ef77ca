import type { TopicContext } from '#topics/topic.ts';

/** A shop in pounds, whose links say which they are. */
export const topicContext: TopicContext = {
  storeCurrency: 'GBP',
  downloadUrlOf: ({ linkId }) => `/api/shop/downloads/${linkId}`,
};
