import { topicsByCategory, type JsonSchema, type TopicRecord } from './topic-records.ts';
import { namedTopics } from './topics.ts';

const introduction = `# Webhook topics

What goes out, when, and what its \`data\` holds; the envelope around it is described in [webhooks](rules/webhooks.md#envelope). \`GET /webhooks/topics\` has the same for programs: \`schema\` is the JSON Schema of \`data\`.

- Every field is always there; what is not known, or is forgotten with the person it was about, is null.
- Amounts are decimals, statuses are names, instants are ISO 8601 in UTC.
- Fields may be added: pass over what you do not know.

Written by \`npm run topics-page\`, from the table that the shop announces by.
`;

const choices = (values: readonly unknown[]): string =>
  values.map((value) => `\`${String(value)}\``).join(', ');

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** The alternatives of a schema, without null. */
const alternativesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  ((schema.anyOf ?? schema.oneOf ?? [schema]) as readonly JsonSchema[]).filter((one) => !isNull(one));

const mayBeNull = (schema: JsonSchema): boolean =>
  ((schema.anyOf ?? []) as readonly JsonSchema[]).some(isNull) ||
  (Array.isArray(schema.type) && schema.type.includes('null'));

const kinds: Readonly<Record<string, string>> = {
  uuid: 'GUID',
  'date-time': 'instant',
  number: 'decimal',
  integer: 'integer',
  boolean: 'true or false',
  string: 'text',
};

const kindOf = (schema: JsonSchema): string => {
  if (schema.const !== undefined) return choices([schema.const]);
  if (schema.enum) return choices(schema.enum);
  const [type = ''] = [schema.type].flat().filter((one) => one !== 'null');
  return kinds[schema.format ?? ''] ?? kinds[type] ?? type;
};

interface Field {
  readonly name: string;
  readonly holds: string;
}

const withDescription = (text: string, description: string | undefined): string =>
  description === undefined ? text : `${text}. ${description}`;

/** Everything on one look. */
const overview = (): readonly string[] => [
  '| topic | when |',
  '|---|---|',
  ...topicsByCategory().flatMap(({ topics }) =>
    topics.map(({ key, description }) => `| [${key}](#${key.replaceAll('.', '')}) | ${description} |`),
  ),
  '',
];

/** The fields of an object and of what is in it, by path. */
const fieldsOf = (schema: JsonSchema, path = ''): readonly Field[] =>
  Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(
    ([key, field]) => {
      const name = `${path}${key}`;
      const [inner = field] = alternativesOf(field);
      if (inner.properties) return fieldsOf(inner, `${name}.`);
      const items = inner.items as JsonSchema | undefined;
      if (items?.properties) return fieldsOf(items, `${name}[].`);
      const kind = items ? `list of ${kindOf(items)}` : kindOf(inner);
      const holds = mayBeNull(field) ? `${kind}, or null` : kind;
      return [{ name, holds: withDescription(holds, field.description ?? inner.description) }];
    },
  );

const tableOf = (schema: JsonSchema): readonly string[] => [
  '| field | holds |',
  '|---|---|',
  ...fieldsOf(schema).map(({ name, holds }) => `| \`${name}\` | ${holds} |`),
  '',
];

const eventLink = (type: string): string => `[${type}](events.md#${type.toLowerCase()})`;

const sectionOf = ({ key, description, samplePayload, schema }: TopicRecord): readonly string[] => {
  const { entityType = '', on = {} } = namedTopics.get(key) ?? {};
  return [
    `### ${key}`,
    '',
    description,
    '',
    `- Entity: \`${entityType}\``,
    `- Announces: ${Object.keys(on).toSorted().map(eventLink).join(', ')}`,
    '',
    ...alternativesOf(schema).flatMap(tableOf),
    '```json',
    JSON.stringify(JSON.parse(samplePayload), null, 2),
    '```',
    '',
  ];
};

/** `docs/webhook-topics.md`. */
export const printTopicsPage = (): string =>
  [
    introduction,
    ...overview(),
    ...topicsByCategory().flatMap(({ name, topics }) => [`## ${name}`, '', ...topics.flatMap(sectionOf)]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
