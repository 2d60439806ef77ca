import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command, Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { unchanged } from '#kernel/evolution.ts';
import type {
  EventRegistrations,
  ExportedDecider,
  Reaction,
} from '../shared-kernel/event-flow/registrations.ts';
import type { Lifetime } from './engine/open-instances.ts';
import { openModules } from './engine/open-modules.ts';
import { modules } from './modules.ts';

const root = join(import.meta.dirname, '..');

type AnyDecider = Decider<unknown, Command, DomainEvent, unknown>;

interface Exported {
  readonly file: string;
  readonly name: string;
  readonly value: unknown;
}

/** What the files of a role export, file by file. */
const exportsOf = async (role: string): Promise<readonly Exported[]> => {
  const files = globSync(`command-service/**/*.${role}.ts`, { cwd: root }).toSorted();
  const all = await Promise.all(
    files.map(async (file) => {
      const exported = (await import(pathToFileURL(join(root, file)).href)) as object;
      return Object.entries(exported).map(([name, value]) => ({ file, name, value: value as unknown }));
    }),
  );
  return all.flat();
};

const isDecider = (value: unknown): value is AnyDecider => {
  const { decide, on } = (value ?? {}) as Partial<AnyDecider>;
  return typeof decide === 'function' && typeof on === 'object';
};

interface FoundDecider extends ExportedDecider {
  readonly on: AnyDecider['on'];
}

/** The rules of one topic, by command: what a decider of several topics is put together of. */
const isRules = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !isDecider(value) &&
  Object.values(value).every((rule) => typeof rule === 'function');

const contextOf = (file: string): string => file.split('/').slice(0, 3).join('/');

/**
 * No list names the deciders: whoever commands a stream imports it. They are the exports of `*.decider.ts`, and each
 * topic of one of them.
 */
const findDeciders = async (): Promise<readonly FoundDecider[]> => {
  const exported = await exportsOf('decider');
  const deciders = exported.flatMap(({ file, name, value }) =>
    isDecider(value) ? [{ category: value.category, file, name, on: value.on }] : [],
  );
  const topics = exported.filter(({ value }) => isRules(value));
  return [
    ...deciders,
    ...topics.flatMap(({ file, name }) =>
      deciders
        .filter((one) => contextOf(one.file) === contextOf(file))
        .map((one) => ({ ...one, file, name })),
    ),
  ];
};

/** The types that a table of changes has a change for. */
const changing = (on: AnyDecider['on']): readonly string[] =>
  Object.entries(on).flatMap(([type, change]) => (change === unchanged ? [] : [type]));

/** The states that deciders decide on; several share one, which a file of its own declares then. */
const statesOf = async (deciders: readonly FoundDecider[]): Promise<readonly Reaction[]> => {
  const tableOf = (value: unknown): unknown => (value as Partial<AnyDecider> | null)?.on ?? value;
  const declared = new Map((await exportsOf('state')).map(({ value, file }) => [tableOf(value), file]));
  const states = new Map<string, Reaction>();
  for (const { category: name, file: own, on } of deciders) {
    const file = declared.get(on) ?? own;
    const known = states.get(`${name} ${file}`)?.types ?? [];
    states.set(`${name} ${file}`, {
      role: 'state',
      name,
      file,
      types: [...new Set([...known, ...changing(on)])],
    });
  }
  return [...states.values()];
};

const processReaction = ({ name, on, endsElsewhere = {} }: Lifetime): Reaction => {
  const means = {
    ...Object.fromEntries(
      Object.entries(on).map(([type, effect]) => [
        type,
        typeof effect === 'function' ? 'may open or end' : effect,
      ]),
    ),
    ...Object.fromEntries(Object.keys(endsElsewhere).map((type) => [type, 'ends'])),
  };
  return { role: 'process', name, types: Object.keys(means), means };
};

/** Who decides on events here, and what learns of them. */
export const eventRegistrations = async (): Promise<EventRegistrations> => {
  const deciders = await findDeciders();
  const { parts, openInstances } = openModules(modules);
  const own = parts.filter((part) => part !== openInstances);
  return {
    deciders: deciders.map(({ category, file, name }) => ({ category, file, name })),
    reactions: [
      ...(await statesOf(deciders)),
      ...own.map(({ name, on }): Reaction => ({ role: 'memory', name, types: Object.keys(on) })),
      ...modules.flatMap(({ processes = [] }) => processes).map(processReaction),
    ],
  };
};
