import {
  keyOf,
  readFile,
  type Aliases,
  type Construction,
  type FileFacts,
  type Member,
  type Place,
  type Source,
} from './read-file.ts';

/** What a declaration comes to, itself or through what it refers to. */
export interface Reachable {
  readonly key: string;
  /** Other declarations, as `keyOf` names them. */
  readonly reaches: ReadonlySet<string>;
  readonly constructs: readonly Construction[];
}

export interface SourceGraph {
  readonly from: (file: string, name: string) => Reachable;
  /** Where an object has a member of this name. */
  readonly keyed: (key: string) => readonly Place[];
  /** Where an object says `name: '…'` of itself. */
  readonly named: (name: string) => readonly Place[];
}

export const readSources = (sources: readonly Source[], aliases: Aliases): SourceGraph => {
  const files = sources.map((source) => readFile(source, aliases));
  const declarations = new Map(files.flatMap(({ declarations: one }) => one));
  const placesBy = (of: (file: FileFacts) => readonly Member[]): ((key: string) => readonly Place[]) => {
    const byKey = Map.groupBy(files.flatMap(of), ({ key }) => key);
    return (key) => (byKey.get(key) ?? []).map(({ place }) => place());
  };
  return {
    from: (file, name) => {
      const key = keyOf(file, name);
      const reaches = new Set<string>();
      const waiting = [key];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (reaches.has(next)) continue;
        reaches.add(next);
        waiting.push(...(declarations.get(next)?.refersTo ?? []));
      }
      const constructs = [...reaches].flatMap((one) => declarations.get(one)?.constructs ?? []);
      return { key, reaches, constructs };
    },
    named: placesBy(({ names }) => names),
    keyed: placesBy(({ keys }) => keys),
  };
};
