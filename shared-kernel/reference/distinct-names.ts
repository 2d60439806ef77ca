import type { EntityReference } from './reference.ts';

/** The word by which each resource of a kind is addressed. */
export interface DistinctNames {
  of(id: string): string;
  /** The one that has this id, else this word, in any case. */
  owner(named: string): string | undefined;
}

/**
 * What resources are addressed by, each by a word of its own: of those that were alike before this was refused, all but
 * the one with the first id have a number behind theirs, such as `spring-2`.
 */
export const distinctNames = (
  entities: Pick<EntityReference, 'all'>,
  category: string,
  field: string,
): DistinctNames => {
  const given = [...entities.all(category)]
    .map(([id, fields]) => [id, String(fields[field])] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const taken = new Set(given.map(([, name]) => name.toLowerCase()));
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [id, name] of given) {
    let own = name;
    for (let number = 2; name !== '' && owners.has(own.toLowerCase()); number++) {
      const next = `${name}-${number}`;
      own = taken.has(next.toLowerCase()) ? own : next;
    }
    owners.set(own.toLowerCase(), id);
    names.set(id, own);
  }
  return {
    of: (id) => names.get(id) ?? '',
    owner: (named) => {
      const word = named.toLowerCase();
      return names.has(word) ? word : owners.get(word);
    },
  };
};
