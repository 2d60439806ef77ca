import { codeOfDeclared } from './declared-responses.ts';

/** An answer, with its body parsed. */
export interface ApiResponse {
  readonly status: number;
  // Tests read whatever an answer may hold.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** As it came over the wire. */
  readonly text: string;
  readonly headers: Headers;
  /** Why it is a refusal; null where it is none, or where the shop runs in another process. Bodies say the same. */
  readonly code: string | null;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

/** What somebody sends. */
export interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Somebody with a cookie jar of their own. A shop in this process must declare what it answers: a call throws where a
 * route does not.
 */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The test has broken something: a 500 is no surprise. */
  expectsDefects = false;
  /** Without a slash at the end. */
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.base = base;
    this.#headers = headers;
  }

  async call(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...this.#headers,
        ...(cookie === '' ? {} : { Cookie: cookie }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const parsed = isJson && text !== '' ? JSON.parse(text) : text;
    const code = codeOfDeclared(response.headers.get('x-correlation-id'), this.expectsDefects);
    if (code !== null && parsed?.success === false && parsed.code !== code)
      throw new Error(`${method} ${path} is refused for ${code} and says ${parsed.code}`);
    return { status: response.status, body: parsed, text, headers: response.headers, code };
  }

  ask = ({ method, path, body, headers }: Request) => this.call(method, path, body, { ...headers });
  get = (path: string, headers?: Record<string, string>) => this.call('GET', path, undefined, headers);
  post = (path: string, body: unknown = {}, headers?: Record<string, string>) =>
    this.call('POST', path, body, headers);
  put = (path: string, body: unknown) => this.call('PUT', path, body);
  delete = (path: string) => this.call('DELETE', path);

  /** What a browser does with a Set-Cookie header. */
  keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, decodeURIComponent(value));
  }
}
