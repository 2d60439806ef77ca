import { expect } from 'chai';
import { createSender } from '#runtime/send.ts';
import type { ResolveHost } from '#runtime/check-target.ts';
import { flood } from '#test/support/flood.ts';
import { openNotices, scriptedReceivers } from '#test/support/open-notices.ts';
import { spyOnSockets } from '#test/support/receiver.ts';
import {
  respondWith,
  startReceiver,
  staySilent,
  type Receiver,
  type Responder,
} from '#test/support/subscriber.ts';

const DAY_SECONDS = 86_400;
/** Of a shop that tests nothing: http to this machine alone, so that there is something to connect to. */
const policy = { allowLoopback: true, allowPrivate: false, isHttpsNeeded: true } as const;
const inside = '169.254.169.254';

interface Case {
  readonly who: string;
  /** Until it thinks better of it. Default: it answers 200. */
  readonly answering?: Responder;
  /** Default: that of the receiver. */
  readonly url?: (receiver: Receiver) => string;
  /** What its name stands for, attempt by attempt. */
  readonly addresses?: readonly (readonly string[])[];
  /** How each of the first two attempts ends; before the second the receiver thinks better of it. */
  readonly ends: readonly (readonly [status: number | null, reason: string | null])[];
  /** Connections that are opened for both. */
  readonly connections: number;
}

const refusedUrl = (reason: string) => [null, `Target URL is not allowed: ${reason}`] as const;
const arrived = [200, null] as const;
const named = ({ url }: Receiver): string => url.replace('127.0.0.1', 'agent.localhost');

const cases: readonly Case[] = [
  {
    who: 'never answers is cut off when its time is up',
    answering: staySilent,
    ends: [[null, 'Request timed out'], arrived],
    connections: 2,
  },
  {
    who: 'sends us elsewhere has not taken it, and nothing goes there',
    answering: respondWith(307, '', { Location: '/elsewhere' }),
    ends: [[307, 'The receiver answered with status 307'], arrived],
    connections: 1,
  },
  {
    who: 'hangs up has not taken it',
    answering: (response) => response.destroy(),
    ends: [[null, 'The receiver closed the connection before its answer was complete'], arrived],
    connections: 2,
  },
  {
    who: 'answers with a gigabyte is read for 64 KiB, and has taken it',
    answering: flood,
    ends: [arrived],
    connections: 1,
  },
  {
    who: 'has a private address is never called',
    url: () => 'https://10.0.0.1/orders',
    ends: [
      refusedUrl('10.0.0.1 is a private or reserved address'),
      refusedUrl('10.0.0.1 is a private or reserved address'),
    ],
    connections: 0,
  },
  {
    who: 'has a name of a private address is never called',
    url: () => 'https://agent.example/orders',
    addresses: [['1.1.1.1', '10.0.0.1'], ['10.0.0.1']],
    ends: [
      refusedUrl('agent.example resolves to 10.0.0.1 is a private or reserved address'),
      refusedUrl('agent.example resolves to 10.0.0.1 is a private or reserved address'),
    ],
    connections: 0,
  },
  {
    who: 'has a name that leads inside the next time is called at the checked address, and then no more',
    answering: respondWith(500),
    url: named,
    addresses: [['127.0.0.1'], [inside]],
    ends: [
      [500, 'The receiver answered with status 500'],
      refusedUrl(`agent.localhost resolves to ${inside} is a private or reserved address`),
    ],
    connections: 1,
  },
];

const resolving = (addresses: Case['addresses'] = []): ResolveHost => {
  const turns = [...addresses];
  return () => Promise.resolve(turns.shift() ?? []);
};

// docs/rules/agent-notices.md#attempts
describe('F26 and F28: an agent to be told that', () => {
  for (const {
    who,
    answering = respondWith(200),
    url = (at: Receiver) => at.url,
    addresses,
    ends,
    connections,
  } of cases)
    it(who, async () => {
      const receiver = await startReceiver(answering);
      const sender = createSender({ policy, resolve: resolving(addresses) });
      const shop = await openNotices({ sender, webhookTimeoutSeconds: 0.1 });
      const sockets = spyOnSockets();
      try {
        await shop.sold('A', { target: url(receiver) });
        for (const [status, reason] of ends) {
          await shop.settle();
          const [row] = await shop.rows();
          expect(row).to.include({
            ...{ responseStatusCode: status, errorMessage: reason },
            status: reason === null ? 'Succeeded' : 'Retrying',
          });
          expect((row?.responseBody ?? '').length).to.be.at.most(64 * 1024);
          receiver.answer(respondWith(200));
          shop.clock.advance(row?.attemptNumber === 1 ? 1 : 10);
        }
        expect(sockets.opened(), 'connections').to.equal(connections);
        const [first, ...others] = receiver.received;
        for (const again of others) {
          expect(again.path).to.equal('/hook');
          expect(again.body.equals(first?.body ?? Buffer.alloc(0)), 'the same bytes').to.equal(true);
        }
      } finally {
        sockets.stop();
        await shop.stop();
        sender.close();
        await receiver.stop();
      }
    });

  it('is gone for a day is told what is not given up by then, at once of what comes, and of the rest by hand', async () => {
    let isGone = true;
    const receivers = scriptedReceivers(() => (isGone ? 503 : 200));
    const shop = await openNotices(receivers);
    try {
      const start = shop.clock.now();
      const secondsGone = () => (shop.clock.now() - start) / 1000;
      /** From one attempt that is due to the next. */
      const passUntil = async (seconds: number) => {
        for (;;) {
          await shop.settle();
          const due = (await shop.rows()).flatMap(({ dueAt }) => (dueAt === null ? [] : Date.parse(dueAt)));
          const next = (Math.min(...due) - start) / 1000;
          if (next > seconds) break;
          shop.clock.advance(next - secondsGone());
        }
        shop.clock.advance(seconds - secondsGone());
      };
      await shop.sold('A');
      await passUntil(DAY_SECONDS - 1800);
      await shop.sold('B');
      await shop.shipped('B');
      await passUntil(DAY_SECONDS);
      const [ofA] = await shop.rows();
      expect(ofA).to.include({ status: 'Abandoned', attemptNumber: 7 });
      const tried = receivers.heard.length;
      isGone = false;

      await shop.sold('C');
      await shop.settle();
      expect(receivers.events().slice(tried)).to.deep.equal(['C order_placed']);
      await passUntil(DAY_SECONDS + 3600);
      expect(receivers.events().slice(tried + 1)).to.deep.equal([
        ...['B order_placed', 'B order_updated', 'B order_shipped'],
      ]);
      if (ofA) await shop.dispatch.sendNow(ofA);
      expect(receivers.heard.at(-1)).to.deep.equal(receivers.heard[0]);
      expect((await shop.rows()).map(({ status }) => status)).to.deep.equal(
        Array.from({ length: 5 }, () => 'Succeeded'),
      );
    } finally {
      await shop.stop();
    }
  });
});
