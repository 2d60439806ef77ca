/**
 * The double in a process of its own: `node test/support/eventstoredb/main.ts --port 2113 --file events.log`. Prints
 * its address when it listens. May be killed at any time and started again on the same file.
 */
import { parseArgs } from 'node:util';
import { EventStoreDouble } from './double-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    file: { type: 'string' },
    'without-batch-append': { type: 'boolean', default: false },
  },
});
const double = new EventStoreDouble({
  port: Number(values.port),
  withoutBatchAppend: values['without-batch-append'],
  ...(values.file === undefined ? {} : { file: values.file }),
});
await double.start();
console.log(double.address);
