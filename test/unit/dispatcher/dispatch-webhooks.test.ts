import { expect } from 'chai';
import type { Sender } from '#ports/sender.ts';
import {
  respondWith,
  deliveryIdOf,
  isSigned,
  startReceiver,
  type Receiver,
} from '#test/support/subscriber.ts';
import { openWebhooks, secret, type WebhookRuntime } from '#test/support/open-webhooks.ts';

describe('webhooks on their way', () => {
  let runtime: WebhookRuntime;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await runtime.stop();
    await receiver.stop();
  });

  const nameIn = (body: Buffer) => (JSON.parse(String(body)) as { data: { name: string } }).data.name;
  const namesOf = (who: Receiver) => who.received.map(({ body }) => nameIn(body));

  it('reach a subscriber signed, in order, and stand in the list as delivered', async () => {
    runtime = await openWebhooks();
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('Ada', 'Grace', 'Edsger');
    expect(await runtime.settle()).to.equal(true);
    expect(namesOf(receiver)).to.deep.equal(['Ada', 'Grace', 'Edsger']);
    expect(receiver.received.every((one) => isSigned(one, secret))).to.equal(true);
    const rows = await runtime.deliveries(id);
    expect(rows.map(({ _id }) => _id)).to.have.members(receiver.received.map(deliveryIdOf));
    expect(rows.map(({ status }) => status)).to.deep.equal(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(await runtime.counters(id)).to.include({ successCount: 3, failureCount: 0 });
  });

  it('go to those who were subscribed when it happened, and to no others', async () => {
    runtime = await openWebhooks();
    await runtime.register('before');
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('during');
    await runtime.unsubscribe(id);
    await runtime.register('after');
    await runtime.settle();
    expect((await runtime.deliveries(id)).length).to.equal(1);
  });

  it('leave out events that the filter rejects', async () => {
    runtime = await openWebhooks();
    await runtime.subscribe(receiver.url, { filterExpression: "name == 'Ada'" });
    await runtime.register('Grace', 'Ada');
    await runtime.settle();
    expect(namesOf(receiver)).to.deep.equal(['Ada']);
  });

  it('are tried again when they are due, with the same bytes', async () => {
    runtime = await openWebhooks();
    const id = await runtime.subscribe(receiver.url);
    receiver.answer(respondWith(500, 'no'));
    await runtime.register('Ada');
    await runtime.settle();
    expect(
      (await runtime.deliveries(id)).map(({ status, attemptNumber }) => [status, attemptNumber]),
    ).to.deep.equal([['Retrying', 1]]);
    receiver.answer(respondWith(200));
    runtime.clock.advance(59);
    await runtime.runJob('deliver-webhooks');
    expect(receiver.received).to.have.length(1);
    runtime.clock.advance(1);
    expect(await runtime.runJob('deliver-webhooks')).to.deep.include({
      due: 1,
      retried: { succeeded: 1, failed: 0 },
    });
    const [first, second] = receiver.received;
    expect(second?.body).to.deep.equal(first?.body);
    expect(receiver.received.map(deliveryIdOf)).to.deep.equal(
      Array(2).fill((await runtime.deliveries(id))[0]?._id),
    );
    expect(await runtime.counters(id)).to.include({
      successCount: 1,
      failureCount: 1,
      lastErrorMessage: null,
    });
  });

  it('are looked for as often as the settings say, every five seconds at most', async () => {
    const schedules: Readonly<Record<number, string>> = {
      1: '*/5 * * * * *',
      10: '*/10 * * * * *',
      90: '0 */1 * * * *',
      300: '0 */5 * * * *',
      9000: '0 */59 * * * *',
    };
    for (const [seconds, schedule] of Object.entries(schedules)) {
      runtime = await openWebhooks({ settings: { deliveryIntervalSeconds: Number(seconds) } });
      const job = runtime.dispatch.jobs.find(({ name }) => name === 'deliver-webhooks');
      expect(job?.schedule, `${seconds} s`).to.equal(schedule);
      await runtime.stop();
    }
  });

  it('show how long the oldest has been due', async () => {
    runtime = await openWebhooks();
    await runtime.subscribe(receiver.url);
    receiver.answer(respondWith(500, 'no'));
    await runtime.register('Ada');
    await runtime.settle();
    expect(await runtime.dispatch.oldestDueSeconds()).to.equal(0);
    runtime.clock.advance(60 + 5);
    expect(await runtime.dispatch.oldestDueSeconds()).to.equal(5);
  });

  it('are given up without being sent when they are too large', async () => {
    runtime = await openWebhooks({ settings: { maxPayloadSizeBytes: 300 } });
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('x'.repeat(300));
    await runtime.settle();
    const [row] = await runtime.deliveries(id);
    expect(row).to.include({ status: 'Abandoned', attemptNumber: 0 });
    expect(row?.errorMessage).to.match(/^Payload exceeds max size: \d+ bytes > 300 bytes$/);
    expect(receiver.received).to.have.length(0);
    expect(await runtime.counters(id)).to.include({ successCount: 0, failureCount: 1 });
  });

  it('begin in the order of the log and stay few in memory when more come than a queue holds', async () => {
    const begun: string[] = [];
    let most = 0;
    const sender: Sender = {
      send: async ({ body }) => {
        begun.push(nameIn(body));
        most = Math.max(most, runtime.dispatch.queues.figures().waiting);
        return { statusCode: 200, headers: {}, body: '', durationMs: 1, error: null };
      },
      close: () => undefined,
    };
    runtime = await openWebhooks({ sender });
    await runtime.subscribe(receiver.url);
    const names = Array.from({ length: 400 }, (_, index) => String(index));
    await runtime.register(...names);
    expect(await runtime.settle(9000)).to.equal(true);
    expect(begun).to.deep.equal(names);
    expect(most).to.be.within(1, 256);
  });
});
