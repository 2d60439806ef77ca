import { refusals } from './refusal.ts';

export const callers = refusals('Who asks', {
  unauthenticated: {
    status: 401,
    when: 'Nobody is signed in, or the credential is wrong, expired or from before a sign-out.',
    remedy: 'Sign in again.',
  },
  'sign-in-failed': {
    status: 200,
    when: 'E-mail address or password is wrong, or there were too many tries; `message` says which.',
    remedy: 'Show the message.',
  },
  'wrong-role': {
    status: 403,
    when: 'The user has not the role that this needs; `message` names it.',
    remedy: 'Ask an admin.',
  },
  'not-yours': {
    status: 403,
    when: 'The invoice, order or payment method belongs to somebody else, or the visitor cannot prove that it is theirs.',
    remedy: 'Sign in, or use the basket it was bought with.',
  },
  'origin-not-allowed': {
    status: 403,
    when: 'A page of an origin that is not listed asks for leave to call, or sends a form with a shopper’s cookies.',
    remedy: 'List the origin in `Storefront.AllowedOrigins`.',
  },
  'too-many-requests': {
    status: 429,
    retryAfterSeconds: 60,
    when: 'More requests from one address, account or member than the shop takes in a minute.',
    remedy: 'Wait as long as `Retry-After` says.',
  },
});
