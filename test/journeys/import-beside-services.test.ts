import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { importStoreFile } from '#command/cli/import-store.ts';
import { loadConfig } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { onServers, openSharedEngines } from '#test/support/shared-engines.ts';
import { testEnvironment } from '#test/support/shop.ts';
import { smallStore } from '#test/support/small-store.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import { openService } from '../../tillroll.ts';

onServers(
  (servers) => {
    describe('tillroll import with the log and the state store on servers', () => {
      it('writes beside the running services, which sell it; twice at once is once', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'tillroll-import-'));
        const { addresses, close } = await openSharedEngines(servers);
        // Embedded engines of the projection and the dispatcher service, which hold them.
        const [read, bus] = [join(folder, 'read.db'), join(folder, 'bus.db')];
        const config = loadConfig({
          env: {
            ...testEnvironment(),
            EVENT_STORE: addresses.eventStore,
            STATE_STORE: addresses.others?.readStore,
            READ_STORE: `sqlite:${read}`,
            BUS: `sqlite:${bus}`,
          },
        });
        const { events, state } = config.engines;
        const command = await openService('command', {
          config,
          keys: loadKeys(config),
          engines: await openEngines({ ...memoryEngines, events, state }),
          log: silentLogger(),
        });
        try {
          const text = JSON.stringify(smallStore({ stock: { mug: 5, tea: null } }));
          const [one, other] = await Promise.all([1, 2].map(() => importStoreFile(config, text)));
          expect(one).to.deep.equal(other);
          expect(one).to.include({ products: 2 });
          expect([existsSync(read), existsSync(bus)]).to.deep.equal([false, false]);

          const { reference, follower, store } = command.runtime;
          expect(await follower.waitFor(await store.head(), 5000)).to.equal(true);
          for (const sku of ['mug', 'tea'])
            expect(reference.catalogue.variantBySku(sku)?.variant, sku).to.include({ sku });
          const before = await store.head();
          await importStoreFile(config, text);
          expect(await store.head()).to.equal(before);
        } finally {
          await command.stop();
          await close();
          rmSync(folder, { recursive: true, force: true });
        }
      });
    });
  },
  { needsReplicas: true },
);
