/** Commits groups of requests. Lives in the writer thread, or in the main thread where no thread is wanted. */
export interface GroupCommitter<Request, Outcome> {
  /** One transaction for all; one outcome per request, in order. When it throws, nothing is promised of any request. */
  commit(requests: readonly Request[]): readonly Outcome[];
  /** In characters, with what the request costs beside them. */
  sizeOf(request: Request): number;
  /** How much one transaction should hold, in characters. Default 8 MB. */
  readonly limit?: number;
  /**
   * Puts what the log beside the file holds into the file; the log is then written from its start again. Between
   * commits, not beside them: until SQLite 3.51.3, a checkpoint by another connection could spoil the file.
   */
  fold(): void;
  close(): void;
}

/** What became of the oldest requests that were still unanswered. */
export type GroupResponse<Outcome> =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly failed: number; readonly reason: string };

const groupLimit = 8 * 1024 * 1024;
/** In characters. What is folded at once holds up every other file on the disk until it has arrived there. */
const FOLD_SIZE = 512 * 1024;
/** Few large commits fill or rebuild something, which is faster the more of them are folded at once. */
const FOLD_COMMITS = 8;

/** Takes the oldest requests off `waiting`, as many as one transaction should hold, and commits them. */
export const commitNextGroup = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  waiting: Request[],
): GroupResponse<Outcome> => commitGroup(committer, waiting.splice(0, groupLength(committer, waiting)));

const commitGroup = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  group: readonly Request[],
): GroupResponse<Outcome> => {
  try {
    return { outcomes: committer.commit(group) };
  } catch (error) {
    return { failed: group.length, reason: String(error) };
  }
};

/**
 * Commits group after group, and in between folds what the commits have left in the log beside the file: little at a
 * time, and behind the answer. Left to the engine, a commit folds many megabytes before it is answered.
 */
export const createGroupCommits = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  answer: (response: GroupResponse<Outcome>) => void,
): ((waiting: Request[]) => void) => {
  let unfolded = 0;
  let commits = 0;
  return (waiting) => {
    const group = waiting.splice(0, groupLength(committer, waiting));
    answer(commitGroup(committer, group));
    unfolded += group.reduce((sum, request) => sum + committer.sizeOf(request), 0);
    if (++commits < FOLD_COMMITS || unfolded < FOLD_SIZE) return;
    unfolded = commits = 0;
    foldOrLeave(committer);
  };
};

/** Nothing is lost where it fails: it stays in the log, and what ails the file fails the next commit. */
const foldOrLeave = ({ fold }: Pick<GroupCommitter<never, never>, 'fold'>): void => {
  try {
    fold();
  } catch {
    return;
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
