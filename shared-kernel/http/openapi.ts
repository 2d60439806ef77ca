import { z } from 'zod';
import { BASKET_HEADER } from './basket-cookie.ts';
import { errorRow } from './errors.ts';
import { IGNORED_HEADER } from './ignored-members.ts';
import { bodyErrorsOf, contentTypeOf } from './read-body.ts';
import { admin, testing, type Route } from './route.ts';
import { pathsOf } from './route-tree.ts';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
};

const content = (schema: Json, type = 'application/json'): Json => ({ [type]: { schema } });

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
const impliedErrors = (route: Route): readonly string[] =>
  route.surface.isForAgents ? impliedForAgents(route) : impliedForOthers(route);

/** In the protocol's words. */
const impliedForAgents = ({ schemas, caller, isIdempotent, method }: Route): readonly string[] => [
  ...(schemas.body ? ['missing', 'invalid', 'invalid_json', 'payload_too_large'] : []),
  ...caller.errors,
  ...(schemas.params ? ['not_found'] : []),
  ...(isIdempotent ? ['idempotency_conflict', 'idempotency_in_progress', 'idempotency_unavailable'] : []),
  ...(method === 'GET' ? [] : ['conflict']),
  'service_unavailable',
];

const impliedForOthers = ({
  schemas,
  body,
  surface,
  caller,
  isIdempotent,
  service,
  method,
  reads = [],
}: Route): readonly string[] => [
  ...(schemas.body || schemas.query ? ['invalid-request'] : []),
  ...(schemas.body ? [...bodyErrorsOf(body), 'command-too-large'] : []),
  ...caller.errors,
  ...(schemas.params ? ['not-found'] : []),
  ...(isIdempotent ? ['idempotency-key-reused', 'request-in-progress'] : []),
  // Responses kept for shoppers at one address are limited.
  ...(isIdempotent && caller.isShopper ? ['too-many-requests'] : []),
  // The owner's hooks may object to any change, and concurrent changes may conflict.
  ...(service === 'command' && method !== 'GET' ? ['cancelled', 'conflict'] : []),
  ...(surface.servesOtherOrigins && method === 'POST' ? ['origin-not-allowed'] : []),
  ...(reads.length > 0 ? ['view-being-filled'] : []),
  'engine-unavailable',
];

/** Every refusal that a route may answer: those it names, and those of its kind. */
export const declaredErrors = (route: Route): ReadonlySet<string> =>
  new Set([...route.errors, ...impliedErrors(route)]);

const ignoredHeader: Json = {
  [IGNORED_HEADER]: {
    description: 'Unknown members of the body and parameters of the query, which were ignored',
    schema: { type: 'string', examples: ['colour, customItems.0.colour'] },
  },
};

/** The form of a refusal, with the codes that it may have where it has them by that name. */
const refusalSchema = ({ surface: { errors } }: Route, codes: readonly string[]): Json => {
  const form = { $ref: `#/components/schemas/${errors.name}` };
  const { properties = {} } = schemaOf(errors.schema, 'output') as { properties?: Json };
  return 'code' in properties ? { allOf: [form, { properties: { code: { enum: codes } } }] } : form;
};

/** The answer in each of its media types; what is not JSON is text. */
const contentOf = ({ responseType, alsoAs = [] }: Route, response: z.ZodType): Json =>
  Object.assign(
    content(schemaOf(response, 'output'), responseType),
    ...alsoAs.map((type) => content({ type: 'string' }, type)),
  ) as Json;

const responsesOf = (route: Route): Json => {
  const success = route.status ?? (route.response ? 200 : 204);
  const responses: Record<string, unknown> = {
    [success]: {
      description: 'Done',
      ...(route.surface.namesIgnored && { headers: ignoredHeader }),
      ...(route.response && { content: contentOf(route, route.response) }),
    },
  };
  if (route.isInParts)
    responses[206] = { ...(responses[success] as Json), description: 'The part that was asked for' };
  if (route.returnsExisting)
    responses[200] = { ...(responses[success] as Json), description: 'What is there already' };
  const byStatus = new Map<number, string[]>();
  for (const code of declaredErrors(route)) {
    const status = errorRow(code)?.status ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    const description = codes.join(', ');
    responses[status] = { description, content: content(refusalSchema(route, codes)) };
  }
  responses['default'] = {
    description: 'internal-error',
    content: content(refusalSchema(route, ['internal-error'])),
  };
  return responses;
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
};

const basketHeader: Json = {
  name: BASKET_HEADER,
  in: 'header',
  required: false,
  description: 'The signed basket, for callers that keep no cookies; comes back in the same header',
  schema: { type: 'string' },
};

/** A body that the handler checks itself may be left out where there is no schema for it. */
const requestBodyOf = ({ schemas, bodyForm, surface, body }: Route): Json => {
  const schema = bodyForm ?? (surface.isForAgents ? undefined : schemas.body);
  if (!schema) return {};
  return {
    requestBody: { required: true, content: content(schemaOf(schema, 'input'), contentTypeOf(body)) },
  };
};

const operationOf = (route: Route): Json => ({
  summary: route.summary,
  tags: [route.surface.name],
  parameters: [
    ...parametersOf(route),
    ...(route.isIdempotent ? [idempotencyKey] : []),
    ...(route.caller.isShopper ? [basketHeader] : []),
  ],
  ...requestBodyOf(route),
  responses: responsesOf(route),
  security: route.caller.security,
});

/**
 * The OpenAPI 3.1 description of routes, from the schemas that validate (docs/architecture.md#which-service-answers).
 */
export const openApi = (routes: readonly Route[], version: string): Json => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const [path] = pathsOf(route);
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  // Explained also where no route of this process asks for them.
  const callers = [admin, testing, ...routes.map(({ caller }) => caller)];
  return {
    openapi: '3.1.0',
    info: { title: 'Tillroll', version, description: 'An event-sourced online-shop back end.' },
    paths,
    components: {
      schemas: Object.fromEntries(
        routes.map(({ surface: { errors } }) => [errors.name, schemaOf(errors.schema, 'output')]),
      ),
      securitySchemes: Object.assign({}, ...callers.map(({ schemes }) => schemes)) as Json,
    },
  };
};
