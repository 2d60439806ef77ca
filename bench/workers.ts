import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DispatchJob } from './dispatch.ts';
import type { Job as LoadJob } from './load.ts';
import { applicationKey, end, hasEnded, start } from './processes.ts';
import type { ReceiverJob } from './receiver.ts';

/** Starts one of the benchmark's own modules with a channel to it. */
const startModule = (
  core: number | null,
  module: string,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcess =>
  start({
    core,
    args: [...nodeOptions, fileURLToPath(new URL(module, import.meta.url)), ...args],
    env: { ...env, APPLICATION_KEY: applicationKey },
  });

/** What the child answers next. Errors: its own, or that it ended. */
const responseOf = async <Answer>(
  child: ChildProcess,
  onProgress?: (share: number) => void,
): Promise<Answer> => {
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
        throw new Error(`a process of the benchmark ended: ${String(code ?? signal)}`);
      }),
      (async () => {
        for (;;) {
          const [message] = (await once(child, 'message', { signal: ended.signal })) as [
            { readonly result?: Answer; readonly error?: string; readonly progress?: number },
          ];
          if (message.error !== undefined) throw new Error(message.error);
          if (message.result !== undefined) return message.result;
          if (message.progress !== undefined) onProgress?.(message.progress);
        }
      })(),
    ]);
  } finally {
    ended.abort();
  }
};

/** A process of the benchmark that does one job at a time. */
interface Worker<Job> {
  run<Result>(job: Job): Promise<Result>;
  stop(): Promise<void>;
}

const workerOf = <Job extends object>(child: ChildProcess): Worker<Job> => ({
  run: (job) => {
    const answer = responseOf<never>(child);
    child.send(job);
    return answer;
  },
  // Its modules exit once the channel is closed.
  stop: async () => {
    if (hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  },
});

export type Load = Worker<LoadJob>;

export const startLoad = async (core: number | null, productIds: readonly string[]): Promise<Load> => {
  const load = workerOf<LoadJob>(startModule(core, './load.ts'));
  await load.run({ kind: 'products', productIds });
  return load;
};

export interface Receiver extends Worker<ReceiverJob> {
  readonly port: number;
}

export const startReceiver = async (core: number | null): Promise<Receiver> => {
  const child = startModule(core, './receiver.ts');
  const { port } = await responseOf<{ readonly port: number }>(child);
  return { ...workerOf<ReceiverJob>(child), port };
};

export interface Dispatcher extends Worker<DispatchJob> {
  readonly pid: number;
}

/** The dispatcher alone, on an empty data folder. */
export const startDispatcher = async (
  core: number | null,
  dataDir: string,
  nodeOptions: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Dispatcher> => {
  const child = startModule(core, './dispatch.ts', [dataDir], nodeOptions, env);
  await responseOf<object>(child);
  return { ...workerOf<DispatchJob>(child), pid: child.pid ?? 0 };
};

export interface Ceiling {
  readonly port: number;
  stop(): Promise<void>;
}

const startServed = async (
  core: number | null,
  module: string,
  args: readonly string[],
): Promise<Ceiling> => {
  const child = startModule(core, module, args);
  const { port } = await responseOf<{ readonly port: number }>(child);
  return { port, stop: () => end(child, 'SIGTERM') };
};

export const startCeiling = (core: number | null, answersFile: string): Promise<Ceiling> =>
  startServed(core, './ceiling.ts', [answersFile]);

/** Bare Express that appends an event and has a document written in this folder. */
export const startFloor = (core: number | null, samplesFile: string, folder: string): Promise<Ceiling> =>
  startServed(core, './floor.ts', [samplesFile, folder]);

/** Bare Express that sends one file. */
export const startFileServer = (core: number | null, file: string): Promise<Ceiling> =>
  startServed(core, './send-file.ts', [file]);

/** Runs one of the benchmark's modules to its end and gives back what it found. */
export const runModule = async <Result>(
  core: number | null,
  module: string,
  args: readonly string[],
  onProgress?: (share: number) => void,
  nodeOptions: readonly string[] = [],
): Promise<Result> => {
  const child = startModule(core, module, args, nodeOptions);
  try {
    return await responseOf<Result>(child, onProgress);
  } finally {
    await end(child, 'SIGTERM');
  }
};
