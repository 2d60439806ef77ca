import { pino, type Logger } from 'pino';
import { createBasketCookies } from '#http/basket-cookie.ts';
import { createFingerprint, type IdempotencyRunner } from '#http/idempotent.ts';
import { createIdentity, type BackofficeCaller } from '#http/identity.ts';
import { createApp } from '#http/mount.ts';
import type { Route } from '#http/route.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { createTokens, type Tokens } from '#http/tokens.ts';

/** What a test sends beside method and path. A text goes out as it is, anything else as JSON. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer; `json` is null where the body is none. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface ApiOptions {
  readonly users?: readonly BackofficeCaller[];
  readonly idempotency?: IdempotencyRunner;
  readonly log?: Logger;
}

const withoutKeys: IdempotencyRunner = { run: (_, handle) => handle('no-command') };

const applicationKey = Buffer.alloc(32, 5);

/** Routes behind a real port, and a caller who keeps cookies. */
export class Api {
  static readonly apiKey = 'the-key-of-the-backoffice';
  static readonly baskets = createBasketCookies(applicationKey);
  static readonly testingSecret = 'the-secret-of-tests';
  readonly tokens: Tokens;
  readonly cookies = new Map<string, string>();
  /** Moved by tests: the shop's time in milliseconds. */
  now = Date.UTC(2026, 0, 1);
  readonly #server: HttpServer;

  private constructor(server: HttpServer, tokens: Tokens) {
    this.#server = server;
    this.tokens = tokens;
  }

  static async open(routes: readonly Route[], options: ApiOptions = {}): Promise<Api> {
    const time = { now: (): number => api.now };
    const tokens = createTokens(Buffer.alloc(32, 7), () => time.now());
    const users = new Map(options.users?.map((user) => [user.id, user]));
    const app = createApp({
      routes,
      settings: { publicBaseUrl: null, trustedProxies: 0, secureCookies: 'auto' },
      identity: createIdentity({
        backofficeApiKey: Api.apiKey,
        tokens,
        testingSecret: Api.testingSecret,
        findUser: (id) => Promise.resolve(users.get(id) ?? null),
      }),
      idempotency: options.idempotency ?? withoutKeys,
      baskets: Api.baskets,
      fingerprint: createFingerprint(applicationKey),
      clock: time,
      log: options.log ?? pino({ level: 'silent' }),
    });
    const api = new Api(await listen(app, 0, '127.0.0.1'), tokens);
    return api;
  }

  get port(): number {
    return this.#server.port;
  }

  async send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Received> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: {
        ...(cookie === '' ? {} : { Cookie: cookie }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }

  get = (path: string, sent?: Sent) => this.send('GET', path, sent);
  post = (path: string, body: unknown = {}, headers: Sent['headers'] = {}) =>
    this.send('POST', path, { body, headers });

  /** As a visitor whom the shop has given this basket. */
  holdBasket(basketId: string): void {
    const { name, value } = Api.baskets.write(basketId);
    this.cookies.set(name, value ?? '');
  }

  close(): Promise<void> {
    return this.#server.stop();
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
