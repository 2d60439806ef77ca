import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The process, as far as signals can end it. */
type Interruptible = Pick<NodeJS.Process, 'once' | 'off' | 'exit'>;

const signals = ['SIGINT', 'SIGTERM'] as const;
/** As shells have it. */
const INTERRUPTED = 130;

/**
 * Works in a folder that is gone afterwards, also where the command is interrupted: what is in it may be personal data
 * in clear.
 */
export const inTemporaryFolder = async <Answer>(
  work: (folder: string) => Promise<Answer>,
  ending: Interruptible = process,
): Promise<Answer> => {
  const folder = await mkdtemp(join(tmpdir(), 'tillroll-verify-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const interrupt = (): void => {
    remove();
    ending.exit(INTERRUPTED);
  };
  for (const signal of signals) ending.once(signal, interrupt);
  try {
    return await work(folder);
  } finally {
    for (const signal of signals) ending.off(signal, interrupt);
    remove();
  }
};
