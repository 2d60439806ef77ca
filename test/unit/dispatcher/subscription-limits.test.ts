import { expect } from 'chai';
import { openWebhooks, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { respondWith, startReceiver, staySilent, type Receiver } from '#test/support/subscriber.ts';

describe('a subscription and its limits', () => {
  let runtime: WebhookRuntime;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    runtime = await openWebhooks();
  });
  afterEach(async () => {
    await receiver.stop();
    await runtime.stop();
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `customer ${index}`);
  const received = () =>
    receiver.received.map(({ body }) => (JSON.parse(String(body)) as { data: { name: string } }).data.name);
  const statuses = async (id: string) =>
    (await runtime.deliveries(id)).map(({ status }) => status).toSorted();
  /** Answers held back, to be given in the order of the requests. */
  const holdAnswers = () => {
    const held: ((status?: number) => void)[] = [];
    receiver.answer((response) => void held.push((status = 200) => response.writeHead(status).end()));
    return held;
  };

  it('is sent one after another where maxConcurrent is 1, and a retry holds nothing back', async () => {
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    receiver.answer((response, { body }) => {
      response.writeHead(String(body).includes('customer 1') ? 500 : 200);
      setImmediate(() => response.end());
    });
    await runtime.register(...names(5));
    expect(await runtime.settle()).to.equal(true);
    expect(received()).to.deep.equal(names(5));
    expect(receiver.mostOpen).to.equal(1);
    expect(await statuses(id)).to.deep.equal(['Retrying', ...Array.from({ length: 4 }, () => 'Succeeded')]);
    receiver.answer(respondWith(200));
    runtime.clock.advance(60);
    await runtime.register('later');
    expect(await runtime.settle()).to.equal(true);
    expect(received().toSorted()).to.deep.equal([...names(5), 'customer 1', 'later'].toSorted());
    expect(receiver.mostOpen).to.equal(1);
  });

  it('may have more or fewer under way as soon as that is changed', async () => {
    const held = holdAnswers();
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.register(...names(8));
    await receiver.count(1);
    await runtime.change(id, { maxConcurrent: 3 });
    await receiver.count(3);
    await runtime.change(id, { maxConcurrent: 1 });
    for (const answer of held.slice(0, 3)) answer();
    await receiver.count(4);
    expect(receiver.open).to.equal(1);
    receiver.answer(respondWith(200));
    held[3]?.();
    expect(await runtime.settle()).to.equal(true);
    expect(received()).to.deep.equal(names(8));
    expect(receiver.mostOpen).to.equal(3);
  });

  it('lets its deliveries wait while it is inactive, and sends them in order afterwards', async () => {
    const held = holdAnswers();
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.register(...names(300));
    await receiver.count(1);
    await runtime.change(id, { isActive: false });
    await runtime.register('never queued');
    held[0]?.(500);
    expect(await runtime.settle()).to.equal(true);
    runtime.clock.advance(3600);
    expect(await runtime.runJob('deliver-webhooks')).to.deep.include({
      retried: { succeeded: 0, failed: 0 },
    });
    expect(receiver.received).to.have.length(1);
    expect(new Set(await statuses(id))).to.deep.equal(new Set(['Pending']));
    expect(await runtime.dispatch.oldestDueSeconds()).to.equal(0);
    receiver.answer(respondWith(200));
    await runtime.change(id, { isActive: true });
    await receiver.count(301);
    expect(received().slice(1).toSorted()).to.deep.equal(names(300).toSorted());
    const tried = (name: string): boolean => name === 'customer 0';
    expect(received().filter((name) => !tried(name))).to.deep.equal(names(300).slice(1));
  });

  it('holds nobody else up while hundreds of its deliveries wait', async () => {
    const idle = await startReceiver(staySilent);
    const id = await runtime.subscribe(idle.url, { maxConcurrent: 1 });
    await runtime.register(...names(900));
    await idle.count(1);
    await runtime.change(id, { isActive: false });
    await idle.stop();
    await runtime.settle();
    receiver.answer(respondWith(500));
    const other = await runtime.subscribe(receiver.url);
    await runtime.register(...names(20));
    await runtime.settle();
    expect(new Set(await statuses(other))).to.deep.equal(new Set(['Retrying']));
    receiver.answer(respondWith(200));
    runtime.clock.advance(60);
    expect(await runtime.runJob('deliver-webhooks')).to.deep.include({ due: 20 });
    expect(await runtime.settle()).to.equal(true);
    expect(new Set(await statuses(other))).to.deep.equal(new Set(['Succeeded']));
  });

  it('that is deleted while it is inactive leaves none waiting', async () => {
    const held = holdAnswers();
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.register(...names(3));
    await receiver.count(1);
    await runtime.change(id, { isActive: false });
    held[0]?.();
    await runtime.settle();
    await runtime.unsubscribe(id);
    await runtime.follower.waitFor(await runtime.stores.log.head(), 10_000);
    await runtime.dispatch.queues.quiet(10_000);
    expect(await statuses(id)).to.deep.equal(['Abandoned', 'Abandoned', 'Succeeded']);
  });
});
