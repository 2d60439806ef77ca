/** A mail as it is written: who sends it, and when, is the shop's. */
export interface WrittenMail {
  /** Null: it is written but not sent, so that response times do not reveal whether an account exists. */
  readonly to: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailsApi {
  /**
   * Has a mail sent once, also when it is asked for again under its id, and after a crash. It is on its way when this
   * returns, not sent. Errors: `EngineUnavailable`.
   */
  send(id: string, mail: WrittenMail): Promise<void>;
}
