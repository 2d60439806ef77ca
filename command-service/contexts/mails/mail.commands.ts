/** A mail as it is written: who sends it, and when, is the shop's. */
export interface WrittenMail {
  /** Null: it is written and goes to nobody, where an answer must not tell by its time whether there is somebody. */
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
