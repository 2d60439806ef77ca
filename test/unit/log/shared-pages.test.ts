import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SharedPages } from '#log/shared-pages.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { MAX_PAGE, START, type EventStore } from '#ports/event-store.ts';
import { counted } from '#test/support/counting-shop.ts';
import { appendPlain } from '#test/support/plain-log.ts';

describe('pages of the log that followers share', () => {
  let log: EventStore;
  let asked: number[];
  let isAway: boolean;
  let pages: SharedPages;

  beforeEach(() => {
    log = createMemoryEventStore();
    asked = [];
    isAway = false;
    pages = new SharedPages({
      readAll: async (after, limit) => {
        asked.push(after);
        if (isAway) throw new EngineUnavailable('away');
        return log.readAll(after, limit);
      },
    });
  });

  const append = (count: number): Promise<number> =>
    appendPlain(
      log,
      'counter-1',
      Array.from({ length: count }, () => counted(1)),
    );

  it('are read once for all who begin at one place, at once or a little later, or within the page', async () => {
    await append(5);
    const together = await Promise.all([pages.read(2), pages.read(2)]);
    const [later, within] = [await pages.read(2), await pages.read(4)];
    const whole = await log.readAll(2);
    expect([...together, later]).to.deep.equal([whole, whole, whole]);
    expect(within).to.deep.equal(await log.readAll(4));
    expect(asked).to.deep.equal([2]);
  });

  it('hide nothing that comes after them', async () => {
    const end = await append(3);
    await pages.read(START);
    await append(2);
    expect(await pages.read(end)).to.deep.equal(await log.readAll(end));
    expect(await pages.read(end + 2)).to.deep.equal([]);
    await append(1);
    expect(await pages.read(end + 2)).to.deep.equal(await log.readAll(end + 2));
  });

  it('are read again by the next who ask where the log did not answer', async () => {
    const end = await append(1);
    isAway = true;
    const refused = await Promise.allSettled([pages.read(START), pages.read(START)]);
    expect(refused.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    isAway = false;
    expect((await pages.read(START)).at(-1)?.position).to.equal(end);
    expect(asked).to.deep.equal([START, START]);
  });

  it('are kept in small number, whatever length of log a follower goes through', async () => {
    await append(6 * MAX_PAGE);
    for (let page = 0; page < 6; page++) await pages.read(page * MAX_PAGE);
    asked.length = 0;
    for (let page = 5; page >= 0; page--) await pages.read(page * MAX_PAGE);
    expect(asked).to.deep.equal([MAX_PAGE, START]);
  });
});
