import { expect } from 'chai';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { knownLinks, recoverBy, recoveryTokenOf } from '#test/support/left-checkouts.ts';
import { startMailServer, type MailServer } from '#test/support/mail-server.ts';
import { RecoveryBook } from '#test/support/recovery-book.ts';
import { plainDecoder } from '#test/support/plain-log.ts';
import { manage } from '#test/support/requests.ts';
import type { Shopper } from '#test/support/shop.ts';

const HOUR_SECONDS = 3600;
const kinds = ['first', 'reminder', 'final'] as const;
const idOf = (kind: (typeof kinds)[number]): string =>
  defaultMailConfigurations.find(({ topic }) => topic === `checkout.abandoned.${kind}`)?.id ?? '';

// docs/rules/abandoned-checkouts.md#mails
describe('F29 Recovery mails of a shop with two processes of each kind', () => {
  let server: MailServer;
  let shop: DistributedShop;
  let mug: string;
  const memory = sharedMemory();

  before(async () => {
    server = await startMailServer();
    shop = await DistributedShop.open({
      engines: memory.open,
      replicas: { command: 2, dispatcher: 2 },
      environment: { ...knownLinks, Mail__Smtp__Url: server.url, Mail__Smtp__From: 'shop@example.com' },
    });
    for (const kind of kinds)
      await shop.admin.ask(manage.post(`/emails/${idOf(kind)}/toggle`, { isEnabled: true }));
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(async () => {
    await shop.close();
    await server.close();
  });

  const hoursPass = (hours: number) =>
    shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });
  /** The job in both command processes at once, beside what else is asked. */
  const bothRun = async (...asked: readonly Promise<unknown>[]): Promise<void> => {
    const doors = shop.replicas('command').map(({ at }) => at.tester);
    await Promise.all([...asked, ...doors.map((door) => door.post('/testing/jobs/detect-abandoned'))]);
    await shop.settle();
  };
  const passAfter = async (hours: number, ...asked: readonly (() => Promise<unknown>)[]): Promise<void> => {
    await hoursPass(hours);
    await shop.settle();
    await bothRun(...asked.map((ask) => ask()));
  };
  const leave = async (email: string): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, email);
    return shopper;
  };
  const buy = async (shopper: Shopper): Promise<void> => {
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId as string)).status).to.equal(200);
  };
  /** What the mail server took for an address, by what the subjects say. */
  const mailsTo = (email: string): readonly string[] =>
    server.messages
      .filter((message) => message.includes(`To: ${email}`) && /recover\//.test(message))
      .map((message) => {
        if (message.includes('Last reminder')) return 'final';
        return message.includes('is still here') ? 'reminder' : 'first';
      });
  /** What does not add up in the record of a basket. */
  const problemsOf = async (basketId: string): Promise<readonly string[]> => {
    const stream = streamOf.abandonedCheckout(abandonedCheckoutId(basketId));
    return new RecoveryBook(await plainDecoder().decodeAll(await memory.log.readStream(stream))).problems();
  };

  it('arrive once each and in order, one a pass, after three days at rest', async () => {
    const email = 'ada@example.com';
    await leave(email);
    await passAfter(72);
    const arrived: (readonly string[])[] = [];
    for (let pass = 0; pass < 4; pass++) {
      await passAfter(72);
      arrived.push(mailsTo(email));
    }
    expect(arrived).to.deep.equal([['first'], ['first', 'reminder'], [...kinds], [...kinds]]);
  });

  it('do not arrive after the purchase, made at the second one’s due time', async () => {
    const email = 'bob@example.com';
    const shopper = await leave(email);
    for (const hours of [1, 1]) await passAfter(hours);
    expect(mailsTo(email)).to.deep.equal(['first']);
    await passAfter(24, () => buy(shopper));
    const arrived = mailsTo(email);
    expect(arrived.length).to.be.within(1, 2);
    await passAfter(100);
    expect(mailsTo(email)).to.deep.equal(arrived);
  });

  it('are numbered, and the newest link alone leads back, when staff send and renew beside the jobs', async () => {
    const email = 'cleo@example.com';
    const { basketId } = await leave(email);
    await passAfter(1);
    const path = `/abandoned-checkouts/${abandonedCheckoutId(basketId)}`;
    const asked = ['resend-email', 'regenerate-link', 'resend-email', 'regenerate-link'];
    const doors = shop.replicas('command').map(({ at }) => at.admin);
    const answers: (number | undefined)[] = [];
    await passAfter(
      1,
      ...asked.map((what, index) => async () => {
        answers.push((await doors[index % 2]?.ask(manage.post(`${path}/${what}`)))?.status);
      }),
    );
    expect(answers).to.deep.equal([200, 200, 200, 200]);
    // As many as staff have asked for, and at most the one that was due.
    expect(mailsTo(email).length).to.be.within(2, 3);
    const stranger = shop.shopper();
    for (const [issue, status] of [
      [1, 404],
      [2, 404],
      [4, 404],
      [3, 200],
    ] as const)
      expect((await stranger.ask(recoverBy(recoveryTokenOf(basketId, issue)))).status).to.equal(status);
    expect(await problemsOf(basketId)).to.deep.equal([]);
  });
});
