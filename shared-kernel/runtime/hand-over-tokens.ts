import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import { createIdTokens } from './id-tokens.ts';

/** What an agent hands over to a shopper: a checkout session or a cart. */
export interface HandedOver {
  readonly kind: 'session' | 'cart';
  readonly id: string;
}

/**
 * Tokens of hand-overs: a session or a cart has one for good. Whether it is still open says whoever finds it by the
 * token.
 */
export interface HandOverTokens {
  /** 43 characters. */
  tokenOf(handedOver: HandedOver): string;
  /** What a token of this shop hands over, checked in constant time; null for any other text. */
  handedOverBy(token: string): HandedOver | null;
}

/** Each answer about a session names its token: those of the sessions in use are worked out once. */
const MOST_KEPT = 10_000;

const kinds = ['session', 'cart'] as const;

export const createHandOverTokens = (applicationKey: Buffer): HandOverTokens => {
  const tokens = createIdTokens(applicationKey, 'hand-over');
  const kept = new LRUCache<string, string>(atMost(MOST_KEPT));
  return {
    tokenOf: ({ kind, id }) => {
      const key = `${kind} ${id}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const token = tokens.tokenOf(id, kind);
      kept.set(key, token);
      return token;
    },
    handedOverBy: (token) => {
      const id = tokens.idIn(token);
      if (id === null) return null;
      const [kind] = kinds.filter((one) => tokens.isTokenOf(token, id, one));
      return kind === undefined ? null : { kind, id };
    },
  };
};
