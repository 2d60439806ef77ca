import { createHash, timingSafeEqual } from 'node:crypto';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CallerRule, Role } from './route.ts';
import type { Tokens } from './tokens.ts';

/** Somebody of the backoffice, as a credential says. */
export interface BackofficeCaller {
  readonly id: string;
  readonly role: Role;
  /** Tokens of another version are no longer, or not yet, theirs. Default 0. */
  readonly tokenVersion?: number;
}

/** Who asks. Errors: Rejection `unauthenticated`, `wrong-role`; `EngineUnavailable`. */
export interface Identity {
  /** The actor behind a request, if the rule lets them pass. Resolves at once for visitors. */
  admit(rule: CallerRule, headers: CredentialHeaders): Actor | Promise<Actor>;
}

export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'testing-secret'?: string | string[] | undefined;
}

export interface IdentityOptions {
  /** Whoever presents it is an admin. */
  readonly backofficeApiKey: string;
  readonly tokens: Tokens;
  /** Null: there are no test endpoints. */
  readonly testingSecret: string | null;
  /** The user as they are now; null when there is none, or when they are disabled. */
  readonly findUser: (id: string) => Promise<BackofficeCaller | null>;
}

/** What stands in events that were caused with the API key. */
export const apiKeyActor: Actor = { kind: 'backoffice', id: 'api-key' };

const everyRole: readonly Role[] = ['admin', 'analyst', 'auditor'];

const visitorActor: Actor = { kind: 'visitor', id: null };
const testingActor: Actor = { kind: 'system', id: null };

/** Compares in constant time, whatever the lengths. */
export const isSecret = (secret: string): ((given: string) => boolean) => {
  const digest = createHash('sha256').update(secret).digest();
  return (given) => timingSafeEqual(createHash('sha256').update(given).digest(), digest);
};

export const createIdentity = (options: IdentityOptions): Identity => {
  const isApiKey = isSecret(options.backofficeApiKey);
  const isTestingSecret = options.testingSecret === null ? () => false : isSecret(options.testingSecret);

  const admitBackoffice = async (roles: readonly Role[], authorization?: string): Promise<Actor> => {
    const credential = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (credential === undefined)
      throw unauthenticated('Sign in, or send an API key: Authorization: Bearer …');
    if (isApiKey(credential)) return apiKeyActor;
    const claims = options.tokens.read(credential);
    const user = claims && (await options.findUser(claims.userId));
    if (!user || claims.version !== (user.tokenVersion ?? 0))
      throw unauthenticated('This credential is not valid or has expired. Sign in again.');
    if (roles.includes(user.role)) return { kind: 'backoffice', id: user.id };
    throw new Rejection(
      'wrong-role',
      `This needs one of the roles ${roles.join(', ')}; yours is ${user.role}.`,
    );
  };

  /** Somebody of the backoffice if they can be told, else a visitor: nobody is turned away. */
  const recognise = async (authorization: string | undefined): Promise<Actor> => {
    if (authorization === undefined) return visitorActor;
    return admitBackoffice(everyRole, authorization).catch(() => visitorActor);
  };

  return {
    admit: (rule, headers) => {
      switch (rule.kind) {
        case 'anyone':
        case 'visitor':
          return visitorActor;
        case 'recognised':
          return recognise(headers.authorization);
        case 'backoffice':
          return admitBackoffice(rule.roles, headers.authorization);
        case 'testing': {
          const given = headers['testing-secret'];
          if (typeof given === 'string' && isTestingSecret(given)) return testingActor;
          throw unauthenticated('The header Testing-Secret is missing or wrong.');
        }
      }
    },
  };
};

const unauthenticated = (message: string): Rejection => new Rejection('unauthenticated', message);
