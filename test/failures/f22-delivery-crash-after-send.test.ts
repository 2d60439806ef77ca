import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startWebhookProcess } from '#test/support/webhook-process.ts';
import { respondWith, deliveryIdOf, isSigned, startReceiver } from '#test/support/subscriber.ts';
import { secret } from '#test/support/open-webhooks.ts';

describe('F22: the dispatcher is killed between the answer of a receiver and the record of it', () => {
  it('sends again with the same id and the same bytes, once at most, and has it delivered then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const receiver = await startReceiver();
    try {
      const first = await startWebhookProcess(folder);
      // The answer and the kill: what the receiver says never arrives.
      receiver.answer((response) => {
        first.kill();
        response.destroy();
      });
      const id = await first.subscribe(receiver.url);
      await first.register('Ada');
      await receiver.count(1);
      await first.gone();

      receiver.answer(respondWith(200, 'ok'));
      const second = await startWebhookProcess(folder);
      await receiver.count(2);
      await second.settle();
      const rows = await second.deliveries(id);
      await second.register('Grace');
      await second.settle();
      await second.stop();

      const [before, after] = receiver.received;
      expect(rows.map(({ _id, status, attemptNumber }) => [_id, status, attemptNumber])).to.deep.equal([
        [before && deliveryIdOf(before), 'Succeeded', 2],
      ]);
      expect(after && deliveryIdOf(after)).to.equal(before && deliveryIdOf(before));
      expect(after?.body).to.deep.equal(before?.body);
      expect(receiver.received).to.have.length(3);
      expect(receiver.received.every((one) => isSigned(one, secret))).to.equal(true);
    } finally {
      await receiver.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
