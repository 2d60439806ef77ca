import { EngineUnavailable } from '#ports/engine-errors.ts';

/** What the broker answers to a question that it understood and will not serve, however often it is asked. */
const refusals = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_CONFIG',
  'INVALID_PARTITIONS',
  'INVALID_REPLICATION_FACTOR',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_GROUP_ID',
]);

/** An error with everything that led to it, the origin last. */
const causesOf = (error: unknown): unknown[] => {
  if (!(error instanceof Error)) return [error];
  const { errors = [] } = error as { errors?: unknown[] };
  return [error, ...errors.flatMap(causesOf), ...(error.cause ? causesOf(error.cause) : [])];
};

/** True for a broker's response with one of these protocol error names, however the client wraps it. */
export const isResponse = (error: unknown, names: ReadonlySet<string>): boolean =>
  causesOf(error).some((cause) => isNamed(cause, names));

// By name: kafkajs shows its classes of errors to CommonJS only.
const isNamed = (error: unknown, names: ReadonlySet<string>): error is Error =>
  error instanceof Error && names.has((error as { type?: string }).type ?? '');

/**
 * What the port throws for an error of the client: a plain `Error` where the broker refused, else `EngineUnavailable`.
 * The names of kafkajs say little: it calls an error that outlived its retries non-retriable.
 */
export const portErrorOf = (error: unknown, what: string): Error => {
  if (error instanceof EngineUnavailable) return error;
  const causes = causesOf(error);
  const refusal = causes.find((cause) => isNamed(cause, refusals));
  if (refusal) return new Error(`Kafka refuses to ${what}: ${refusal.message}`, { cause: error });
  const last = causes.at(-1);
  const reason = last instanceof Error ? last.message : String(last);
  return new EngineUnavailable(`Kafka cannot ${what}: ${reason}`, { cause: error });
};

/** Waits for an answer, but not for ever. Throws `EngineUnavailable` once the time is over. */
export const within = async <T>(milliseconds: number, what: string, answer: Promise<T>): Promise<T> => {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new EngineUnavailable(`Kafka cannot ${what}: no answer within ${milliseconds} ms`));
  }, milliseconds);
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
};
