import { flushCompileCache } from 'node:module';
import { parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import {
  commitNextGroup,
  createGroupCommits,
  type GroupCommitter,
  type GroupResponse,
} from './group-commit.ts';

/** A writer's rows live as long as a commit: a small young generation serves as well as the default, in less memory. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** The way to a committer: requests go out, answers come back in the order of the requests. */
export interface WriterLink<Request> {
  send(requests: readonly Request[]): void;
  /** Answers what was sent, closes the committer and ends. */
  close(): Promise<void>;
}

export interface LinkListener<Outcome> {
  answered(answer: GroupResponse<Outcome>): void;
  /** The writer is gone; what was sent and not answered may or may not have been committed. */
  lost(reason: string): void;
}

type Message<Request> = readonly Request[] | 'close';

/**
 * Runs the committer of the module `entry` (which calls `serveCommits`) in a thread of its own, so that a slow disk
 * never holds up the event loop. Should the thread die, the next request starts another one.
 */
export const linkToThread = <Request, Outcome>(
  entry: URL,
  options: object,
  listener: LinkListener<Outcome>,
): WriterLink<Request> => {
  let worker: Worker | null = null;
  let onClosed: (() => void) | null = null;

  const start = (): Worker => {
    let reason = 'the writer thread ended';
    const started = new Worker(entry, { workerData: options, resourceLimits });
    started.on('message', (answer: GroupResponse<Outcome>) => listener.answered(answer));
    started.on('error', (error) => (reason = String(error)));
    started.on('exit', () => {
      worker = null;
      if (onClosed === null) listener.lost(reason);
      else onClosed();
    });
    return started;
  };
  const post = (message: Message<Request>): void => {
    worker ??= start();
    worker.postMessage(message);
  };
  worker = start();
  return {
    send: post,
    close: () =>
      new Promise((resolve) => {
        onClosed = resolve;
        post('close');
      }),
  };
};

/** The same on this thread. */
export const linkDirectly = <Request, Outcome>(
  committer: GroupCommitter<Request, Outcome>,
  listener: LinkListener<Outcome>,
): WriterLink<Request> => ({
  send: (requests) => {
    const waiting = [...requests];
    while (waiting.length > 0) listener.answered(commitNextGroup(committer, waiting));
  },
  close: async () => committer.close(),
});

/**
 * The thread's side. Everything that arrived while a commit was under way shares the next one: under load the price
 * of reaching the disk is divided among many, and without load no request waits for others.
 */
export const serveCommits = <Request, Outcome>(committer: GroupCommitter<Request, Outcome>): void => {
  const port = parentPort;
  if (port === null) throw new Error('serveCommits runs in a worker thread only');
  // For the next start: a kill leaves no time for it.
  flushCompileCache();
  const waiting: Request[] = [];
  const commitNext = createGroupCommits(committer, (answer) => port.postMessage(answer));
  let isClosing = false;
  const take = (message: Message<Request>): void => {
    if (message === 'close') isClosing = true;
    else waiting.push(...message);
  };
  const takeAll = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      take(next.message as Message<Request>);
  };
  port.on('message', (first: Message<Request>) => {
    take(first);
    takeAll();
    while (waiting.length > 0) {
      commitNext(waiting);
      takeAll();
    }
    if (!isClosing) return;
    committer.close();
    port.close();
  });
};
