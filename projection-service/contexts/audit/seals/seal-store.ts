import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { seal as encrypt, unseal } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import { newSealKeys, type LogSeal, type SealKeyPair } from './log-seal.ts';

type Store = Pick<DocumentStore, 'declare' | 'get' | 'find' | 'insertIfAbsent'>;

type SealDocument = Document & LogSeal;

interface KeyDocument extends Document {
  readonly publicKey: string;
  /** Encrypted under the application key. */
  readonly privateKey: string;
}

const sealsCollection = 'logSeals';
const keysCollection = 'logSealKeys';
const keyId = 'log';

const PAGE = 1000;

/** The seals of the log, which the state store keeps for good. */
export interface SealStore {
  /** At most `limit` (1,000) before the seal with this number, or of all, the newest first. */
  newestFirst(before: number | null, limit: number): Promise<readonly LogSeal[]>;
  /** All of them, the oldest first. */
  all(): Promise<readonly LogSeal[]>;
  /** False if another process has made one with this number. */
  add(seal: LogSeal): Promise<boolean>;
  /** PEM; null as long as nothing has been sealed. */
  publicKey(): Promise<string | null>;
  /** Made when it is first asked for; of several processes that ask at once, all get the same. */
  keys(applicationKey: Buffer): Promise<SealKeyPair>;
}

export const openSealStore = async (store: Store): Promise<SealStore> => {
  await store.declare(sealsCollection, [{ fields: ['number'], unique: true }]);
  await store.declare(keysCollection);
  const keyDocument = () => store.get<KeyDocument>(keysCollection, keyId);
  return {
    newestFirst: async (before, limit) => {
      const filter = before === null ? {} : { number: { lt: before } };
      const found = await store.find<SealDocument>(sealsCollection, {
        filter,
        sort: [['number', -1]],
        limit,
      });
      return found.map(sealIn);
    },
    all: async () => {
      const seals: LogSeal[] = [];
      for (;;) {
        const filter = { number: { gt: seals.at(-1)?.number ?? 0 } };
        const page = await store.find<SealDocument>(sealsCollection, {
          filter,
          sort: [['number', 1]],
          limit: PAGE,
        });
        seals.push(...page.map(sealIn));
        if (page.length < PAGE) return seals;
      }
    },
    add: (seal) =>
      store.insertIfAbsent(sealsCollection, { _id: String(seal.number), ...seal } as SealDocument),
    publicKey: async () => (await keyDocument())?.publicKey ?? null,
    keys: async (applicationKey) => {
      const encryptionKey = keyFor(applicationKey, 'log seals');
      const kept = (await keyDocument()) ?? (await makeKeys(store, encryptionKey));
      const privateKey = kept && unseal(encryptionKey, kept.privateKey)?.toString();
      if (!privateKey) throw new Error('the application key does not open the key that seals the log');
      return { publicKey: kept.publicKey, privateKey };
    },
  };
};

const sealIn = ({ _id, ...seal }: SealDocument): LogSeal => seal;

/** The ones that are kept: not its own, if another process was faster. */
const makeKeys = async (store: Store, encryptionKey: Buffer): Promise<KeyDocument | null> => {
  const { publicKey, privateKey } = newSealKeys();
  const own: KeyDocument = { _id: keyId, publicKey, privateKey: encrypt(encryptionKey, privateKey) };
  return (await store.insertIfAbsent(keysCollection, own))
    ? own
    : store.get<KeyDocument>(keysCollection, keyId);
};
