import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { workWheneverHeld } from '#runtime/leases.ts';
import { silentLogger } from '#runtime/logging.ts';
import { testEnvironment } from '#test/support/shop.ts';
import { openEngines } from '../../../shared-kernel/open-engines.ts';
import type { Runtime } from '../../../shared-kernel/open-runtime.ts';
import { openServices, type ServicePlan } from '../../../shared-kernel/open-services.ts';

describe('Services of which one could not be opened', () => {
  it('leave no work behind that waits for a lease, or has one', async () => {
    const ended: string[] = [];
    const working: Promise<void>[] = [];
    const begin = (runtime: Runtime, ownerId: string): void => {
      const work = async (signal: AbortSignal): Promise<void> => {
        await once(signal, 'abort');
        ended.push(ownerId);
      };
      const signal = new AbortController().signal;
      working.push(workWheneverHeld({ ...runtime, name: 'views', ownerId, ttlMs: 60_000, signal, work }));
    };
    const plan: ServicePlan = {
      parts: [],
      create: async ({ runtime }) => {
        begin(runtime, 'who has it');
        await nextTurn();
        begin(runtime, 'who waits');
        throw new EngineUnavailable('the rest was not there');
      },
    };
    const config = loadConfig({ env: testEnvironment() });
    const engines = await openEngines(config.engines);
    const log = silentLogger();
    const opening = openServices({
      plans: [plan],
      config,
      keys: loadKeys(config),
      engines,
      version: '0',
      log,
    });
    expect(await opening.catch((error: unknown) => error)).to.be.instanceOf(EngineUnavailable);
    await Promise.all(working);
    expect(ended).to.deep.equal(['who has it']);
  });
});
