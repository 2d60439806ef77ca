import type { SASLOptions } from 'kafkajs';

/** What the address of a Kafka says. */
export interface KafkaSettings {
  /** `host:port`, those to ask first; they name the others. */
  readonly brokers: readonly string[];
  readonly isEncrypted: boolean;
  readonly login: SASLOptions | null;
  /** How Kafka's logs and quotas call us. */
  readonly clientId: string;
  /** Partitions of each topic that is declared; null: as many as its declaration asks for. */
  readonly partitions: number | null;
  /** Copies of each topic that is declared; null: what the brokers have as their default. */
  readonly replication: number | null;
  /** The broker throws repeats away that the client sends after a lost answer. */
  readonly isIdempotent: boolean;
  /** Failed deliveries after which a message goes to the dead letters of its topic; null: never. */
  readonly deadLetterAfter: number | null;
  /** How long a consumer may be silent before its partitions go to others. */
  readonly sessionMilliseconds: number;
  /** Put before the names of topics, and so of groups, for several shops on one Kafka. */
  readonly prefix: string;
}

const shape = /^kafka(\+ssl)?:\/\/(?:([^@/?]*)@)?([^@/?]+)\/?(?:\?(.*))?$/;
const host = /^([A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const known = [
  'partitions',
  'replication',
  'idempotent',
  'deadLetterAfter',
  'sessionMilliseconds',
  'mechanism',
  'clientId',
  'prefix',
];

/** Says what is wrong without showing the address: it may hold a password. */
const refuse = (what: string): never => {
  throw new RangeError(`the address of Kafka: ${what}`);
};

/**
 * Reads `kafka://host:9092,host:9092?…`, or `kafka+ssl://user:password@host:9092` with TLS (further authorities by
 * NODE_EXTRA_CA_CERTS) and a login; user and password are percent-encoded. A host without a port: 9092. Parameters:
 *
 * - `partitions=32`: partitions of each topic that is declared, and so how many processes can share its work; a topic
 *   may gain some later and never loses any. Default: as many as its declaration asks for.
 * - `replication=3`: copies of each topic that is declared; default: the brokers' own. From 3 on a write is taken only
 *   while at least two copies have it.
 * - `idempotent=true`: the broker throws repeats away that the client sends after a lost answer. Default: false.
 * - `deadLetterAfter=10`: failed deliveries after which a message goes to the topic `<topic>.dead-letters`, with its
 *   origin in the headers, and the next one is delivered. Default: never, as the port promises.
 * - `sessionMilliseconds=10000`: how long a consumer may be silent, from 6000 on, before others get its partitions.
 * - `mechanism=plain`, `scram-sha-256` or `scram-sha-512`: how to log in. Default: plain.
 * - `clientId=tillroll`: how Kafka's logs and quotas call us.
 * - `prefix=north.`: put before the names of topics, and so of groups, for several shops on one Kafka. Default: none.
 *
 * Throws `RangeError` for anything else.
 */
export const readKafkaAddress = (address: string): KafkaSettings => {
  const [, secure, credentials, hosts = '', query = ''] = shape.exec(address) ?? [];
  if (hosts === '') return refuse('must be kafka://<host>:<port>,… or kafka+ssl://…');
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`${unknown} is none of its parameters, which are ${known.join(', ')}`);
  return {
    brokers: hosts.split(',').map(brokerOf),
    isEncrypted: secure !== undefined,
    login: loginOf(credentials, parameters.get('mechanism') ?? 'plain'),
    clientId: parameters.get('clientId') || 'tillroll',
    partitions: numberOf(parameters, 'partitions', 1, 1000),
    replication: numberOf(parameters, 'replication', 1, 100),
    isIdempotent: flagOf(parameters, 'idempotent'),
    deadLetterAfter: numberOf(parameters, 'deadLetterAfter', 1, 1_000_000),
    sessionMilliseconds: numberOf(parameters, 'sessionMilliseconds', 6000, 300_000) ?? 10_000,
    prefix: prefixOf(parameters.get('prefix') ?? ''),
  };
};

const brokerOf = (text: string): string => {
  const [, name, port = '9092'] = host.exec(text) ?? [];
  if (name === undefined || Number(port) > 65_535) return refuse('must name each broker as <host>:<port>');
  return `${name}:${port}`;
};

const loginOf = (credentials: string | undefined, mechanism: string): SASLOptions | null => {
  const chosen = mechanisms.find((one) => one === mechanism);
  if (!chosen) return refuse(`mechanism: must be one of ${mechanisms.join(', ')}`);
  if (credentials === undefined) return null;
  const [username, password] = credentials.split(/:(.*)/s, 2).map(decoded);
  if (!username || !password) return refuse('must have user:password before the @');
  return { mechanism: chosen, username, password };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('must have user and password percent-encoded');
  }
};

const numberOf = (parameters: URLSearchParams, name: string, least: number, most: number): number | null => {
  const text = parameters.get(name);
  if (text === null) return null;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most
    ? number
    : refuse(`${name}: must be a number from ${least} to ${most}`);
};

const prefixOf = (text: string): string =>
  /^[A-Za-z0-9._-]{0,100}$/.test(text)
    ? text
    : refuse('prefix: must be at most 100 letters, digits, dots, underscores and hyphens');

const flagOf = (parameters: URLSearchParams, name: string): boolean => {
  const text = parameters.get(name) ?? 'false';
  return text === 'true' || text === 'false' ? text === 'true' : refuse(`${name}: must be true or false`);
};
