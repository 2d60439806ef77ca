/** One thing that must be so before the process can serve. Answers null when it is, else why not. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<string | null> | string | null;
}

export interface Unready {
  readonly name: string;
  readonly reason: string;
}

export interface Readiness {
  add(check: HealthCheck): void;
  /** What is not ready, and why; empty when the process can serve. */
  problems(): Promise<readonly Unready[]>;
}

/** A check that takes longer is taken for a failed one. Real time. */
const patienceMilliseconds = 2000;

export const createReadiness = (checks: readonly HealthCheck[] = []): Readiness => {
  const all = [...checks];
  return {
    add: (check) => {
      all.push(check);
    },
    problems: async () => {
      const answers = await Promise.all(all.map(ask));
      return answers.filter((answer) => answer !== null);
    },
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
