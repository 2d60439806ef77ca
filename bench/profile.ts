import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function and the share of the busy time that was spent in it alone. */
export interface SelfTime {
  readonly share: number;
  readonly name: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

const placeOf = (url: string, lineNumber: number): string => {
  if (url === '') return '';
  const file = url.startsWith('file://') ? relative(root, fileURLToPath(url)) : url;
  return ` ${file}:${lineNumber + 1}`;
};

/**
 * The functions of a profile (`--cpu-prof`) by the time spent in themselves, from `fromMs` after the start for `forMs`.
 * Idle time does not count.
 */
export const selfTimes = (
  file: string,
  count: number,
  fromMs: number,
  forMs: number,
): readonly SelfTime[] => {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  let busy = 0;
  let elapsed = 0;
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    const delta = profile.timeDeltas[index] ?? 0;
    elapsed += delta;
    const isMeasured = elapsed >= fromMs * 1000 && elapsed < (fromMs + forMs) * 1000;
    if (!isMeasured || !frame || frame.functionName === '(idle)') return;
    const name = `${frame.functionName || '(anonymous)'}${placeOf(frame.url, frame.lineNumber)}`;
    times.set(name, (times.get(name) ?? 0) + delta);
    busy += delta;
  });
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([name, time]) => ({ share: time / busy, name }));
};
