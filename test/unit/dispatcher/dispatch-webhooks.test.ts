import { expect } from 'chai';
import type { Sender } from '#dispatcher/contexts/webhooks/send.ts';
import {
  answerWith,
  deliveryIdOf,
  isSigned,
  startReceiver,
  type Receiver,
} from '#test/support/subscriber.ts';
import { openWebhooks, secret, type WebhookHouse } from '#test/support/webhook-house.ts';

describe('webhooks on their way', () => {
  let house: WebhookHouse;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await house.stop();
    await receiver.stop();
  });

  const nameIn = (body: Buffer) => (JSON.parse(String(body)) as { data: { name: string } }).data.name;
  const namesOf = (who: Receiver) => who.received.map(({ body }) => nameIn(body));

  it('reach a subscriber signed, in order, and stand in the list as delivered', async () => {
    house = await openWebhooks();
    const id = await house.subscribe(receiver.url);
    await house.register('Ada', 'Grace', 'Edsger');
    expect(await house.settle()).to.equal(true);
    expect(namesOf(receiver)).to.deep.equal(['Ada', 'Grace', 'Edsger']);
    expect(receiver.received.every((one) => isSigned(one, secret))).to.equal(true);
    const rows = await house.deliveries(id);
    expect(rows.map(({ _id }) => _id)).to.have.members(receiver.received.map(deliveryIdOf));
    expect(rows.map(({ status }) => status)).to.deep.equal(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(await house.tally(id)).to.include({ successCount: 3, failureCount: 0 });
  });

  it('go to those who had subscribed when it happened, and to nobody who came later or left before', async () => {
    house = await openWebhooks();
    await house.register('before');
    const id = await house.subscribe(receiver.url);
    await house.register('during');
    await house.unsubscribe(id);
    await house.register('after');
    await house.settle();
    expect((await house.deliveries(id)).length).to.equal(1);
  });

  it('leave out what a filter does not want', async () => {
    house = await openWebhooks();
    await house.subscribe(receiver.url, { filterExpression: "name == 'Ada'" });
    await house.register('Grace', 'Ada');
    await house.settle();
    expect(namesOf(receiver)).to.deep.equal(['Ada']);
  });

  it('are tried again when they are due, with the same bytes', async () => {
    house = await openWebhooks();
    const id = await house.subscribe(receiver.url);
    receiver.answer(answerWith(500, 'no'));
    await house.register('Ada');
    await house.settle();
    expect(
      (await house.deliveries(id)).map(({ status, attemptNumber }) => [status, attemptNumber]),
    ).to.deep.equal([['Retrying', 1]]);
    receiver.answer(answerWith(200));
    house.clock.advance(59);
    await house.runJob('deliver-webhooks');
    expect(receiver.received).to.have.length(1);
    house.clock.advance(1);
    expect(await house.runJob('deliver-webhooks')).to.deep.include({
      due: 1,
      retried: { succeeded: 1, failed: 0 },
    });
    const [first, second] = receiver.received;
    expect(second?.body).to.deep.equal(first?.body);
    expect(receiver.received.map(deliveryIdOf)).to.deep.equal(
      Array(2).fill((await house.deliveries(id))[0]?._id),
    );
    expect(await house.tally(id)).to.include({ successCount: 1, failureCount: 1, lastErrorMessage: null });
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
      house = await openWebhooks({ settings: { deliveryIntervalSeconds: Number(seconds) } });
      const job = house.dispatch.jobs.find(({ name }) => name === 'deliver-webhooks');
      expect(job?.schedule, `${seconds} s`).to.equal(schedule);
      await house.stop();
    }
  });

  it('show for how long the oldest has been due', async () => {
    house = await openWebhooks();
    await house.subscribe(receiver.url);
    receiver.answer(answerWith(500, 'no'));
    await house.register('Ada');
    await house.settle();
    expect(await house.dispatch.oldestDueSeconds()).to.equal(0);
    house.clock.advance(60 + 5);
    expect(await house.dispatch.oldestDueSeconds()).to.equal(5);
  });

  it('are given up without being sent when they are too large', async () => {
    house = await openWebhooks({ settings: { maxPayloadSizeBytes: 300 } });
    const id = await house.subscribe(receiver.url);
    await house.register('x'.repeat(300));
    await house.settle();
    const [row] = await house.deliveries(id);
    expect(row).to.include({ status: 'Abandoned', attemptNumber: 0 });
    expect(row?.errorMessage).to.match(/^Payload exceeds max size: \d+ bytes > 300 bytes$/);
    expect(receiver.received).to.have.length(0);
    expect(await house.tally(id)).to.include({ successCount: 0, failureCount: 1 });
  });

  it('begin in the order of the log and stay few in memory when more come than a queue holds', async () => {
    const begun: string[] = [];
    let most = 0;
    const sender: Sender = {
      send: async ({ body }) => {
        begun.push(nameIn(body));
        most = Math.max(most, house.dispatch.queues.figures().waiting);
        return { statusCode: 200, headers: {}, body: '', durationMs: 1, error: null };
      },
      close: () => undefined,
    };
    house = await openWebhooks({ sender });
    await house.subscribe(receiver.url);
    const names = Array.from({ length: 400 }, (_, index) => String(index));
    await house.register(...names);
    expect(await house.settle(9000)).to.equal(true);
    expect(begun).to.deep.equal(names);
    expect(most).to.be.within(1, 256);
  });
});
