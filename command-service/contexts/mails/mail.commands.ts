/** A mail as it is written: who sends it, and when, is the shop's. */
export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What neighbours ask of mails. */
export interface MailsForNeighbours {
  /**
   * Has a mail sent once, also when it is asked for again under its id, and after a crash. It is on its way when this
   * returns, not sent. Null: the same work for nobody, where the answer must not tell whether there is somebody.
   * Errors: `EngineUnavailable`.
   */
  send(id: string, mail: WrittenMail | null): Promise<void>;
}
