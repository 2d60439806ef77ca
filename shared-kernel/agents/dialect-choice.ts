import type { AgentRequest, DialectName } from './agent-request.ts';

/** The older published version. */
export const OLDER_VERSION = '2026-01-11';

const isDate = (version: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(version);

/** The dialect of the shop's own version. */
export const mainDialect = (ownVersion: string): DialectName => {
  if (!isDate(ownVersion)) return 'draft';
  return ownVersion === OLDER_VERSION ? OLDER_VERSION : '2026-04-08';
};

/** The versions that may be named in a request; empty: any. */
export const supportedVersions = (ownVersion: string): readonly string[] => {
  if (!isDate(ownVersion)) return [];
  return ownVersion > OLDER_VERSION ? [ownVersion, OLDER_VERSION] : [ownVersion];
};

/** The dialect in which a version is answered; null: that version is not supported. */
export const dialectOfVersion = (ownVersion: string, version: string): DialectName | null => {
  const supported = supportedVersions(ownVersion);
  if (supported.length === 0) return 'draft';
  if (!supported.includes(version)) return null;
  return version === OLDER_VERSION ? OLDER_VERSION : mainDialect(ownVersion);
};

/** The version that stands in answers of a dialect. */
export const versionOf = (ownVersion: string, dialect: DialectName): string =>
  dialect === OLDER_VERSION ? OLDER_VERSION : ownVersion;

/** Whether the shop answers in it: its setting may have changed since. */
const isSpoken = (ownVersion: string, dialect: DialectName): boolean =>
  dialect === mainDialect(ownVersion) ||
  (dialect === OLDER_VERSION && supportedVersions(ownVersion).includes(OLDER_VERSION));

/** The dialect that a session or cart remembers; the shop's own once that is no longer spoken. */
export const rememberedDialect = (ownVersion: string, own: DialectName): DialectName =>
  isSpoken(ownVersion, own) ? own : mainDialect(ownVersion);

/** The dialect of an answer about a session or cart, which remembers its own (docs/rules/agents.md#versions). */
export const dialectFor = (
  { ownVersion, requestedVersion, dialect }: AgentRequest,
  own: DialectName | null,
): DialectName => (requestedVersion === null && own !== null && isSpoken(ownVersion, own) ? own : dialect);
