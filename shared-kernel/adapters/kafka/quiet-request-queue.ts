import { createRequire } from 'node:module';

// kafkajs 2.2.4 looks after its queue of waiting requests with a timer that it re-arms on every run, whether or not a
// request waits. With none waiting and no throttling the delay is negative: Node takes it for one millisecond and,
// from version 24 on, warns. Each idle connection wakes up a thousand times per second for nothing.
//
// A timer is needed only while a request waits, and adding one to the queue arms the timer itself. So the one method
// that re-arms it is skipped while nothing waits; everything else stays as it is. The version is pinned, and a
// release that moves or mends this class fails here, where it is read, at the first start.

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

const QUIET = Symbol('armed only while a request waits');

/** Keeps idle connections of kafkajs asleep. Repeatable. */
export const quietRequestQueues = (): void => {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue & { [QUIET]?: true };
  };
  if (prototype[QUIET]) return;
  const { scheduleCheckPendingRequests } = prototype;
  if (typeof scheduleCheckPendingRequests !== 'function')
    throw new Error('this release of kafkajs is not the one that quiet-request-queue.ts was written for');
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
  prototype[QUIET] = true;
};
