import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { closeFile, makePrivateFolder } from './private-files.ts';

export interface ShopKeys {
  /** 32 bytes, from which every other key is derived. */
  readonly applicationKey: Buffer;
  readonly backofficeApiKey: string;
  /** Signs the tokens of the backoffice. */
  readonly tokenKey: Buffer;
  /** Signs the tokens of members. */
  readonly memberTokenKey: Buffer;
  /** True if the API key was generated just now: the one moment to show it. */
  readonly isApiKeyNew: boolean;
}

type KeyConfig = Pick<Config, 'applicationKey' | 'backofficeApiKey' | 'dataDir'>;

const applicationKeyFile = (dataDir: string): string => join(dataDir, 'keys', 'application.key');

/** The file of a generated API key, where commands find it beside a running shop. */
export const apiKeyFile = (dataDir: string): string => join(dataDir, 'backoffice.key');

/**
 * The configured keys; missing ones are generated once and kept under DATA_DIR, for their owner only. No application
 * key is generated beside existing data, which was written under another one.
 */
export const loadKeys = (config: KeyConfig & Pick<Config, 'engines'>): ShopKeys => {
  const { applicationKey, backofficeApiKey, dataDir } = config;
  const generateKey = (): string => {
    refuseBesideData(config);
    return randomBytes(32).toString('base64');
  };
  const kept = keep(applicationKeyFile(dataDir), generateKey, applicationKey);
  const apiKey = keep(apiKeyFile(dataDir), generateApiKey, backofficeApiKey);
  const application = typeof kept.value === 'string' ? decoded(kept.value) : kept.value;
  return keysWith(application, apiKey);
};

/**
 * The keys of a shop for a process that only reads: nothing is kept. Where this machine does not have the API key, one
 * that holds for this process alone. Errors: `Error` that says what to do.
 */
export const readKeys = (config: KeyConfig): ShopKeys => {
  const kept = findApiKey(config);
  return keysWith(readApplicationKey(config), { value: kept ?? generateApiKey(), isNew: kept === null });
};

const generateApiKey = (): string => `tillroll_${randomBytes(24).toString('base64url')}`;

const keysWith = (
  applicationKey: Buffer,
  apiKey: { readonly value: string; readonly isNew: boolean },
): ShopKeys => ({
  applicationKey,
  backofficeApiKey: apiKey.value,
  tokenKey: keyFor(applicationKey, 'tokens'),
  memberTokenKey: keyFor(applicationKey, 'member tokens'),
  isApiKeyNew: apiKey.isNew,
});

/** The configured or kept application key; none is generated. Errors: `Error` that says what to do. */
export const readApplicationKey = ({
  applicationKey,
  dataDir,
}: Omit<KeyConfig, 'backofficeApiKey'>): Buffer => {
  if (applicationKey !== null) return applicationKey;
  const file = applicationKeyFile(dataDir);
  const kept = keptIn(file);
  if (kept === null)
    throw new Error(`${file} is missing or empty: put the file back or set APPLICATION_KEY.`);
  return decoded(kept);
};

/** The API key for commands beside a running shop; null if this machine has none. */
export const findApiKey = ({ backofficeApiKey, dataDir }: KeyConfig): string | null => {
  if (backofficeApiKey !== null) return backofficeApiKey;
  return keptIn(apiKeyFile(dataDir));
};

const refuseBesideData = ({ engines, dataDir }: Pick<Config, 'engines' | 'dataDir'>): void => {
  for (const engine of [engines.events, engines.state]) {
    if (engine.kind !== 'sqlite' || !statSync(engine.file, { throwIfNoEntry: false })?.size) continue;
    throw new Error(
      `${applicationKeyFile(dataDir)} is missing or empty, but there is data that was written under it ` +
        `(${engine.file}). Put the file back or set APPLICATION_KEY, and start again. Nothing was changed.`,
    );
  }
};

const keep = <Configured>(
  file: string,
  generate: () => string,
  configured: Configured | null,
): { readonly value: Configured | string; readonly isNew: boolean } => {
  if (configured !== null) return { value: configured, isNew: false };
  const kept = keptIn(file);
  if (kept !== null) {
    closeFile(file);
    return { value: kept, isNew: false };
  }
  const value = generate();
  makePrivateFolder(dirname(file));
  const isNew = writeWhole(file, `${value}\n`);
  return { value: isNew ? value : (keptIn(file) ?? value), isNew };
};

/** The content of a file; null if it is missing, or empty as a full disk leaves it. */
const keptIn = (file: string): string | null => {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? null : text;
};

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Gives a file its name, which must be free; on a volume without hard links it cannot tell, and overwrites. */
const placeNew = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!withoutLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    renameSync(from, to);
  }
};

/**
 * Writes a file that is either whole or missing, even if the process dies or the disk is full. False if another process
 * was faster. Errors: those of the file system, with nothing left behind.
 */
const writeWhole = (file: string, text: string): boolean => {
  const beside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: 0o600, flush: true });
    if (existsSync(file) && statSync(file).size === 0) renameSync(beside, file);
    else placeNew(beside, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(beside, { force: true });
  }
};

const decoded = (text: string): Buffer => {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  throw new Error('keys/application.key is damaged: must be 32 bytes in base64');
};

/** A key of 32 bytes for one purpose, so that no key is ever used for two. */
export const keyFor = (applicationKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', applicationKey, '', `tillroll ${purpose}`, 32));

/** A hash that only this shop can compute, so that the value cannot be guessed from it. */
export const createKeyedHash = (applicationKey: Buffer): ((kind: string, value: string) => string) => {
  const key = keyFor(applicationKey, 'keyed hash');
  return (kind, value) =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, value]))
      .digest('base64url');
};
