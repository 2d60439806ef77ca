import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';

/** A mailer, and what has arrived where it sends to: id and whole text of each mail. */
export interface OpenMailer {
  readonly mailer: Mailer;
  readonly arrived: () => Promise<readonly { readonly id: string; readonly text: string }[]>;
  /** From now on nothing can be sent. */
  readonly breakDown: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const someMail = (changes: Partial<Mail> = {}): Mail => ({
  id: newId(),
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  from: 'shop@example.com',
  subject: 'A new password',
  text: 'Open https://shop.example.com/reset',
  html: '<p>Open the link</p>',
  headers: {},
  dateCreated: '2026-01-01T00:00:00.000Z',
  ownerId: null,
  ...changes,
});

/** What every mailer is held to. */
export const describeMailer = (name: string, open: () => Promise<OpenMailer>): void => {
  describe(`mailer: ${name}`, () => {
    let opened: OpenMailer;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('sends a mail with everything that was written', async () => {
      const mail = someMail();
      expect(await opened.mailer.send(mail)).to.deep.equal({ kind: 'sent' });
      const [arrived] = await opened.arrived();
      expect(arrived?.id).to.equal(mail.id);
      for (const part of [...mail.to, mail.from, mail.subject, mail.text, mail.html])
        expect(arrived?.text).to.contain(part);
    });

    it('gives a mail that is sent again the id that it had', async () => {
      const mail = someMail();
      await opened.mailer.send(mail);
      await opened.mailer.send(mail);
      expect(new Set((await opened.arrived()).map(({ id }) => id))).to.deep.equal(new Set([mail.id]));
    });

    it('answers that it is unavailable instead of throwing, and names no credential', async () => {
      await opened.breakDown();
      const outcome = await opened.mailer.send(someMail());
      expect(outcome.kind).to.equal('unavailable');
      expect(JSON.stringify(outcome)).not.to.contain('password');
    });
  });
};
