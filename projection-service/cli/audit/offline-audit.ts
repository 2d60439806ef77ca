import { join } from 'node:path';
import type { z } from 'zod';
import type { sealPage } from '#contracts/seals.contract.ts';
import type { VerificationReport } from '#contracts/verification.contract.ts';
import { createCodec } from '#log/codec.ts';
import { refuseOtherKey } from '#log/key-check.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { findRunningShop } from '#runtime/running-shop.ts';
import { closeEngines, openEngines, type Engines } from '../../../shared-kernel/open-engines.ts';
import { openEnginesOffline } from '../../../shared-kernel/open-offline.ts';
import { readSeals, type SealRange } from '../../contexts/audit/seals/read-seals.ts';
import { keepVerification } from '../../contexts/audit/verification/last-verification.ts';
import { noPlace, type Problem } from '../../contexts/audit/verification/log-check.ts';
import type { KeptSeals } from '../../contexts/audit/verification/seals.check.ts';
import { verifyShop, type ViewsVerdict } from '../../contexts/audit/verification/verify-shop.ts';
import { projectionsOf } from '../../engine/join-modules.ts';
import type { ViewProblem } from '../../engine/verify/compare-view.ts';
import { verifyViews } from '../../engine/verify/verify-views.ts';
import { modules } from '../../modules.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** How far a phase of the verification is. */
interface PhaseProgress {
  readonly phase: 'log' | 'views';
  readonly done: number;
  readonly total: number;
}

export type OnVerifyProgress = (progress: PhaseProgress) => void;

export interface VerifyRequest {
  readonly kept: KeptSeals | null;
  readonly isWithViews: boolean;
  readonly onProgress: OnVerifyProgress;
}

/** The log of the configured engines, which are only read: beside a running shop, or without one. */
export interface OfflineAudit {
  seals(config: Config, range: SealRange): Promise<z.output<typeof sealPage>>;
  verify(config: Config, request: VerifyRequest): Promise<VerificationReport>;
  /** Keeps the report in the state store, by the running shop if there is one. Returns why it could not, or null. */
  keep(config: Config, report: VerificationReport): Promise<string | null>;
}

const withEngines = async <Answer>(
  config: Config,
  work: (engines: Engines) => Promise<Answer>,
): Promise<Answer> => {
  const engines = await openEnginesOffline(config);
  try {
    return await work(engines);
  } finally {
    await closeEngines(engines);
  }
};

export const offlineAudit: OfflineAudit = {
  seals: (config, range) => withEngines(config, ({ stateStore }) => readSeals(stateStore, range)),
  verify: (config, { kept, isWithViews, onProgress }) =>
    withEngines(config, (engines) =>
      verifyShop({
        store: engines.store,
        stateStore: engines.stateStore,
        kept,
        now: Date.now,
        onProgress: ({ position, head }) => onProgress({ phase: 'log', done: position, total: head }),
        ...(isWithViews && { verifyViews: () => compareViews(config, engines, onProgress) }),
      }),
    ),
  keep: async (config, report) => {
    try {
      const shop = await findRunningShop(config);
      if (shop) await shop.call('PUT', '/audit/verification', report);
      else await keepHere(config, report);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  },
};

const compareViews = async (
  config: Config,
  { store, readStore, stateStore }: Engines,
  onProgress: OnVerifyProgress,
): Promise<ViewsVerdict> => {
  const applicationKey = readApplicationKey(config);
  await refuseOtherKey(stateStore, applicationKey);
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  return inTemporaryFolder(async (folder) => {
    const read = { kind: 'sqlite', file: join(folder, 'read.db') } as const;
    const fresh = await openEngines({ ...memoryEngines, read }, { isPrecious: false });
    try {
      const { views, documents, problems } = await verifyViews({
        store,
        codec: createCodec({ keys, applicationKey, store }),
        readStore,
        freshStore: fresh.readStore,
        projections: projectionsOf(modules),
        onProgress: (share) => onProgress({ phase: 'views', done: Math.round(share * 1000), total: 1000 }),
      });
      return { count: views, documents, problems: problems.map(asProblem) };
    } finally {
      await closeEngines(fresh);
    }
  });
};

const asProblem = ({ view, key, position, found, expected }: ViewProblem): Problem => ({
  check: 'views',
  ...noPlace,
  position,
  found: `view ${view}${key === null ? '' : `, document ${key}`}: ${found}`,
  expected,
});

const keepHere = async ({ engines: { state } }: Config, report: VerificationReport): Promise<void> => {
  const engines = await openEngines({ ...memoryEngines, state });
  try {
    await keepVerification(engines.stateStore, report);
  } finally {
    await closeEngines(engines);
  }
};
