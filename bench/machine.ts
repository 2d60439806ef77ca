import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { median } from './figures.ts';

/** Which core gets what; null where nothing can be pinned. */
export interface Pinning {
  readonly server: number;
  readonly load: number;
}

/** The first two cores that this process may use, if there are two and `taskset` is there to pin to them. */
export const findPinning = (): Pinning | null => {
  const shown = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  const list = /:\s*([\d,-]+)\s*$/.exec(shown.stdout ?? '')?.[1];
  if (shown.status !== 0 || list === undefined) return null;
  const allowed = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const [server, load] = allowed;
  return server === undefined || load === undefined ? null : { server, load };
};

const SYNCS = 200;

/** What one write of a page with fdatasync costs in this folder: median, milliseconds. */
export const fdatasyncMilliseconds = (folder: string): number => {
  const file = join(folder, 'fdatasync.probe');
  const page = Buffer.alloc(4096, 1);
  const descriptor = openSync(file, 'w');
  const times: number[] = [];
  for (let turn = 0; turn < SYNCS; turn++) {
    const started = performance.now();
    writeSync(descriptor, page, 0, page.length, turn * page.length);
    fdatasyncSync(descriptor);
    times.push(performance.now() - started);
  }
  closeSync(descriptor);
  rmSync(file);
  return median(times);
};

const TMPFS = 0x01021994;
/** The unit of /proc/<pid>/stat. */
const TICK_MS = 10;

/** The lines that say on what the figures were taken. */
export const describeMachine = (folder: string, pinning: Pinning | null): readonly string[] => {
  const [first] = cpus();
  const isMemory = statfsSync(folder).type === TMPFS;
  const disk = isMemory ? ' (a file system in memory: nothing here is durable)' : '';
  const pinned = pinning
    ? `server pinned to core ${pinning.server}, load and benchmark to core ${pinning.load} (taskset)`
    : 'nothing pinned: two cores and taskset are needed, and the load takes from the server';
  return [
    `${availableParallelism()} cores (${first?.model.trim() ?? 'unknown'}), Node ${process.version}, ${process.platform} ${process.arch}`,
    `fdatasync of a page: ${fdatasyncMilliseconds(folder).toFixed(2)} ms${disk}; load average at the start ${loadavg()[0]?.toFixed(1)}`,
    pinned,
  ];
};

/** Memory that a process has resident now, in MB; null where /proc does not tell. */
export const residentMegabytes = (pid: number): number | null => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
};

/** CPU time of a process so far by the names of its threads, in milliseconds; empty where /proc does not tell. */
export const threadCpuMilliseconds = (pid: number): ReadonlyMap<string, number> => {
  const times = new Map<string, number>();
  const tasks = `/proc/${pid}/task`;
  for (const task of existsSync(tasks) ? readdirSync(tasks) : []) {
    const [, name = '', rest = ''] =
      /\((.*)\) (.*)/.exec(readFileSync(`${tasks}/${task}/stat`, 'utf8')) ?? [];
    const [userTicks = 0, systemTicks = 0] = rest.split(' ').slice(11, 13).map(Number);
    times.set(`${name} ${task}`, (userTicks + systemTicks) * TICK_MS);
  }
  return times;
};

/** CPU time of a process so far, in milliseconds; 0 where /proc does not tell. */
export const cpuMilliseconds = (pid: number): number =>
  threadCpuMilliseconds(pid)
    .values()
    .reduce((sum, time) => sum + time, 0);

/** Names of the files in a folder with this ending. */
export const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith(ending));
