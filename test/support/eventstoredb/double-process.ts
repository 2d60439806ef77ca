import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Everything that was started here and still runs: nothing outlives the tests. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * The double in a process of its own, on a file that outlives it: to be killed and started again at the same address.
 */
export class EventStoreDoubleProcess {
  readonly #file: string;
  #child: ChildProcess | undefined;
  /** For the client, once it has started. */
  address = '';

  constructor(file: string) {
    this.#file = file;
  }

  async start(): Promise<this> {
    const port = /:(\d+)\?/.exec(this.address)?.[1] ?? '0';
    const child = spawn(process.execPath, [entry, '--port', port, '--file', this.#file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    running.add(child);
    child.on('exit', () => running.delete(child));
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    this.address = address;
    return this;
  }

  /** As the kernel does it, at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !running.has(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops it where it stands: its sockets stay open, and nothing answers until `resume`. */
  suspend(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }
}
