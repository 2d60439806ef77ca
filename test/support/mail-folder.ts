import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A mail that a shop has put into a file. */
export interface FiledMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const MAIL = '.json';

/** Null: it was removed meanwhile. */
const read = async (file: string): Promise<FiledMail | null> => {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as FiledMail);
};

/** The folder of a shop's mails; it may not be there yet. */
export class MailFolder {
  readonly #folder: string;
  /** As they were first read, by file name: a mail that is sent again is the same file. */
  readonly #read = new Map<string, FiledMail>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The names of all files, half-written ones too. */
  names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  /** Those that are there now, by file name. */
  async all(): Promise<ReadonlyMap<string, FiledMail>> {
    const mails = new Map<string, FiledMail>();
    for (const name of await this.names()) {
      const mail = name.endsWith(MAIL) ? await this.#mailIn(name) : null;
      if (mail) mails.set(name, mail);
    }
    return mails;
  }

  async to(email: string): Promise<readonly FiledMail[]> {
    return [...(await this.all()).values()].filter((mail) => mail.to === email);
  }

  async #mailIn(name: string): Promise<FiledMail | null> {
    const mail = this.#read.get(name) ?? (await read(join(this.#folder, name)));
    if (mail) this.#read.set(name, mail);
    return mail;
  }
}
