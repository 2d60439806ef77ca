/** Turns a text into one that only this shop can read, and back. */
export interface TextCipher {
  seal(text: string): string;
  /** Null when it cannot be read: another key, or altered. */
  open(sealed: string): string | null;
}

/** Where nothing is kept that would have to be sealed. */
export const nothingKept: TextCipher = { seal: () => '', open: () => null };
