import type { EntityKind } from '#entities/define-entity.ts';
import { remove, type AnyProjection } from '#kernel/projection.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../entity-document.ts';

type KeptDocument = EntityDocument<Readonly<Record<string, unknown>>>;

const textsOf = ({ searched }: EntityKind, fields: object): readonly (string | null)[] =>
  searched.map((field) => (fields as Readonly<Record<string, string | null>>)[field] ?? null);

/** The managed things of one kind by id: a projection for every declaration. */
export const entityView = (kind: EntityKind): AnyProjection => ({
  name: kind.list,
  version: 1,
  indexes: [...entityIndexes, ...kind.sorted.map((field) => ({ fields: [`fields.${field}`] }))],
  keys: (event: Recorded) => [idOf(event.stream)],
  on: Object.fromEntries(
    kind.events.definitions.map(({ type }) => [
      type,
      (document: KeptDocument | null, event: Recorded, key: string) => {
        const told = kind.told[event.type]?.(event);
        if (!told) return remove;
        const { fields, at } = told;
        const texts = textsOf(kind, fields);
        return kind.isCreation(event)
          ? createdEntity(key, fields, texts, at)
          : changedEntity(document, fields as KeptDocument['fields'], texts, at);
      },
    ]),
  ),
});
