import type { Recorded } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { EventCodec } from '#log/codec.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Decision, Nothing, Work } from './decide-batch.ts';
import { keyReused } from './idempotency.ts';
import type { StreamState } from './stream-state.ts';

/** Whose personal data its answer may show. */
const noteSubject = ({ decider, request }: Work, known: StreamState): void => {
  const reached = request?.meta.reached;
  if (!reached || !known.isPersonal) return;
  const subject = decider.subject?.(request.id, known.state);
  if (subject) (reached.subjects ??= new Map()).set(subject.id, subject);
};

/** Hands its caller what a command has come to: the state after it, and what was appended for it. */
export const resolveWork = (
  work: Work,
  known: StreamState,
  events: readonly Recorded[],
  isRepeat: boolean,
): void => {
  const { state, end, position } = known;
  const reached = work.isRehearsal ? undefined : work.request?.meta.reached;
  if (reached && position > reached.position) reached.position = position;
  noteSubject(work, known);
  work.resolve({ state, revision: end.revision, position, events, isRepeat });
};

/** For "already so", or a refusal. */
export const resolveNothing = ({ work, error }: Nothing, known: StreamState): void => {
  if (error === undefined) return resolveWork(work, known, [], false);
  noteSubject(work, known);
  work.reject(error);
};

/**
 * Whether the id's first run was asked for by another body. Stored answers tell that for 48 hours, the log for good;
 * events of releases that recorded no fingerprint tell nothing.
 */
const isOtherBody = ({ request }: Work, [first]: readonly Recorded[]): boolean => {
  const asked = request?.meta.bodyFingerprint;
  const recorded = first?.metadata.bodyFingerprint;
  return asked !== undefined && recorded !== undefined && asked !== recorded;
};

/** Anything but a refusal is a programming error, and newer knowledge does not mend it. */
export const isMistake = ({ error }: Nothing): boolean =>
  error !== undefined && !(error instanceof Rejection);

/** Whether newer reference state could make another answer of it; a look takes the stream as it is. */
export const doesReferenceMatter = ({ work: { request }, error }: Nothing): boolean => {
  if (!request) return false;
  const { referenceMatters = 'always' } = request;
  return referenceMatters === 'always' || (referenceMatters === 'to a refusal' && error !== undefined);
};

/** Hands the caller of a repeat what the first run appended. */
export const resolveRepeat = async (
  stream: string,
  { work, run }: Extract<Decision, { readonly kind: 'repeat' }>,
  known: StreamState,
  { store, codec }: { readonly store: EventStore; readonly codec: EventCodec },
): Promise<void> => {
  try {
    const limit = run.last - run.first + 1;
    const events = await codec.decodeAll(await store.readStream(stream, { fromRevision: run.first, limit }));
    if (isOtherBody(work, events)) throw keyReused();
    resolveWork(work, known, events, true);
  } catch (error) {
    work.reject(error);
  }
};
