import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { startReceiver, type Receiver } from './receiver.ts';

/** An advertiser that sends shoppers: what it signs, and where its keys stand. */
export interface Advertiser {
  readonly keyUrl: string;
  readonly asked: () => number;
  /** A link's token for a product; `changes` say what is otherwise. */
  token(offerId: string, changes?: Changes): Promise<string>;
  /** The same by another key under this name. */
  forged(offerId: string, kid?: string): Promise<string>;
  /** The public key, as anybody knows it. */
  readonly pem: string;
  close(): Promise<void>;
}

export interface Changes extends JWTPayload {
  readonly kid?: string;
}

export const merchantId = 'shop-7';

const pairOf = () => generateKeyPair('ES256', { extractable: true });

/** `form`: whether the keys are published as a set or as one in PEM; a silent one never answers. */
export const startAdvertiser = async (
  now: () => number,
  form: 'set' | 'pem' | 'silent' = 'set',
): Promise<Advertiser> => {
  const own = await pairOf();
  const other = await pairOf();
  const pem = await exportSPKI(own.publicKey);
  const set = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'current', use: 'sig' }] };
  const receiver: Receiver = await startReceiver((response) => {
    if (form !== 'silent') response.end(form === 'pem' ? pem : JSON.stringify(set));
  });
  const sign = (offerId: string, { kid = 'current', ...claims }: Changes, key = own.privateKey) =>
    new SignJWT({ m: merchantId, p: 8, dp: 20, dc: 'FLYER', c: 'GBP', o: offerId, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setExpirationTime((claims.exp ?? 0) || Math.floor(now() / 1000) + 3600)
      .sign(key);
  return {
    keyUrl: `${receiver.url}/keys`,
    asked: () => receiver.requests.length,
    token: (offerId, changes = {}) => sign(offerId, changes),
    forged: (offerId, kid = 'current') => sign(offerId, { kid }, other.privateKey),
    pem,
    close: () => receiver.close(),
  };
};
