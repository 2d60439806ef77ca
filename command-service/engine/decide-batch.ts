import type { EventCodec, Draft } from '#log/codec.ts';
import type { Command, DataSubject } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { noteSaid } from '#log/repeated-fields.ts';
import { idOf } from '#values/stream-name.ts';
import type { Executed, ExecuteRequest } from './command-engine.ts';
import { runHooks, type BeforeHook } from './hooks.ts';
import type { Mailbox } from './mailbox.ts';
import { rememberCommand, type AnyDecider, type CommandRun, type StreamState } from './stream-state.ts';

export type AnyRequest = ExecuteRequest<unknown, Command, DomainEvent, unknown>;

/** A command on its way through the engine, or a mere look at the state. */
export interface Work {
  readonly decider: AnyDecider;
  /** Null for a look. */
  readonly request: AnyRequest | null;
  /** Only a refusal counts: what is decided is not recorded. */
  readonly isRehearsal: boolean;
  /** A look for which it is enough what this process knows. */
  readonly mayBeOld: boolean;
  /** Real time, milliseconds. */
  readonly arrivedAt: number;
  readonly resolve: (executed: Executed<unknown, DomainEvent>) => void;
  readonly reject: (error: unknown) => void;
  conflicts: number;
  /** Set when an answer without events may have rested on old knowledge: what is read first the next time. */
  mustBeCurrent: 'nothing' | 'the stream' | 'everything';
}

/** What a decision came to. */
export type Decision =
  | {
      readonly kind: 'appends';
      readonly work: Work;
      readonly request: AnyRequest;
      readonly drafts: readonly Draft[];
      /** What they take in the log, about. */
      readonly bytes: number;
      readonly subject: DataSubject | null;
    }
  | { readonly kind: 'repeat'; readonly work: Work; readonly run: CommandRun }
  /** A rehearsal of something that would append. */
  | { readonly kind: 'passes'; readonly work: Work }
  /** Nothing to append: "already so", or refused when there is an error. */
  | { readonly kind: 'nothing'; readonly work: Work; readonly error: unknown };

export type Appending = Extract<Decision, { readonly kind: 'appends' }>;
export type Nothing = Extract<Decision, { readonly kind: 'nothing' }>;

/** What one append holds at most (docs/architecture.md#a-command). */
const maxCommands = 100;
const maxBytes = 512 * 1024;
/**
 * What the events of one command may take, which cannot be divided: every engine can append that much at once. The
 * least of them is a server of EventStoreDB as it comes, 1 MiB.
 */
const maxCommandBytes = 1_000_000;
/** What an event takes beside its data, rather more than less; and a field beside its text when it is encrypted. */
const envelopeBytes = 640;
const sealBytes = 64;

/** What a draft takes in the log; as much as if it were encrypted whole when a part of it will be. */
const bytesOf = ({ text, definition: { personalFields, secretFields } }: Draft): number => {
  const bytes = Buffer.byteLength(text) + envelopeBytes;
  const fields = personalFields.length + secretFields.length;
  return fields === 0 ? bytes : Math.ceil((bytes * 4) / 3) + fields * sealBytes;
};

const totalOf = (drafts: readonly Draft[]): number =>
  drafts.reduce((bytes, draft) => bytes + bytesOf(draft), 0);

const tooLarge = (bytes: number): Rejection =>
  new Rejection(
    'command-too-large',
    `This would record ${bytes} bytes at once; the limit is ${maxCommandBytes}. Split the request.`,
  );

/**
 * Decides what waits, one after another, each on the state that the ones before it leave. `known.state` is then ahead
 * of the log by what the decisions append.
 */
export const decideBatch = (
  stream: string,
  mailbox: Mailbox<Work>,
  known: StreamState,
  codec: EventCodec,
  hooks: readonly BeforeHook[],
): readonly Decision[] => {
  const decisions: Decision[] = [];
  let bytes = 0;
  let revision = known.end.revision;
  for (let work = mailbox.take(); work; work = mailbox.take()) {
    const decision = decide(work, idOf(stream), known, codec, hooks);
    if (decision.kind === 'appends') {
      bytes += decision.bytes;
      if (bytes > maxBytes && decisions.length > 0) {
        mailbox.putBack([work]);
        break;
      }
      revision += decision.drafts.length;
      decisions.push({ ...decision, subject: takeIn(stream, decision, known, revision) });
    } else {
      decisions.push(decision);
    }
    if (decisions.length === maxCommands) break;
  }
  return decisions;
};

const decide = (
  work: Work,
  id: string,
  known: StreamState,
  codec: EventCodec,
  hooks: readonly BeforeHook[],
): Decision => {
  const { request, decider, isRehearsal } = work;
  if (!request) return { kind: 'nothing', work, error: undefined };
  const { command, meta } = request;
  const run = meta.commandId === undefined ? undefined : known.commands.get(meta.commandId);
  if (run) return isRehearsal ? { kind: 'passes', work } : { kind: 'repeat', work, run };
  try {
    const pending = { category: decider.category, id, command, state: known.state, meta };
    if (hooks.length > 0 && !request.isProcessStep) runHooks(hooks, pending);
    const events = decider.decide(known.state, command, request.context(known.state));
    if (events.length === 0) return { kind: 'nothing', work, error: undefined };
    // A step sent again has been done: hooks are not asked about it any more.
    if (hooks.length > 0 && request.isProcessStep) runHooks(hooks, pending);
    const drafts = events.map(codec.draft);
    const bytes = totalOf(drafts);
    if (bytes > maxCommandBytes) throw tooLarge(bytes);
    if (isRehearsal) return { kind: 'passes', work };
    return { kind: 'appends', work, request, drafts, bytes, subject: null };
  } catch (error) {
    return { kind: 'nothing', work, error };
  }
};

/** Takes the command's events into the pending state; returns whose personal data they hold. */
const takeIn = (
  stream: string,
  { work, request, drafts }: Appending,
  known: StreamState,
  lastRevision: number,
): DataSubject | null => {
  const { decider } = work;
  let revision = lastRevision - drafts.length;
  for (const { event } of drafts) {
    known.state = evolve(decider.on, known.state, event);
    noteSaid(known.said, event, ++revision);
  }
  const { commandId } = request.meta;
  if (commandId !== undefined) {
    rememberCommand(decider, known, commandId, lastRevision - drafts.length + 1);
    rememberCommand(decider, known, commandId, lastRevision);
  }
  return decider.subject?.(idOf(stream), known.state) ?? null;
};
