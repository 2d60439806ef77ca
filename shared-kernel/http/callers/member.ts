import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { memberTokenOf } from '../cookies.ts';
import { bearerOf } from '../bearer.ts';
import type { Identity } from '../identity.ts';
import type { RequestFacts } from '../request-facts.ts';
import { stranger } from './anyone.ts';
import type { Caller } from './caller.ts';

/** What a request brings along to show who signed in: a bearer, or else the cookie. */
const credentialOf = ({ header, cookies }: RequestFacts): string | undefined =>
  bearerOf(header('authorization')) ?? memberTokenOf(cookies);

const memberOf = async (
  credential: string,
  { memberTokens, findMember }: Identity,
): Promise<Actor | null> => {
  const claims = memberTokens.read(credential);
  const member = claims && (await findMember(claims.userId, claims.version));
  return member ? { kind: 'member', id: member._id } : null;
};

/** Who has signed in to the shop. A token that is wrong in any way is refused like one that is missing. */
export const member: Caller = {
  kind: 'member',
  isShopper: true,
  security: [{ member: [] }, { memberCookie: [] }],
  schemes: {
    member: { type: 'http', scheme: 'bearer', description: 'The token of a sign-in to the shop.' },
    memberCookie: { type: 'apiKey', in: 'cookie', name: 'shop_member' },
  },
  errors: ['unauthenticated'],
  admit: async (request, identity) => {
    const credential = credentialOf(request);
    const actor = credential === undefined ? null : await memberOf(credential, identity);
    // Some storefronts look for the text under this name.
    if (actor === null) throw new Rejection('unauthenticated', 'Sign in first.', { error: 'Sign in first.' });
    return actor;
  },
};

/** The member who has signed in, else a stranger, who has nothing looked up for them. */
export const admitShopper: Caller['admit'] = (request, identity) => {
  const credential = credentialOf(request);
  if (credential === undefined) return stranger;
  return memberOf(credential, identity).then((actor) => actor ?? stranger);
};
