import {
  serializeItem,
  serializeParameters,
  type InnerList,
  type Item,
  type Parameters,
} from 'structured-headers';
import { fieldValue, isRequest, urlParts, type HttpMessage, type UrlParts } from './http-message.ts';

/** A component that cannot be covered: it is missing, or not supported. */
export class ComponentProblem extends Error {
  override readonly name = 'ComponentProblem';
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()~]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const queryParameter = (query: string, name: unknown): string => {
  const values = [...new URLSearchParams(query)].flatMap(([key, value]) =>
    encoded(key) === name ? [value] : [],
  );
  const [value] = values;
  if (value === undefined || values.length > 1)
    throw new ComponentProblem(`the query must have ${String(name)} once`);
  return encoded(value);
};

type Derived = (parts: UrlParts, method: string, parameters: Parameters) => string;

const ofRequests: Readonly<Record<string, Derived>> = {
  '@method': (_, method) => method,
  '@scheme': ({ scheme }) => scheme,
  '@authority': ({ authority }) => authority,
  '@path': ({ path }) => path,
  '@query': ({ query }) => query || '?',
  '@request-target': ({ path, query }) => path + query,
  '@target-uri': ({ scheme, authority, path, query }) => `${scheme}://${authority}${path}${query}`,
  '@query-param': ({ query }, _, parameters) => queryParameter(query, parameters.get('name')),
};

const fieldName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

type Source = (name: string, parameters: Parameters) => string | undefined;

/** The derived components; a request's address is parsed once. */
const derivedOf = (message: HttpMessage): Source => {
  if (!isRequest(message)) return (name) => (name === '@status' ? String(message.status) : undefined);
  const parts = urlParts(message.url);
  return (name, parameters) =>
    Object.hasOwn(ofRequests, name) ? ofRequests[name]?.(parts, message.method, parameters) : undefined;
};

const valueOf = (message: HttpMessage, derived: Source, [name, parameters]: Item): string => {
  if (typeof name !== 'string') throw new ComponentProblem('components must be strings');
  const hasName = name === '@query-param' && parameters.size === 1;
  if (parameters.size > 0 && !hasName)
    throw new ComponentProblem(`${name} with parameters is not known here`);
  const known = derived(name, parameters);
  if (known !== undefined) return known;
  if (!fieldName.test(name)) throw new ComponentProblem(`${name} is not known here`);
  const value = fieldValue(message.headers, name);
  if (value === undefined) throw new ComponentProblem(`${name} is not there`);
  return value;
};

/**
 * The text that a signature of a message is made over (RFC 9421, section 2.5): a line for each covered component, then
 * the parameters. Throws ComponentProblem.
 */
export const signatureBase = (message: HttpMessage, [items, parameters]: InnerList): string => {
  const names = items.map((item) => serializeItem(item));
  if (new Set(names).size < items.length) throw new ComponentProblem('a component is listed twice');
  const derived = derivedOf(message);
  const lines = items.map((item, index) => `${names[index]}: ${valueOf(message, derived, item)}`);
  return [...lines, `"@signature-params": (${names.join(' ')})${serializeParameters(parameters)}`].join('\n');
};

/** Field values are bytes: what Node reads as Latin-1 is signed as it came. */
export const baseBytes = (base: string): Buffer => Buffer.from(base, 'latin1');
