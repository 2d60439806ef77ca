import { expect } from 'chai';
import { AGENT_NOTICES } from '#dispatcher/contexts/agent-notices/queue-notices.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Sender } from '#ports/sender.ts';
import { checkpointCollection } from '#topics/webhook-delivery.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { useMortalShop, type RowDeath } from '#test/support/mortal-shop.ts';
import { openNotices, scriptedReceivers } from '#test/support/open-notices.ts';
import { memoryStores } from '#test/support/open-webhooks.ts';
import type { Death } from '#test/support/shop-process.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** The store of a process that is as good as dead: what it asks for happens after all once it is `awake`. */
const heldStore = (store: DocumentStore, isHeld: () => boolean, awake: Promise<void>): DocumentStore =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(member, target, given);
        return isHeld() ? awake.then(call) : call();
      };
    },
  });

describe('F22 with agents: the dispatcher is killed between the answer of an agent and the record of it', () => {
  it('tells again with the same id, time and bytes, then the rest in order; a record that comes late changes nothing', async () => {
    const stores = memoryStores();
    const receivers = scriptedReceivers();
    const [dead, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isDead = false;
    const deadly: Sender = {
      ...receivers.sender,
      send: async (request) => {
        const outcome = await receivers.sender.send(request);
        isDead ||= receivers.events().includes('A order_updated');
        if (isDead) dead.resolve();
        return outcome;
      },
    };
    const stateStore = heldStore(stores.stateStore, () => isDead, awake.promise);
    const first = await openNotices({ stores: { ...stores, stateStore }, sender: deadly });
    await first.sold('A');
    await first.shipped('A');
    await dead.promise;
    expect(receivers.events(), 'when it dies').to.deep.equal(['A order_placed', 'A order_updated']);

    const next = await openNotices({ stores, sender: receivers.sender, clock: first.clock });
    try {
      await next.settle();
      next.clock.advance(60);
      await next.settle();
      expect(receivers.events().slice(2)).to.deep.equal(['A order_updated', 'A order_shipped']);
      expect(receivers.heard[2]).to.deep.equal(receivers.heard[1]);
      const rows = await next.rows();
      expect(rows.map(({ status }) => status)).to.deep.equal(Array.from({ length: 3 }, () => 'Succeeded'));
      awake.resolve();
      await first.stop();
      expect(await next.rows()).to.deep.equal(rows);
      expect(receivers.heard).to.have.length(4);
    } finally {
      awake.resolve();
      await next.stop();
    }
  });
});

describe('A dispatcher of notices to agents that has lost how far it had come', () => {
  it('reads the log from its beginning, and changes nothing that has arrived, was given up or waits', async () => {
    const stores = memoryStores();
    const receivers = scriptedReceivers(({ order }) => (order === 'arrives' ? 200 : 503));
    const first = await openNotices({ stores, sender: receivers.sender });
    await first.sold('arrives');
    await first.sold('is given up');
    for (const seconds of [0, 1, 10, 60, 600, 3600, 21_600]) {
      first.clock.advance(seconds);
      await first.settle();
    }
    await first.sold('waits');
    await first.shipped('waits');
    await first.settle();
    const [before, told] = [await first.rows(), receivers.heard.length];
    expect(before.map(({ status }) => status)).to.have.members([
      ...['Succeeded', 'Abandoned', 'Retrying', 'Pending', 'Pending'],
    ]);
    await first.stop();
    await stores.stateStore.write(
      [AGENT_NOTICES, `${AGENT_NOTICES} state`].map((remove) => ({
        collection: checkpointCollection,
        remove,
      })),
    );

    const again = await openNotices({ stores, sender: receivers.sender, clock: first.clock });
    try {
      await again.settle();
      expect(await again.rows()).to.deep.equal(before);
      expect(receivers.heard).to.have.length(told);
    } finally {
      await again.stop();
    }
  });
});

const deaths: readonly (Death | RowDeath)[] = [
  { when: 'after', eventType: 'AgentSessionNoticeDue' },
  { when: 'after', rowIn: 'agentNotices' },
];

// docs/rules/agent-notices.md#sessions
describe('A shop that is killed while it tells an agent that its session is over', () => {
  const at = useMortalShop({ ALLOW_LOOPBACK_TARGETS: 'true' });
  let agent: Receiver;
  beforeEach(async () => {
    const { text } = await at.shop.admin.get('/.well-known/ucp-test-agent/ada');
    const profile = JSON.parse(text);
    agent = await startReceiver();
    profile.ucp.capabilities['dev.ucp.shopping.checkout'][0].config = { webhook_url: `${agent.url}/ends` };
    agent.answer((response, { path }) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(path.endsWith('/ends') ? '' : JSON.stringify(profile)),
    );
    await at.shop.sell('mug', { price: 10 });
  });
  afterEach(() => agent.stop());

  it('tells it once, wherever it was killed', async () => {
    for (const death of deaths) {
      const browser = agentAt(at.shop.base, { profile: agent.url });
      const { body } = await browser.post(sessionsPath, { line_items: wanting(['mug', 1]) });
      await at.shop.settle();
      await at.shop.live(death);
      await at.shop.dieAfter(browser.post(`${sessionsPath}/${body.id}/cancel`, {}));
      await at.shop.live();
      await at.shop.settle();
      const told = agent.received.filter((one) => one.path.endsWith('/ends') && one.body.includes(body.id));
      const ids = new Set(told.map(({ headers }) => headers['webhook-id']));
      expect([...ids], JSON.stringify(death)).to.have.length(1);
      expect(told[0]?.headers['x-event-type']).to.equal('checkout_canceled');
      expect(new Set(told.map((one) => one.body.toString())).size, 'bodies').to.equal(1);
    }
  });
});
