import { expect } from 'chai';
import { agentOrdersProjection } from '#projection/contexts/agent-protocol/orders/agent-orders.projection.ts';
import { checkpointWrite, createGeneration, keptGeneration } from '#projection/engine/generations.ts';
import {
  fillApart,
  type Filling,
  type Poisons,
  type ViewFiller,
} from '#projection/engine/rebuilds/view-filler.ts';
import { openSharedReadStore } from '#test/support/shared-read-store.ts';

const task = (generation: number) => ({ view: 'orders', generation });
const watch = { onProgress: () => undefined, signal: new AbortController().signal };
const full = (): Promise<Poisons> => Promise.resolve(new Map());

/** Notes what each filler is asked for. `ends`: how those end that fill apart. */
const fillers = (isShort: () => boolean, ends: () => Promise<Poisons> = full) => {
  const asked: string[] = [];
  const noting = (name: string, end: () => Promise<Poisons>): ViewFiller => ({
    fill: (tasks): Filling => {
      asked.push(`${name} ${tasks.map(({ generation }) => generation).join(' ')}`);
      return { done: end(), giveUp: () => Promise.resolve() };
    },
  });
  return { asked, filler: fillApart(noting('apart', ends), noting('here', full), isShort) };
};

describe('filling apart from the process that is to read it', () => {
  it('ends once a generation is full: what this process may have read of it none other writes', async () => {
    const { asked, filler } = fillers(() => false);
    for (const generation of [1, 1, 2]) await filler.fill([task(generation)], watch).done;
    expect(asked).to.deep.equal(['apart 1', 'here 1', 'apart 2']);
  });

  it('is gone on with where it was cut short', async () => {
    const { asked, filler } = fillers(
      () => false,
      () => Promise.reject(new Error('killed')),
    );
    for (const generation of [1, 1]) await filler.fill([task(generation)], watch).done.catch(() => undefined);
    expect(asked).to.deep.equal(['apart 1', 'apart 1']);
  });

  it('is nothing for a short log, and nothing for what was begun while it was short', async () => {
    let length = 'short';
    const { asked, filler } = fillers(() => length === 'short');
    await filler.fill([task(1)], watch).done;
    length = 'long';
    await filler.fill([task(1), task(2)], watch).done;
    await filler.fill([task(3)], watch).done;
    expect(asked).to.deep.equal(['here 1', 'here 1 2', 'apart 3']);
  });

  it('of one that is gone on with after a kill is switched from where the thread has ended, not where it began', async () => {
    const { held, beside, close } = await openSharedReadStore();
    try {
      const { generation, collection } = await createGeneration(held, agentOrdersProjection);
      const reached = async (position: number): Promise<number | undefined> => {
        await beside.write([checkpointWrite(collection, { position, eventId: null })]);
        return (await keptGeneration(held, agentOrdersProjection, generation))?.checkpoint.position;
      };
      expect([await reached(10), await reached(20)]).to.deep.equal([10, 20]);
    } finally {
      await close();
    }
  });
});
