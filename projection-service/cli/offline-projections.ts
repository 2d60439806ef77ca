import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { openRuntime } from '../../shared-kernel/open-runtime.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import { watchRebuilds, type OfflineProjections } from '../cli.ts';
import { createPace } from '../engine/rebuilds/pace.ts';
import { createProjectionService, type ProjectionService } from '../main.ts';
import { buildViews } from './build-views.ts';

const withProjections = async <Answer>(
  config: Config,
  work: (projections: ProjectionService) => Promise<Answer>,
): Promise<Answer> => {
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines({ ...config.engines, bus: memoryEngines.bus });
  const runtime = await openRuntime({ engines, applicationKey, log: createLogger('warn', 'tillroll') });
  const service = await createProjectionService({ runtime, settings: runtime.reference.settings.current });
  await runtime.feed.start();
  try {
    return await work(service);
  } finally {
    await service.stop();
    await runtime.close();
  }
};

/** Who asks, where nobody has signed in. */
const COMMAND_LINE = 'command line';

/** The projections of the configured engines, for the command line where no shop runs. */
export const offlineProjections: OfflineProjections = {
  list: (config) => withProjections(config, ({ engine }) => Promise.resolve(engine.status())),
  rebuild: (config, wanted, onProgress, signal) =>
    withProjections(config, async ({ engine }) => {
      const known = engine.status().map(({ name }) => name);
      const unknown = wanted?.find((name) => !known.includes(name));
      if (unknown !== undefined)
        throw new Error(`There is no projection "${unknown}"; tillroll projections list shows them.`);
      const names = wanted ?? known;
      const cancel = async (name: string) => void (await engine.cancelRebuild(name, COMMAND_LINE));
      await engine.askRebuild(names, COMMAND_LINE);
      return watchRebuilds(names, { look: () => engine.rebuilds(), onProgress, cancel, signal });
    }),
  build: async (config, names, onProgress, signal) => {
    const paceOf = createPace(0, () => performance.now());
    const { built, failures } = await buildViews(config, names, {
      signal,
      onProgress: (progress) => onProgress(paceOf(progress)),
    }).catch((error: unknown) => {
      throw signal.aborted ? new Error('Called off: nothing of it is left.') : error;
    });
    const versions = built.map(({ name, version }) => `${name} v${version}`);
    if (failures.length === 0) return versions;
    const others = versions.length > 0 ? [`Built: ${versions.join(', ')}.`] : [];
    throw new Error(
      ['These could not be built:', ...failures.map((one) => `  ${one}`), ...others].join('\n'),
    );
  },
};
