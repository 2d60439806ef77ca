import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { API_KEY_ACTOR, operator, OPERATOR_HEADER, type Role } from '#runtime/backoffice-users.ts';
import { bearerOf } from '../bearer.ts';
import type { Identity } from '../identity.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { Caller } from './caller.ts';

/** What stands in events that were caused with the API key. */
const apiKeyActor: Actor = { kind: 'backoffice', id: API_KEY_ACTOR };

const unauthenticated = (message: string): Rejection => new Rejection('unauthenticated', message);

/** The header alone is only a claim: from elsewhere it changes nothing. */
const isOperator = (request: RequestFacts): boolean =>
  request.header(OPERATOR_HEADER) !== undefined && request.isFromThisMachine === true;

const admit = async (
  roles: readonly Role[],
  request: RequestFacts,
  { isApiKey, tokens, findUser }: Identity,
): Promise<Actor> => {
  const credential = bearerOf(request.header('authorization'));
  if (credential === undefined) throw unauthenticated('Sign in, or send an API key: Authorization: Bearer …');
  if (isApiKey(credential)) return isOperator(request) ? operator : apiKeyActor;
  const claims = tokens.read(credential);
  const user = claims && (await findUser(claims.userId));
  if (!user || claims.version !== (user.tokenVersion ?? 0))
    throw unauthenticated('This credential is not valid or has expired. Sign in again.');
  if (roles.includes(user.role)) return { kind: 'backoffice', id: user.id };
  throw new Rejection(
    'wrong-role',
    `This needs one of the roles ${roles.join(', ')}; yours is ${user.role}.`,
  );
};

/** For what only admins see of an answer that others get, too. */
export const isAdmin = async ({ kind, id }: Actor, findUser: Identity['findUser']): Promise<boolean> => {
  if ((kind !== 'backoffice' && kind !== 'operator') || id === null) return false;
  return id === apiKeyActor.id || (await findUser(id))?.role === 'admin';
};

/** A user of the backoffice with one of the roles, or the API key, which has them all. */
const backoffice = (...roles: readonly Role[]): Caller => ({
  kind: 'backoffice',
  label: roles.join(', '),
  security: [{ bearer: [] }],
  schemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or the token of a sign-in.' },
  },
  errors: ['unauthenticated', 'wrong-role'],
  admit: (request, identity) => admit(roles, request, identity),
});

/** Changes something: admins only. */
export const admin = backoffice('admin');
/** Reads: everyone in the backoffice. */
export const reader = backoffice('admin', 'analyst', 'auditor');
/** Reads what concerns no one person, and has the shop work on it. */
export const analyst = backoffice('admin', 'analyst');
/** Reads the event log. */
export const auditor = backoffice('admin', 'auditor');
