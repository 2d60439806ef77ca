import { backofficeKey } from './backoffice.ts';
import { milliseconds } from './figures.ts';

/** Milliseconds. */
export interface Took {
  readonly p50: number;
  readonly p99: number;
}

/** By question. */
export type Measured = ReadonlyMap<string, Took>;

/** What a path of the backoffice answers, and how long it took. */
export const ask = async <Answer>(
  port: number,
  path: string,
): Promise<{ readonly answer: Answer; readonly ms: number }> => {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1${path}`, {
    headers: { authorization: `Bearer ${backofficeKey}` },
  });
  const text = await response.text();
  const ms = performance.now() - begun;
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
  return { answer: JSON.parse(text) as Answer, ms };
};

/** Each question so often, one after the other, each shop in turn: what else the machine does slows both. */
export const measureQuestions = async (
  ports: readonly number[],
  questions: readonly string[],
  times: number,
  pathOf: (question: string) => string,
): Promise<readonly Measured[]> => {
  const measured = ports.map(() => new Map<string, Took>());
  for (const question of questions) {
    const took = ports.map((): number[] => []);
    for (let turn = 0; turn < times; turn++)
      for (const [shop, port] of ports.entries()) took[shop]?.push((await ask(port, pathOf(question))).ms);
    for (const [shop, times] of took.entries()) {
      times.sort((one, other) => one - other);
      const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? NaN;
      measured[shop]?.set(question, { p50: at(0.5), p99: at(0.99) });
    }
  }
  return measured;
};

export const slowest = (measured: Measured): readonly [string, Took] =>
  [...measured].reduce((one, other) => (other[1].p99 > one[1].p99 ? other : one), ['', { p50: 0, p99: 0 }]);

export const tookText = ([query, { p50, p99 }]: readonly [string, Took]): string =>
  `${milliseconds(p99)} (${query || 'no filter'}; its median: ${milliseconds(p50)})`;
