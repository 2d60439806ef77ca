import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A mail that was to bring someone back, as a shop without a mail server writes it. */
export interface RecoveryMail {
  /** The path of the link in its text. */
  readonly link: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface FileMail {
  readonly to: string;
  readonly headers?: RecoveryMail['headers'];
  readonly text: string;
  readonly dateCreated: string;
}

const WRITTEN_WITHIN_MS = 10_000;
const AGAIN_MS = 50;

const mailsIn = (folder: string): readonly FileMail[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as FileMail);

const recoveryMailsTo = (dataDir: string, address: string): readonly RecoveryMail[] =>
  mailsIn(join(dataDir, 'mails'))
    .filter(({ to }) => to.includes(address))
    .toSorted((one, other) => one.dateCreated.localeCompare(other.dateCreated))
    .flatMap(({ text, headers = {} }) => {
      const link = /https?:\S+\/checkout\/recover\/\S+/.exec(text)?.[0];
      return link === undefined ? [] : [{ headers, link: new URL(link).pathname }];
    });

/** The mails to an address, oldest first, once there are so many; the shop sends them in the background. */
export const untilMailed = async (
  dataDir: string,
  address: string,
  count: number,
): Promise<readonly RecoveryMail[]> => {
  const until = Date.now() + WRITTEN_WITHIN_MS;
  for (;;) {
    const mails = recoveryMailsTo(dataDir, address);
    if (mails.length >= count || Date.now() >= until) return mails;
    await delay(AGAIN_MS);
  }
};
