import { loadConfig } from './shared-kernel/runtime/config.ts';
import { startShop } from './start-shop.ts';

await startShop(loadConfig(), (line) => process.stdout.write(`${line}\n`));
