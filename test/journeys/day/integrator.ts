import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { TopicKey } from '#topics/topics.ts';
import { misfitOf } from '#test/support/fitting-topics.ts';
import { manage } from '#test/support/requests.ts';
import type { ShopAt } from '#test/support/shop.ts';
import { isSigned, startReceiver, type Received } from '#test/support/subscriber.ts';

/** A message as an integrator reads it. */
export interface Message {
  readonly topic: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** By our signature, and by that of the standard. */
  readonly isSigned: boolean;
  readonly isStandard: boolean;
  /** Why it does not fit the schema of its topic; null where it does. */
  readonly misfit: string | null;
}

/** Somebody who has subscribed to topics and checks whatever arrives. */
export interface Integrator {
  readonly messages: () => readonly Message[];
  /** Of one topic, the newest. */
  readonly latest: (topic: TopicKey) => Message['data'];
  readonly stop: () => Promise<void>;
}

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The shop's clock may be days ahead: the signature is worked out for the time that stands in the header. */
const isSignedAsStandard = ({ headers, body }: Received, secret: string): boolean => {
  const seconds = Number(headers['webhook-timestamp']);
  const expected = new Webhook(secret).sign(
    String(headers['webhook-id']),
    new Date(seconds * 1000),
    body.toString(),
  );
  return same(expected, String(headers['webhook-signature'] ?? ''));
};

/** Subscribes somebody to these topics. */
export const subscribeIntegrator = async (shop: ShopAt, topics: Iterable<TopicKey>): Promise<Integrator> => {
  const receiver = await startReceiver();
  const secrets = new Map<string, string>();
  for (const topic of topics) {
    const signing = { authType: 'HmacSha256', standardWebhooks: true };
    const subscription = { name: topic, topic, targetUrl: receiver.url, ...signing };
    const { status, body } = await shop.admin.ask(manage.post('/webhooks', subscription));
    if (status !== 201) throw new Error(`${topic}: ${status} ${JSON.stringify(body)}`);
    secrets.set(topic, body.secret as string);
  }
  await shop.settle();
  const messageOf = (received: Received): Message => {
    const text = received.body.toString();
    const { topic, data } = JSON.parse(text) as Pick<Message, 'topic' | 'data'>;
    const secret = secrets.get(topic) ?? '';
    return {
      topic,
      data,
      isSigned: isSigned(received, secret),
      isStandard: isSignedAsStandard(received, secret),
      misfit: misfitOf(topic as TopicKey, text),
    };
  };
  const messages = () => receiver.received.map(messageOf);
  return {
    messages,
    latest: (topic) => {
      const found = messages().findLast((message) => message.topic === topic);
      if (!found) throw new Error(`nothing has arrived under ${topic}`);
      return found.data;
    },
    stop: () => receiver.stop(),
  };
};
