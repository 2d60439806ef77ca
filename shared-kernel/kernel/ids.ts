import { hash, randomFillSync } from 'node:crypto';

const hexDigits = '0123456789abcdef';
const hyphened = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Where the bytes of a GUID stand in its text. */
const bytePlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Ids are made by the dozen for each request: their text is written in one place, and comes in one piece. */
const format = (bytes: Uint8Array): string => {
  for (let i = 0; i < 16; i++) {
    const at = bytePlaces[i] ?? 0;
    const byte = bytes[i] ?? 0;
    hyphened[at] = hexDigits.charCodeAt(byte >> 4);
    hyphened[at + 1] = hexDigits.charCodeAt(byte & 0xf);
  }
  return hyphened.toString('latin1');
};

const pool = new Uint8Array(4096);
let used = pool.length;
const randomBytes = (into: Uint8Array, from: number): void => {
  if (used + into.length - from > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let i = from; i < into.length; i++) into[i] = pool[used++] ?? 0;
};

let lastMilliseconds = 0;
let sequence = 0;
const bytes = new Uint8Array(16);

/** A new UUIDv7: sortable by time, strictly increasing within this process. */
export const newId = (now: number = Date.now()): string => {
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMilliseconds++;
    sequence = 0;
  }
  randomBytes(bytes, 8);
  let rest = lastMilliseconds;
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return format(bytes);
};

const tillrollNamespace = Buffer.from('6f0f2b1c7a535d0e9a4c3d2b1e0f5a69', 'hex');

/** What is hashed for an id: the namespace, which stays, and the parts behind it. */
let hashed = Buffer.alloc(1024);
tillrollNamespace.copy(hashed);

/** A UUIDv5: the same parts always give the same id. Parts are told apart, so ('a','bc') differs from ('ab','c'). */
export const derivedId = (...parts: readonly (string | number)[]): string => {
  const text = JSON.stringify(parts);
  const most = tillrollNamespace.length + 3 * text.length;
  if (hashed.length < most) {
    hashed = Buffer.alloc(most);
    tillrollNamespace.copy(hashed);
  }
  const length = tillrollNamespace.length + hashed.write(text, tillrollNamespace.length);
  return idOfDigits(hash('sha1', hashed.subarray(0, length), 'hex'), 5);
};

/** Of the digits of a hash. */
const idOfDigits = (digits: string, version: 5 | 8): string => {
  const variant = (0x8 | (parseInt(digits.charAt(16), 16) & 0x3)).toString(16);
  return (
    `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}${digits.slice(13, 16)}` +
    `-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
  );
};

/** The value of a hexadecimal digit in lower case. */
const digitAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
};

const byteAt = (text: string, at: number): number => digitAt(text, at) * 16 + digitAt(text, at + 1);

const paired = new Uint8Array(16);

/**
 * A UUIDv8 of two GUIDs in lower case: the same two always give the same id. Nothing is hashed, so that it takes a
 * third of the time of `derivedId`.
 */
export const pairedId = (one: string, other: string): string => {
  for (let i = 0; i < 16; i++) {
    const at = bytePlaces[i] ?? 0;
    paired[i] = byteAt(one, at) ^ byteAt(other, at);
  }
  paired[6] = 0x80 | ((paired[6] ?? 0) & 0x0f);
  paired[8] = 0x80 | ((paired[8] ?? 0) & 0x3f);
  return format(paired);
};

/** A UUIDv8 from the SHA-256 of a text: the same text always gives the same id. */
export const hashedId = (text: string): string => idOfDigits(hash('sha256', text, 'hex'), 8);

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** When a UUIDv7 was made, in milliseconds since 1970; null for any other text. */
export const madeAt = (id: string): number | null =>
  isGuid(id) && id[14] === '7' ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null;

/** True for a GUID in lower case with hyphens. */
export const isGuid = (text: string): boolean => guid.test(text);
