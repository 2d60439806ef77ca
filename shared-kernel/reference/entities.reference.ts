import type { EntityType } from '#entities/define-entity.ts';
import type { Recorded } from '#kernel/event.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { idOf } from '#values/stream-name.ts';
import type { EntityReference } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

type Fields = Readonly<Record<string, unknown>>;
type Kept = ReadonlyMap<string, Fields>;

const none: Kept = new Map();

/** Whether a field holds an id, alone or among others. */
const names = (value: unknown, id: string): boolean =>
  Array.isArray(value) ? value.includes(id) : value === id;

/** What a snapshot must not hold in clear is sealed in it. A text that no key opens any more is an empty one. */
const sealing = (kinds: readonly EntityType[], cipher: TextCipher) => {
  const masked = new Map(kinds.map(({ category, maskedField }) => [category, maskedField]));
  const fieldOf = (key: string): string | null => masked.get(key.split(' ')[0] ?? '') ?? null;
  return {
    keep: (fields: Fields, key: string): Fields => {
      const field = fieldOf(key);
      return field === null ? fields : { ...fields, [field]: cipher.seal(JSON.stringify(fields[field])) };
    },
    opened: (kept: Fields, key: string): Fields => {
      const field = fieldOf(key);
      if (field === null) return kept;
      return { ...kept, [field]: JSON.parse(cipher.open(String(kept[field])) ?? '{}') };
    },
  };
};

/** Resources of every kind, by id. Few: what refers to one is looked for among those that may. */
export const createEntityReference = (
  kinds: readonly EntityType[],
  cipher: TextCipher,
): EntityReference & ReferencePart => {
  const kept = new Map(kinds.map(({ category }) => [category, new Map<string, Fields>()]));
  const { keep, opened } = sealing(kinds, cipher);
  const entries = new ChunkedEntries<Fields>({ keep });
  const put = (category: string, id: string, fields: Fields): void => {
    entries.set(`${category} ${id}`, fields);
    kept.get(category)?.set(id, fields);
  };
  const all = (category: string): Kept => kept.get(category) ?? none;
  const usersAmong = (kind: EntityType, used: string, id: string): string[] => {
    const { category, noun, references } = kind;
    const fields = Object.keys(references).filter((field) => references[field] === used);
    if (fields.length === 0) return [];
    return [...all(category).values()]
      .filter((one) => fields.some((field) => names(one[field], id)))
      .map((one) => `the ${noun} ${kind.called(one)}`);
  };
  const foldOf = (kind: EntityType) => (event: Recorded) => {
    const id = idOf(event.stream);
    const { category } = kind;
    const tell = kind.readers[event.type];
    if (tell) {
      const told = tell(event, all(category).get(id) ?? null);
      if (told) put(category, id, told.fields as Fields);
    } else {
      entries.delete(`${category} ${id}`);
      kept.get(category)?.delete(id);
    }
  };
  return {
    has: (category, id) => all(category).has(id),
    find: (category, id) => all(category).get(id),
    all,
    owner: ({ category, called }, has) => {
      for (const [id, fields] of all(category)) if (has(fields)) return { id, name: called(fields) };
      return undefined;
    },
    users: (category, id) => kinds.flatMap((kind) => usersAmong(kind, category, id)),
    name: 'entities',
    version: 1,
    on: Object.fromEntries(
      kinds.flatMap((kind) => kind.events.definitions.map(({ type }) => [type, foldOf(kind)])),
    ),
    entries,
    restore: (some) => {
      for (const [key, fields] of some) {
        const [category = '', id = ''] = key.split(' ');
        put(category, id, opened(fields as Fields, key));
      }
    },
    clear: () => {
      for (const some of kept.values()) some.clear();
    },
  };
};
