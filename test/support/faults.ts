import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import type { EventStore, EventToAppend, ReadStreamOptions } from '#ports/event-store.ts';
import { countdown } from './countdown.ts';

/** The calls in whose way a fault can be put, each with what it is called with. */
interface Calls {
  append: [stream: string, events: readonly EventToAppend[], expectedRevision: number];
  readStream: [stream: string, options: ReadStreamOptions | undefined];
  readAll: [after: number, limit: number | undefined];
  eventAt: [position: number];
}

type Matches<Call extends keyof Calls> = (...parameters: Calls[Call]) => boolean;
type Action<Call extends keyof Calls> = (...parameters: Calls[Call]) => void | Promise<void>;

interface Armed {
  readonly call: keyof Calls;
  readonly when: 'before' | 'after';
  matches(...parameters: unknown[]): boolean;
  action(...parameters: unknown[]): void | Promise<void>;
}

/** An event store whose calls can be made to race, fail or lose their answers. Each fault strikes once. */
export interface FaultyEventStore extends EventStore {
  /**
   * Runs `action` just before the next call that matches; when it throws, the call fails with that and never happens.
   */
  runBefore<Call extends keyof Calls>(
    call: Call,
    matches: Matches<Call>,
    action: () => void | Promise<void>,
  ): void;
  /** Runs `action` after the next matching call happened and before its answer; when it throws, the answer is lost. */
  runAfter<Call extends keyof Calls>(
    call: Call,
    matches: Matches<Call>,
    action: () => void | Promise<void>,
  ): void;
  /** The next matching append is "unavailable": `before` it happened, or `after`, so that its outcome is unknown. */
  failAppend(when: 'before' | 'after', matches?: Matches<'append'>): void;
  /** The next matching append is refused as if another writer had been there first. */
  conflictOnce(matches?: Matches<'append'>): void;
}

/** Puts faults in the way of `store`, which does everything else. */
export const faultyEventStore = (store: EventStore): FaultyEventStore => {
  const armed: Armed[] = [];
  const strike = async (when: Armed['when'], call: keyof Calls, parameters: unknown[]): Promise<void> => {
    const index = armed.findIndex(
      (fault) => fault.when === when && fault.call === call && fault.matches(...parameters),
    );
    if (index >= 0) await armed.splice(index, 1)[0]?.action(...parameters);
  };
  const around = async <Call extends keyof Calls, Answer>(
    call: Call,
    parameters: Calls[Call],
    happen: () => Promise<Answer>,
  ): Promise<Answer> => {
    await strike('before', call, parameters);
    const answer = await happen();
    await strike('after', call, parameters);
    return answer;
  };
  const any = () => true;
  return {
    isOnlyWriter: store.isOnlyWriter,
    append: (stream, expectedRevision, events) =>
      around('append', [stream, events, expectedRevision], () =>
        store.append(stream, expectedRevision, events),
      ),
    readStream: (stream, options) =>
      around('readStream', [stream, options], () => store.readStream(stream, options)),
    readAll: (after, limit) => around('readAll', [after, limit], () => store.readAll(after, limit)),
    eventAt: (position) => around('eventAt', [position], () => store.eventAt(position)),
    subscribe: (after, signal) => store.subscribe(after, signal),
    head: () => store.head(),
    ping: () => store.ping(),
    close: () => store.close(),
    runBefore: (call, matches, action) => void armed.push({ call, when: 'before', matches, action }),
    runAfter: (call, matches, action) => void armed.push({ call, when: 'after', matches, action }),
    failAppend: (when, matches = any) => {
      const action = () => {
        throw new EngineUnavailable(`a fault struck ${when} the append`);
      };
      armed.push({ call: 'append', when, matches, action });
    },
    conflictOnce: (matches = any) => {
      const action: Action<'append'> = (stream, _events, expectedRevision) => {
        throw new WrongExpectedRevision(stream, expectedRevision);
      };
      armed.push({ call: 'append', when: 'before', matches, action });
    },
  };
};

/** An append with an event of this type. */
export const holds =
  (type: string) =>
  (_stream: string, events: readonly EventToAppend[]): boolean =>
    events.some((event) => event.type === type);

/** The process is killed just before the next append that matches, which never happens. */
export const killBefore = (log: FaultyEventStore, matches: Matches<'append'>): void =>
  log.runBefore('append', matches, () => {
    throw new Error('killed');
  });

/** So many orders, and edits, have begun before the first event of this type is written; whose that is, has arrived. */
export const holdUntilBegun = (
  log: FaultyEventStore,
  orders: number,
  type: string,
  edits = 0,
): { readonly firstArrived: Promise<void> } => {
  const begun = countdown(orders + edits);
  const first = Promise.withResolvers<void>();
  for (let index = 0; index < orders; index++)
    log.runAfter('append', holds('OrderPlacementStarted'), begun.arrive);
  for (let index = 0; index < edits; index++) log.runAfter('append', holds('InvoiceEditBegun'), begun.arrive);
  log.runBefore('append', holds(type), () => {
    first.resolve();
    return begun.all;
  });
  return { firstArrived: first.promise };
};
