import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
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
  readonly stateStore: Pick<DocumentStore, 'get'>;
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

/** What of a mail in a file says to whom it went, and when. */
interface MailFile {
  readonly to: string;
  readonly cc?: string;
  readonly bcc?: string;
  /** ISO instant. */
  readonly dateCreated: string;
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

/** Null for a file that is no mail of the shop's, or is being replaced. */
const read = async (file: string): Promise<MailFile | null> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as MailFile;
  } catch {
    return null;
  }
};

/** Whether a mail went to someone who is forgotten; each address is looked up once. */
const wentToForgotten = (options: ForgetMailFilesOptions) => {
  const known = new Map<string, ForgottenAddress | null>();
  const lookUp = async (address: string): Promise<ForgottenAddress | null> => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const looked = await forgottenAt(options, address);
    known.set(address, looked);
    return looked;
  };
  return async (mail: MailFile): Promise<boolean> => {
    for (const address of addressesOf(mail)) {
      const forgotten = await lookUp(address);
      if (forgotten !== null && (forgotten.before === null || mail.dateCreated < forgotten.before))
        return true;
    }
    return false;
  };
};

/** Whether a mail went to its customer, who is forgotten, at whatever address: staff may have corrected it. */
const wentToItsCustomer = async (
  { stateStore, keys }: ForgetMailFilesOptions,
  name: string,
): Promise<boolean> => {
  const row = await stateStore.get<MailDelivery>(mailsCollection, name.slice(0, -MAIL.length));
  if (!row?.settings || row.subject === null) return false;
  const { toExpression, ccExpression, bccExpression } = row.settings;
  const recipients = [toExpression, ccExpression ?? '', bccExpression ?? ''].join();
  return /customerEmail/i.test(recipients) && keys.isForgotten(row.subject);
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
  const names = await readdir(folder).catch((): string[] => []);
  let removed = 0;
  for (const name of names) {
    if (stopping.aborted) break;
    const mail = name.endsWith(MAIL) ? await read(join(folder, name)) : null;
    if (mail === null) continue;
    if (!(await isToBeRemoved(mail)) && !(await wentToItsCustomer(options, name))) continue;
    await rm(join(folder, name), { force: true });
    removed++;
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
    const { to, cc, bcc, dateCreated } = mail;
    const file = { to: to.join(), cc: cc.join(), bcc: bcc.join(), dateCreated };
    try {
      if (await wentToForgotten(options)(file))
        await rm(join(options.folder, `${mail.id}.json`), { force: true });
      return sent;
    } catch {
      return { kind: 'unavailable', reason: 'it is not known whether its recipient is forgotten' };
    }
  },
});
