import { digestAfter, emptyDigest } from '#log/hash-chain.ts';
import { START, type StoredEvent } from '#ports/event-store.ts';
import { isSignedBy, linkTo, type LogSeal } from '../seals/log-seal.ts';
import { noPlace, type CreateLogCheck, type LogCheck, type LogEnd, type Report } from './log-check.ts';

/** What `GET /audit/seals` returned once, or one entry of it, kept out of reach of those who run the shop. */
export interface KeptSeals {
  /** Null where only an entry was kept. */
  readonly publicKey: string | null;
  readonly seals: readonly LogSeal[];
}

export interface KnownSeals {
  /** Of the state store; null as long as nothing has been sealed. */
  readonly publicKey: string | null;
  /** Of the state store, the oldest first. */
  readonly seals: readonly LogSeal[];
  readonly kept: KeptSeals | null;
}

/** The newest seal that the log fits; null where it fits none. */
export type Coverage = Pick<LogSeal, 'number' | 'position' | 'count' | 'sealedAt'> | null;

export interface SealsCheck {
  readonly create: CreateLogCheck;
  /** Once the log has been read. */
  coverage(): Coverage;
}

/** Every seal is whole, and the log is what it says (docs/rules/proof.md#seals). */
export const sealsCheck = (known: KnownSeals): SealsCheck => {
  let check: RunningSealsCheck | null = null;
  return {
    create: (report) => {
      check = new RunningSealsCheck(known, report);
      return check;
    },
    coverage: () => check?.coverage ?? null,
  };
};

interface Sum {
  readonly count: number;
  readonly digest: string;
}

const emptySum: Sum = { count: 0, digest: emptyDigest };

const isSum = (sum: Sum, { count, digest }: LogSeal): boolean => sum.count === count && sum.digest === digest;

const placeOfSeal = ({ position }: LogSeal) => ({ ...noPlace, position });

class RunningSealsCheck implements LogCheck {
  readonly name = 'seals';
  readonly #known: KnownSeals;
  readonly #report: Report;
  /** By position. */
  readonly #seals: readonly LogSeal[];
  #next = 0;
  #sum = emptySum;
  /** What the log would come to if it were as the last seal that it does not fit says: damage is told once. */
  #assumed: Sum | null = null;
  #coverage: LogSeal | null = null;
  /** Up to where the log was as sealed. */
  #fitsTo = START;
  #last = START;
  /** The first position since then at which no event is. */
  #gap: number | null = null;

  constructor(known: KnownSeals, report: Report) {
    this.#report = report;
    this.#known = known;
    const { seals, kept } = known;
    const foreign = kept?.seals.filter(({ signature }) => !seals.some((one) => one.signature === signature));
    this.#seals = [...seals, ...(foreign ?? [])].toSorted((one, other) => one.position - other.position);
  }

  get coverage(): Coverage {
    if (!this.#coverage) return null;
    const { number, position, count, sealedAt } = this.#coverage;
    return { number, position, count, sealedAt };
  }

  takeStored(event: StoredEvent): void {
    for (let seal = this.#seals[this.#next]; seal && seal.position < event.position; seal = this.#following())
      this.#compare(seal, null);
    if (event.position !== this.#last + 1) this.#gap ??= this.#last + 1;
    this.#last = event.position;
    this.#sum = { count: this.#sum.count + 1, digest: digestAfter(this.#sum.digest, event) };
    if (this.#assumed)
      this.#assumed = { count: this.#assumed.count + 1, digest: digestAfter(this.#assumed.digest, event) };
    for (let seal = this.#seals[this.#next]; seal?.position === event.position; seal = this.#following())
      this.#compare(seal, event.id);
  }

  finish({ position, events }: LogEnd): void {
    const { seals, publicKey, kept } = this.#known;
    checkStored(seals, publicKey, this.#report);
    if (kept) checkKept(this.#known, kept, this.#report);
    for (const seal of this.#seals.slice(this.#next))
      this.#report({
        ...placeOfSeal(seal),
        found: `the end of the log at position ${position}, with ${events} events`,
        expected: `${sealedAs(seal)}: the log has lost its tail`,
      });
  }

  #following(): LogSeal | undefined {
    return this.#seals[++this.#next];
  }

  /** `eventId`: null where no event is at the seal's position. */
  #compare(seal: LogSeal, eventId: string | null): void {
    const isAtEvent = eventId === seal.eventId;
    if (isAtEvent && isSum(this.#sum, seal)) {
      this.#coverage = seal;
      this.#assumed = null;
    } else if (!isAtEvent || this.#assumed === null || !isSum(this.#assumed, seal)) {
      this.#report({ ...this.#place(seal), found: this.#found(eventId), expected: sealedAs(seal) });
      this.#assumed = { count: seal.count, digest: seal.digest };
    }
    this.#fitsTo = seal.position;
    this.#gap = null;
  }

  /** Where every position up to the seal had its event, the one that has none any more is the place. */
  #place(seal: LogSeal) {
    const isWithoutGaps = seal.count === seal.position && this.#gap !== null;
    return { ...noPlace, position: isWithoutGaps ? this.#gap : seal.position };
  }

  #found(eventId: string | null): string {
    const { count, digest } = this.#sum;
    const where = `between position ${this.#fitsTo + 1} and here`;
    return `other events ${where}: ${count} in all, digest ${digest}, ${eventId ?? 'no event'} at the end`;
  }
}

const sealedAs = ({ number, position, count, digest, eventId, sealedAt }: LogSeal): string =>
  `as seal ${number} of ${sealedAt} says: ${count} events up to position ${position}, digest ${digest}, ` +
  `${eventId} at the end`;

/** Each is signed, and follows the one before it. */
const checkStored = (seals: readonly LogSeal[], publicKey: string | null, report: Report): void => {
  let before: LogSeal | null = null;
  for (const seal of seals) {
    checkSignature(seal, publicKey, report);
    const number: number = (before?.number ?? 0) + 1;
    if (seal.number !== number)
      report({
        ...placeOfSeal(seal),
        found: `seal ${seal.number}`,
        expected: `seal ${number} in the state store: none may be missing`,
      });
    else if (seal.previous !== (before ? linkTo(before) : ''))
      report({
        ...placeOfSeal(seal),
        found: `seal ${seal.number}, which is not linked to seal ${number - 1} as it is now`,
        expected: 'the link to the seal before it',
      });
    before = seal;
  }
};

const checkSignature = (seal: LogSeal, publicKey: string | null, report: Report): void => {
  if (publicKey !== null && isSignedBy(seal, publicKey)) return;
  report({
    ...placeOfSeal(seal),
    found: `seal ${seal.number} with a signature that is not of the shop's key`,
    expected: 'a seal as the shop has signed it',
  });
};

/** The copy and the state store say the same. */
const checkKept = ({ publicKey, seals }: KnownSeals, kept: KeptSeals, report: Report): void => {
  if (kept.publicKey !== null && kept.publicKey !== publicKey)
    report({
      ...noPlace,
      found: `the public key ${publicKey ?? 'none'}`,
      expected: `the key in the copy that was kept: ${kept.publicKey}`,
    });
  const stored = new Map(seals.map((seal) => [seal.number, seal]));
  for (const seal of kept.seals) {
    checkSignature(seal, kept.publicKey ?? publicKey, report);
    const found = stored.get(seal.number);
    if (found?.signature !== seal.signature)
      report({
        ...placeOfSeal(seal),
        found: found
          ? `another seal ${seal.number} in the state store`
          : `no seal ${seal.number} in the state store`,
        expected: `seal ${seal.number} of ${seal.sealedAt} as it was kept`,
      });
  }
};
