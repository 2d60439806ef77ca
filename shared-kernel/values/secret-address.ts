/** Stands where a secret stood. */
const MASKED = '***';
/** Shorter ones would be found in any text. */
export const SHORTEST_SECRET = 4;

/** What of an address may be a key: user information, the query, the fragment. */
const secretParts = (address: string): readonly string[] => {
  if (!URL.canParse(address)) return [];
  const { username, password, search, hash, searchParams } = new URL(address);
  const written = [username, password, search.slice(1), hash.slice(1)];
  return [...written, ...written.map(decoded), ...searchParams.values()].filter((part) => part !== '');
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * An address as staff and auditors may read it: of one that carries user information, a query or a fragment, scheme
 * and host only. A text that is not an address stays.
 */
export const shownAddress = (address: string): string => {
  if (secretParts(address).length === 0) return address;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
};

/** The address meant by a given one: sent back as it was shown, it stays as it was. */
export const keptAddress = (given: string, before: string | null | undefined): string =>
  before !== null && before !== undefined && given === shownAddress(before) ? before : given;

/** `user:password` could be parsed as an address, too. */
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);

/** What of addresses and settings foreign texts may repeat and must not show, the longest first. */
export const secretTexts = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets.flatMap((secret) => [secret, ...secretParts(secret)]))]
    .filter(
      (secret) => secret.length >= SHORTEST_SECRET && (!isAddress(secret) || shownAddress(secret) !== secret),
    )
    .toSorted((one, other) => other.length - one.length);

/** `masked`: see `secretTexts`. */
export const maskTexts = (text: string, masked: readonly string[]): string =>
  masked.reduce((shown, secret) => shown.replaceAll(secret, MASKED), text);

/** A foreign text without the secrets of an address or of settings that it may repeat. */
export const withoutSecretTexts = (text: string, secrets: readonly string[]): string =>
  maskTexts(text, secretTexts(secrets));
