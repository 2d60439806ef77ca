import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { Rejection } from '#kernel/rejection.ts';
import { PasswordThreads } from './password-threads.ts';

/** Of a guess: time and memory double with each step of `logN`. Every hash includes it, so that it can be raised. */
export interface PasswordCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** About 60 ms and 32 MB. */
const usualCost: PasswordCost = { logN: 15, r: 8, p: 1 };
const keyBytes = 32;

interface Parts extends PasswordCost {
  readonly salt: Buffer;
  readonly key: Buffer;
}

type Derive = (password: string, parts: Omit<Parts, 'key'>) => Promise<Uint8Array>;

const deriveIn =
  (threads: PasswordThreads): Derive =>
  (password, { logN, r, p, salt }) =>
    threads.derive({ password: password.normalize('NFKC'), salt, keyBytes, logN, r, p });

/** A hash with a salt of its own: `scrypt$logN$r$p$salt$key`. */
const hashPassword = async (derive: Derive, cost: PasswordCost, password: string): Promise<string> => {
  const salt = randomBytes(16);
  const key = Buffer.from(await derive(password, { ...cost, salt }));
  return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$');
};

const nobodysSalt = randomBytes(16);

/** Whether this is the password; without a hash false, after the same work. */
const isPassword = async (
  derive: Derive,
  cost: PasswordCost,
  password: string,
  hash: string | null,
): Promise<boolean> => {
  const parts = hash === null ? null : parse(hash);
  const key = await derive(password, parts ?? { ...cost, salt: nobodysSalt });
  return parts !== null && timingSafeEqual(key, parts.key);
};

const parse = (hash: string): Parts => {
  const [, logN, r, p, salt = '', key = ''] = hash.split('$');
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  return { logN: Number(logN), r: Number(r), p: Number(p), salt: bytes(salt), key: bytes(key) };
};

/**
 * Hashes passwords, a limited number at once, so that sign-ins leave the machine to shoppers
 * (docs/rules/members.md#load). `caller` owns the place in the queue; none may fill the queue alone. Errors:
 * `too-busy`, at once.
 */
export interface Passwords {
  hash(password: string, caller: string): Promise<string>;
  /** Whether this is the password. A null hash, for an unknown account, takes the same work. */
  isRight(password: string, hash: string | null, caller: string): Promise<boolean>;
}

export interface OpenPasswords extends Passwords {
  /** Waits for hashes under way. */
  close(): Promise<void>;
}

export interface PasswordsOptions {
  readonly log?: Pick<Logger, 'error'>;
  /** Of new hashes, and of guesses at accounts that are not there. */
  readonly cost?: PasswordCost;
  /** Threads. Default: half of the processors, two at most. */
  readonly atOnce?: number;
  /** The length of the queue. Default: 32, about two seconds of work. */
  readonly waiting?: number;
  /** How many one caller may have waiting or under way. Default: 8. */
  readonly ofOneCaller?: number;
}

const MAX_AT_ONCE = 2;

const tooBusy = (): Rejection =>
  new Rejection('too-busy', 'Too many people are signing in at the moment. Please try again in a moment.');

export const createPasswords = ({
  log,
  cost = usualCost,
  atOnce = Math.min(MAX_AT_ONCE, Math.max(1, Math.floor(availableParallelism() / 2))),
  waiting: maxWaiting = 32,
  ofOneCaller = 8,
}: PasswordsOptions = {}): OpenPasswords => {
  const threads = new PasswordThreads((err) =>
    log?.error({ err }, 'a thread that hashes passwords has died'),
  );
  const derive = deriveIn(threads);
  const waiting: (() => void)[] = [];
  const places = new Map<string, number>();
  let working = 0;

  const leave = (caller: string): void => {
    const left = (places.get(caller) ?? 1) - 1;
    if (left > 0) places.set(caller, left);
    else places.delete(caller);
  };

  const inTurn = async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    const taken = places.get(caller) ?? 0;
    if (taken >= ofOneCaller || (working >= atOnce && waiting.length >= maxWaiting)) throw tooBusy();
    places.set(caller, taken + 1);
    if (working >= atOnce) await new Promise<void>((begin) => waiting.push(begin));
    else working++;
    try {
      return await work();
    } finally {
      leave(caller);
      const next = waiting.shift();
      if (next) next();
      else working--;
    }
  };

  return {
    hash: (password, caller) => inTurn(caller, () => hashPassword(derive, cost, password)),
    isRight: (password, hash, caller) => inTurn(caller, () => isPassword(derive, cost, password, hash)),
    close: () => threads.close(),
  };
};
