import type { EntityType } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import { remove, type AnyProjection } from '#kernel/projection.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../entity-document.ts';

/** An entity, with the figures that its type declares. */
export type EntityViewDocument = EntityDocument<Readonly<Record<string, unknown>>>;

const textsOf = ({ searched }: EntityType, fields: object): readonly (string | null)[] =>
  searched.map((field) => (fields as Readonly<Record<string, string | null>>)[field] ?? null);

const noneYet = ({ figures }: EntityType): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.keys(figures).map((name) => [name, 0]));

/** What a document has of the figures of its kind. */
export const figuresOf = (
  { figures }: EntityType,
  document: EntityViewDocument,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.keys(figures).map((name) => [name, (document as unknown as Record<string, number>)[name] ?? 0]),
  );

const ownEvents = (kind: EntityType) =>
  kind.events.definitions.map(({ type }) => [
    type,
    (document: EntityViewDocument | null, event: Recorded, key: string) => {
      const tell = kind.readers[event.type];
      if (!tell) return remove;
      const told = tell(event, document?.fields ?? null);
      if (!told) return null;
      const { at } = told;
      const fields = kind.readable(told.fields as never);
      const texts = textsOf(kind, fields);
      return kind.isCreation(event)
        ? { ...createdEntity(key, fields, texts, at), ...noneYet(kind) }
        : changedEntity(document, fields as EntityViewDocument['fields'], texts, at);
    },
  ]);

const figureEvents = ({ figures }: EntityType) =>
  Object.entries(figures).flatMap(([name, { definitions, tell }]) =>
    definitions.map(({ type }) => [
      type,
      (document: EntityViewDocument | null, event: Recorded, key: string) =>
        document && {
          ...document,
          [name]: tell(event.data as never, (document as unknown as Record<string, number>)[name] ?? 0, key),
        },
    ]),
  );

const keysOf = ({ figures }: EntityType) => {
  const naming = new Map(
    Object.values(figures).flatMap(({ definitions, ids }) =>
      ids ? definitions.map(({ type }) => [type, ids] as const) : [],
    ),
  );
  return (event: Recorded): readonly string[] =>
    naming.get(event.type)?.(event.data as never) ?? [idOf(event.stream)];
};

/** The resources of one kind by id: a projection for every declaration. */
export const entityView = (kind: EntityType): AnyProjection => ({
  name: kind.list,
  version: kind.version,
  indexes: [...entityIndexes, ...kind.sorted.map((field) => ({ fields: [`fields.${field}`] }))],
  keys: keysOf(kind),
  on: Object.fromEntries([...ownEvents(kind), ...figureEvents(kind)]),
});

/** Resources of one context beside each other. They need no module: their declaration says it all. */
export const entitiesByContext: readonly EntityType[] = entities.toSorted((one, other) =>
  one.context.localeCompare(other.context),
);

export const entityViews: readonly AnyProjection[] = entitiesByContext.map(entityView);
