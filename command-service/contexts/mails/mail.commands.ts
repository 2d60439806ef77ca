import type { MailTopicKey } from '#mails/mail-topics.ts';

/** A mail as it is written: who sends it, and when, is the shop's. */
export interface WrittenMail {
  /** Null: it is written but not sent, so that response times do not reveal whether an account exists. */
  readonly to: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What configurations write mails about, where no event says it. */
export interface MailRequest {
  readonly topic: MailTopicKey;
  /** Null: it costs the same and is not sent, so that response times do not reveal whether an account exists. */
  readonly notification: object | null;
  /** The data subject whom it is about; null: no person, or a link in it opens an account and nothing of it is kept. */
  readonly subject: string | null;
}

export interface MailsApi {
  /**
   * Has a mail sent once, also when it is asked for again under its id, and after a crash. It is on its way when this
   * returns, not sent. Errors: `EngineUnavailable`.
   */
  send(id: string, mail: WrittenMail): Promise<void>;
  /**
   * Has a mail of each enabled configuration of a topic written and sent, once likewise. False where there is none.
   * Errors: `EngineUnavailable`.
   */
  tell(id: string, told: MailRequest): Promise<boolean>;
}
