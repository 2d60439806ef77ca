import { z } from 'zod';
import type { DataSchema } from './topic.ts';
import { namedTopics, type TopicKey } from './topics.ts';

/** The schema of a topic's `data` for programs: JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A topic as the management API shows it. `samplePayload`: the `data` of an envelope, as JSON text. */
export interface TopicRecord {
  readonly key: TopicKey;
  readonly displayName: string;
  readonly description: string;
  readonly category: string;
  readonly samplePayload: string;
  readonly schema: JsonSchema;
}

/** Open to fields that are added later; formats stand for themselves, without the patterns of this release. */
const jsonSchemaOf = (schema: DataSchema): JsonSchema =>
  z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });

const ordinal = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

let records: readonly TopicRecord[] | undefined;

/** By category and name. Schemas are written when they are first asked for: a start waits for none. */
export const topicRecords = (): readonly TopicRecord[] =>
  (records ??= [...namedTopics]
    .map(([key, { category, displayName, description, sample, schema }]) => ({
      ...{ key, displayName, description, category },
      samplePayload: JSON.stringify(sample),
      schema: jsonSchemaOf(schema),
    }))
    .sort(
      (one, other) => ordinal(one.category, other.category) || ordinal(one.displayName, other.displayName),
    ));

export const topicsByCategory = (): readonly {
  readonly name: string;
  readonly topics: readonly TopicRecord[];
}[] =>
  [...Map.groupBy(topicRecords(), ({ category }) => category)].map(([name, topics]) => ({ name, topics }));
