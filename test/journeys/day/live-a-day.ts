import { namedTopics, type TopicKey } from '#topics/topics.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { startFulfilmentServer, type FulfilmentServer } from '#test/support/fulfilment-server.ts';
import type { ShopAt } from '#test/support/shop.ts';
import type { Day, Episode } from './day.ts';
import { episodes } from './episodes.ts';
import { subscribeIntegrator, type Integrator, type Message } from './integrator.ts';

/** What an integrator has got of a topic in the episode that sets it off. */
export interface Arrived {
  readonly topic: TopicKey;
  readonly episode: string;
  readonly count: number;
  /** Of the newest; null where none has arrived. */
  readonly data: Message['data'] | null;
  readonly isSigned: boolean;
  readonly isStandard: boolean;
  readonly misfits: readonly string[];
}

const expectStatus = ({ status, body }: ApiResponse, wanted: number, what: string): ApiResponse['body'] => {
  if (status !== wanted) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
  return body;
};

const dayIn = (shop: ShopAt, server: FulfilmentServer, integrator: Integrator): Day => ({
  ...{ shop, server, integrator, ids: new Map() },
  staff: async (request, status = 200) => {
    const answer = await shop.admin.ask(request);
    await shop.settle();
    return expectStatus(answer, status, `${request.method} ${request.path}`);
  },
  pass: async (hours, job) => {
    await shop.settle();
    await shop.tester.post('/testing/clock', { advanceSeconds: hours * 3600 });
    expectStatus(await shop.tester.post(`/testing/jobs/${job}`), 200, job);
    await shop.settle();
  },
  buy: async (productId, email, quantity = 1, shopper = shop.shopper()) => {
    await shopper.prepare(productId, quantity, email);
    const { invoiceId } = expectStatus(await shopper.pay(), 200, 'pay');
    expectStatus(await shopper.payWith(invoiceId as string), 200, 'the payment');
    await shop.settle();
    return invoiceId as string;
  },
});

/**
 * A day in the life of a shop, through its endpoints: each topic is set off, and an integrator who has subscribed to
 * all of them checks what arrives. `after` is told of each episode.
 */
export const liveADay = async (
  shop: ShopAt,
  after: (episode: Episode, arrived: readonly Arrived[]) => void = () => undefined,
): Promise<readonly Arrived[]> => {
  const server = await startFulfilmentServer();
  const integrator = await subscribeIntegrator(shop, namedTopics.keys());
  try {
    const day = dayIn(shop, server, integrator);
    const all: Arrived[] = [];
    for (const episode of episodes) {
      const before = integrator.messages().length;
      await episode.happen(day);
      await shop.settle();
      const messages = integrator.messages().slice(before);
      const arrived = episode.topics.map((topic): Arrived => {
        const own = messages.filter((message) => message.topic === topic);
        return {
          ...{ topic, episode: episode.title, count: own.length },
          data: own.at(-1)?.data ?? null,
          isSigned: own.every((message) => message.isSigned),
          isStandard: own.every((message) => message.isStandard),
          misfits: own.flatMap(({ misfit }) => misfit ?? []),
        };
      });
      after(episode, arrived);
      all.push(...arrived);
    }
    return all;
  } finally {
    await Promise.all([server.close(), integrator.stop()]);
  }
};

/** What a shop that lives the day is configured with: files to sell, and receivers beside it. */
export const dayEnvironment = (dataDir: string): Record<string, string> => ({
  ALLOW_LOOPBACK_TARGETS: 'true',
  DATA_DIR: dataDir,
});
