import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Write } from '#ports/document-store.ts';
import { startMark, type LogMark } from '#ports/event-store.ts';
import { WriteBehind } from '#projection/engine/write-behind.ts';
import type { ViewBuffer } from '#projection/engine/view-buffer.ts';
import { countdown } from '#test/support/countdown.ts';
import { silentLog } from '#test/support/plain-log.ts';

interface Behind {
  readonly isHeld?: boolean;
  readonly afterMilliseconds?: number;
  /** How many writes find the store away. */
  readonly awayFor?: number;
  /** What the store refuses for good. */
  readonly refuses?: string;
}

/** `made` are the writes that the store has taken: `<id> <position>` of each document and checkpoint. */
const openBehind = ({ isHeld = true, afterMilliseconds = 100_000, awayFor = 0, refuses }: Behind = {}) => {
  const memory = createMemoryDocumentStore();
  const made: string[][] = [];
  const taken = countdown(1);
  let tries = 0;
  const write = async (writes: readonly Write[]): Promise<void> => {
    if (tries++ < awayFor) throw new EngineUnavailable('away');
    if (writes.some((one) => 'put' in one && one.put._id === refuses)) throw new Error('refused');
    await memory.write(writes);
    made.push(writes.map((one) => `${'put' in one ? one.put._id : one.remove} ${one.position}`));
    taken.arrive();
  };
  const readStore = { ...memory, write };
  const behind = new WriteBehind({
    readStore,
    isHeld,
    log: silentLog,
    afterMilliseconds,
    againMilliseconds: 1,
  });
  const refused: string[] = [];
  const open = (collection: string): ViewBuffer =>
    behind.open({
      collection,
      mark: startMark,
      refusedUpTo: startMark.position,
      onRefused: () => refused.push(collection),
    });
  return { behind, open, made, taken, refused };
};

const at = (position: number): LogMark => ({ position, eventId: `event-${position}` });

const change = (buffer: ViewBuffer, position: number, ...keys: readonly string[]): void => {
  const documents = new Map(keys.map((key) => [key, { document: { _id: key }, position }]));
  buffer.hold(documents, new Set(keys), at(position));
};

describe('documents written behind', () => {
  it('are written once in their last version, with the checkpoint that vouches for them', async () => {
    const { behind, open, made } = openBehind();
    const orders = open('orders');
    change(orders, 1, 'mug', 'tea');
    change(orders, 2, 'mug');
    change(orders, 3, 'mug');
    expect(made).to.deep.equal([]);
    expect(await behind.flush()).to.equal(null);
    expect(made).to.deep.equal([['mug 3', 'tea 1', 'orders 3']]);
  });

  it('are in another state after every change, and in none while the store lacks one', async () => {
    const { behind, open } = openBehind();
    const orders = open('orders');
    const before = orders.state;
    expect(before).not.to.equal(null);
    orders.hold(new Map(), new Set(), at(1));
    expect(orders.state).to.equal(before);
    change(orders, 2, 'mug');
    expect(orders.state).to.equal(null);
    await behind.flush();
    const after = orders.state;
    expect(after).not.to.be.oneOf([before, null]);
    orders.forget('mug');
    expect(orders.state, 'something went from the store').not.to.be.oneOf([before, after, null]);
  });

  it('go to the store before long', async () => {
    const { behind, open, made, taken } = openBehind({ afterMilliseconds: 1 });
    change(open('orders'), 1, 'mug');
    behind.schedule();
    await taken.all;
    expect(made).to.deep.equal([['mug 1', 'orders 1']]);
  });

  it('go to the store once there are two thousand of them, and the next batch waits for that', async () => {
    const { behind, open, made } = openBehind();
    const orders = open('orders');
    const some = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `${from + index}`);
    change(orders, 1, ...some(0, 1999));
    await behind.makeRoom();
    expect(made).to.deep.equal([]);
    change(orders, 2, ...some(1999, 1));
    await behind.makeRoom();
    expect(made.map((writes) => writes.length)).to.deep.equal([2001]);
  });

  it('are read where they are held, and afterwards, as the store returns them', async () => {
    const { behind, open } = openBehind();
    const orders = open('orders');
    const document = { _id: 'mug', note: undefined, at: new Date(0) };
    orders.hold(new Map([['mug', { document, position: 1 }]]), new Set(['mug']), at(1));
    const wanted = { _id: 'mug', at: '1970-01-01T00:00:00.000Z', _position: 1 };
    expect(orders.shown('mug')).to.deep.equal(wanted);
    expect(orders.shown('tea')).to.equal(undefined);
    await behind.flush();
    expect(orders.shown('mug')).to.deep.equal(wanted);
    orders.hold(new Map([['mug', { document: null, position: 2 }]]), new Set(['mug']), at(2));
    expect(orders.shown('mug')).to.equal(null);
  });

  it('stay held while the store is away, and are written with what has come since', async () => {
    const { behind, open, made, taken } = openBehind({ awayFor: 2 });
    const orders = open('orders');
    change(orders, 1, 'mug', 'tea');
    expect(await behind.flush()).to.be.instanceOf(EngineUnavailable);
    expect(behind.isStoreAway).to.equal(true);
    expect(orders.stored).to.deep.equal(startMark);
    change(orders, 2, 'mug');
    expect(orders.shown('tea')).to.include({ _id: 'tea' });
    expect(await behind.waitForStore(0)).to.equal(false);
    await taken.all;
    expect(await behind.waitForStore(1000)).to.equal(true);
    expect(made).to.deep.equal([['mug 2', 'tea 1', 'orders 2']]);
    expect(orders.stored).to.deep.equal(at(2));
  });

  it('are refused by the view: those of other views are written all the same', async () => {
    const { behind, open, made, refused } = openBehind({ refuses: 'mug' });
    const [orders, baskets] = [open('orders'), open('baskets')];
    change(orders, 1, 'mug');
    change(baskets, 2, 'tea');
    expect(await behind.flush()).to.equal(null);
    expect(made).to.deep.equal([['tea 2', 'baskets 2']]);
    expect(refused).to.deep.equal(['orders']);
    expect(orders.shown('mug'), 'what the store refuses is not shown').to.equal(undefined);
    expect(orders.reached).to.deep.equal(startMark);
  });
});

describe('checkpoints of projections', () => {
  it('of views that nothing has changed are kept in one write, as far as each has come', async () => {
    const { behind, open, made } = openBehind();
    const [orders, baskets] = [open('orders'), open('baskets')];
    change(orders, 3);
    change(baskets, 3);
    change(orders, 5);
    await behind.flush();
    await behind.flush();
    expect(made).to.deep.equal([['orders 5', 'baskets 3']]);
  });

  it('are kept apart from documents and later where other processes read the store', async () => {
    const { behind, open, made } = openBehind({ isHeld: false });
    const [orders, baskets] = [open('orders'), open('baskets')];
    for (const [buffer, position] of [
      [orders, 3],
      [baskets, 4],
      [orders, 5],
    ] as const) {
      change(buffer, position, 'mug');
      expect(buffer.isWrittenThrough).to.equal(true);
      await buffer.write();
    }
    await behind.flush();
    expect(made).to.deep.equal([['mug 3'], ['mug 4'], ['mug 5'], ['orders 5', 'baskets 4']]);
  });

  it('are written again after the store was away, with what has come since', async () => {
    const { behind, open, made, taken } = openBehind({ isHeld: false, awayFor: 2, afterMilliseconds: 1 });
    change(open('orders'), 3);
    change(open('baskets'), 4);
    behind.schedule();
    await taken.all;
    expect(made).to.deep.equal([['orders 3', 'baskets 4']]);
  });

  it('are given up with their views', async () => {
    const { behind, open, made } = openBehind();
    const orders = open('orders');
    change(orders, 3);
    behind.close(orders);
    await behind.flush();
    expect(made).to.deep.equal([]);
  });
});
