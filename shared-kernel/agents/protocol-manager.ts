import type {
  AdapterPart,
  ProtocolAnswer,
  ProtocolOperations,
  ProtocolRequest,
} from './commerce-protocol.ts';

/** The protocols by which agents buy in this process, by alias: routes ask them here. */
export interface ProtocolManager {
  /** Adds an adapter, or a further part of one. Throws TypeError when an operation is there twice. */
  register(part: AdapterPart): void;
  /** What this process carries out of a protocol; null: it knows none by that name, or it is switched off. */
  find(alias: string): AdapterPart | null;
  /** An operation, looked for whenever it is asked: what is not carried out here is not found. */
  asking<Name extends keyof ProtocolOperations>(alias: string, name: Name): ProtocolOperations[Name];
  readonly aliases: () => readonly string[];
}

const keyOf = (alias: string): string => alias.toLowerCase();

const joined = (known: AdapterPart, part: AdapterPart): AdapterPart => {
  const { alias, enabled, ...operations } = part;
  const twice = Object.keys(operations).find((name) => name in known);
  if (twice !== undefined) throw new TypeError(`${alias}: ${twice} is registered twice`);
  return { ...known, ...operations, enabled: known.enabled && enabled };
};

type Asked = (request: Pick<ProtocolRequest, 'agent' | 'baseUrl'>) => Promise<ProtocolAnswer<unknown>>;

export const createProtocolManager = (): ProtocolManager => {
  const adapters = new Map<string, AdapterPart>();
  const find = (alias: string): AdapterPart | null => {
    const adapter = adapters.get(keyOf(alias));
    return adapter?.enabled ? adapter : null;
  };
  return {
    register: (part) => {
      const known = adapters.get(keyOf(part.alias));
      adapters.set(keyOf(part.alias), known ? joined(known, part) : part);
    },
    find,
    asking: (alias, name) => {
      const asked: Asked = async (request) => {
        const operation = find(alias)?.[name] as Asked | undefined;
        if (operation) return operation(request);
        const text = 'This shop does not offer that to agents.';
        return { dialect: request.agent.dialect, error: { code: 'not_found', text } };
      };
      return asked as ProtocolOperations[typeof name];
    },
    aliases: () => [...adapters.values()].map(({ alias }) => alias),
  };
};
