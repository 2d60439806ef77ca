/** A condition for the process to serve. Returns null if it holds, else why not. */
export interface HealthCheck {
  readonly name: string;
  /** It concerns this process alone: another replica may serve. Default: it concerns all. */
  readonly isOwn?: boolean;
  check(): Promise<string | null> | string | null;
  /** Something that does not work although the process serves; null if nothing. */
  warning?(): string | null;
}

export interface Unready {
  readonly name: string;
  readonly reason: string;
}

export interface Readiness {
  add(check: HealthCheck): void;
  /** What is not ready, and why; empty if the process can serve. */
  problems(scope?: 'process' | 'all'): Promise<readonly Unready[]>;
  warnings(): readonly Unready[];
}

/** A check that takes longer counts as failed. Real time. */
const patienceMilliseconds = 2000;

export const createReadiness = (checks: readonly HealthCheck[] = []): Readiness => {
  const all = [...checks];
  return {
    add: (check) => {
      all.push(check);
    },
    problems: async (scope = 'all') => {
      const asked = all.filter(({ isOwn = false }) => isOwn || scope === 'all');
      const answers = await Promise.all(asked.map(ask));
      return answers.filter((answer) => answer !== null);
    },
    warnings: () =>
      all.flatMap(({ name, warning }) => {
        const reason = warning?.() ?? null;
        return reason === null ? [] : [{ name, reason }];
      }),
  };
};

const ask = async ({ name, check }: HealthCheck): Promise<Unready | null> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${patienceMilliseconds} ms`), patienceMilliseconds);
  });
  try {
    const reason = await Promise.race([check(), tooLong]);
    return reason === null ? null : { name, reason };
  } catch (error) {
    return { name, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
};
