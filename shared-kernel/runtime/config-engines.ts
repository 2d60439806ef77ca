import { dirname, join, resolve } from 'node:path';
import type { Service } from '#values/service.ts';

/** An engine inside this process: a file (absolute path), or memory that ends with it. */
export type EmbeddedChoice = { readonly kind: 'memory' } | { readonly kind: 'sqlite'; readonly file: string };

/** A server, which other processes reach too. The address may hold a password. */
interface ServerChoice<Kind extends string> {
  readonly kind: Kind;
  readonly address: string;
}

export type EventStoreChoice = EmbeddedChoice | ServerChoice<'eventstoredb'>;
interface MongoChoice extends ServerChoice<'mongodb'> {
  /** Uses the database `<name>_state` beside the one in the address. */
  readonly isBeside?: true;
}

export type DocumentStoreChoice = EmbeddedChoice | MongoChoice;
export type BusChoice = EmbeddedChoice | ServerChoice<'kafka'>;

/** One engine for each port (docs/architecture.md#engines). */
export interface EngineChoices {
  readonly events: EventStoreChoice;
  readonly read: DocumentStoreChoice;
  readonly state: DocumentStoreChoice;
  readonly bus: BusChoice;
}

type Port = keyof EngineChoices;

export const memoryEngines: EngineChoices = {
  events: { kind: 'memory' },
  read: { kind: 'memory' },
  state: { kind: 'memory' },
  bus: { kind: 'memory' },
};

type ServerKind = Exclude<EngineChoices[Port], EmbeddedChoice>['kind'];

interface Setting {
  readonly name: string;
  readonly server: ServerKind;
  /** An example value for messages. */
  readonly example: string;
}

const settings: Readonly<Record<Port, Setting>> = {
  events: { name: 'EVENT_STORE', server: 'eventstoredb', example: 'esdb://<host> or esdb+discover://<host>' },
  read: { name: 'READ_STORE', server: 'mongodb', example: 'mongodb://<host>/<name>' },
  state: { name: 'STATE_STORE', server: 'mongodb', example: 'mongodb://<host>/<name>' },
  bus: { name: 'BUS', server: 'kafka', example: 'kafka://<host>:9092' },
};

const schemes: Readonly<Record<string, ServerKind | undefined>> = {
  esdb: 'eventstoredb',
  'esdb+discover': 'eventstoredb',
  mongodb: 'mongodb',
  'mongodb+srv': 'mongodb',
  kafka: 'kafka',
  'kafka+ssl': 'kafka',
};

/** The setting in which an address of this kind is valid. */
const rightFor: Readonly<Record<ServerKind, string>> = {
  eventstoredb: 'EVENT_STORE',
  mongodb: 'READ_STORE and STATE_STORE',
  kafka: 'BUS',
};

/** Reads one setting. An unusable value becomes a problem; its text is never shown, as it may hold a password. */
const choiceOf = <P extends Port>(
  port: P,
  text: string | null,
  byDefault: EngineChoices[P],
  problems: string[],
): EngineChoices[P] => {
  if (text === null) return byDefault;
  if (text === 'memory:') return { kind: 'memory' } as EngineChoices[P];
  const file = /^sqlite:(.+)$/.exec(text)?.[1];
  if (file !== undefined) return { kind: 'sqlite', file: resolve(file) } as EngineChoices[P];
  const { name, server, example } = settings[port];
  const scheme = /^([a-z+]+):\/\/[^/]/.exec(text)?.[1] ?? '';
  const kind = schemes[scheme];
  if (kind === server) return { kind, address: text } as EngineChoices[P];
  const hint = kind ? `; ${scheme}:// is for ${rightFor[kind]}` : '';
  problems.push(`${name}: must be sqlite:<file>, memory: or ${example}${hint}`);
  return byDefault;
};

/** The default state store: with the log, or beside the read models, in memory, in a folder or on a server. */
const defaultState = (
  { events, read }: Pick<EngineChoices, 'events' | 'read'>,
  dataDir: string,
): DocumentStoreChoice => {
  // The keys of data subjects must live as long as the log.
  if (events.kind === 'memory') return events;
  if (read.kind === 'mongodb') return { ...read, isBeside: true };
  const folder = read.kind === 'sqlite' ? dirname(read.file) : dataDir;
  return { kind: 'sqlite', file: join(folder, 'state.db') };
};

/** Reads the engine settings; `given` returns a setting's text, or null. */
export const readEngines = (
  given: (name: string) => string | null,
  dataDir: string,
  problems: string[],
): EngineChoices => {
  const choose = <P extends Port>(port: P, byDefault: EngineChoices[P]): EngineChoices[P] =>
    choiceOf(port, given(settings[port].name), byDefault, problems);
  const file = (name: string) => ({ kind: 'sqlite' as const, file: join(dataDir, name) });
  const events = choose('events', file('events.db'));
  const read = choose('read', file('read.db'));
  const state = choose('state', defaultState({ events, read }, dataDir));
  const isSame = read.kind === 'mongodb' && state.kind === 'mongodb' && read.address === state.address;
  if (isSame && !state.isBeside)
    problems.push('STATE_STORE: must be a database of its own; this is the one of READ_STORE');
  return { events, read, state, bus: choose('bus', file('bus.db')) };
};

const isServer = ({ kind }: EngineChoices[Port]): boolean => kind !== 'memory' && kind !== 'sqlite';

/** Whether any engine is a server, and may be unavailable. */
export const usesServers = (engines: EngineChoices): boolean => Object.values(engines).some(isServer);

/** Whether log and state store are on servers: any further process may use them. */
export const areShared = ({ events, state }: EngineChoices): boolean => isServer(events) && isServer(state);

/** The engines of each service. All use the log and the state store; the other two belong to one service each. */
const portsOf: Readonly<Record<Service, readonly Port[]>> = {
  command: ['events', 'state'],
  projection: ['events', 'read', 'state'],
  dispatcher: ['events', 'state', 'bus'],
};

/**
 * The engines of a service on its own, which opens no others. An engine that services share must be a server, as an
 * embedded one belongs to one process: anything else is a problem.
 */
export const readServiceEngines = (
  service: Service,
  engines: EngineChoices,
  problems: string[],
): EngineChoices => {
  const ports = portsOf[service];
  for (const port of ['events', 'state'] as const) {
    if (isServer(engines[port])) continue;
    const { name, example } = settings[port];
    problems.push(
      `${name}: must be ${example}: an embedded engine belongs to one process, and the ${service} service shares this one with the others`,
    );
  }
  const chosen = (port: Port) => (ports.includes(port) ? { [port]: engines[port] } : {});
  return { ...memoryEngines, ...chosen('events'), ...chosen('read'), ...chosen('state'), ...chosen('bus') };
};

/** An address without user, password and other secrets. */
export const withoutPassword = (address: string): string =>
  address
    .replace(/\/\/[^@/]*@/, '//(set)@')
    .replace(/([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*/gi, '$1(set)');
