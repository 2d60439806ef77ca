/** Header fields by their names in lower case; those that come in several lines as a list. */
export type MessageFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RequestMessage {
  readonly method: string;
  /** The whole address as its sender wrote it: its path is not normalised. */
  readonly url: string;
  readonly headers: MessageFields;
  readonly body: Buffer;
}

export interface ResponseMessage {
  readonly status: number;
  readonly headers: MessageFields;
  readonly body: Buffer;
}

export type HttpMessage = RequestMessage | ResponseMessage;

export const isRequest = (message: HttpMessage): message is RequestMessage => 'method' in message;

/** The value of a field, its lines joined; undefined where there is none. */
export const fieldValue = (headers: MessageFields, name: string): string | undefined => {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'object' ? value.map((line) => line.trim()).join(', ') : value?.trim();
};

const absolute = /^([a-z]+):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i;

/** The parts of an address: `query` begins with its question mark, and is empty where there is none. */
export interface UrlParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

const usualPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

const withoutUsualPort = (authority: string, scheme: string): string => {
  const port = usualPorts[scheme];
  return port !== undefined && authority.endsWith(port) ? authority.slice(0, -port.length) : authority;
};

/** Throws TypeError for anything but an absolute address. */
export const urlParts = (url: string): UrlParts => {
  const [, scheme = '', host = '', path = '', query = ''] = absolute.exec(url) ?? [];
  if (scheme === '') throw new TypeError(`${url} is no absolute address`);
  const named = scheme.toLowerCase();
  return {
    scheme: named,
    authority: withoutUsualPort(host.toLowerCase(), named),
    path: path === '' ? '/' : path,
    query,
  };
};
