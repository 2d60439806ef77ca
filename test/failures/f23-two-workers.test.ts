import { expect } from 'chai';
import type { OutgoingRequest, Sender, SendOutcome } from '#ports/sender.ts';
import {
  memoryStores,
  movableClock,
  openWebhooks,
  type WebhookRuntime,
} from '#test/support/open-webhooks.ts';

const good: SendOutcome = { statusCode: 200, headers: {}, body: 'ok', durationMs: 1, error: null };
const bad: SendOutcome = { ...good, statusCode: 500, body: 'no' };

/** Subscriptions: of so many, each of two processes holds some. */
const MANY = 20;

/** Requests that wait until the test answers them. */
const heldSender = () => {
  const requests: { readonly request: OutgoingRequest; readonly answer: (outcome: SendOutcome) => void }[] =
    [];
  const arrivals: (() => void)[] = [];
  const open = new Map<string, number>();
  let most = 0;
  let answerNow: SendOutcome | null = null;
  const sender: Sender = {
    send: (request) =>
      new Promise((resolve) => {
        const { targetUrl } = request;
        const count = (open.get(targetUrl) ?? 0) + 1;
        open.set(targetUrl, count);
        most = Math.max(most, count);
        let isAnswered = false;
        const answer = (outcome: SendOutcome): void => {
          if (isAnswered) return;
          isAnswered = true;
          open.set(targetUrl, (open.get(targetUrl) ?? 0) - 1);
          resolve(outcome);
        };
        requests.push({ request, answer });
        if (answerNow) answer(answerNow);
        for (const arrived of arrivals.splice(0)) arrived();
      }),
    close: () => undefined,
  };
  const count = async (wanted: number): Promise<void> => {
    while (requests.length < wanted) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  return {
    sender,
    requests,
    count,
    /** Those that wait, and all that come. */
    answerFromNow: (outcome: SendOutcome): void => {
      answerNow = outcome;
      for (const { answer } of requests) answer(outcome);
    },
    /** The most there have been at once to one target. */
    mostOpen: () => most,
  };
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
    const ids: string[] = [];
    while (ids.length < MANY) ids.push(await late.subscribe('http://127.0.0.1:9/hook'));
    await late.register('Ada');
    await slow.count(MANY);

    const quick = heldSender();
    const rescuer = await openWebhooks({ stores, clock, sender: quick.sender, isOnlyWriter: false });
    runtimes.push(rescuer);
    const taken = ids.filter((id) => rescuer.dispatch.holds(id));
    const id = taken[0] ?? expect.fail('the second process holds nothing');
    const deliveryId = (await late.deliveries(id))[0]?._id;
    const requestOf = ({ requests }: typeof quick) =>
      requests.find(({ request }) => request.headers['X-Service-Delivery-Id'] === deliveryId) ??
      expect.fail('not sent');
    clock.advance(359);
    expect(await rescuer.runJob('deliver-webhooks')).to.include({ recovered: 0 });
    clock.advance(1);
    const rescue = rescuer.runJob('deliver-webhooks');
    await quick.count(taken.length);
    requestOf(slow).answer(bad);
    while (late.dispatch.attempts.underWayTo(id) > 0) await late.dispatch.queues.quiet(5);
    expect((await late.deliveries(id))[0]).to.include({ status: 'Sending', attemptNumber: 2 });
    for (const { answer } of quick.requests) answer(good);
    const retried = { succeeded: taken.length, failed: 0 };
    expect(await rescue).to.deep.include({ recovered: MANY, retried });

    const [row] = await late.deliveries(id);
    expect(row).to.include({ status: 'Succeeded', attemptNumber: 2, responseStatusCode: 200 });
    expect(requestOf(quick).request.body).to.deep.equal(requestOf(slow).request.body);
    await rescuer.dispatch.counter.settled();
    expect(await late.counters(id)).to.include({ successCount: 1, failureCount: 0 });
    for (const { answer } of slow.requests) answer(good);
  });

  describe('that share subscriptions', () => {
    /** In the order of the log, of each subscription. */
    const expectInOrder = (requests: ReturnType<typeof heldSender>['requests'], ids: readonly string[]) => {
      const byTarget = Map.groupBy(requests, ({ request }) => request.targetUrl);
      expect(byTarget.size).to.equal(ids.length);
      for (const [target, sent] of byTarget) {
        const texts = sent.map(({ request }) => String(request.body));
        const names = texts.map((text) => (JSON.parse(text) as { data: { name: string } }).data.name);
        expect(names, target).to.deep.equal([...names].toSorted());
      }
    };
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `customer ${String(from + index).padStart(4, '0')}`);

    it('send to each from one of them, in order and one by one, also when a second one joins', async () => {
      const [stores, clock] = [memoryStores(), movableClock()];
      const [one, other] = [heldSender(), heldSender()];
      const first = await openWebhooks({ stores, clock, sender: one.sender, isOnlyWriter: false });
      runtimes.push(first);
      const ids: string[] = [];
      while (ids.length < MANY) {
        const target = `http://127.0.0.1:9/hook/${ids.length}`;
        ids.push(await first.subscribe(target, { maxConcurrent: 1 }));
      }
      await first.register(...numbered(0, 10));
      await one.count(MANY);
      const second = await openWebhooks({ stores, clock, sender: other.sender, isOnlyWriter: false });
      runtimes.push(second);
      for (const id of ids) expect(first.dispatch.holds(id)).to.equal(!second.dispatch.holds(id));
      const moved = ids.filter((id) => second.dispatch.holds(id)).length;
      expect(moved).to.be.within(1, MANY - 1);
      await second.dispatch.queues.quiet(300);
      expect(other.requests, 'while the first one is still sending').to.have.length(0);

      one.answerFromNow(good);
      other.answerFromNow(good);
      expect(await second.settle()).to.equal(true);
      await first.register(...numbered(10, 20));
      expect(await second.settle()).to.equal(true);
      expect(one.requests).to.have.length(MANY + 19 * (MANY - moved));
      expect(other.requests).to.have.length(19 * moved);
      expectInOrder([...one.requests, ...other.requests], ids);
      expect(Math.max(one.mostOpen(), other.mostOpen())).to.equal(1);
    });

    it('go on when one leaves, in order, with what it had not sent', async () => {
      const [stores, clock] = [memoryStores(), movableClock()];
      const [one, other] = [heldSender(), heldSender()];
      const first = await openWebhooks({ stores, clock, sender: one.sender, isOnlyWriter: false });
      const second = await openWebhooks({ stores, clock, sender: other.sender, isOnlyWriter: false });
      runtimes.push(second);
      const ids: string[] = [];
      while (ids.length < MANY) {
        const target = `http://127.0.0.1:9/hook/${ids.length}`;
        ids.push(await first.subscribe(target, { maxConcurrent: 1 }));
      }
      await first.register(...numbered(0, 10));
      const held = ids.filter((id) => first.dispatch.holds(id)).length;
      await one.count(held);
      await other.count(MANY - held);
      one.answerFromNow(good);
      await first.stop();
      other.answerFromNow(good);
      expect(await second.settle()).to.equal(true);
      expectInOrder([...one.requests, ...other.requests], ids);
      expect(one.requests.length + other.requests.length).to.equal(10 * MANY);
    });

    it('tell each other of retries that are due', async () => {
      const [stores, clock] = [memoryStores(), movableClock()];
      const [one, other] = [heldSender(), heldSender()];
      for (const { sender } of [one, other])
        runtimes.push(await openWebhooks({ stores, clock, sender, isOnlyWriter: false }));
      const [first, second] = runtimes as [WebhookRuntime, WebhookRuntime];
      const ids: string[] = [];
      while (ids.length < MANY) ids.push(await first.subscribe('http://127.0.0.1:9/hook'));
      one.answerFromNow(bad);
      other.answerFromNow(bad);
      await first.register('Ada');
      expect(await first.settle()).to.equal(true);
      const before = [one.requests.length, other.requests.length];
      expect(before).to.deep.equal([first, second].map(({ dispatch }) => ids.filter(dispatch.holds).length));
      clock.advance(60);
      one.answerFromNow(good);
      other.answerFromNow(good);
      await first.runJob('deliver-webhooks');
      expect(await first.settle()).to.equal(true);
      expect([one.requests.length, other.requests.length]).to.deep.equal(before.map((count) => 2 * count));
    });
  });
});
