// The shop in a process of its own that kills itself around an append: `dying-shop.ts <Death as JSON>`.
import { openShop } from '../../tillroll.ts';
import { listen } from '#http/server.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import { faultyEventStore, holds, holdUntilBegun } from './faults.ts';
import type { Death } from './shop-process.ts';

const { when, eventType, nth = 1, placementsTogether = 0 } = JSON.parse(process.argv[2] ?? '') as Death;
const config = loadConfig();
const keys = loadKeys(config);
const engines = await openEngines(config.engines);
const store = faultyEventStore(engines.store);
if (placementsTogether > 0) holdUntilBegun(store, placementsTogether, 'DiscountUseClaimed');

let left = nth;
store[when === 'before' ? 'runBefore' : 'runAfter'](
  'append',
  (stream, events) => holds(eventType)(stream, events) && --left === 0,
  () => void process.kill(process.pid, 'SIGKILL'),
);

const log = createLogger(config.logLevel, 'dying shop');
const shop = await openShop({ config, keys, engines: { ...engines, store }, log });
await shop.prepare();
await listen(shop.app, config.port);
