import type { TopicContext } from '#topics/topic.ts';

/** A shop in pounds, whose links say which they are. */
export const topicContext: TopicContext = {
  storeCurrency: 'GBP',
  recoveryLinkOf: ({ recordId, issue }) => `/checkout/recover/${recordId}.${issue}`,
  downloadUrlOf: ({ linkId }) => `/api/shop/downloads/${linkId}`,
};
