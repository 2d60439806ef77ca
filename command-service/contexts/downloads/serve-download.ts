import type { Logger } from 'pino';
import type { KnownLink } from '#events/download-view.ts';
import { HttpRejection } from '#http/errors.ts';
import { tooManyRequests, type RateLimit } from '#http/rate-limit.ts';
import type { FileBody } from '#http/reply.ts';
import { Rejection } from '#kernel/rejection.ts';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import type { DownloadCounter, UncountedPart } from './count-downloads.ts';
import type { DownloadFolder, OpenDownload } from './download-folder.ts';
import { ownLink, type OwnLinkDeps } from './own-link.ts';

export interface ServeDownloadDeps extends OwnLinkDeps {
  readonly folder: DownloadFolder;
  readonly counter: DownloadCounter;
  readonly limit: RateLimit;
  readonly requestsPerMinute: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** What a member wants of a link. */
export interface WantedDownload {
  readonly token: string;
  readonly memberId: string;
  /** Only what there is. */
  readonly isHead: boolean;
  /** The header fields Range and If-Range. */
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** What there is, and the bytes of it. */
export interface ServedDownload {
  readonly fileId: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly tag: string;
  /** Null: all of it. */
  readonly range: ByteRange | null;
  readonly file: FileBody | null;
}

/** Of one member, in one process: a browser and a download manager take a few, who holds more holds files open. */
const OPEN_AT_ONCE = 16;

const limitReached = (): Rejection => new Rejection('download-limit-reached', 'Download limit reached');

const beyond = (bytes: number): HttpRejection =>
  new HttpRejection('range-not-satisfiable', 'The file ends before that.', {
    'Content-Range': `bytes */${bytes}`,
  });

/** Reads that are under way, by member. */
const createOpenReads = () => {
  const open = new Map<string, number>();
  return {
    /** Until the function that it returns is called. */
    begin: (memberId: string): (() => void) => {
      const before = open.get(memberId) ?? 0;
      if (before >= OPEN_AT_ONCE)
        throw tooManyRequests('Too many of your downloads are under way. Wait until one has ended.', 1);
      open.set(memberId, before + 1);
      return () => {
        const left = (open.get(memberId) ?? 1) - 1;
        if (left === 0) open.delete(memberId);
        else open.set(memberId, left);
      };
    },
  };
};

/** May begin elsewhere than at the first byte: whether it does is known once the file is open. */
const asksForPart = ({ range, isHead }: WantedDownload): boolean =>
  !isHead && range !== undefined && !/^\s*bytes\s*=\s*0+\s*-/i.test(range);

/** Of another file than they have the beginning of they get the whole; of ranges HEAD knows nothing. */
const rangeWanted = ({ range, ifRange, isHead }: WantedDownload, { tag, bytes }: OpenDownload) =>
  isHead || (ifRange !== undefined && ifRange !== tag) ? null : byteRangeOf(range, bytes);

/** Who may read, and what of it counts. */
const createAdmission = (deps: ServeDownloadDeps) => {
  const { counter, limit, requestsPerMinute, clock, log } = deps;
  const reads = createOpenReads();

  const pass = async ({ memberId }: WantedDownload): Promise<void> => {
    const taken = await limit.take(memberId, requestsPerMinute);
    if (!taken.isTaken)
      throw tooManyRequests('Too many downloads. Try again in a moment.', taken.retryAfterSeconds);
  };

  /** A part may belong to the last download that was allowed. */
  const refuseUsedUp = async (link: KnownLink, wanted: WantedDownload): Promise<void> => {
    const { linkId, maxDownloads } = link;
    const row = maxDownloads > 0 ? await counter.find(linkId) : null;
    if (row === null || row.count < maxDownloads) return;
    if (!asksForPart(wanted) || row.partsUntil <= clock.now()) throw limitReached();
  };

  /** What of a part was not read is given back once it is closed. */
  const watched = (body: FileBody, part: UncountedPart | null, end: () => void): FileBody => {
    let read = 0;
    return {
      bytes: body.bytes,
      read: async (into, at) => {
        const filled = await body.read(into, at);
        read = at + filled;
        return filled;
      },
      close: async () => {
        end();
        await body.close();
        if (part === null || read >= body.bytes) return;
        await counter
          .giveBack(part, body.bytes - read)
          .catch((err: unknown) => log.warn({ err }, 'what was not sent of a download stays taken'));
      },
    };
  };

  /** The bytes, once they are taken out of what is left, or counted. */
  const begin = async (
    wanted: WantedDownload,
    { linkId, maxDownloads }: KnownLink,
    file: OpenDownload,
    range: ByteRange | null,
  ): Promise<FileBody> => {
    const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
    const length = end - start + 1;
    const ended = reads.begin(wanted.memberId);
    try {
      const part = start === 0 ? null : await counter.takePart(linkId, length, file.bytes);
      if (part === null) {
        if (asksForPart(wanted)) await pass(wanted);
        if (!(await counter.take(linkId, maxDownloads))) throw limitReached();
      }
      return watched(file.part(start, length), part, ended);
    } catch (error) {
      ended();
      throw error;
    }
  };

  return { pass, refuseUsedUp, begin };
};

/** Streams files, each download counted before its first byte (docs/rules/downloads.md#counting). */
export const createServeDownload = (deps: ServeDownloadDeps) => {
  const { pass, refuseUsedUp, begin } = createAdmission(deps);
  const { folder } = deps;

  const find = async (wanted: WantedDownload): Promise<readonly [KnownLink, OpenDownload]> => {
    // Whether a part stands outside the limit is known last: what is refused before counts like any other.
    if (!asksForPart(wanted)) await pass(wanted);
    try {
      const link = await ownLink(deps, wanted.token, wanted.memberId);
      await refuseUsedUp(link, wanted);
      return [link, await folder.open(link.fileId)];
    } catch (error) {
      if (asksForPart(wanted)) await pass(wanted);
      throw error;
    }
  };

  /**
   * Errors: those of `ownLink` and of the folder, `download-limit-reached`, `range-not-satisfiable`,
   * `too-many-requests`, `EngineUnavailable`.
   */
  return async (wanted: WantedDownload): Promise<ServedDownload> => {
    const [link, file] = await find(wanted);
    let body: FileBody | null = null;
    try {
      const { bytes, tag } = file;
      const range = rangeWanted(wanted, file);
      if (range === 'beyond') {
        if (asksForPart(wanted)) await pass(wanted);
        throw beyond(bytes);
      }
      if (!wanted.isHead) body = await begin(wanted, link, file, range);
      return { fileId: link.fileId, bytes, tag, range, file: body };
    } finally {
      if (body === null) await file.close();
    }
  };
};

export type ServeDownload = ReturnType<typeof createServeDownload>;
