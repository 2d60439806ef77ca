import { expect } from 'chai';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import { staySilent, startReceiver } from '#test/support/subscriber.ts';
import { openWebhooks } from '#test/support/open-webhooks.ts';

describe('F24: one receiver never answers and has a thousand deliveries to get', () => {
  it('another one gets each of its deliveries within two seconds, and few of the dead one wait in memory', async () => {
    const [dead, healthy] = [await startReceiver(staySilent), await startReceiver()];
    const runtime = await openWebhooks();
    try {
      const names = Array.from({ length: 1000 }, (_, index) => `dead ${index}`);
      await runtime.subscribe(dead.url, { filterExpression: "name startsWith 'dead'", timeoutSeconds: 30 });
      await runtime.subscribe(healthy.url, { filterExpression: "name startsWith 'well'" });
      await runtime.register(...names);
      await dead.count(1);

      const delays: number[] = [];
      for (let sent = 1; sent <= 20; sent++) {
        const delivered = async (): Promise<void> => {
          await runtime.register(`well ${sent}`);
          await healthy.count(sent);
        };
        delays.push(await ownMilliseconds(delivered));
      }
      expect(delays.toSorted((one, other) => one - other)[18]).to.be.lessThan(2000);
      expect(runtime.dispatch.queues.figures().waiting).to.be.at.most(256);
      expect(dead.mostOpen).to.be.at.most(4);
    } finally {
      await dead.stop();
      await runtime.stop();
      await healthy.stop();
    }
  });

  it('a retry of another one that is due is not crowded out by those of the dead one', async () => {
    const [dead, healthy] = [await startReceiver(), await startReceiver()];
    dead.answer((response) => response.writeHead(500).end());
    healthy.answer((response) => response.writeHead(500).end());
    const runtime = await openWebhooks();
    try {
      const names = Array.from({ length: 150 }, (_, index) => `dead ${index}`);
      await runtime.subscribe(dead.url, { filterExpression: "name startsWith 'dead'" });
      await runtime.register(...names);
      await runtime.settle();
      await runtime.subscribe(healthy.url, { filterExpression: "name startsWith 'well'" });
      await runtime.register('well');
      await runtime.settle();
      dead.answer(staySilent);
      runtime.clock.advance(61);
      const run = runtime.runJob('deliver-webhooks');
      await healthy.count(2);
      await dead.stop();
      expect(await run).to.have.property('retried');
      expect(healthy.received).to.have.length(2);
    } finally {
      await runtime.stop();
      await healthy.stop();
    }
  });
});
