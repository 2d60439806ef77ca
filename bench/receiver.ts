import { createServer, type AddressInfo, type Socket } from 'node:net';

/*
 * Receivers of webhooks, as a process of its own: any path is one, and every request is answered at once with 200;
 * below /dead no answer ever comes, and below /failing the answer is 500 until it is mended. It knows just enough HTTP
 * for our own sender, so that it is never what is measured.
 */

/** Forgets what has arrived. With `samples`, how long each delivery took from its event on is noted. */
export interface ResetJob {
  readonly kind: 'reset';
  readonly samples: boolean;
}

/** Answers once so many requests have been answered since the reset. Errors: after `patienceMs`. */
export interface CountJob {
  readonly kind: 'count';
  readonly atLeast: number;
  readonly patienceMs: number;
}

/** From now on everything is answered with 200 below /failing, too. */
export interface MendJob {
  readonly kind: 'mend';
}

export type ReceiverJob = ResetJob | CountJob | MendJob;

export interface Received {
  readonly count: number;
  /** From the first to the last. */
  readonly perSecond: number;
  /** From the event to the first byte of its delivery; milliseconds, NaN without samples. */
  readonly p95: number;
  readonly worst: number;
}

const headEnd = Buffer.from('\r\n\r\n');
const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
const refusal = Buffer.from('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\nno');
const LOOK_EVERY_MS = 5;

let count = 0;
let firstAt = 0;
let lastAt = 0;
let keepsSamples = false;
let isMended = false;
let delays: number[] = [];

/** The shop's clock is this machine's. */
const wallClock = (): number => performance.timeOrigin + performance.now();

const note = (body: Buffer, firstByteAt: number): void => {
  lastAt = performance.now();
  if (count++ === 0) firstAt = lastAt;
  if (!keepsSamples) return;
  // Of a webhook, or of a notice to an agent.
  const { timestamp, created_time: happened = '' } = JSON.parse(body.toString()) as Readonly<
    Partial<Record<'timestamp' | 'created_time', string>>
  >;
  delays.push(firstByteAt - Date.parse(timestamp ?? happened));
};

const serve = (socket: Socket): void => {
  let received: Buffer = Buffer.alloc(0);
  let firstByteAt = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (received.length === 0) firstByteAt = wallClock();
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(headEnd);
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const bodyFrom = end + headEnd.length;
    if (received.length < bodyFrom + length) return;
    const body = received;
    received = Buffer.alloc(0);
    if (head.startsWith('POST /dead')) return;
    if (head.startsWith('POST /failing')) {
      socket.write(isMended ? answer : refusal);
      return;
    }
    note(body.subarray(bodyFrom), firstByteAt);
    socket.write(answer);
  });
};

const figures = (): Received => {
  const sorted = delays.toSorted((one, other) => one - other);
  return {
    count,
    perSecond: (count - 1) / ((lastAt - firstAt) / 1000),
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? NaN,
    worst: sorted.at(-1) ?? NaN,
  };
};

const waitFor = async ({ atLeast, patienceMs }: CountJob): Promise<Received> => {
  const givesUpAt = performance.now() + patienceMs;
  while (count < atLeast) {
    if (performance.now() > givesUpAt) throw new Error(`${count} of ${atLeast} deliveries arrived`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return figures();
};

const perform = async (job: ReceiverJob): Promise<object> => {
  if (job.kind === 'count') return waitFor(job);
  if (job.kind === 'mend') {
    isMended = true;
    return {};
  }
  count = 0;
  keepsSamples = job.samples;
  delays = [];
  return {};
};

process.on('message', (job: ReceiverJob) => {
  perform(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  process.send?.({ result: { port: (server.address() as AddressInfo).port } });
});
