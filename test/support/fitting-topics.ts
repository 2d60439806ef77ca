import { strictObject, z } from 'zod';
import type { Recorded } from '#kernel/event.ts';
import { messagesOf, namedTopics, type TopicKey, type TopicMessage } from '#topics/topics.ts';
import { topicContext } from './topic-context.ts';

const envelopes = new Map(
  [...namedTopics].map(([topic, { schema }]) => [
    topic,
    strictObject({
      id: z.guid(),
      topic: z.literal(topic),
      timestamp: z.iso.datetime(),
      api_version: z.literal('2024-01'),
      data: schema,
    }),
  ]),
);

/** What a body that goes out has that its topic's schema does not allow, in words; null where it fits. */
export const misfitOf = (topic: TopicKey, body: string): string | null => {
  const parsed = envelopes.get(topic)?.safeParse(JSON.parse(body));
  return parsed?.success
    ? null
    : `${topic}: ${parsed ? z.prettifyError(parsed.error) : 'unknown'} in ${body}`;
};

const anyEnvelope = { id: '00000000-0000-0000-0000-000000000000', api_version: '2024-01' };

/** What events announce that does not fit, as `misfitOf` says it. */
export const misfitsOf = (events: readonly Recorded[], context = topicContext): readonly string[] =>
  events.flatMap((event) =>
    messagesOf(event, context).flatMap(({ topic, data, entityId }: TopicMessage) => {
      const body = JSON.stringify({ ...anyEnvelope, topic, timestamp: event.recordedAt, data });
      const misfit = misfitOf(topic, body);
      const entity = z.guid().safeParse(entityId).success ? [] : [`${topic}: its entity is ${entityId}`];
      return misfit === null ? entity : [misfit, ...entity];
    }),
  );
