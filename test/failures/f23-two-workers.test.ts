import { expect } from 'chai';
import type { SendOutcome } from '#dispatcher/contexts/webhooks/delivery.ts';
import type { OutgoingRequest, Sender } from '#dispatcher/contexts/webhooks/send.ts';
import {
  memoryStores,
  movableClock,
  openWebhooks,
  type WebhookRuntime,
} from '#test/support/open-webhooks.ts';

const good: SendOutcome = { statusCode: 200, headers: {}, body: 'ok', durationMs: 1, error: null };
const bad: SendOutcome = { ...good, statusCode: 500, body: 'no' };

/** Requests that wait until the test answers them. */
const heldSender = () => {
  const requests: { readonly request: OutgoingRequest; readonly answer: (outcome: SendOutcome) => void }[] =
    [];
  const arrivals: (() => void)[] = [];
  const sender: Sender = {
    send: (request) =>
      new Promise((answer) => {
        requests.push({ request, answer });
        for (const arrived of arrivals.splice(0)) arrived();
      }),
    close: () => undefined,
  };
  const count = async (wanted: number): Promise<void> => {
    while (requests.length < wanted) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  return { sender, requests, count };
};

describe('F23: two workers and one delivery', () => {
  const runtimes: WebhookRuntime[] = [];
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) await runtime.stop();
  });

  it('one of them sends what both see due', async () => {
    const [stores, clock] = [memoryStores(), movableClock()];
    const { sender, requests, count } = heldSender();
    for (let worker = 0; worker < 2; worker++) {
      runtimes.push(await openWebhooks({ stores, clock, sender, isOnlyWriter: worker === 0 }));
    }
    const [one, other] = runtimes as [WebhookRuntime, WebhookRuntime];
    const id = await one.subscribe('http://127.0.0.1:9/hook');
    await one.register('Ada');
    await count(1);
    requests[0]?.answer(bad);
    while ((await one.deliveries(id))[0]?.status !== 'Retrying') await one.dispatch.queues.quiet(100);
    clock.advance(60);
    const runs = Promise.all([one.runJob('deliver-webhooks'), other.runJob('deliver-webhooks')]);
    await count(2);
    requests[1]?.answer(good);
    const summaries = await runs;
    expect(requests).to.have.length(2);
    const succeeded = summaries.map(({ retried }) => (retried as { succeeded: number }).succeeded);
    expect(succeeded.toSorted()).to.deep.equal([0, 1]);
    expect((await one.deliveries(id))[0]).to.include({ status: 'Succeeded', attemptNumber: 2 });
  });

  it('the one whose clock is behind that of the follower sends all the same, at once', async () => {
    const stores = memoryStores();
    const { sender, requests, count } = heldSender();
    const ahead = await openWebhooks({ stores, sender });
    runtimes.push(ahead);
    const behind = movableClock(ahead.clock.now() - 1000);
    runtimes.push(await openWebhooks({ stores, sender, clock: behind, isOnlyWriter: false }));
    const receivers = 8;
    for (let receiver = 0; receiver < receivers; receiver++) await ahead.subscribe('http://127.0.0.1:9/hook');
    await ahead.register('Ada');
    await count(receivers);
    for (const { answer } of requests) answer(good);
    await ahead.settle();
    expect(requests).to.have.length(receivers);
    const statuses = (await ahead.deliveries()).map(({ status }) => status);
    expect(statuses).to.deep.equal(Array.from({ length: receivers }, () => 'Succeeded'));
  });

  it('a late owner overwrites nothing of the attempt that was begun without it', async () => {
    const [stores, clock] = [memoryStores(), movableClock()];
    const slow = heldSender();
    const late = await openWebhooks({ stores, clock, sender: slow.sender });
    runtimes.push(late);
    const id = await late.subscribe('http://127.0.0.1:9/hook');
    await late.register('Ada');
    await slow.count(1);

    const quick = heldSender();
    const rescuer = await openWebhooks({ stores, clock, sender: quick.sender, isOnlyWriter: false });
    runtimes.push(rescuer);
    clock.advance(359);
    expect(await rescuer.runJob('deliver-webhooks')).to.include({ recovered: 0 });
    clock.advance(1);
    const rescue = rescuer.runJob('deliver-webhooks');
    await quick.count(1);
    slow.requests[0]?.answer(bad);
    await late.dispatch.queues.quiet(1000);
    expect((await late.deliveries(id))[0]).to.include({ status: 'Sending', attemptNumber: 2 });
    quick.requests[0]?.answer(good);
    expect(await rescue).to.deep.include({ recovered: 1, retried: { succeeded: 1, failed: 0 } });

    const [row] = await late.deliveries(id);
    expect(row).to.include({ status: 'Succeeded', attemptNumber: 2, responseStatusCode: 200 });
    const [first, second] = [slow.requests[0]?.request, quick.requests[0]?.request];
    expect(second?.body).to.deep.equal(first?.body);
    await rescuer.dispatch.counter.settled();
    expect(await late.counters(id)).to.include({ successCount: 1, failureCount: 0 });
  });
});
