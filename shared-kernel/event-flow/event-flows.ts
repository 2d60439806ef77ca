import { addressLookupProviders } from '#entities/address-lookup.providers.ts';
import type { EntityType } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import { exchangeRateProviders } from '#entities/exchange-rate.providers.ts';
import { paymentProviders } from '#entities/payment.providers.ts';
import { taxProviders } from '#entities/tax.providers.ts';
import type { EventDefinition } from '#events/define-events.ts';
import { eventDefinitions } from '#events/registry.ts';
import { entityDecider } from '#kernel/entity.ts';
import { createReference } from '#reference/create-reference.ts';
import type { Job } from '#runtime/job-runner.ts';
import { roles, type EventRegistrations, type ExportedDecider, type Reaction } from './registrations.ts';
import type { Place } from './read-file.ts';
import type { SourceGraph } from './source-graph.ts';

/** Who appends an event, and where that is constructed. */
export interface Appender {
  readonly decider: string;
  readonly constructedAt: readonly Place[];
}

/** What learns of an event. */
export interface Reached extends Pick<Reaction, 'role' | 'name'> {
  /** Where it is declared; null where no file says so. */
  readonly file: string | null;
  /** What the event means to it, beyond a change. */
  readonly means: string | null;
}

/** Where an event comes from and goes to. */
export interface EventFlow extends Pick<EventDefinition, 'type' | 'context' | 'schemaVersion'> {
  readonly declared: Place;
  /** None: this release only reads it. */
  readonly appenders: readonly Appender[];
  readonly reached: readonly Reached[];
}

type RegisteredJob = Pick<Job, 'name' | 'worksOff'>;

const referenceState: readonly Reaction[] = createReference().parts.map(({ name, on }) => ({
  role: 'memory',
  name,
  types: Object.keys(on),
}));

/** What decides on resources that have no decider of their own. */
const declaredDecider: ExportedDecider = {
  category: 'resources',
  file: 'shared-kernel/kernel/entity.ts',
  name: entityDecider.name,
};

interface Declared {
  readonly category: string;
  readonly file: string;
  readonly types: readonly string[];
}

/** Kinds of provider, with the events that their declaration constructs. */
const providerKinds: readonly Declared[] = Object.entries({
  'address-lookup': addressLookupProviders,
  'exchange-rate': exchangeRateProviders,
  payment: paymentProviders,
  tax: taxProviders,
}).map(([file, { name, on }]) => ({
  category: name,
  file: `shared-kernel/entities/${file}.providers.ts`,
  types: Object.keys(on),
}));

/** Resources and kinds of provider without a decider of their own are decided on by their declaration. */
const declaredThings = (deciders: readonly ExportedDecider[]): readonly Reaction[] => {
  const own = new Set(deciders.map(({ category }) => category));
  const kinds: readonly EntityType[] = entities;
  const resources = kinds.map((kind): Declared => {
    const { category, file } = kind;
    return { category, file, types: Object.keys(entityDecider(kind).on) };
  });
  return [...resources, ...providerKinds]
    .filter(({ category }) => !own.has(category))
    .map(({ category: name, file, types }) => ({ role: 'state', name, file, types }));
};

/** What a resource is decided by, for the events that its declaration constructs. */
const decidersOfThings = (deciders: readonly ExportedDecider[]): ReadonlyMap<string, string> =>
  new Map(
    [
      ...providerKinds,
      ...entities.map(({ category, file, events }) => {
        return { category, file, types: events.definitions.map(({ type }) => type) };
      }),
    ].flatMap(({ category, file, types }) => {
      const own = deciders.find((decider) => decider.category === category);
      return types.map((type) => [type, own?.file ?? file] as const);
    }),
  );

interface Appending extends Appender {
  readonly key: string;
  /** Everything that it comes to, by `file name`. */
  readonly reaches: ReadonlySet<string>;
}

/** By event type, the deciders that construct it. What one has from another is the other's. */
const appendersByType = (
  deciders: readonly ExportedDecider[],
  graph: SourceGraph,
): ((type: string) => readonly Appender[]) => {
  const byType = new Map<string, Appending[]>();
  for (const { file, name } of deciders) {
    const { key, reaches, constructs } = graph.from(file, name);
    for (const [type, all] of Map.groupBy(constructs, (one) => one.type)) {
      const constructedAt = all.map(({ file: at, line }) => ({ file: at, line }));
      byType.set(type, [...(byType.get(type) ?? []), { decider: file, constructedAt, key, reaches }]);
    }
  }
  const things = decidersOfThings(deciders);
  return (type) => {
    const all = byType.get(type) ?? [];
    const first = all.filter((one) => !all.some(({ key }) => key !== one.key && one.reaches.has(key)));
    const thing = things.get(type);
    if (first.length === 0 && thing !== undefined) return [{ decider: thing, constructedAt: [] }];
    return first.map(({ decider, constructedAt }) => ({ decider, constructedAt }));
  };
};

/** What makes work for a job: the events that change the state which it works off. */
const jobReaction = ({ name, worksOff = [] }: RegisteredJob, registered: readonly Reaction[]): Reaction => {
  if (typeof worksOff !== 'string') return { role: 'job', name, types: worksOff };
  const state = registered.find((one) => one.role === 'memory' && one.name === worksOff);
  if (!state) throw new TypeError(`the job ${name} works off ${worksOff}, which follows no events`);
  return { role: 'job', name, types: state.types };
};

/** Where what is registered is declared, by what files of its role are called. */
const fileOfRole: Readonly<Record<Reaction['role'], RegExp>> = {
  state: /\.ts$/,
  memory: /^(?!.*\.(module|routes|projection|process|job|check)\.ts$)/,
  view: /\.projection\.ts$/,
  process: /\.process\.ts$/,
  handler: /\.ts$/,
  job: /^(?!.*\.(projection|process)\.ts$)/,
  topic: /\.topics\.ts$/,
};

const fileOf = ({ role, name, file }: Reaction, graph: SourceGraph): string | null => {
  if (file !== undefined) return file;
  const places = role === 'topic' ? graph.keyed(name) : graph.named(name);
  return places.find((place) => fileOfRole[role].test(place.file))?.file ?? null;
};

const declarations = /^shared-kernel\/(events\/.*\.(events|shapes)|entities\/.*\.entity)\.ts$/;

/** Where the type is a key of what its context declares; types that follow from a resource have its file. */
const declaredAt = (type: string, graph: SourceGraph): Place => {
  const keyed = graph.keyed(type).find(({ file }) => declarations.test(file));
  const thing = entities.find(({ events }) => events.definitions.some((one) => one.type === type));
  const place = keyed ?? (thing && { file: thing.file, line: 1 });
  if (!place) throw new TypeError(`${type} is declared in no file that ${String(declarations)} names`);
  return place;
};

/** Joins what the services register and what their source says, for every event type. */
export const eventFlows = (
  services: readonly EventRegistrations[],
  jobs: readonly RegisteredJob[],
  graph: SourceGraph,
): readonly EventFlow[] => {
  const deciders = [declaredDecider, ...services.flatMap((one) => one.deciders ?? [])];
  const appendersOf = appendersByType(deciders, graph);
  const registered = [...referenceState, ...services.flatMap((one) => one.reactions)];
  const reactions = [
    ...declaredThings(deciders),
    ...registered,
    ...jobs.map((job) => jobReaction(job, registered)),
  ].map((reaction) => ({ ...reaction, file: fileOf(reaction, graph), known: new Set(reaction.types) }));
  const ordered = roles.flatMap((role) => reactions.filter((reaction) => reaction.role === role));
  return eventDefinitions().map(({ type, context, schemaVersion }) => ({
    type,
    context,
    schemaVersion,
    declared: declaredAt(type, graph),
    appenders: appendersOf(type),
    reached: ordered
      .filter(({ known }) => known.has(type))
      .map(({ role, name, file, means }) => ({ role, name, file, means: means?.[type] ?? null })),
  }));
};
