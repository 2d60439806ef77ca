import { openKafkaBus } from '#adapters/kafka/kafka-bus.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { busContract, durableBusContract } from './bus.contract.ts';

onRealEngine('TEST_BUS', (address) => {
  busContract('Kafka', async () => {
    const bus = openKafkaBus({ address });
    return { bus, dispose: () => bus.close() };
  });

  durableBusContract('Kafka', async () => {
    let bus = openKafkaBus({ address });
    return {
      bus,
      reopen: async () => {
        await bus.close();
        bus = openKafkaBus({ address });
        return bus;
      },
      dispose: () => bus.close(),
    };
  });
});
