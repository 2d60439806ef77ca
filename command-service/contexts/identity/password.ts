import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** Cost of a guess; it stands in every hash, so that it can be raised later. About 60 ms and 32 MB. */
const cost = { logN: 15, r: 8, p: 1 };
const keyBytes = 32;

interface Parts {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const derive = (password: string, { logN, r, p, salt }: Omit<Parts, 'key'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
    scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });

/** A hash with a salt of its own: `scrypt$logN$r$p$salt$key`. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16);
  const key = await derive(password, { ...cost, salt });
  return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$');
};

const nobodysSalt = randomBytes(16);

/** Whether this is the password. Without a hash it is not, after the same work. */
export const isPassword = async (password: string, hash: string | null): Promise<boolean> => {
  const parts = hash === null ? null : parse(hash);
  const key = await derive(password, parts ?? { ...cost, salt: nobodysSalt });
  return parts !== null && timingSafeEqual(key, parts.key);
};

const parse = (hash: string): Parts => {
  const [, logN, r, p, salt = '', key = ''] = hash.split('$');
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  return { logN: Number(logN), r: Number(r), p: Number(p), salt: bytes(salt), key: bytes(key) };
};
