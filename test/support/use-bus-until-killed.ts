// Publishes to the bus named on the command line from eight publishers and prints what was acknowledged and what was
// handled.
import { openSqliteBus } from '#adapters/sqlite/sqlite-bus.ts';

const bus = await openSqliteBus({ file: process.argv[2] ?? '' });
await bus.declareTopic('baskets', 4);
await bus.consume({
  topic: 'baskets',
  group: 'workers',
  handle: async ({ key, value }) => {
    if (key === 'heavy') await new Promise(() => {}); // killed while it is at it
    process.stdout.write(`handled ${key} ${value}\n`);
  },
});

const publish = async (key: string): Promise<never> => {
  for (let index = 0; ; index++) {
    await bus.publish('baskets', [{ key, value: String(index) }]);
    process.stdout.write(`published ${key} ${index}\n`);
  }
};

await Promise.all(['heavy', ...Array.from({ length: 7 }, (_, index) => `key-${index}`)].map(publish));
