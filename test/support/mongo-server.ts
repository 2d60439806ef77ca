import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const script = fileURLToPath(new URL('./engines/mongo.sh', import.meta.url));

/** A MongoDB-protocol server of a test's own, with its file in a temporary folder. */
export interface MongoServer {
  readonly url: string;
  /** `start` goes on with the same file; a paused server leaves its connections open and answers nothing. */
  readonly run: (command: 'start' | 'stop' | 'pause' | 'resume') => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** The script's exit code where Java, Maven or the registry is missing. */
const MISSING = 3;

/** Starts it on a free port; null where Java, Maven or the registry is missing. */
export async function startMongoServer(): Promise<MongoServer | null> {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-mongo-'));
  const env = { ...process.env, MONGO_DIR: folder, MONGO_PORT: String(await freePort()) };
  const run = async (command: string): Promise<string> =>
    (await promisify(execFile)(script, [command], { env })).stdout.trim();
  const dispose = async (): Promise<void> => void (await run('remove'));
  try {
    const url = await run('start');
    return { url, run: async (command) => void (await run(command)), dispose };
  } catch (error) {
    await dispose();
    if (error instanceof Error && 'code' in error && error.code === MISSING) return null;
    throw error;
  }
}
