import { pathToFileURL } from 'node:url';
import { nearest } from '#values/nearest-name.ts';
import {
  notificationNamed,
  notifications,
  type AfterNotification,
  type BeforeNotification,
} from '#values/notifications.ts';

/** The notification's name and data. Frozen. */
export type HookInput = Readonly<Record<string, unknown>> & { readonly notification: string };

/** Called before a change: a returned text cancels it. */
export interface Hook {
  readonly name: string;
  readonly notification: BeforeNotification;
  readonly priority: number;
  readonly before: (input: HookInput) => unknown;
}

/** Called after a change, at least once. */
export interface HookHandler {
  readonly name: string;
  readonly notification: AfterNotification;
  readonly priority: number;
  readonly after: (input: HookInput) => unknown;
}

/** Hooks and handlers of the owner's file, in calling order (docs/guides/hooks.md). */
export interface Hooks {
  readonly hooks: readonly Hook[];
  readonly handlers: readonly HookHandler[];
}

export const noHooks: Hooks = { hooks: [], handlers: [] };

/** The file is invalid; nothing has been started. */
export class InvalidHooksFile extends Error {
  override readonly name = 'InvalidHooksFile';

  constructor(file: string, problems: readonly string[]) {
    super(`HOOKS_FILE: ${file} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

interface Entry {
  readonly name: string;
  readonly notification: string;
  readonly priority: number;
  readonly call: (input: HookInput) => unknown;
}

interface Kind {
  readonly list: 'hooks' | 'handlers';
  readonly method: 'before' | 'after';
  readonly priority: number;
}

const before: Kind = { list: 'hooks', method: 'before', priority: 1000 };
const after: Kind = { list: 'handlers', method: 'after', priority: 2000 };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const notificationProblem = (name: unknown, { method }: Kind): string | null => {
  if (typeof name !== 'string') return 'must be the name of a notification';
  const known = notificationNamed(name);
  const isBefore = method === 'before';
  const candidates = notifications.filter((one) => one.isBefore === isBefore).map((one) => one.name);
  if (!known) return `there is no ${name}; the nearest is ${nearest(name, candidates).name}`;
  if (known.isBefore === isBefore) return null;
  return isBefore ? `${name} is told afterwards, by handlers` : `${name} is asked before, by hooks`;
};

const readEntry = (given: unknown, kind: Kind, index: number, problems: string[]): Entry[] => {
  const path = `${kind.list}.${index}`;
  if (!isFields(given)) {
    problems.push(`${path}: must be an object`);
    return [];
  }
  const { notification, priority = kind.priority, name, [kind.method]: call } = given;
  const found: string[] = [];
  const wrongName = notificationProblem(notification, kind);
  if (wrongName !== null) found.push(`${path}.notification: ${wrongName}`);
  if (typeof priority !== 'number' || !Number.isFinite(priority))
    found.push(`${path}.priority: must be a number`);
  if (name !== undefined && typeof name !== 'string') found.push(`${path}.name: must be text`);
  if (typeof call !== 'function') found.push(`${path}.${kind.method}: must be a function`);
  problems.push(...found);
  if (found.length > 0) return [];
  return [
    {
      name: typeof name === 'string' ? name : path,
      notification: notification as string,
      priority: priority as number,
      call: call as Entry['call'],
    },
  ];
};

/** By priority, then in the order of the file. */
const readEntries = (exported: Fields, kind: Kind, problems: string[]): readonly Entry[] => {
  const given = exported[kind.list] ?? [];
  if (!Array.isArray(given)) {
    problems.push(`${kind.list}: must be a list`);
    return [];
  }
  return given
    .flatMap((entry, index) => readEntry(entry, kind, index, problems))
    .toSorted((one, other) => one.priority - other.priority);
};

const importFile = async (file: string): Promise<Fields> => {
  try {
    return (await import(pathToFileURL(file).href)) as Fields;
  } catch (error) {
    throw new InvalidHooksFile(file, [error instanceof Error ? error.message : String(error)]);
  }
};

/** Loads and checks the owner's hooks; none without a file. Throws `InvalidHooksFile` with every problem. */
export const loadHooks = async (file: string | null): Promise<Hooks> => {
  if (file === null) return noHooks;
  const exported = await importFile(file);
  const problems: string[] = [];
  if (!('hooks' in exported) && !('handlers' in exported))
    problems.push('must be an export named hooks or handlers');
  const hooks = readEntries(exported, before, problems);
  const handlers = readEntries(exported, after, problems);
  if (problems.length > 0) throw new InvalidHooksFile(file, problems);
  return {
    hooks: hooks.map(({ call, ...hook }) => ({
      ...hook,
      notification: hook.notification as BeforeNotification,
      before: call,
    })),
    handlers: handlers.map(({ call, ...handler }) => ({
      ...handler,
      notification: handler.notification as AfterNotification,
      after: call,
    })),
  };
};

/** An immutable copy for the owner's code. */
export const frozenInput = (notification: string, input: object): HookInput =>
  deepFreeze(structuredClone({ ...input, notification }));

const deepFreeze = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part as unknown);
  return Object.freeze(value);
};
