import { pino, type Logger } from 'pino';
import { createBasketCookies } from '#http/basket-cookie.ts';
import { createFingerprint, type Idempotency } from '#http/idempotent.ts';
import { createIdentity } from '#http/identity.ts';
import type { AgentStep } from '#http/agent-step.ts';
import type { BackofficeCaller } from '#runtime/backoffice-users.ts';
import type { FollowedHere } from '#http/handle-request.ts';
import { createApp } from '#http/mount.ts';
import type { Route } from '#http/route.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { createTokens, type Tokens } from '#runtime/tokens.ts';
import { agentStepWith } from './agent-step.ts';
import { Browser } from './browser.ts';
import { memberWith } from './builders/member.ts';

export interface ApiOptions {
  readonly users?: readonly BackofficeCaller[];
  readonly members?: readonly { readonly id: string; readonly tokenVersion: number }[];
  readonly idempotency?: Idempotency;
  /** Who asks on agent paths. Default: under the usual settings, without profiles. */
  readonly agents?: AgentStep;
  readonly log?: Logger;
  readonly reference?: FollowedHere;
  /** How many proxies are believed about the caller's address; default: none. */
  readonly trustedProxies?: number;
  readonly allowedOrigins?: readonly string[];
  /** Of every request; a request's own come first. */
  readonly headers?: Readonly<Record<string, string>>;
}

const withoutKeys: Idempotency = { run: (_, handle) => handle('no-command') };

const applicationKey = Buffer.alloc(32, 5);
const apiKey = 'the-key-of-the-backoffice';
export const asAdmin = { Authorization: `Bearer ${apiKey}` };

/** Routes behind a real port, and somebody who calls them. */
export class Api extends Browser {
  static readonly baskets = createBasketCookies(applicationKey);
  static readonly testingSecret = 'the-secret-of-tests';
  readonly tokens: Tokens;
  readonly memberTokens: Tokens;
  /** Moved by tests: the shop's time in milliseconds. */
  now = Date.UTC(2026, 0, 1);
  readonly #server: HttpServer;

  private constructor(
    server: HttpServer,
    tokens: readonly [staff: Tokens, members: Tokens],
    headers: ApiOptions['headers'],
  ) {
    super(`http://127.0.0.1:${server.port}`, headers);
    this.#server = server;
    [this.tokens, this.memberTokens] = tokens;
  }

  static async open(routes: readonly Route[], options: ApiOptions = {}): Promise<Api> {
    const time = { now: (): number => api.now };
    const tokens = createTokens(Buffer.alloc(32, 7), () => time.now());
    const memberTokens = createTokens(Buffer.alloc(32, 9), () => time.now(), 'member');
    const users = new Map(options.users?.map((user) => [user.id, user]));
    const app = createApp({
      routes,
      settings: {
        publicBaseUrl: null,
        trustedProxies: options.trustedProxies ?? 0,
        secureCookies: 'auto',
        allowedOrigins: options.allowedOrigins ?? [],
      },
      identity: createIdentity({
        backofficeApiKey: apiKey,
        tokens,
        testingSecret: Api.testingSecret,
        findUser: (id) => Promise.resolve(users.get(id) ?? null),
        memberTokens,
        findMember: async (id, version) => {
          const found = options.members?.find((one) => one.id === id && one.tokenVersion === version);
          return found ? memberWith({ _id: id, tokenVersion: version }) : null;
        },
        hasPaid: () => false,
        agents: options.agents ?? agentStepWith(),
      }),
      idempotency: options.idempotency ?? withoutKeys,
      baskets: Api.baskets,
      fingerprint: createFingerprint(applicationKey),
      clock: time,
      ...(options.reference ? { reference: options.reference } : {}),
      log: options.log ?? pino({ level: 'silent' }),
    });
    const api = new Api(await listen(app, 0, '127.0.0.1'), [tokens, memberTokens], options.headers);
    return api;
  }

  get port(): number {
    return this.#server.port;
  }

  /** As a visitor whom the shop has given this basket. */
  holdBasket(basketId: string): void {
    const { name, value } = Api.baskets.write(basketId, null);
    this.cookies.set(name, value ?? '');
  }

  close(): Promise<void> {
    return this.#server.stop();
  }
}
