import type { Logger } from 'pino';

/** Stops a process gracefully, once. */
export interface Shutdown {
  /** True from the first request to stop; readiness reports it, so that no new requests are sent. */
  readonly isUnderWay: boolean;
  /** Aborts with the first request to stop. */
  readonly signal: AbortSignal;
  /** Adds something to close, before everything added earlier, on which it may depend. */
  add(name: string, close: () => Promise<void> | void): void;
  /** Closes everything; a second call waits for the first. True if all closed in time. */
  run(reason: string): Promise<boolean>;
}

export interface ShutdownOptions {
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Real time for everything together. Default 15,000. */
  readonly timeoutMs?: number;
}

interface Step {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

export const createShutdown = ({ log, timeoutMs = 15_000 }: ShutdownOptions): Shutdown => {
  const steps: Step[] = [];
  const stopping = new AbortController();
  let running: Promise<boolean> | null = null;

  const closeAll = async (): Promise<boolean> => {
    let isClean = true;
    for (const { name, close } of steps.toReversed()) {
      try {
        await close();
      } catch (error) {
        isClean = false;
        log.error({ step: name, err: error }, 'could not be closed');
      }
    }
    return isClean;
  };

  const withinTime = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        log.error({ timeoutMs }, 'shutting down takes too long: giving up');
        resolve(false);
      }, timeoutMs);
    });
    const isClean = await Promise.race([closeAll(), tooLong]);
    clearTimeout(timer);
    return isClean;
  };

  return {
    get isUnderWay() {
      return running !== null;
    },
    signal: stopping.signal,
    add: (name, close) => {
      steps.push({ name, close });
    },
    run: (reason) => {
      if (running === null) {
        log.info({ reason }, 'shutting down');
        stopping.abort();
        running = withinTime();
      }
      return running;
    },
  };
};

/** Ends the process on SIGTERM and SIGINT, with 0 if everything closed, else 1. A second signal ends it at once. */
export const stopOnSignals = (shutdown: Shutdown): void => {
  const stop = (signal: NodeJS.Signals): void => {
    if (shutdown.isUnderWay) process.exit(1);
    void shutdown.run(signal).then((isClean) => process.exit(isClean ? 0 : 1));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};
