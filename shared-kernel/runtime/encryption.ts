import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from 'node:crypto';
import type { TextCipher } from '#values/text-cipher.ts';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

export const newKey = (): Buffer => randomBytes(32);

/** Drawn many at a time: a call for twelve bytes costs as much as one for thousands. */
const ivPool = Buffer.alloc(ivBytes * 256);
let ivsUsed = ivPool.length;
const newIv = (): Buffer => {
  if (ivsUsed === ivPool.length) {
    randomFillSync(ivPool);
    ivsUsed = 0;
  }
  ivsUsed += ivBytes;
  return ivPool.subarray(ivsUsed - ivBytes, ivsUsed);
};

/** AES-256-GCM; returns base64 of initialisation vector, tag and ciphertext. */
export const seal = (key: Buffer, content: string | Buffer): string => {
  const iv = newIv();
  const cipher = createCipheriv(algorithm, key, iv);
  const first = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
  const last = cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), first, last]).toString('base64');
};

/** Decrypts what `seal` returned; null if the key is wrong or the text was altered. */
export const unseal = (key: Buffer, sealed: string): Buffer | null => {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < ivBytes + tagBytes) return null;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    const content = decipher.update(bytes.subarray(ivBytes + tagBytes));
    // In this mode all has come by now; what throws is the check of the tag.
    decipher.final();
    return content;
  } catch {
    return null;
  }
};

/** Encrypts texts under one key, for state that must not be stored in clear. */
export const createTextCipher = (key: Buffer): TextCipher => ({
  seal: (text) => seal(key, text),
  open: (sealed) => unseal(key, sealed)?.toString() ?? null,
});
