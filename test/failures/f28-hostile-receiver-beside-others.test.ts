import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createSender } from '#runtime/send.ts';
import { attemptsOf } from '#topics/past-attempts.ts';
import { exampleCertificate, exampleKey } from '#test/support/example-certificate.ts';
import { flood } from '#test/support/flood.ts';
import { openWebhooks, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { respondWith, startReceiver, type Receiver, type Responder } from '#test/support/subscriber.ts';

/** Instead of the subscription's seconds, which are at least one. */
const TIMEOUT_MILLISECONDS = 150;
const timedOut = 'Request timed out';
const cutShort = 'The receiver closed the connection before its answer was complete';
const nextMinute = '2026-03-01T12:01:00.000Z';
const minuteLater = '2026-03-01T12:02:00.000Z';

const byteByByte = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Length': '1000000' });
  const timer = setInterval(() => response.write('x'), 5);
  response.on('close', () => clearInterval(timer));
};

interface Hostile {
  readonly does: string;
  readonly responds: Responder;
  readonly status: number | null;
  readonly reason: string;
  readonly next?: string;
}

const busy = (status: number, retryAfter: string): Responder =>
  respondWith(status, 'not now', { 'Retry-After': retryAfter });
const answered = (status: number): string => `The receiver answered with status ${status}`;

const hostile: readonly Hostile[] = [
  {
    does: 'closes its side without an answer',
    responds: (response) => void response.socket?.end(),
    status: null,
    reason: cutShort,
  },
  {
    does: 'closes its side in the middle of its answer',
    responds: (response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.socket?.end());
    },
    status: 200,
    reason: cutShort,
  },
  {
    does: 'resets the connection',
    responds: (response) => void response.socket?.resetAndDestroy(),
    status: null,
    reason: cutShort,
  },
  { does: 'answers byte by byte', responds: byteByByte, status: 200, reason: timedOut },
  { does: 'never answers', responds: () => undefined, status: null, reason: timedOut },
  {
    does: 'fails with an answer of a gigabyte',
    responds: (response) => {
      response.writeHead(500);
      flood(response);
    },
    status: 500,
    reason: answered(500),
  },
  {
    does: 'would go on in another protocol',
    responds: (response) => {
      const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: other', '', ''];
      response.socket?.write(head.join('\r\n'));
    },
    status: 101,
    reason: answered(101),
  },
  { does: 'is gone', responds: respondWith(410), status: 410, reason: answered(410) },
  {
    does: 'redirects',
    responds: respondWith(307, '', { Location: '/' }),
    status: 307,
    reason: answered(307),
  },
  {
    does: 'wants to be asked in a hundred years',
    responds: busy(429, '3153600000'),
    status: 429,
    reason: answered(429),
    next: minuteLater,
  },
  {
    does: 'wants to be asked next week',
    responds: busy(503, '604800'),
    status: 503,
    reason: answered(503),
    next: minuteLater,
  },
  {
    does: 'wants to be asked in the year 9999',
    responds: busy(429, 'Fri, 31 Dec 9999 23:59:59 GMT'),
    status: 429,
    reason: answered(429),
    next: minuteLater,
  },
  {
    does: 'wanted to be asked earlier',
    responds: busy(503, '-1'),
    status: 503,
    reason: answered(503),
    next: nextMinute,
  },
  {
    does: 'wants to be asked some time',
    responds: busy(429, 'whenever\tyou "like"'),
    status: 429,
    reason: answered(429),
    next: nextMinute,
  },
];

describe('F28: a hostile receiver beside a healthy one', () => {
  let runtime: WebhookRuntime;
  let healthy: Receiver;
  let target: Receiver;
  const addresses = new Map<string, readonly string[]>();

  beforeEach(async () => {
    [healthy, target] = [await startReceiver(), await startReceiver()];
    const policy = { allowLoopback: true, allowPrivate: false };
    const resolve = (host: string) => Promise.resolve(addresses.get(host) ?? []);
    const real = createSender({ policy, resolve });
    const sender = {
      ...real,
      send: (request: Parameters<typeof real.send>[0]) =>
        real.send({ ...request, timeoutMs: TIMEOUT_MILLISECONDS }),
    };
    runtime = await openWebhooks({ sender });
  });
  afterEach(async () => {
    await healthy.stop();
    await target.stop();
    await runtime.stop();
  });

  /** Three deliveries to each, of which the healthy one has its own however long the other takes. */
  const deliverTo = async (targetUrl: string): Promise<string> => {
    const id = await runtime.subscribe(targetUrl);
    const other = await runtime.subscribe(healthy.url);
    await runtime.register('one', 'two', 'three');
    await healthy.count(3);
    expect(await runtime.settle()).to.equal(true);
    const healthyOnes = await runtime.deliveries(other);
    expect(healthyOnes.map(({ status }) => status)).to.deep.equal(['Succeeded', 'Succeeded', 'Succeeded']);
    return id;
  };

  const expectRetried = async (
    id: string,
    { status, reason, next = nextMinute }: Pick<Hostile, 'status' | 'reason' | 'next'>,
  ): Promise<void> => {
    for (const row of await runtime.deliveries(id))
      expect(row).to.include({
        status: 'Retrying',
        attemptNumber: 1,
        responseStatusCode: status,
        errorMessage: reason,
        nextRetryUtc: next,
      });
    runtime.clock.advance((Date.parse(next) - runtime.clock.now()) / 1000);
    expect(await runtime.runJob('deliver-webhooks')).to.deep.include({ due: 3 });
    await runtime.settle();
    for (const row of await runtime.deliveries(id)) {
      expect(row).to.include({ status: 'Retrying', attemptNumber: 2 });
      const attempts = attemptsOf(row).map(({ attemptNumber, responseStatusCode, errorMessage }) => [
        attemptNumber,
        responseStatusCode,
        errorMessage,
      ]);
      expect(attempts).to.deep.equal([2, 1].map((attempt) => [attempt, status, reason]));
    }
  };

  for (const { does, responds, ...expected } of hostile) {
    it(`that ${does} is recorded with the reason, tried again by the schedule, and holds nobody up`, async () => {
      target.answer(responds);
      await expectRetried(await deliverTo(target.url), expected);
    });
  }

  it('that answers with a gigabyte has answered, and is left after 64 KiB', async () => {
    target.answer((response) => flood(response));
    const id = await deliverTo(target.url);
    for (const row of await runtime.deliveries(id)) {
      expect(row).to.include({ status: 'Succeeded', responseStatusCode: 200 });
      expect(row.responseBody).to.have.length(10_000);
    }
    expect(target.open).to.equal(0);
  });

  it('whose certificate is not trusted never gets a request', async () => {
    const asked: unknown[] = [];
    const server = createServer({ key: exampleKey, cert: exampleCertificate }, () => asked.push('asked'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    addresses.set('hooks.example.com', ['127.0.0.1']);
    const { port } = server.address() as AddressInfo;
    const reason = "The receiver's certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)";
    await expectRetried(await deliverTo(`https://hooks.example.com:${port}/`), { status: null, reason });
    expect(asked).to.deep.equal([]);
    server.closeAllConnections();
    server.close();
  });

  it('whose name nobody knows is asked for again, and never called', async () => {
    const reason = 'Target URL cannot be reached: gone.example.com cannot be resolved';
    await expectRetried(await deliverTo('https://gone.example.com/'), { status: null, reason });
  });

  it('that nobody listens for is told apart from one that answers', async () => {
    const { url } = target;
    await target.stop();
    target = await startReceiver();
    await expectRetried(await deliverTo(url), { status: null, reason: 'Connection refused' });
  });
});
