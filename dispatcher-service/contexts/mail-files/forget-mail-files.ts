import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import { mailsCollection, ownerOfMail, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Mailer } from '#ports/mailer.ts';
import { createKeyedHash } from '#runtime/keys.ts';
import { CUSTOMER_EMAIL, claimIdOf } from '#values/claim-id.ts';
import { normalEmail } from '#values/email-address.ts';
import { streamOf } from '#values/stream-name.ts';
import type { Runtime } from '../../../shared-kernel/open-runtime.ts';

export interface ForgetMailFilesOptions {
  readonly folder: string;
  readonly store: Pick<EventStore, 'readStream'>;
  /** Has the rows of mails, under the names of their files. */
  readonly stateStore: Pick<DocumentStore, 'getMany'>;
  readonly keys: Pick<SubjectKeys, 'isForgotten'>;
  readonly keyedHash: (kind: string, value: string) => string;
}

/** Where a shop keeps its mails, and how it knows whose they are. */
export const mailFilesOf = (
  dataDir: string,
  { store, stateStore, codec, forgetting, applicationKey }: Runtime,
) => ({
  folder: join(dataDir, 'mails'),
  store,
  stateStore,
  keys: codec.keys,
  keyedHash: createKeyedHash(applicationKey),
  forgetting,
});

const MAIL = '.json';
/** Files that are read side by side. */
const AT_ONCE = 50;

/** What of a mail in a file says to whom it went, and when. */
interface MailFile {
  readonly to: string;
  readonly cc?: string;
  readonly bcc?: string;
  /** ISO instant. */
  readonly dateCreated: string;
  /** As in `Mail`; missing in files of older releases. */
  readonly ownerId?: string | null;
}

interface Claimed {
  readonly ownerId: string;
}

/** `before`: mails from then on are for somebody else, who has the address now; null where nobody has. */
interface ForgottenAddress {
  readonly before: string | null;
}

/** Whose an address was shows in the stream of its claim, which does not name it. Null: nobody's who is forgotten. */
const forgottenAt = async (
  { store, keys, keyedHash }: ForgetMailFilesOptions,
  address: string,
): Promise<ForgottenAddress | null> => {
  const stream = streamOf.claim(claimIdOf(keyedHash, CUSTOMER_EMAIL, normalEmail(address)));
  let forgotten: ForgottenAddress | null = null;
  for (const { type, data, metadata } of await store.readStream(stream, { fromRevision: 0 })) {
    const { ownerId } = JSON.parse(data) as Claimed;
    if (type === 'ClaimReleased' && (await keys.isForgotten(ownerId))) forgotten = { before: null };
    else if (type === 'ValueClaimed' && forgotten?.before === null)
      forgotten = { before: (JSON.parse(metadata) as { readonly recordedAt: string }).recordedAt };
  }
  return forgotten;
};

/** With or without names: `"Lovelace, Ada" <ada@example.com>`. */
const address = /[^\s<>,;"]+@[^\s<>,;"]+/g;

const addressesOf = ({ to, cc = '', bcc = '' }: MailFile): readonly string[] =>
  [to, cc, bcc].flatMap((list) => list.match(address) ?? []);

const isMail = (found: unknown): found is MailFile => {
  if (typeof found !== 'object' || found === null) return false;
  const { to, cc = '', bcc = '', dateCreated, ownerId } = found as Partial<Record<keyof MailFile, unknown>>;
  return [to, cc, bcc, dateCreated, ownerId ?? ''].every((text) => typeof text === 'string');
};

/** Null for a file that is no mail of the shop's, or is being replaced. */
const read = async (file: string): Promise<MailFile | null> => {
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isMail(found) ? found : null;
  } catch {
    return null;
  }
};

/** A function of a text that is asked once for each. */
const onceEach = <Answer>(ask: (text: string) => Promise<Answer>) => {
  const known = new Map<string, Promise<Answer>>();
  return (text: string): Promise<Answer> => {
    const answer = known.get(text) ?? ask(text);
    known.set(text, answer);
    return answer;
  };
};

/** Whether a mail went to someone who is forgotten: to its customer at whatever address, or to an address of theirs. */
const wentToForgotten = (options: ForgetMailFilesOptions) => {
  const isForgotten = onceEach((ownerId) => options.keys.isForgotten(ownerId));
  const lookUp = onceEach((address) => forgottenAt(options, address));
  return async (mail: MailFile): Promise<boolean> => {
    const { ownerId = null, dateCreated } = mail;
    if (ownerId !== null && (await isForgotten(ownerId))) return true;
    for (const address of addressesOf(mail)) {
      const forgotten = await lookUp(address);
      if (forgotten !== null && (forgotten.before === null || dateCreated < forgotten.before)) return true;
    }
    return false;
  };
};

interface FoundMail {
  readonly name: string;
  readonly mail: MailFile;
}

const readAll = async (folder: string, names: readonly string[]): Promise<readonly FoundMail[]> => {
  const reading = names.map(async (name) => ({ name, mail: await read(join(folder, name)) }));
  return (await Promise.all(reading)).flatMap(({ name, mail }) => (mail === null ? [] : [{ name, mail }]));
};

/** Whose the files of older releases are is in their rows, as long as these are kept. */
const withOwners = async (
  { stateStore }: ForgetMailFilesOptions,
  found: readonly FoundMail[],
): Promise<readonly FoundMail[]> => {
  const idOf = ({ name }: FoundMail): string => name.slice(0, -MAIL.length);
  const older = found.filter(({ mail }) => mail.ownerId === undefined);
  if (older.length === 0) return found;
  const rows = await stateStore.getMany<MailDelivery>(mailsCollection, older.map(idOf));
  const owners = new Map(rows.map((row) => [row._id, ownerOfMail(row)]));
  return found.map((one) => ({
    ...one,
    mail: { ...one.mail, ownerId: one.mail.ownerId ?? owners.get(idOf(one)) ?? null },
  }));
};

/**
 * Removes the mails in files that went to people who are forgotten (docs/rules/personal-data.md#files). Returns how
 * many. Errors: `EngineUnavailable`, and those of the folder.
 */
export const forgetMailFiles = async (
  options: ForgetMailFilesOptions,
  stopping: AbortSignal,
): Promise<number> => {
  const { folder } = options;
  const isToBeRemoved = wentToForgotten(options);
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(MAIL));
  let removed = 0;
  for (let from = 0; from < names.length && !stopping.aborted; from += AT_ONCE) {
    const found = await readAll(folder, names.slice(from, from + AT_ONCE));
    const mails = await withOwners(options, found);
    const removing = mails.map(async ({ name, mail }) => {
      if (!(await isToBeRemoved(mail))) return;
      await rm(join(folder, name), { force: true });
      removed++;
    });
    await Promise.all(removing);
  }
  return removed;
};

/**
 * A mailer of files, which keeps no mail whose recipient was forgotten while it was written. Until then it is among the
 * files that are looked through once they are.
 */
export const forgettingMailer = (
  mailer: Mailer,
  options: ForgetMailFilesOptions & { readonly forgetting: Pick<ForgettingWatch, 'last'> },
): Mailer => ({
  ...mailer,
  send: async (mail) => {
    const sent = await mailer.send(mail);
    if (sent.kind !== 'sent' || options.forgetting.last() === null) return sent;
    const { to, cc, bcc, dateCreated, ownerId } = mail;
    const file = { to: to.join(), cc: cc.join(), bcc: bcc.join(), dateCreated, ownerId };
    try {
      if (await wentToForgotten(options)(file))
        await rm(join(options.folder, `${mail.id}.json`), { force: true });
      return sent;
    } catch {
      return { kind: 'unavailable', reason: 'it is not known whether its recipient is forgotten' };
    }
  },
});
