import type { CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { SigningKeyActions, Tended } from './signing-keys.actions.ts';

const NAME = 'rotate-signing-keys';

const meta = (): CommandMeta => ({
  correlationId: newId(),
  causationId: NAME,
  actor: { kind: 'system', id: NAME },
});

interface RotatingJob extends Job {
  runOnce(now: number): Promise<Tended>;
}

/** Looks once a day whether a key must be replaced or removed. */
export const rotateSigningKeys = ({ tend }: Pick<SigningKeyActions, 'tend'>): RotatingJob => ({
  name: NAME,
  schedule: '11 4 * * *',
  runOnce: (now) => tend(now, meta()),
});
