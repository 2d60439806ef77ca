import { expect } from 'chai';
import { createSender } from '#runtime/send.ts';
import { ping } from '#dispatcher/contexts/webhooks/try-receiver.ts';
import { checkTarget, createResolver, type ResolveHost } from '#runtime/check-target.ts';
import { spyOnSockets, startReceiver, type Receiver } from '../support/receiver.ts';
import { detours, refusalOf, refusedTargets } from '../support/refused-targets.ts';
import { openWebhookApi } from '../support/webhook-api.ts';
import { at, openWebhooks } from '../support/open-webhooks.ts';

const strict = { allowLoopback: false, allowPrivate: false };
const loopback = { allowLoopback: true, allowPrivate: false };

const unresolvable: ResolveHost = () => Promise.reject(new Error('ENOTFOUND'));
const resolvesTo =
  (...addresses: readonly string[]): ResolveHost =>
  () =>
    Promise.resolve(addresses);

const requestTo = (targetUrl: string) => ({
  targetUrl,
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 30_000,
});

describe('F26: a target inside our own network', () => {
  let receiver: Receiver;
  let sockets: ReturnType<typeof spyOnSockets>;
  const senders: { close(): void }[] = [];

  const send = (targetUrl: string, resolve: ResolveHost, policy = strict) => {
    const sender = createSender({ policy, resolve });
    senders.push(sender);
    return sender.send(requestTo(targetUrl));
  };

  beforeEach(async () => {
    receiver = await startReceiver();
    sockets = spyOnSockets();
  });

  afterEach(async () => {
    sockets.stop();
    for (const sender of senders.splice(0)) sender.close();
    await receiver.close();
  });

  for (const target of refusedTargets) {
    it(`is not called: ${target.kind}, ${target.url}; the record says why`, async () => {
      const { reason, connections } = await refusalOf(target);
      expect(reason).to.match(/^Target URL is not allowed: /);
      expect(connections).to.equal(0);
    });
  }

  it('is not called by a detour: a redirect is an answer like any other, a name is asked for at each attempt', async () => {
    expect((await detours()).map(({ reason, connections }) => [reason, connections])).to.deep.equal([
      ['The receiver answered with status 302', 0],
      [
        'Target URL is not allowed: hooks.example.com resolves to 169.254.169.254 is a private or reserved address',
        0,
      ],
    ]);
  });

  it('is not called when its name has no address, which may pass', async () => {
    const outcome = await send('http://hooks.example.com/', unresolvable);
    expect(outcome.error).to.equal('Target URL cannot be reached: hooks.example.com cannot be resolved');
    expect(sockets.opened()).to.equal(0);
    const target = await checkTarget('http://hooks.example.com/', strict, unresolvable);
    expect(target.kind, 'a subscription may be made all the same').to.equal('unresolved');
  });

  it('cannot be reached by a name that changes between check and connection: the checked address is called', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const changing: ResolveHost = () => Promise.resolve(answers.shift() ?? []);
    const target = `http://hooks.example.com:${receiver.port}/a?b=c`;
    const outcome = await send(target, changing, loopback);
    expect(outcome).to.include({ statusCode: 200, error: null });
    const [request] = receiver.requests;
    expect(request?.headers.host).to.equal(`hooks.example.com:${receiver.port}`);
    expect(request?.path).to.equal('/a?b=c');
    expect((await send(target, changing, loopback)).error).to.contain('169.254.169.254');
    expect(receiver.requests).to.have.length(1);
  });

  it('does not keep the next address of a name from being tried when nobody answers on the first', async () => {
    const refusing = resolvesTo('127.0.0.2', '127.0.0.1');
    const outcome = await send(`http://hooks.example.com:${receiver.port}/`, refusing, loopback);
    expect(outcome).to.include({ statusCode: 200, error: null });
  });

  it('is asked for once by all who send to the same name at the same time', async () => {
    let asked = 0;
    const ask: ResolveHost = () => {
      asked++;
      return Promise.resolve(['1.1.1.1']);
    };
    const resolve = createResolver({ ask });
    await Promise.all([resolve('a.example'), resolve('a.example'), resolve('b.example')]);
    expect(asked).to.equal(2);
  });
});

describe('F26: a subscription whose target was allowed once', () => {
  it('is refused by a ping as an invalid URL, by its name too', async () => {
    const sender = createSender({ policy: strict, resolve: resolvesTo('10.0.0.1') });
    for (const [url, errorMessage] of [
      ['http://10.0.0.1/', 'Invalid URL: 10.0.0.1 is a private or reserved address'],
      [
        'http://inside.example.com/',
        'Invalid URL: inside.example.com resolves to 10.0.0.1 is a private or reserved address',
      ],
    ] as const) {
      const pinged = await ping({ clock: { now: () => 0 }, sender }, url);
      expect(pinged).to.include({ success: false, statusCode: null, errorMessage });
    }
    sender.close();
  });

  it('is called neither by an event nor by a retry, a test or a ping, and the record says why', async () => {
    const runtime = await openWebhooks();
    const api = await openWebhookApi(runtime);
    const sockets = spyOnSockets();
    const targetUrl = 'http://169.254.169.254/latest/meta-data';
    const errorMessage = 'Target URL is not allowed: 169.254.169.254 is a private or reserved address';
    try {
      const id = await runtime.subscribe(targetUrl);
      await runtime.register('Ada');
      await runtime.settle();
      const [row] = await runtime.deliveries(id);
      expect(row).to.include({ status: 'Retrying', attemptNumber: 1, targetUrl, errorMessage });
      const retried = await api.post(`/api/v1/webhooks/deliveries/${row?._id}/retry`);
      expect(retried.body).to.include({ status: 'Retrying', attemptNumber: 2, errorMessage });
      const tested = await api.post(`/api/v1/webhooks/${id}/test`);
      expect(tested.body).to.include({ success: false, statusCode: null, errorMessage });
      const pinged = await api.post('/api/v1/webhooks/ping', { url: targetUrl });
      expect(pinged.body).to.include({ success: false, statusCode: null });
      expect(sockets.opened(api.port), 'but to the shop itself').to.equal(0);
    } finally {
      sockets.stop();
      await api.close();
      await runtime.stop();
    }
  });

  it('is not called by a replay either, whether a delivery was given up or never made', async () => {
    const runtime = await openWebhooks({ settings: { maxRetries: 1 } });
    const api = await openWebhookApi(runtime);
    const sockets = spyOnSockets();
    const errorMessage = 'Target URL is not allowed: 10.0.0.1 is a private or reserved address';
    try {
      await runtime.register('before');
      const id = await runtime.subscribe('http://10.0.0.1/hooks');
      await runtime.register('given up');
      await runtime.settle();
      const { status } = await api.post(`/api/v1/webhooks/${id}/replay`, { from: at, include: 'all' });
      expect(status).to.equal(202);
      await runtime.settle();
      const rows = await runtime.deliveries(id);
      expect(rows.map((row) => row.attemptNumber).toSorted()).to.deep.equal([1, 2]);
      for (const row of rows) expect(row).to.include({ status: 'Abandoned', errorMessage });
      expect(sockets.opened(api.port), 'but to the shop itself').to.equal(0);
    } finally {
      sockets.stop();
      await api.close();
      await runtime.stop();
    }
  });
});
