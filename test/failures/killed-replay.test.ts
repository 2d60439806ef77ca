import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deliveryIdOf, respondWith, startReceiver, type Received } from '#test/support/subscriber.ts';
import { startWebhookProcess } from '#test/support/webhook-process.ts';

const nameIn = ({ body }: Received): string =>
  (JSON.parse(String(body)) as { readonly data: { readonly name: string } }).data.name;

const named = (what: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${what} ${index}`);

describe('A dispatcher that is killed during a replay', () => {
  it('goes on with it when it is back: everything arrives, and no delivery has two ids', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'replay-'));
    const receiver = await startReceiver();
    try {
      const [missed, told] = [named('missed', 600), named('told', 200)];
      let dispatcher = await startWebhookProcess(folder);
      await dispatcher.register(...missed);
      const id = await dispatcher.subscribe(receiver.url);
      await dispatcher.register(...told);
      await dispatcher.settle();
      expect(receiver.received).to.have.length(told.length);

      // Killed twice, at an arrival: once while rows are being queued, once later.
      let replayId = '';
      for (const arrivals of [told.length + 1, told.length + 300]) {
        const victim = dispatcher;
        receiver.answer((response) => {
          if (receiver.received.length === arrivals) victim.kill();
          response.end('ok');
        });
        replayId ||= await dispatcher.replay(id);
        await dispatcher.gone();
        dispatcher = await startWebhookProcess(folder);
      }
      receiver.answer(respondWith(200));
      expect(await dispatcher.settle()).to.equal(true);
      const [replay, rows] = [await dispatcher.replayed(id, replayId), await dispatcher.deliveries(id)];
      await dispatcher.stop();

      const count = missed.length + told.length;
      expect(replay).to.include({ status: 'Completed', queued: count, skipped: 0 });
      expect(new Set(rows.map(({ status }) => status))).to.deep.equal(new Set(['Succeeded']));
      expect(rows).to.have.length(count);
      const idsOf = Map.groupBy(receiver.received, nameIn);
      expect(idsOf.size).to.equal(count);
      for (const [name, received] of idsOf)
        expect(new Set(received.map(deliveryIdOf)), name).to.have.property('size', 1);
      // Once, and once by the replay; what was under way at a kill may come once more.
      const replayed = receiver.received.slice(told.length).map(nameIn);
      expect(new Set(replayed)).to.have.property('size', count);
      expect(replayed.length).to.be.at.most(count + 2 * 32);
    } finally {
      await receiver.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
