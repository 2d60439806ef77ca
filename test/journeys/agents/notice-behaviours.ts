import type { PublicKey } from '#agents/agent-profile.ts';
import { noticeSigner, signerOf } from '#test/support/agents/signer-of.ts';
import { noticesTo } from '#test/support/agents/notice-inbox.ts';
import { manage } from '#test/support/requests.ts';
import type { Received } from '#test/support/subscriber.ts';
import type { Behaviour, Stage } from './agent-stage.ts';

const DAY_SECONDS = 86_400;

const buy = async ({ shop, toldBuyer }: Stage): Promise<string> => {
  const { id } = (await toldBuyer.buy(['mug', 1])).body.order;
  await shop.settle();
  return id;
};

/** What came of an order, oldest first. */
const toldOf = ({ told }: Stage, orderId: string): readonly Received[] =>
  noticesTo(told.receiver).filter(({ body }) => JSON.parse(body.toString()).id === orderId);

const eventOf = ({ headers }: Received) => headers['x-event-type'];

const publishedKeys = async ({ shop }: Stage): Promise<readonly PublicKey[]> =>
  (await shop.tester.get('/.well-known/ucp')).body.signing_keys;

const pass = async ({ shop }: Stage, seconds: number, job: string): Promise<void> => {
  await shop.tester.post('/testing/clock', { advanceSeconds: seconds });
  await shop.tester.post(`/testing/jobs/${job}`);
  await shop.settle();
};

/** The key that has signed what came of a new order first. */
const signerOfNext = async (stage: Stage): Promise<string | null> => {
  const [placed] = toldOf(stage, await buy(stage));
  return placed ? noticeSigner(placed, stage.told.receiver.url, await publishedKeys(stage)) : null;
};

/** docs/rules/agent-notices.md, agent-signatures.md and agents.md#signing-keys, as an agent sees them. */
export const noticeBehaviours: readonly Behaviour[] = [
  {
    what: 'an order is placed, and shipped: told in this order',
    ask: async (stage) => {
      const id = await buy(stage);
      const path = `/testing/simulate-shipping/${id}`;
      const headers = { 'Simulation-Secret': 'simulation' };
      await stage.toldBuyer.browser.ask({ method: 'POST', path, headers });
      await stage.shop.settle();
      return toldOf(stage, id).map(eventOf);
    },
    is: ['order_placed', 'order_updated', 'order_shipped'],
  },
  {
    what: 'a notice refused comes again: same id, time and bytes',
    ask: async (stage) => {
      stage.told.refuse(1);
      const id = await buy(stage);
      await pass(stage, 5, 'deliver-agent-notifications');
      const came = toldOf(stage, id);
      const said = came.map(({ headers, body }) =>
        [headers['webhook-id'], headers['webhook-timestamp'], body.toString()].join(),
      );
      return [came.length, new Set(said).size];
    },
    is: [2, 1],
  },
  {
    what: 'the headers of a notice',
    ask: async (stage) => {
      const [placed] = toldOf(stage, await buy(stage));
      const fields = placed?.headers ?? {};
      return [
        ...[fields['content-type'], fields['x-event-type']],
        fields['idempotency-key'] === fields['webhook-id'],
        /^\d{10}$/.test(String(fields['webhook-timestamp'])),
        /^profile="http.*\/\.well-known\/ucp"$/.test(String(fields['ucp-agent'])),
      ];
    },
    is: ['application/json', 'order_placed', true, true, true],
  },
  {
    what: 'its signature, and that a changed body breaks it',
    ask: async (stage) => {
      const [placed] = toldOf(stage, await buy(stage));
      if (!placed) return null;
      const { url } = stage.told.receiver;
      const keys = await publishedKeys(stage);
      const changed = { ...placed, body: Buffer.concat([placed.body, Buffer.from(' ')]) };
      return [noticeSigner(placed, url, keys) !== null, noticeSigner(changed, url, keys)];
    },
    is: [true, null],
  },
  {
    what: 'an answer is signed',
    ask: async (stage) => {
      const { status, headers, text } = await stage.begin();
      const message = { status, headers: Object.fromEntries(headers), body: Buffer.from(text) };
      return signerOf(message, await publishedKeys(stage)) !== null;
    },
    is: true,
  },
  {
    what: 'a rotation: the new key signs, both are published',
    ask: async (stage) => {
      const former = await signerOfNext(stage);
      await stage.shop.admin.ask(manage.post('/agent-keys/rotate', { immediately: true }));
      await stage.shop.settle();
      const next = await signerOfNext(stage);
      const kids = (await publishedKeys(stage)).map(({ kid }) => kid);
      return [former === next, [former, next].every((kid) => kid !== null && kids.includes(kid))];
    },
    is: [false, true],
  },
  {
    what: 'once its grace is over, the former key is gone',
    ask: async (stage) => {
      const former = await signerOfNext(stage);
      await stage.shop.admin.ask(manage.post('/agent-keys/rotate', { immediately: true }));
      await stage.shop.settle();
      await pass(stage, 8 * DAY_SECONDS, 'rotate-signing-keys');
      const kids = (await publishedKeys(stage)).map(({ kid }) => kid);
      return [former !== null && kids.includes(former), (await signerOfNext(stage)) !== null];
    },
    is: [false, true],
  },
];
