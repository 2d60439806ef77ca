import { z } from 'zod';
import { errorRow } from './errors.ts';
import type { Route } from './route.ts';
import { pathsOf } from './route-tree.ts';

type Json = Readonly<Record<string, unknown>>;

const errorBody = z.object({ success: z.literal(false), message: z.string() });

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
};

const content = (schema: Json): Json => ({ 'application/json': { schema } });

/** Path and query parameters, one for each field of their schemas. */
const parametersOf = ({ schemas }: Route): readonly Json[] =>
  (['path', 'query'] as const).flatMap((place) => {
    const schema = place === 'path' ? schemas.params : schemas.query;
    if (!schema) return [];
    const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
      properties?: Readonly<Record<string, unknown>>;
      required?: readonly string[];
    };
    return Object.entries(properties).map(([name, parameter]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: parameter,
    }));
  });

/** What may go wrong with any route of its kind, beside the errors that it names. */
const impliedErrors = ({ schemas, caller, isIdempotent }: Route): readonly string[] => [
  ...(schemas.body || schemas.query ? ['invalid-request'] : []),
  ...(schemas.body ? ['invalid-json', 'body-too-large', 'command-too-large'] : []),
  ...(caller.kind === 'backoffice' ? ['unauthenticated', 'wrong-role'] : []),
  ...(caller.kind === 'testing' ? ['unauthenticated'] : []),
  ...(schemas.params ? ['not-found'] : []),
  ...(isIdempotent ? ['idempotency-key-reused', 'request-in-progress'] : []),
  'engine-unavailable',
];

const responsesOf = (route: Route): Json => {
  const success = route.status ?? (route.answer ? 200 : 204);
  const responses: Record<string, unknown> = {
    [success]: {
      description: 'Done',
      ...(route.answer ? { content: content(schemaOf(route.answer, 'output')) } : {}),
    },
  };
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...route.errors, ...impliedErrors(route)])) {
    const status = errorRow(code)?.status ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    const description = codes.join(', ');
    responses[status] = { description, content: content({ $ref: '#/components/schemas/Error' }) };
  }
  return responses;
};

const security = {
  backoffice: [{ bearer: [] }],
  testing: [{ testingSecret: [] }],
  recognised: [{}, { bearer: [] }],
  anyone: [],
  visitor: [],
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
};

const operationOf = (route: Route): Json => ({
  summary: route.summary,
  tags: [route.base],
  parameters: [...parametersOf(route), ...(route.isIdempotent ? [idempotencyKey] : [])],
  ...(route.schemas.body
    ? { requestBody: { required: true, content: content(schemaOf(route.schemas.body, 'input')) } }
    : {}),
  responses: responsesOf(route),
  security: security[route.caller.kind],
});

/** The OpenAPI 3.1 description of routes, from the schemas that validate (architecture, section 8). */
export const openApi = (routes: readonly Route[], version: string): Json => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const [path] = pathsOf(route);
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tillroll', version, description: 'An event-sourced online-shop back end.' },
    paths,
    components: {
      schemas: { Error: schemaOf(errorBody, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or the token of a sign-in.' },
        testingSecret: { type: 'apiKey', in: 'header', name: 'Testing-Secret' },
      },
    },
  };
};
