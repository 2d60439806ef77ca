import type { FilterTest, FilterTestResult } from '#contracts/webhook-events.contract.ts';
import { parseFilter, type FilterPredicate } from '#values/filter-expression.ts';
import type { TopicLog } from './topic-log.ts';

/** Events that one test looks through at most: of a rare topic it finds few, or none. */
const MAX_LOOKED_THROUGH = 20_000;
/** No subscription: ids of deliveries mean nothing here. */
const NO_SUBSCRIPTION = '00000000-0000-0000-0000-000000000000';

type Tried = FilterTestResult['items'][number];

const tried = (matches: FilterPredicate, position: number, envelope: { readonly data: unknown }): Tried => {
  try {
    return { position, matches: matches(envelope), error: null };
  } catch (error) {
    return { position, matches: false, error: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * What a filter lets through of the newest messages of a topic, the newest first
 * (docs/rules/webhooks.md#trying-out). Errors: `EngineUnavailable`.
 */
export const testFilter = async (
  topicLog: TopicLog,
  { topic, filterExpression, limit }: FilterTest,
): Promise<FilterTestResult> => {
  const matches = parseFilter(filterExpression);
  const items: Tried[] = [];
  let lookedThrough = 0;
  for await (const { said, size } of topicLog.backwards({ id: NO_SUBSCRIPTION, topic })) {
    if (lookedThrough >= MAX_LOOKED_THROUGH) return { items, lookedThrough, hasMore: true };
    lookedThrough += size;
    for (const { event, envelope } of said.flat().toReversed()) {
      if (items.length === limit) return { items, lookedThrough, hasMore: true };
      items.push(tried(matches, event.position, envelope));
    }
  }
  return { items, lookedThrough, hasMore: false };
};
