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
  /** Seals what belongs to a sealed text for the same subjects; beside a text in clear it stays in clear. */
  sealLike(sealed: string, text: string): Promise<string>;
  /** How to seal for the subjects that have a key; forgotten ones are left out. Makes no keys. */
  sealers(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, SealText>>;
  /** For what concerns no person. */
  readonly sealForShop: SealText;
}

const PREFIX = 'sealed:';

/** Sealed for each subject in turn, the first one innermost. */
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

/** True for a text that `seal` wrote. */
export const isSealedText = (text: string): boolean => read(text) !== null;

export const createPersonalTexts = (keys: SubjectKeys, applicationKey: Buffer): PersonalTexts => {
  const shopKey = keyFor(applicationKey, 'personal texts');
  const sealForShop: SealText = (text) => written({ subjects: [], content: seal(shopKey, text) });

  const opened = ({ subjects, content }: Sealed, found: ReadonlyMap<string, Buffer>): string | null => {
    if (subjects.length === 0) return unseal(shopKey, content)?.toString() ?? null;
    let text: string | null = content;
    for (const subject of subjects.toReversed()) {
      const key = found.get(subject);
      text = key === undefined || text === null ? null : (unseal(key, text)?.toString() ?? null);
    }
    return text;
  };

  const openAll = async (texts: readonly string[]): Promise<readonly (string | null)[]> => {
    const all = texts.map(read);
    const found = await keys.load(new Set(all.flatMap((one) => one?.subjects ?? [])));
    return all.map((one, index) => (one === null ? (texts[index] ?? null) : opened(one, found)));
  };

  return {
    seal: async (subjects, text) => {
      if (subjects.length === 0) return sealForShop(text);
      let content = text;
      for (const subject of subjects) content = seal(await keys.ensure(subject), content);
      return written({ subjects: subjects.map(({ id }) => id), content });
    },
    sealLike: async (sealed, text) => {
      const subjects = read(sealed)?.subjects;
      if (subjects === undefined) return text;
      if (subjects.length === 0) return sealForShop(text);
      const found = await keys.load(new Set(subjects));
      let content = text;
      for (const subject of subjects) {
        const key = found.get(subject);
        if (!key) return written({ subjects, content: '' });
        content = seal(key, content);
      }
      return written({ subjects, content });
    },
    open: async (sealed) => (await openAll([sealed]))[0] ?? null,
    openAll,
    sealers: async (subjects) => {
      const found = subjects.size === 0 ? new Map<string, Buffer>() : await keys.load(subjects);
      const sealerOf = (id: string, key: Buffer): SealText => {
        return (text) => written({ subjects: [id], content: seal(key, text) });
      };
      return new Map([...found].map(([id, key]) => [id, sealerOf(id, key)]));
    },
    sealForShop,
  };
};
