/** What the tokens of a mail may name (docs/rules/mails.md#tokens). */
export interface MailData {
  /** What happened, with everything a mail may say of it. */
  readonly notification: object;
  readonly store: object;
  /** An allow-list: no setting gets in by itself, and no secret ever does. */
  readonly config: object;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A member of its own by its name in any case; the same case comes first. */
export const memberNamed = (value: unknown, name: string): unknown => {
  if (!isObject(value)) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(members, name)) return members[name];
  const wanted = name.toLowerCase();
  const own = Object.keys(members).find((key) => key.length === name.length && key.toLowerCase() === wanted);
  return own === undefined ? undefined : members[own];
};

const follow = (value: unknown, names: readonly string[]): unknown => names.reduce(memberNamed, value);

const roots = ['store', 'config', 'notification'] as const;

/**
 * What a path names; undefined: nothing. In a section its entries are asked first, the innermost before the others
 * (`scopes`); then the roots; then the notification itself.
 */
export const lookUp = (
  { notification, store, config }: MailData,
  path: string,
  scopes: readonly unknown[] = [],
): unknown => {
  if (path === '.') return scopes.at(-1);
  const [first = '', ...rest] = path.split('.');
  for (const scope of scopes.toReversed()) {
    const member = memberNamed(scope, first);
    if (member !== undefined) return follow(member, rest);
  }
  const root = roots.find((name) => name === first.toLowerCase());
  if (root === undefined) return follow(notification, [first, ...rest]);
  return follow({ notification, store, config }[root], rest);
};

/** A value as a mail writes it; undefined: a mail cannot write it. */
export const writtenValue = (value: unknown): string | undefined => {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** Blanks, breaks of lines and what is not seen: a value that is written makes no line of its own. */
const unseen = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu;

export const inOneLine = (text: string): string => text.replace(unseen, ' ').trim();
