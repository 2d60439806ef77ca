import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { smallSchema, type AnswerKind } from './small-schemas.ts';

export type DatedVersion = '2026-04-08' | '2026-01-11';
export const datedVersions: readonly DatedVersion[] = ['2026-04-08', '2026-01-11'];

/** The folder of the published schemas, one folder in it for each version; without it the small ones must do. */
const folder = process.env['UCP_SCHEMAS'] || undefined;

/** For people who read what a run has checked. Throws where a folder is named that is not there. */
export const schemasInUse = (named = folder): string => {
  if (named === undefined) return 'the small schemas of the tests alone (UCP_SCHEMAS names no folder)';
  const missing = datedVersions.filter((version) => !existsSync(join(named, version)));
  if (missing.length > 0)
    throw new Error(`UCP_SCHEMAS: ${named} must have a folder ${missing.join(' and ')}`);
  return `the small schemas of the tests and the published ones in ${named}`;
};

const extended = (path: string, place: string): readonly string[] =>
  ['discount', 'fulfillment', 'buyer_consent'].map((name) => `${path.replace('*', name)}#/$defs/${place}`);

/** An answer must fit each of these: the extensions' own forms of a checkout among them. */
const published: Readonly<Record<DatedVersion, Partial<Record<AnswerKind, readonly string[]>>>> = {
  '2026-04-08': {
    manifest: ['discovery/profile_schema.json#/$defs/business_profile'],
    checkout: [
      'schemas/shopping/checkout.json',
      ...extended('schemas/shopping/*.json', 'dev.ucp.shopping.checkout'),
      'schemas/shopping/ap2_mandate.json#/$defs/dev.ucp.shopping.checkout',
    ],
    cart: ['schemas/shopping/cart.json', 'schemas/shopping/discount.json#/$defs/dev.ucp.shopping.cart'],
    order: ['schemas/shopping/order.json'],
    products: ['schemas/shopping/catalog_search.json#/$defs/search_response'],
    lookup: ['schemas/shopping/catalog_lookup.json#/$defs/lookup_response'],
    product: ['schemas/shopping/catalog_lookup.json#/$defs/get_product_response'],
    error: ['schemas/shopping/types/error_response.json'],
  },
  '2026-01-11': {
    manifest: ['discovery/profile_schema.json'],
    checkout: [
      'schemas/shopping/checkout_resp.json',
      ...extended('schemas/shopping/*_resp.json', 'checkout'),
      'schemas/shopping/ap2_mandate.json#/$defs/checkout_response_with_ap2',
    ],
    order: ['schemas/shopping/order.json'],
  },
};

const base = 'https://schemas.example/';
/** The others describe interfaces. */
const ofAnswers = /^(schemas|discovery)\/.*\.json$|_schema\.json$/;

const validator = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  return ajv;
};

/** Published files refer to each other by where they stand, whatever they call themselves. */
const ofFolder = (path: string): Ajv2020 => {
  const ajv = validator();
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((file) => ofAnswers.test(file))) {
    const schema = JSON.parse(readFileSync(join(path, name), 'utf8')) as object;
    ajv.addSchema({ ...schema, $id: base + name });
  }
  return ajv;
};

const keptBy = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const kept = new Map<Key, Value>();
  return (key) => {
    const value = kept.get(key) ?? make(key);
    kept.set(key, value);
    return value;
  };
};

type Check = (body: unknown) => readonly string[];

const checkWith = (ajv: Ajv2020, schema: AnySchema): Check => {
  const validate = ajv.compile(schema);
  return (body) =>
    validate(body)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
};

const publishedOf = keptBy((version: DatedVersion) =>
  folder === undefined ? null : ofFolder(join(folder, version)),
);

const checksOf = keptBy((key: string): readonly Check[] => {
  const [version, kind] = key.split(' ') as [DatedVersion, AnswerKind];
  const small = checkWith(validator(), smallSchema(kind, version === '2026-01-11'));
  const ajv = publishedOf(version);
  const names = (ajv && published[version][kind]) ?? [];
  return [small, ...names.map((name) => checkWith(ajv ?? validator(), { $ref: base + name }))];
});

/** What an answer has that its schemas do not allow, or lacks. */
export const schemaProblems = (kind: AnswerKind, version: DatedVersion, body: unknown): readonly string[] =>
  checksOf(`${version} ${kind}`).flatMap((check) => check(body));
