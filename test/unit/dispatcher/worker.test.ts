import { expect } from 'chai';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { startWorker } from '#dispatcher/engine/worker.ts';

describe('a worker that hands on what is due', () => {
  it('has the holder look for what a replay has queued, once for all of it, and names the rest', async () => {
    const bus = createMemoryBus();
    await bus.declareTopic('due', 1);
    const heard: string[] = [];
    const last = Promise.withResolvers<void>();
    const worker = await startWorker({
      ...{ bus, topic: 'due', group: 'workers' },
      queues: {
        takeReplayed: (key) => void heard.push(`replayed ${key}`),
        retry: (key, id) => {
          heard.push(`retry ${key} ${id}`);
          return null;
        },
        offer: (key, id) => {
          heard.push(`offer ${key} ${id}`);
          last.resolve();
        },
      },
    });
    const due = { key: 'a', attemptNumber: 0, isReplayed: false };
    await worker.handOn([
      { ...due, deliveryId: 'old0', isReplayed: true },
      { ...due, deliveryId: 'old1', isReplayed: true },
      { ...due, deliveryId: 'again', attemptNumber: 2 },
      { ...due, deliveryId: 'new' },
    ]);
    await last.promise;
    expect(heard).to.deep.equal(['replayed a', 'retry a again', 'offer a new']);
    await worker.stop();
    await bus.close();
  });
});
