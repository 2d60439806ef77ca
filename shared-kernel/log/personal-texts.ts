import { createHash } from 'node:crypto';
import type { DataSubject } from '#kernel/decider.ts';
import { seal, unseal } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** Seals a text under keys that are at hand. */
export type SealText = (text: string) => string;

/**
 * Texts of the state store that may say something about a person, sealed under the keys of their data subjects, so that
 * forgetting reaches them without a search (docs/rules/personal-data.md#rows). Errors: `EngineUnavailable`.
 */
export interface PersonalTexts {
  /** Under the keys of all subjects, so that forgetting one is enough; without any, under the shop's own key. */
  seal(subjects: readonly DataSubject[], text: string): Promise<string>;
  /** Null once a subject is forgotten. A text that a former release kept in clear is returned as it is. */
  open(sealed: string): Promise<string | null>;
  /** As `open`, in the same order, with one question to the store. */
  openAll(sealed: readonly string[]): Promise<readonly (string | null)[]>;
  /** Under the keys that subjects have; null where one has none any more. Makes no keys. */
  sealFor(subjects: readonly string[], text: string): Promise<string | null>;
  /** Seals what belongs to a sealed text for the same subjects; beside a text in clear it stays in clear. */
  sealLike(sealed: string, text: string): Promise<string>;
  /** How to seal for the subjects that have a key; forgotten ones are left out. Makes no keys. */
  sealers(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, SealText>>;
  /** For what concerns no person. */
  readonly sealForShop: SealText;
}

const PREFIX = 'sealed:';

/** `content` is sealed under the keys of all subjects; under the shop's where there is none. */
interface Sealed {
  readonly subjects: readonly string[];
  readonly content: string;
}

const written = ({ subjects, content }: Sealed): string => `${PREFIX}${subjects.join(',')}:${content}`;

/** Null for a text in clear. */
const read = (text: string): Sealed | null => {
  if (!text.startsWith(PREFIX)) return null;
  const end = text.indexOf(':', PREFIX.length);
  if (end < 0) return null;
  const subjects = text.slice(PREFIX.length, end);
  return { subjects: subjects === '' ? [] : subjects.split(','), content: text.slice(end + 1) };
};

const noKeys: ReadonlyMap<string, Buffer> = new Map();

/** What opens to nothing. */
const gone = (subjects: readonly string[]): string => written({ subjects, content: '' });

/** One key of all subjects, which nobody has who lacks one of theirs; null where one is missing. */
const keyOf = (subjects: readonly string[], found: ReadonlyMap<string, Buffer>): Buffer | null => {
  const keys = subjects.flatMap((subject) => found.get(subject) ?? []);
  const [first] = keys;
  if (first === undefined || keys.length < subjects.length) return null;
  if (keys.length === 1) return first;
  const hash = createHash('sha256');
  for (const key of keys) hash.update(key);
  return hash.digest();
};

/** True for a text that `seal` wrote. */
export const isSealedText = (text: string): boolean => read(text) !== null;

export const createPersonalTexts = (keys: SubjectKeys, applicationKey: Buffer): PersonalTexts => {
  const shopKey = keyFor(applicationKey, 'personal texts');
  const sealForShop: SealText = (text) => written({ subjects: [], content: seal(shopKey, text) });

  const sealFor = async (subjects: readonly string[], text: string): Promise<string | null> => {
    if (subjects.length === 0) return sealForShop(text);
    const key = keyOf(subjects, await keys.load(new Set(subjects)));
    return key && written({ subjects, content: seal(key, text) });
  };

  const openAll = async (texts: readonly string[]): Promise<readonly (string | null)[]> => {
    const all = texts.map(read);
    const subjects = new Set(all.flatMap((one) => one?.subjects ?? []));
    const found = subjects.size === 0 ? noKeys : await keys.load(subjects);
    return all.map((one, index) => {
      if (one === null) return texts[index] ?? null;
      const key = one.subjects.length === 0 ? shopKey : keyOf(one.subjects, found);
      return key && (unseal(key, one.content)?.toString() ?? null);
    });
  };

  return {
    seal: async (subjects, text) => {
      for (const subject of subjects) await keys.ensure(subject);
      const ids = subjects.map(({ id }) => id);
      return (await sealFor(ids, text)) ?? gone(ids);
    },
    sealFor,
    sealLike: async (sealed, text) => {
      const one = read(sealed);
      return one ? ((await sealFor(one.subjects, text)) ?? gone(one.subjects)) : text;
    },
    open: async (sealed) => (await openAll([sealed]))[0] ?? null,
    openAll,
    sealers: async (subjects) => {
      const found = subjects.size === 0 ? noKeys : await keys.load(subjects);
      const sealerOf = (id: string, key: Buffer): SealText => {
        return (text) => written({ subjects: [id], content: seal(key, text) });
      };
      return new Map([...found].map(([id, key]) => [id, sealerOf(id, key)]));
    },
    sealForShop,
  };
};
