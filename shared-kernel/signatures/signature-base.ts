import {
  serializeInnerList,
  serializeItem,
  type InnerList,
  type Item,
  type Parameters,
} from 'structured-headers';
import { fieldValue, isRequest, urlParts, type HttpMessage, type RequestMessage } from './http-message.ts';

/** A component that cannot be covered: it is not there, or not one that is known here. */
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

type Derived = (request: RequestMessage, parameters: Parameters) => string;

const ofRequests: Readonly<Record<string, Derived>> = {
  '@method': ({ method }) => method,
  '@scheme': ({ url }) => urlParts(url).scheme,
  '@authority': ({ url }) => urlParts(url).authority,
  '@path': ({ url }) => urlParts(url).path,
  '@query': ({ url }) => urlParts(url).query || '?',
  '@request-target': ({ url }) => {
    const { path, query } = urlParts(url);
    return path + query;
  },
  '@target-uri': ({ url }) => {
    const { scheme, authority, path, query } = urlParts(url);
    return `${scheme}://${authority}${path}${query}`;
  },
  '@query-param': ({ url }, parameters) => queryParameter(urlParts(url).query, parameters.get('name')),
};

const fieldName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

const valueOf = (message: HttpMessage, name: string, parameters: Parameters): string => {
  const hasName = name === '@query-param' && parameters.size === 1;
  if (parameters.size > 0 && !hasName)
    throw new ComponentProblem(`${name} with parameters is not known here`);
  const derived = Object.hasOwn(ofRequests, name) ? ofRequests[name] : undefined;
  if (derived && isRequest(message)) return derived(message, parameters);
  if (name === '@status' && !isRequest(message)) return String(message.status);
  if (!fieldName.test(name)) throw new ComponentProblem(`${name} is not known here`);
  const value = fieldValue(message.headers, name);
  if (value === undefined) throw new ComponentProblem(`${name} is not there`);
  return value;
};

const lineOf = (message: HttpMessage, item: Item): string => {
  const [name, parameters] = item;
  if (typeof name !== 'string') throw new ComponentProblem('components must be strings');
  return `${serializeItem(item)}: ${valueOf(message, name, parameters)}`;
};

/**
 * The text that a signature of a message is made over (RFC 9421, section 2.5): a line for each covered component, then
 * the parameters. Throws ComponentProblem.
 */
export const signatureBase = (message: HttpMessage, covered: InnerList): string => {
  const [items] = covered;
  const names = new Set(items.map((item) => serializeItem(item)));
  if (names.size < items.length) throw new ComponentProblem('a component is there twice');
  const lines = items.map((item) => lineOf(message, item));
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join('\n');
};

/** Field values are bytes: what Node reads as Latin-1 is signed as it came. */
export const baseBytes = (base: string): Buffer => Buffer.from(base, 'latin1');
