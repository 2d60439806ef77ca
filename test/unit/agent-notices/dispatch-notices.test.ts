import { expect } from 'chai';
import { takeNoticeStep } from '#dispatcher/contexts/agent-notices/notice-rows.ts';
import { reopenNotice } from '#dispatcher/contexts/agent-notices/notice-steps.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { agentNoticesCollection } from '#topics/agent-notice.ts';
import { checkpointCollection } from '#topics/webhook-delivery.ts';
import { openNotices, scriptedReceivers, type NoticeRuntimeOptions } from '#test/support/open-notices.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { memoryStores } from '#test/support/open-webhooks.ts';

/** In seconds, between one attempt and the next. */
const delays = [1, 10, 60, 600, 3600, 21_600];

// docs/rules/agent-notices.md#order
describe('Notices to agents on their way', () => {
  const opened: { stop(): Promise<void> }[] = [];
  const open = async (options: NoticeRuntimeOptions) => {
    const runtime = await openNotices(options);
    opened.push(runtime);
    return runtime;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.stop()));
  });

  it('never say that an order has left before they have said that it was placed; others do not wait', async () => {
    const receivers = scriptedReceivers(({ order }, count) => (order === 'A' && count === 1 ? 500 : 200));
    const shop = await open(receivers);
    await shop.sold('A');
    await shop.settle();
    await shop.shipped('A');
    await shop.sold('B');
    await shop.settle();
    expect(receivers.events()).to.deep.equal(['A order_placed', 'B order_placed']);
    shop.clock.advance(1);
    await shop.settle();
    expect(receivers.events().slice(2)).to.deep.equal([
      ...['A order_placed', 'A order_updated', 'A order_shipped'],
    ]);
    const [first, again] = receivers.heard.filter(
      ({ event, order }) => order === 'A' && event === 'order_placed',
    );
    expect(again).to.deep.equal(first);
  });

  it('are tried seven times, each after its delay, and then make way for the later ones of their order', async () => {
    const receivers = scriptedReceivers(({ event }) => (event === 'order_placed' ? 503 : 200));
    const shop = await open(receivers);
    await shop.sold('A');
    await shop.shipped('A');
    await shop.settle();
    for (const seconds of delays) {
      const tried = receivers.heard.length;
      shop.clock.advance(seconds - 1);
      await shop.settle();
      expect(receivers.heard, `${seconds} s are not over`).to.have.length(tried);
      shop.clock.advance(1);
      await shop.settle();
      expect(receivers.heard.length, `${seconds} s are over`).to.be.above(tried);
    }
    shop.clock.advance(10);
    await shop.settle();
    expect(receivers.events()).to.deep.equal([
      ...Array<string>(7).fill('A order_placed'),
      ...['A order_updated', 'A order_shipped'],
    ]);
    const [placed] = await shop.rows();
    expect(placed).to.deep.include({ status: 'Abandoned', attemptNumber: 7 });
    expect(placed?.attempts).to.have.length(7);
  });

  it('reach one agent by the hundred, two for each order, without any that is left behind', async () => {
    const receivers = scriptedReceivers();
    const shop = await open(receivers);
    const orders = Array.from({ length: 100 }, (_, index) => `order ${index}`);
    for (const order of orders) await shop.sold(order);
    await shop.settle();
    await Promise.all(orders.map((order) => shop.shipped(order)));
    await shop.settle();
    const told = Map.groupBy(receivers.heard, ({ order }) => order);
    for (const order of orders)
      expect(
        told.get(order)?.map(({ event }) => event),
        order,
      ).to.deep.equal([...['order_placed', 'order_updated', 'order_shipped']]);
  });

  it('are told again by the next process where one was killed, in their order and with the same bytes', async () => {
    const stores = memoryStores();
    const silent = scriptedReceivers(() => null);
    const killed = await open({ stores, sender: silent.sender });
    await killed.sold('A');
    await killed.shipped('A');
    await killed.settle(300);
    expect(silent.events()).to.deep.equal(['A order_placed']);
    const receivers = scriptedReceivers();
    const next = await open({ stores, sender: receivers.sender, clock: killed.clock });
    await next.settle();
    next.clock.advance(60);
    await next.settle();
    expect(receivers.events()).to.deep.equal(['A order_placed', 'A order_updated', 'A order_shipped']);
    expect(receivers.heard[0]).to.deep.equal(silent.heard[0]);
  });

  it('are queued once, however often the log is read', async () => {
    const stores = memoryStores();
    const receivers = scriptedReceivers();
    const first = await openNotices({ stores, sender: receivers.sender });
    await first.sold('A');
    await first.settle();
    await first.stop();
    await stores.stateStore.write([
      { collection: checkpointCollection, remove: 'agent-notices' },
      { collection: checkpointCollection, remove: 'agent-notices state' },
    ]);
    const again = await open({ stores, sender: receivers.sender, clock: first.clock });
    await again.shipped('A');
    await again.settle();
    expect(receivers.events()).to.deep.equal(['A order_placed', 'A order_updated', 'A order_shipped']);
  });

  it('go out once and in order where two dispatchers share them', async () => {
    const stores = memoryStores();
    const receivers = scriptedReceivers();
    const both = { stores, sender: receivers.sender, isOnlyWriter: false };
    const one = await open(both);
    const other = await open({ ...both, clock: one.clock });
    const orders = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    for (const order of orders) await one.sold(order);
    for (const order of orders) await one.shipped(order);
    await one.settle();
    await other.settle();
    one.clock.advance(60);
    await one.settle();
    const told = Map.groupBy(receivers.heard, ({ order }) => order);
    for (const order of orders)
      expect(
        told.get(order)?.map(({ event }) => event),
        order,
      ).to.deep.equal([...['order_placed', 'order_updated', 'order_shipped']]);
  });

  it('reach others at once while one receiver is silent with many waiting, and hold few of these in memory', async () => {
    const receivers = scriptedReceivers(({ host }) => (host === 'dead.example' ? null : 200));
    const shop = await open(receivers);
    for (let i = 0; i < 300; i++) await shop.sold(`dead ${i}`, { target: 'https://dead.example/orders' });
    await shop.sold('A');
    await shop.settle(200);
    expect(receivers.events()).to.include('A order_placed');
    const { waiting, inFlight } = shop.dispatch.queues.figures();
    expect(inFlight).to.be.at.most(64);
    expect(waiting).to.be.at.most(8 * 256);
  });

  it('have their turn though another receiver has more that is due than a run looks at', async () => {
    const receivers = scriptedReceivers(() => 500);
    const shop = await open(receivers);
    for (let i = 0; i < 210; i++) await shop.sold(`dead ${i}`, { target: 'https://dead.example/orders' });
    await shop.settle();
    await shop.sold('A');
    await shop.sold('B');
    await shop.shipped('B');
    await shop.settle();
    // As a kill leaves it between one notice and the next of its order.
    const filter = { entityId: idNamed('B'), status: 'Retrying' };
    const set = { status: 'Succeeded', isOpen: false, dueAt: null };
    await shop.stores.stateStore.updateIf(agentNoticesCollection, filter, { set });
    receivers.script.answer = ({ host }) => (host === 'dead.example' ? null : 200);
    const tried = receivers.heard.length;
    shop.clock.advance(11);
    await shop.settle(300);
    expect(receivers.events().slice(tried)).to.include.members(['A order_placed', 'B order_updated']);
  });

  it('are given up where the profile names no address, and hold up nothing', async () => {
    const receivers = scriptedReceivers();
    const shop = await open(receivers);
    for (const target of ['nowhere', 'mailto:ada@agent.example']) await shop.sold(target, { target });
    await shop.shipped('nowhere');
    expect(await shop.settle()).to.equal(true);
    const rows = await shop.rows();
    expect(rows.map(({ status }) => status)).to.deep.equal(Array<string>(4).fill('Abandoned'));
    expect(rows[0]?.errorMessage).to.match(/names no http address/);
    expect(receivers.heard).to.deep.equal([]);
  });

  describe('that were given up and are sent again by hand', () => {
    /** Given up; staff have it sent again, and the process is killed right after. */
    const reopened = async () => {
      const receivers = scriptedReceivers(() => 503);
      const shop = await open(receivers);
      await shop.sold('A');
      for (const seconds of [...delays, 0]) {
        await shop.settle();
        shop.clock.advance(seconds);
      }
      const reopen = async (): Promise<void> => {
        const [placed] = await shop.rows();
        expect(placed?.status).to.equal('Abandoned');
        if (placed)
          await takeNoticeStep(shop.stores.stateStore, reopenNotice(placed, shop.clock.now(), 'Ada'));
      };
      return { receivers, shop, reopen, eventsSince: () => receivers.events().slice(1 + delays.length) };
    };

    it('go before the later ones of their order', async () => {
      const { receivers, shop, reopen, eventsSince } = await reopened();
      await reopen();
      receivers.script.answer = () => null;
      await shop.shipped('A');
      await shop.settle(200);
      expect(eventsSince()).to.deep.equal(['A order_placed']);
    });

    it('wait for a later one that is under way', async () => {
      const { receivers, shop, reopen, eventsSince } = await reopened();
      receivers.script.answer = () => null;
      await shop.shipped('A');
      await shop.settle(100);
      await reopen();
      await shop.settle(100);
      expect(eventsSince()).to.deep.equal(['A order_updated']);
    });
  });

  it('go out soon after an earlier one that staff have sent again, though the process is killed in between', async () => {
    const stores = memoryStores();
    const failing = scriptedReceivers(() => 503);
    const killed = await openNotices({ stores, sender: failing.sender });
    const { clock } = killed;
    await killed.sold('A');
    await killed.shipped('A');
    for (const seconds of [...delays.slice(0, -1), 10]) {
      await killed.settle();
      clock.advance(seconds);
    }
    await killed.settle();
    const [placed, updated] = await killed.rows();
    if (!placed || !updated) throw new Error('no notices');
    for (const { dueAt } of [placed, updated])
      expect(Date.parse(dueAt ?? '') - clock.now(), 'until it is looked at').to.be.above(3_600_000);

    failing.script.answer = () => 200;
    const { stateStore } = stores;
    await takeNoticeStep(stateStore, reopenNotice(placed, clock.now(), 'Ada'));
    const { updateIf } = stateStore;
    const hasArrived = async (): Promise<boolean> => (await killed.rows())[0]?.status === 'Succeeded';
    // Once it has arrived, nothing more is written.
    stateStore.updateIf = (async (...change) => {
      if (await hasArrived()) throw new EngineUnavailable('killed');
      return updateIf.apply(stateStore, change);
    }) as typeof updateIf;
    await killed.settle();
    expect(await hasArrived()).to.equal(true);
    await killed.stop();
    stateStore.updateIf = updateIf;

    const receivers = scriptedReceivers();
    const next = await open({ stores, sender: receivers.sender, clock });
    clock.advance(10);
    await next.settle();
    expect(receivers.events()).to.deep.equal(['A order_updated', 'A order_shipped']);
  });

  it('cost one change of their row where no other process sends any', async () => {
    const receivers = scriptedReceivers();
    const shop = await open(receivers);
    const { stateStore } = shop.stores;
    const { updateIf } = stateStore;
    let changes = 0;
    stateStore.updateIf = (collection, ...change) => {
      if (collection === agentNoticesCollection) changes++;
      return updateIf.call(stateStore, collection, ...change) as never;
    };
    await shop.sold('A');
    await shop.settle();
    expect(changes).to.equal(1);
    const [row] = await shop.rows();
    expect(row).to.include({ status: 'Succeeded', attemptNumber: 1, dueAt: null });
    expect(row?.dateSent).to.be.a('string');
  });

  it('cost a shop nothing whose agents name no address, and a look at the event where no agent has bought', async () => {
    const receivers = scriptedReceivers();
    const shop = await open(receivers);
    let reads = 0;
    const { log } = shop.stores;
    const { readStream } = log;
    log.readStream = (...asked) => {
      reads++;
      return readStream.apply(log, asked);
    };
    await shop.sold('web 1', { isOfAgent: false });
    await shop.settle();
    await shop.sold('A');
    await shop.settle();
    const before = reads;
    const { sold } = shop;
    await sold('web 2', { isOfAgent: false });
    await shop.settle();
    // The append itself asks for the end of its stream.
    expect(reads - before).to.equal(1);
    expect(await shop.rows()).to.have.length(1);
  });
});
