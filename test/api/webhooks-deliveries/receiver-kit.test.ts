import { expect } from 'chai';
import { movableClock, openWebhooks, secret, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { skipFor } from '#test/support/real-engine.ts';
import { checkIn, startKitReceiver, type Check, type KitReceiver } from '#test/support/receiver-kit.ts';
import { startReceiver, type Received } from '#test/support/subscriber.ts';

const signed = { standardWebhooks: true } as const;
const otherSecret = Buffer.alloc(32, 'another').toString('base64');

/** A delivery as a receiver gets it that was sent so many seconds ago. */
const delivered = async (secondsAgo = 0): Promise<Received> => {
  const receiver = await startReceiver();
  const runtime = await openWebhooks({ clock: movableClock(Date.now() - secondsAgo * 1000) });
  await runtime.subscribe(receiver.url, signed);
  await runtime.register('Zoë ☕');
  await runtime.settle();
  await runtime.stop();
  await receiver.stop();
  return receiver.received[0] ?? expect.fail('nothing arrived');
};

const altered = (request: Received): Received => {
  const body = Buffer.from(request.body.toString().replace('Zoë', 'Zoe'));
  expect(body.equals(request.body)).to.equal(false);
  return { ...request, body };
};

const withHeader = (request: Received, name: string, value: string | undefined): Received => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

/** As if it had been sent just now. */
const redated = (request: Received): Received =>
  withHeader(request, 'webhook-timestamp', String(Math.floor(Date.now() / 1000)));

describe('the receiver of docs/webhooks.md', () => {
  let runtime: WebhookRuntime;
  let receiver: KitReceiver;

  before(async () => {
    receiver = await startKitReceiver(secret);
    runtime = await openWebhooks({ clock: movableClock(Date.now()) });
  });
  after(async () => {
    await runtime.stop();
    await receiver.stop();
  });

  const send = async ({ headers, body }: Received): Promise<number> => {
    const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const kept = names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []));
    const sent = { method: 'POST', headers: Object.fromEntries(kept) as Record<string, string>, body };
    return (await fetch(receiver.url, sent)).status;
  };

  it('takes a delivery, and refuses one that is signed with another secret', async () => {
    const taken = await runtime.subscribe(receiver.url, signed);
    const refused = await runtime.subscribe(receiver.url, { ...signed, signingSecret: otherSecret });
    await runtime.register('Ada');
    await runtime.settle();
    expect((await runtime.deliveries(taken))[0]).to.include({ status: 'Succeeded', responseStatusCode: 200 });
    expect((await runtime.deliveries(refused))[0]).to.include({
      status: 'Retrying',
      responseStatusCode: 401,
    });
    expect(receiver.handled()).to.deep.equal(['customer.created {"name":"Ada"}']);
    for (const id of [taken, refused]) await runtime.unsubscribe(id);
  });

  it('handles a delivery once, however often and at once it comes', async () => {
    const before = receiver.handled().length;
    const request = await delivered();
    expect(await Promise.all([send(request), send(request), send(request)])).to.deep.equal([200, 200, 200]);
    expect(await send(request)).to.equal(200);
    expect(receiver.handled().slice(before)).to.deep.equal(['customer.created {"name":"Zoë ☕"}']);
  });

  it('refuses what was altered, what is old, what was redated and what is not signed', async () => {
    const before = receiver.handled().length;
    const fresh = await delivered();
    const old = await delivered(301);
    const refused = [
      altered(fresh),
      old,
      redated(old),
      withHeader(fresh, 'webhook-id', 'another'),
      withHeader(fresh, 'webhook-signature', undefined),
      withHeader(fresh, 'webhook-signature', 'v1,'),
      withHeader(fresh, 'webhook-timestamp', undefined),
      withHeader(fresh, 'webhook-timestamp', 'now'),
    ];
    for (const request of refused) expect(await send(request)).to.equal(401);
    expect(receiver.handled().slice(before)).to.deep.equal([]);
    expect(await send(fresh)).to.equal(200);
  });
});

for (const language of ['python', 'php'] as const) {
  const check = checkIn(language);
  const tests = (isAuthentic: Check): void => {
    describe(`the check of docs/webhooks.md in ${language}`, () => {
      it('takes a delivery, and nothing that is altered, old, redated or signed by another', async () => {
        const fresh = await delivered();
        const old = await delivered(301);
        expect(isAuthentic(fresh, secret)).to.equal(true);
        expect(isAuthentic(fresh, otherSecret)).to.equal(false);
        for (const request of [altered(fresh), old, redated(old), withHeader(fresh, 'webhook-id', 'another')])
          expect(isAuthentic(request, secret)).to.equal(false);
        for (const name of ['webhook-timestamp', 'webhook-signature'])
          expect(isAuthentic(withHeader(fresh, name, undefined), secret)).to.equal(false);
        const several = `v1,AAAA ${String(fresh.headers['webhook-signature'])}`;
        expect(isAuthentic(withHeader(fresh, 'webhook-signature', several), secret)).to.equal(true);
      });
    });
  };
  if (check) tests(check);
  else skipFor(`there is no ${language} on this machine`, () => tests(() => expect.fail('not run')));
}
