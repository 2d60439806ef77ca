import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { closeFile, makePrivateFolder } from './private-files.ts';

/** What a shop keeps secret. */
export interface ShopKeys {
  /** 32 bytes, from which every other key is derived. */
  readonly applicationKey: Buffer;
  readonly backofficeApiKey: string;
  /** Signs the tokens of the backoffice. */
  readonly tokenKey: Buffer;
  /** Signs the tokens of members. */
  readonly memberTokenKey: Buffer;
  /** True when the API key was generated just now: the moment to show it, once. */
  readonly isApiKeyNew: boolean;
}

type KeyConfig = Pick<Config, 'applicationKey' | 'backofficeApiKey' | 'dataDir'>;

/** Where a generated API key is kept, so that commands find it beside a running shop. */
export const apiKeyFile = (dataDir: string): string => join(dataDir, 'backoffice.key');

/** The configured keys; what is not configured is generated once and kept under DATA_DIR, for its owner only. */
export const loadKeys = ({ applicationKey, backofficeApiKey, dataDir }: KeyConfig): ShopKeys => {
  const generateKey = (): string => randomBytes(32).toString('base64');
  const kept = keep(join(dataDir, 'keys', 'application.key'), generateKey, applicationKey);
  const generateApiKey = (): string => `tillroll_${randomBytes(24).toString('base64url')}`;
  const apiKey = keep(apiKeyFile(dataDir), generateApiKey, backofficeApiKey);
  const application = typeof kept.value === 'string' ? decoded(kept.value) : kept.value;
  return {
    applicationKey: application,
    backofficeApiKey: apiKey.value,
    tokenKey: keyFor(application, 'tokens'),
    memberTokenKey: keyFor(application, 'member tokens'),
    isApiKeyNew: apiKey.isNew,
  };
};

/** The API key for commands beside a running shop; null when this machine has none. */
export const findApiKey = ({ backofficeApiKey, dataDir }: KeyConfig): string | null => {
  if (backofficeApiKey !== null) return backofficeApiKey;
  const file = apiKeyFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
};

const keep = <Configured>(
  file: string,
  generate: () => string,
  configured: Configured | null,
): { readonly value: Configured | string; readonly isNew: boolean } => {
  if (configured !== null) return { value: configured, isNew: false };
  makePrivateFolder(dirname(file));
  try {
    const value = generate();
    writeFileSync(file, `${value}\n`, { flag: 'wx', mode: 0o600, flush: true });
    return { value, isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    closeFile(file);
    return { value: readFileSync(file, 'utf8').trim(), isNew: false };
  }
};

const decoded = (text: string): Buffer => {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  throw new Error('keys/application.key is damaged: 32 bytes in base64 were expected');
};

/** A key of 32 bytes for one purpose, so that no key is ever used for two. */
export const keyFor = (applicationKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', applicationKey, '', `tillroll ${purpose}`, 32));

/** A hash that only this shop can compute, for values that name something but must not be guessed from it. */
export const createKeyedHash = (applicationKey: Buffer): ((kind: string, value: string) => string) => {
  const key = keyFor(applicationKey, 'keyed hash');
  return (kind, value) =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, value]))
      .digest('base64url');
};
