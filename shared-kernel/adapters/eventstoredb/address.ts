import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseConnectionString } from './protocol.ts';

/**
 * A command reads its stream and appends to it: the two together stay below the 7 s after which a caller of the shop is
 * refused.
 */
const LONGEST_TIMEOUT_MILLISECONDS = 3400;

export interface EndPoint {
  readonly address: string;
  readonly port: number;
}

/** In PEM. What is missing is Node's own, or none. */
export interface TlsFiles {
  readonly authorities: Buffer | null;
  readonly key: Buffer | null;
  readonly certificate: Buffer | null;
}

export interface ServerAddress {
  readonly hosts: readonly EndPoint[];
  /** True when the hosts are asked who leads, false when the one host is taken as it is. */
  readonly isCluster: boolean;
  /** Null where the server speaks without. */
  readonly tls: TlsFiles | null;
  /** Of user and password. */
  readonly authorization: string | null;
  readonly connectionName: string;
  /** `defaultDeadline` of the address, at most 3,400, which is the default. */
  readonly timeoutMilliseconds: number;
  /** Negative: none. */
  readonly keepAliveIntervalMilliseconds: number;
  readonly keepAliveTimeoutMilliseconds: number;
  readonly gossipTimeoutMilliseconds: number;
  readonly discoveryIntervalMilliseconds: number;
  readonly discoveryAttempts: number;
}

type Options = ReturnType<typeof parseConnectionString>;

/**
 * Checks a connection string. Throws a sentence for the operator, never with his password, where it cannot be read or a
 * part of it would be dropped silently.
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
  if ((options.defaultDeadline ?? 1) <= 0) {
    throw new Error("defaultDeadline of the event store's address must be above 0");
  }
  return addressOf(options);
};

const addressOf = (options: Options): ServerAddress => {
  const { hosts, dnsDiscover, tls, defaultCredentials: user, connectionName = 'tillroll' } = options;
  return {
    hosts,
    isCluster: dnsDiscover || hosts.length > 1,
    tls: tls === false ? null : tlsFilesOf(options),
    authorization: user
      ? `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`
      : null,
    connectionName,
    timeoutMilliseconds: Math.min(
      options.defaultDeadline ?? LONGEST_TIMEOUT_MILLISECONDS,
      LONGEST_TIMEOUT_MILLISECONDS,
    ),
    keepAliveIntervalMilliseconds: options.keepAliveInterval ?? 10_000,
    keepAliveTimeoutMilliseconds: options.keepAliveTimeout ?? 10_000,
    gossipTimeoutMilliseconds: Math.max(1, options.gossipTimeout ?? 1) * 1000,
    discoveryIntervalMilliseconds: options.discoveryInterval ?? 100,
    discoveryAttempts: Math.max(1, options.maxDiscoverAttempts ?? 10),
  };
};

const tlsFilesOf = ({ tlsCAFile, userKeyFile, userCertFile }: Options): TlsFiles => {
  if ((userKeyFile === undefined) !== (userCertFile === undefined)) {
    throw new Error("the event store's address must name userCertFile and userKeyFile together");
  }
  return {
    authorities: contentOf('tlsCAFile', tlsCAFile),
    key: contentOf('userKeyFile', userKeyFile),
    certificate: contentOf('userCertFile', userCertFile),
  };
};

const contentOf = (option: string, file: string | undefined): Buffer | null => {
  if (file === undefined) return null;
  try {
    return readFileSync(resolve(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${option} of the event store's address cannot be read: ${reason}`, { cause: error });
  }
};

/** The parser's own message quotes the address, password and all. */
const parse = (connectionString: string): Options => {
  try {
    return parseConnectionString(connectionString);
  } catch {
    throw new Error(
      "the event store's address cannot be read: expected esdb://user:password@host:2113?tls=true, " +
        'special characters in user and password percent-encoded',
    );
  }
};
