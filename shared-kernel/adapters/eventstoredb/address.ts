import { parseConnectionString } from './protocol.ts';

const DEFAULT_TIMEOUT_MILLISECONDS = 6000;
/** A caller of the shop gets his 503 within 10 s. */
const LONGEST_TIMEOUT_MILLISECONDS = 8000;

export interface ServerAddress {
  readonly connectionString: string;
  /** `defaultDeadline` of the address, at most 8,000, by default 6,000. */
  readonly timeoutMilliseconds: number;
}

/**
 * Checks a connection string before the client takes it. Throws a sentence for the operator, never with his password,
 * where the client would fail late or drop a part of it silently.
 */
export const readAddress = (connectionString: string): ServerAddress => {
  const scheme = /^\s*([^:/]*)/.exec(connectionString)?.[1] ?? '';
  if (scheme !== 'esdb' && scheme !== 'esdb+discover') {
    throw new Error(
      `the event store's address begins with "${scheme}": its client takes esdb:// and esdb+discover:// only` +
        (scheme.startsWith('kurrent') ? ', for KurrentDB too' : ''),
    );
  }
  const credentials = /^[^:]+:\/\/([^@/?]*)@/.exec(connectionString.trim())?.[1];
  if (credentials !== undefined && credentials.split(':').length !== 2) {
    throw new Error(
      "the event store's address must read user:password@ before the host, a colon in either written as %3A",
    );
  }
  const options = parse(connectionString);
  if (options.defaultCredentials && options.tls === false) {
    throw new Error(
      "the event store's address has a user and password together with tls=false: they would not be sent. " +
        'Use TLS, or leave them out on a server that runs insecure',
    );
  }
  return {
    connectionString,
    timeoutMilliseconds: Math.min(
      options.defaultDeadline ?? DEFAULT_TIMEOUT_MILLISECONDS,
      LONGEST_TIMEOUT_MILLISECONDS,
    ),
  };
};

/** The parser's own message quotes the address, password and all. */
const parse = (connectionString: string): ReturnType<typeof parseConnectionString> => {
  try {
    return parseConnectionString(connectionString);
  } catch {
    throw new Error(
      "the event store's address cannot be read: expected esdb://user:password@host:2113?tls=true, " +
        'special characters in user and password percent-encoded',
    );
  }
};
