import {
  Metadata,
  status as code,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
} from '@grpc/grpc-js';
import type { DoubleCalls } from './double-calls.ts';
import type { DoubleFaults } from './double-faults.ts';
import type { DoubleLog, Expected, ProposedEvent, Verdict } from './double-log.ts';
import { endsBatchCall, refusalOf, streamDeleted, type Refusal, type Standing } from './double-standing.ts';
import { any, shared, status, streams } from './protocol.ts';

export type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
export type BatchAppendCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

type Message = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

/** What a writer sends, from either call. */
interface Proposal {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: ProposedEvent[];
}

export interface DoubleAppendsOptions {
  /** The log that the node has by now. */
  readonly logNow: () => DoubleLog;
  readonly faults: DoubleFaults;
  readonly standing: Standing;
  readonly calls: DoubleCalls;
  readonly maxAppendSize: number;
}

/** Takes appends into the log, as far as the node's standing, its faults and the largest size of an append allow. */
export class DoubleAppends {
  readonly #logNow: () => DoubleLog;
  readonly #faults: DoubleFaults;
  readonly #standing: Standing;
  readonly #calls: DoubleCalls;
  readonly #maxAppendSize: number;

  constructor({ logNow, faults, standing, calls, maxAppendSize }: DoubleAppendsOptions) {
    this.#logNow = logNow;
    this.#faults = faults;
    this.#standing = standing;
    this.#calls = calls;
    this.#maxAppendSize = maxAppendSize;
  }

  /** Streams.Append: the options first, then each event, then one answer. */
  respondToAppend(call: AppendCall, answer: sendUnaryData<streams.AppendResp>): void {
    this.#calls.count('append');
    let proposal: Proposal | undefined;
    call.on('data', (message: streams.AppendReq) => {
      const options = message.getOptions();
      const event = message.getProposedMessage();
      if (options) proposal = proposalOf(options, options.hasRevision() ? options.getRevision() : undefined);
      if (event) proposal?.events.push(eventOf(event));
    });
    call.on('end', () => {
      if (proposal) void this.#appendOne(proposal, answer);
    });
  }

  /** Streams.BatchAppend: many appends in one call, known by their correlation ids, each in one message or several. */
  respondToBatchAppend(call: BatchAppendCall): void {
    const proposals = new Map<string, Proposal>();
    call.on('data', (message: streams.BatchAppendReq) => {
      const id = message.getCorrelationId()?.getString() ?? '';
      const options = message.getOptions();
      const proposal = options
        ? proposalOf(options, options.hasStreamPosition() ? options.getStreamPosition() : undefined)
        : proposals.get(id);
      if (!proposal) return;
      proposals.set(id, proposal);
      proposal.events.push(...message.getProposedMessagesList().map(eventOf));
      if (!message.getIsFinal()) return;
      proposals.delete(id);
      this.#calls.count('batchAppend');
      void this.#appendOfBatch(proposal, (answer) => {
        if (call.cancelled || call.writableEnded) return;
        if ('code' in answer) call.emit('error', answer);
        else call.write(answer.setCorrelationId(message.getCorrelationId()));
      });
    });
    call.on('end', () => call.end());
  }

  async #appendOne(proposal: Proposal, answer: sendUnaryData<streams.AppendResp>): Promise<void> {
    await this.#faults.appending(proposal.stream);
    const refused = refusalOf(this.#faults, this.#standing);
    if (refused) return answer(refused);
    if (this.#faults.isDeafToAppends) return;
    if (this.#isTooLarge(proposal)) {
      const metadata = new Metadata();
      metadata.set('exception', 'maximum-append-size-exceeded');
      metadata.set('maximum-append-size', String(this.#maxAppendSize));
      answer({ code: code.INVALID_ARGUMENT, details: 'Maximum Append Size Exceeded', metadata });
      return;
    }
    const verdict = this.#append(proposal);
    if (this.#faults.isSilentAboutAppends) return;
    if (verdict.kind === 'deleted') answer(streamDeleted(proposal.stream));
    else answer(null, appendResponse(verdict));
  }

  async #appendOfBatch(
    proposal: Proposal,
    answer: (message: streams.BatchAppendResp | Refusal) => void,
  ): Promise<void> {
    await this.#faults.appending(proposal.stream);
    const refused = refusalOf(this.#faults, this.#standing);
    if (refused) return answer(endsBatchCall(refused) ? refused : refusedAppend(refused.details));
    if (this.#faults.isDeafToAppends) return;
    if (this.#isTooLarge(proposal)) {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(this.#maxAppendSize);
      answer(refusal('MaximumAppendSizeExceeded', details.serializeBinary()));
      return;
    }
    const verdict = this.#append(proposal);
    if (!this.#faults.isSilentAboutAppends) answer(batchResponse(verdict));
  }

  #append({ stream, expected, events }: Proposal): Verdict {
    return this.#logNow().append(stream, expected, events);
  }

  #isTooLarge({ events }: Proposal): boolean {
    const size = events.reduce(
      (sum, { type, data, metadata }) => sum + 2 * type.length + data.length + metadata.length,
      0,
    );
    return size > this.#maxAppendSize;
  }
}

const proposalOf = (
  options: streams.AppendReq.Options | streams.BatchAppendReq.Options,
  revision: string | undefined,
): Proposal => ({
  stream: Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
  expected:
    revision !== undefined
      ? Number(revision)
      : options.hasNoStream()
        ? -1
        : options.hasStreamExists()
          ? 'stream exists'
          : 'any',
  events: [],
});

const eventOf = (message: Message): ProposedEvent => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: Buffer.from(message.getData_asU8()),
  metadata: Buffer.from(message.getCustomMetadata_asU8()),
});

const appendResponse = (verdict: Exclude<Verdict, { kind: 'deleted' }>): streams.AppendResp => {
  const { Success, Position, WrongExpectedVersion } = streams.AppendResp;
  if (verdict.kind === 'conflict') {
    const wrong = new WrongExpectedVersion();
    if (verdict.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(verdict.current));
    return new streams.AppendResp().setWrongExpectedVersion(wrong);
  }
  const position = String(verdict.position);
  return new streams.AppendResp().setSuccess(
    new Success()
      .setCurrentRevision(String(verdict.revision))
      .setPosition(new Position().setCommitPosition(position).setPreparePosition(position)),
  );
};

const batchResponse = (verdict: Verdict): streams.BatchAppendResp => {
  if (verdict.kind === 'deleted')
    return refusal('StreamDeleted', new shared.StreamDeleted().serializeBinary());
  if (verdict.kind === 'conflict') {
    const wrong = new shared.WrongExpectedVersion();
    if (verdict.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentStreamRevision(String(verdict.current));
    return refusal('WrongExpectedVersion', wrong.serializeBinary());
  }
  const position = String(verdict.position);
  return new streams.BatchAppendResp().setSuccess(
    new streams.BatchAppendResp.Success()
      .setCurrentRevision(String(verdict.revision))
      .setPosition(new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position)),
  );
};

const refusal = (name: string, details: Uint8Array): streams.BatchAppendResp => {
  const packed = new any.Any();
  packed.pack(details, `event_store.client.${name}`);
  return new streams.BatchAppendResp().setError(new status.Status().setMessage(name).setDetails(packed));
};

/** Where the server has only a sentence for it. */
const refusedAppend = (message: string): streams.BatchAppendResp =>
  new streams.BatchAppendResp().setError(new status.Status().setMessage(message));
