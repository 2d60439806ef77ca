// Consumes a topic until it is killed: node kafka-consume-until-killed.ts <address> <topic> <group>. Says "joined" once
// it has, and the key of each message that it gets.
import { openKafkaBus } from '#adapters/kafka/kafka-bus.ts';

const [address = '', topic = '', group = ''] = process.argv.slice(2);
const say = async (line: string): Promise<void> => {
  await new Promise((resolve) => process.stdout.write(`${line}\n`, resolve));
};
await openKafkaBus({ address }).consume({ topic, group, handle: ({ key }) => say(key) });
await say('joined');
