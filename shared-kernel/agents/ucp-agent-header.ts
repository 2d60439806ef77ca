/** What a `UCP-Agent` field says of its sender. */
export interface UcpAgent {
  /** Null: it names none. */
  readonly profile: string | null;
  readonly version: string | null;
}

const nothing: UcpAgent = { profile: null, version: null };

/** A key, an equals sign, and a value: quoted, or everything up to a comma or a semicolon. */
const pair = /^\s*([A-Za-z*][\w.*-]*)\s*(?:=\s*(?:"((?:[^"\\]|\\["\\])*)"|([^",;]*)))?\s*/;

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1');

interface Pair {
  readonly key: string;
  readonly value: string;
  /** False for a parameter of the member before it. */
  readonly isMember: boolean;
}

/** Members and parameters in their order; null where the text is no dictionary. */
const pairsOf = (text: string): readonly Pair[] | null => {
  const pairs: Pair[] = [];
  let rest = text;
  let isMember = true;
  for (;;) {
    const found = pair.exec(rest);
    if (!found) return null;
    const [all, key = '', quoted, plain = ''] = found;
    pairs.push({
      key: key.toLowerCase(),
      value: quoted === undefined ? plain.trim() : unescaped(quoted),
      isMember,
    });
    rest = rest.slice(all.length);
    if (rest === '') return pairs;
    if (!/^[,;]/.test(rest)) return null;
    isMember = rest.startsWith(',');
    rest = rest.slice(1);
  }
};

/** The last of those with a key: so a dictionary is read that names one twice. */
const valueOf = (pairs: readonly Pair[], key: string): string | null =>
  pairs.findLast((one) => one.key === key)?.value || null;

/**
 * Reads a dictionary of structured fields (RFC 8941). Agents leave the quotation marks out, too, and give the version
 * beside the profile as well as behind it: all of that is understood. What is no dictionary names nothing.
 */
export const readUcpAgent = (text: string | undefined): UcpAgent => {
  const pairs = text === undefined ? null : pairsOf(text);
  if (pairs === null) return nothing;
  const members = pairs.filter(({ isMember }) => isMember);
  return { profile: valueOf(members, 'profile'), version: valueOf(pairs, 'version') };
};
