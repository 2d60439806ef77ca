import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const script = fileURLToPath(new URL('./engines/stripe-mock.sh', import.meta.url));

export interface StripeMock {
  readonly url: string;
  readonly dispose: () => Promise<void>;
}

/** The script's exit code where Go or its module proxy is missing. */
const MISSING = 3;

/** Starts Stripe's stand-in on a free port; null where Go or its module proxy is missing. */
export const startStripeMock = async (): Promise<StripeMock | null> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-stripe-mock-'));
  const env = { ...process.env, STRIPE_MOCK_DIR: folder, STRIPE_MOCK_PORT: String(await freePort()) };
  const run = async (command: string): Promise<string> =>
    (await promisify(execFile)(script, [command], { env })).stdout.trim();
  const dispose = async (): Promise<void> => void (await run('remove'));
  try {
    return { url: await run('start'), dispose };
  } catch (error) {
    await dispose();
    if (error instanceof Error && 'code' in error && error.code === MISSING) return null;
    throw error;
  }
};
