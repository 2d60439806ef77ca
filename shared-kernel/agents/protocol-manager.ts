import type { AdapterPart } from './commerce-protocol.ts';

/** The protocols by which agents buy in this process, by alias. */
export interface ProtocolManager {
  /** Adds an adapter, or a further part of one. Throws TypeError when an operation is there twice. */
  register(part: AdapterPart): void;
  /** What this process carries out of a protocol; null: it knows none by that name, or it is switched off. */
  find(alias: string): AdapterPart | null;
  readonly aliases: () => readonly string[];
}

const keyOf = (alias: string): string => alias.toLowerCase();

const joined = (known: AdapterPart, part: AdapterPart): AdapterPart => {
  const { alias, enabled, ...operations } = part;
  const twice = Object.keys(operations).find((name) => name in known);
  if (twice !== undefined) throw new TypeError(`${alias}: ${twice} is registered twice`);
  return { ...known, ...operations, enabled: known.enabled && enabled };
};

export const createProtocolManager = (): ProtocolManager => {
  const adapters = new Map<string, AdapterPart>();
  return {
    register: (part) => {
      const known = adapters.get(keyOf(part.alias));
      adapters.set(keyOf(part.alias), known ? joined(known, part) : part);
    },
    find: (alias) => {
      const adapter = adapters.get(keyOf(alias));
      return adapter?.enabled ? adapter : null;
    },
    aliases: () => [...adapters.values()].map(({ alias }) => alias),
  };
};
