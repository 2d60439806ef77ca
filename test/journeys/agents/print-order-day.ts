import { NoticedAgent, profileUri } from '#test/support/agents/noticed-agent.ts';
import { noticeSigner } from '#test/support/agents/signer-of.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const WIDTH = 34;
const MINUTE_SECONDS = 60;

type Told = NoticedAgent['told'][number];

/** What an order says of itself, in one line. */
const saidBy = ({ body }: Told): string => {
  const [line] = body.line_items;
  const parcels = body.fulfillment.events.filter(({ type }: { type: string }) => type === 'shipped').length;
  const refunded = body.adjustments.length === 0 ? '' : ', money back';
  return `${line.quantity.fulfilled} of ${line.quantity.total} sent in ${parcels}${refunded}`;
};

interface Episode {
  readonly what: string;
  readonly happen: () => Promise<unknown>;
  /** What the agent is told of it: the event, and what the order says. */
  readonly told: readonly (readonly [event: string, said: string])[];
}

const day = async (shop: TestShop, agent: NoticedAgent): Promise<readonly Episode[]> => {
  const mug = await shop.sell('mug', { price: 10, stock: 5 });
  const { invoiceId, pay } = await agent.order(mug);
  const ship = async (trackingNumber: string) => {
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    const lineItems = { [order.lineItems[0].id]: 1 };
    const parcel = { lineItems, carrier: 'Royal Mail', trackingNumber };
    const { body } = await shop.admin.ask(manage.post(`/orders/${order.id}/shipments`, parcel));
    await shop.admin.ask(manage.put(`/shipments/${body.id}/status`, { newStatus: 'Shipped' }));
  };
  const refund = async () => {
    const [payment] = (await shop.shown(`/invoices/${invoiceId}/payments`)).items;
    await shop.admin.ask(manage.post(`/payments/${payment.id}/refund`, { amount: 5, reason: 'Chipped' }));
  };
  const pass = (minutes: number) =>
    shop.tester.post('/testing/clock', { advanceSeconds: minutes * MINUTE_SECONDS });
  return [
    { what: 'two mugs are ordered', happen: () => Promise.resolve(), told: [] },
    {
      what: 'they are paid, twenty minutes later',
      happen: () => pass(20).then(pay),
      told: [['order_placed', '0 of 2 sent in 0']],
    },
    {
      what: 'the first parcel leaves',
      happen: () => ship('RM1'),
      told: [
        ['order_updated', '0 of 2 sent in 0'],
        ['order_shipped', '1 of 2 sent in 1'],
      ],
    },
    {
      what: 'the shop rotates its signing key',
      happen: () => shop.admin.ask(manage.post('/agent-keys/rotate', { immediately: true })),
      told: [],
    },
    {
      what: 'the second parcel leaves',
      happen: () => pass(120).then(() => ship('RM2')),
      told: [
        ['order_updated', '1 of 2 sent in 1'],
        ['order_shipped', '2 of 2 sent in 2'],
      ],
    },
    {
      what: 'one mug was chipped: 5 pounds back',
      happen: () => pass(180).then(refund),
      told: [['order_refunded', '2 of 2 sent in 2, money back']],
    },
  ];
};

/** A day of an order, and what its agent was told of it, in order. False where it was told anything else. */
export const printOrderDay = async (): Promise<boolean> => {
  const shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
  const agent = await NoticedAgent.open(shop);
  const signers = new Set<string>();
  let isAsExpected = true;
  try {
    console.log(`\nA day of an order, as its agent ${profileUri} is told of it`);
    for (const { what, happen, told } of await day(shop, agent)) {
      const before = agent.told.length;
      await happen();
      await shop.settle();
      const came = agent.told.slice(before);
      const { signing_keys: keys } = (await shop.tester.get('/.well-known/ucp')).body;
      console.log(`  ${what}`);
      if (came.length === 0) console.log('    (nothing)');
      for (const one of came) {
        const by = noticeSigner({ ...one, body: one.bytes }, agent.receiver.url, keys);
        if (by !== null) signers.add(by);
        console.log(`    ${one.event.padEnd(16)}${saidBy(one).padEnd(WIDTH)}signed by ${by ?? 'NONE'}`);
        isAsExpected &&= by !== null;
      }
      const is = JSON.stringify(came.map((one) => [one.event, saidBy(one)]));
      if (is === JSON.stringify(told)) continue;
      isAsExpected = false;
      console.log(`    EXPECTED ${JSON.stringify(told)}`);
    }
    isAsExpected &&= signers.size === 2;
  } finally {
    await agent.close();
    await shop.close();
  }
  return isAsExpected;
};
