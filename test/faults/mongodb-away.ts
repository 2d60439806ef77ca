import { setTimeout as pause } from 'node:timers/promises';
import { auditLists } from '../support/audit-lists.ts';
import { auditShop } from '../support/audit-shop.ts';
import { startMongoServer } from '../support/mongo-server.ts';
import { closing, crowdIn, open, type MachineFault } from './fault.ts';

const OUTAGES = 10;

/** The views are on a server, log and state on the disk: people go on shopping while the server is away. */
export const mongodbAway: MachineFault = {
  name: 'MongoDB away',
  what: `the server of the views stops and starts ${OUTAGES} times, one way and the other`,
  missing: () => null,
  run: async (seconds) => {
    const server = await startMongoServer();
    if (!server)
      throw new Error('a MongoDB-protocol server cannot be had here: Java, Maven or the registry is missing');
    try {
      return await closing(await open({ env: { READ_STORE: server.url } }), async (shop) => {
        const crowd = crowdIn(shop);
        let resumedMs = 0;
        await crowd.shopDuring(async (unlessComplaint) => {
          for (let outage = 0; outage < OUTAGES; outage++) {
            await unlessComplaint(crowd.acknowledges(20));
            const [away, back] = outage % 2 ? (['pause', 'resume'] as const) : (['stop', 'start'] as const);
            await server.run(away);
            await unlessComplaint(pause(seconds * 1000));
            await server.run(back);
            const endedAt = performance.now();
            await unlessComplaint(crowd.acknowledges(4));
            resumedMs = Math.max(resumedMs, performance.now() - endedAt);
          }
        });
        await shop.settle();
        const lists = await auditLists(shop.admin);
        await shop.stop();
        const { dataDir } = shop;
        const { problems } = await auditShop({ dataDir, readStore: server.url, acknowledged: crowd.told });
        return { acknowledged: crowd.acknowledged, resumedMs, problems: [...lists, ...problems] };
      });
    } finally {
      await server.dispose();
    }
  },
};
