/** Commits groups of requests. Lives in the writer thread, or in the main thread where no thread is wanted. */
export interface GroupCommitter<Request, Outcome> {
  /** One transaction for all; one outcome per request, in order. When it throws, nothing is promised of any request. */
  commit(requests: readonly Request[]): readonly Outcome[];
  /** In characters, with what the request costs beside them. */
  sizeOf(request: Request): number;
  /** How much one transaction should hold, in characters. Default 8 MB. */
  readonly limit?: number;
  close(): void;
}

/** What became of the oldest requests that were still unanswered. */
export type GroupResponse<Outcome> =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly failed: number; readonly reason: string };

const groupLimit = 8 * 1024 * 1024;

/** Takes the oldest requests off `waiting`, as many as one transaction should hold, and commits them. */
export const commitNextGroup = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  waiting: Request[],
): GroupResponse<Outcome> => {
  const group = waiting.splice(0, groupLength(committer, waiting));
  try {
    return { outcomes: committer.commit(group) };
  } catch (error) {
    return { failed: group.length, reason: String(error) };
  }
};

const groupLength = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  waiting: readonly Request[],
): number => {
  const { limit = groupLimit } = committer;
  let size = 0;
  const tooMany = waiting.findIndex((request) => (size += committer.sizeOf(request)) > limit);
  return tooMany < 0 ? waiting.length : Math.max(tooMany, 1);
};
