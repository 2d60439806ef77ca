import { createHash } from 'node:crypto';
import type { Json } from '#agents/dialects.ts';

/** Where digests stand in place of claims, and in place of an element of a list (RFC 9901, section 4.2). */
const CLAIMS = '_sd';
const ELEMENT = '...';
const ALGORITHM = '_sd_alg';

/** What says for how long a mandate is good, of which kind and for whom must be open to everyone. */
const alwaysOpen = ['vct', 'exp', 'nbf', 'cnf', ALGORITHM];

/** A claim or, without a name, an element of a list. */
interface Disclosure {
  readonly name: string | null;
  readonly value: unknown;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const readDisclosure = (encoded: string): Disclosure => {
  const parts = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as unknown;
  if (!Array.isArray(parts) || typeof parts[0] !== 'string')
    throw new TypeError('a disclosure without a salt');
  const [, name, value] = parts as readonly unknown[];
  if (parts.length === 2) return { name: null, value: name };
  if (parts.length === 3 && typeof name === 'string') return { name, value };
  throw new TypeError('a disclosure of neither a claim nor an element');
};

/** The disclosures of a mandate. Each digest leads to one of them once, or a short mandate could unfold without end. */
const createUnfolding = (encoded: readonly string[]) => {
  const left = new Map(encoded.map((one) => [digestOf(one), readDisclosure(one)]));
  if (left.size !== encoded.length) throw new TypeError('a disclosure that comes twice');
  const seen = new Set<string>();

  const take = (digest: unknown, isOfList: boolean): readonly Disclosure[] => {
    if (typeof digest !== 'string' || seen.has(digest)) throw new TypeError('a digest that comes twice');
    seen.add(digest);
    const found = left.get(digest);
    if (!found) return [];
    left.delete(digest);
    if ((found.name === null) !== isOfList) throw new TypeError('a disclosure in a place of another kind');
    return [found];
  };

  const unfoldElement = (element: unknown): readonly unknown[] =>
    isObject(element) && ELEMENT in element
      ? take(element[ELEMENT], true).map(({ value }) => unfold(value))
      : [unfold(element)];

  const unfoldObject = ({ [CLAIMS]: digests = [], ...members }: Json): Json => {
    if (!Array.isArray(digests) || ELEMENT in members) throw new TypeError('digests that are in no list');
    const disclosed = digests.flatMap((digest) => take(digest, false));
    const names = new Set([...Object.keys(members), CLAIMS, ELEMENT]);
    for (const { name } of disclosed) {
      if (name === null || names.has(name)) throw new TypeError('a disclosure of a claim that is there');
      names.add(name);
    }
    const claims = disclosed.map(({ name, value }) => [name, value] as const);
    return Object.fromEntries(
      [...Object.entries(members), ...claims].map(([name, value]) => [name, unfold(value)]),
    );
  };

  const unfold = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap(unfoldElement);
    return isObject(value) ? unfoldObject(value) : value;
  };

  return {
    unfoldObject,
    isAllUsed: (): boolean => left.size === 0,
  };
};

/**
 * The claims of an SD-JWT with those that are disclosed (RFC 9901, section 7.1). Work grows with its length only.
 * Throws where a disclosure stands for no digest, is used twice, hides what is there, or must be in the open.
 */
export const disclosedClaims = (payload: Json, disclosures: readonly string[]): Json => {
  const { [ALGORITHM]: algorithm = 'sha-256', ...open } = payload;
  if (algorithm !== 'sha-256') throw new TypeError('disclosures must be hashed with sha-256');
  const { unfoldObject, isAllUsed } = createUnfolding(disclosures);
  const claims = unfoldObject(open);
  if (!isAllUsed()) throw new TypeError('a disclosure without its digest');
  if (alwaysOpen.some((name) => name in claims && !(name in open)))
    throw new TypeError('a disclosure of what must be in the open');
  return claims;
};
