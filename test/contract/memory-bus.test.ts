import { expect } from 'chai';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { busContract, declared, Inbox, keyed, newGroup } from './bus.contract.ts';
import { embeddedBusContract } from './embedded-bus.contract.ts';

const open = async () => {
  const bus = createMemoryBus({ redeliveryPause: { firstMilliseconds: 1, longestMilliseconds: 5 } });
  return { bus, dispose: () => bus.close() };
};

busContract('memory', open);
embeddedBusContract('memory', open);

describe('bus inside the process: before a message comes again', () => {
  it('there is a pause, twice as long each time up to the longest', async () => {
    const bus = createMemoryBus({ redeliveryPause: { firstMilliseconds: 10, longestMilliseconds: 20 } });
    const topic = await declared(bus, 1);
    const inbox = new Inbox();
    const triedAt: number[] = [];
    const handle: Inbox['take'] = async (message) => {
      if (triedAt.push(performance.now()) <= 3) throw new Error('no, thanks');
      await inbox.take(message);
    };
    await bus.consume({ topic, group: newGroup(), handle });
    await bus.publish(topic, [keyed('mug')]);
    await inbox.holds(1);
    const pauses = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
    // Timers may be up to a millisecond early.
    for (const [index, shortest] of [9, 19, 19].entries()) expect(pauses[index]).to.be.at.least(shortest);
    await bus.close();
  });

  it('nobody who closes the bus waits for that', async () => {
    const bus = createMemoryBus({
      redeliveryPause: { firstMilliseconds: 60_000, longestMilliseconds: 60_000 },
    });
    const topic = await declared(bus, 1);
    const failed = Promise.withResolvers<void>();
    let tries = 0;
    const handle = async (): Promise<void> => {
      tries++;
      failed.resolve();
      throw new Error('no, thanks');
    };
    await bus.consume({ topic, group: newGroup(), handle });
    await bus.publish(topic, [keyed('mug')]);
    await failed.promise;
    await bus.close();
    expect(tries).to.equal(1);
  });
});
