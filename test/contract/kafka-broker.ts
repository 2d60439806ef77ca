import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '#test/support/free-port.ts';

const script = fileURLToPath(new URL('../support/engines/kafka.sh', import.meta.url));
const run = promisify(execFile);

/** A broker of a test's own, which it may treat badly. */
export class KafkaBroker {
  readonly #environment: NodeJS.ProcessEnv;
  readonly address: string;

  private constructor(folder: string, port: number, controllerPort: number) {
    this.address = `kafka://127.0.0.1:${port}`;
    this.#environment = {
      ...process.env,
      KAFKA_DIR: folder,
      KAFKA_PORT: String(port),
      KAFKA_CONTROLLER_PORT: String(controllerPort),
    };
  }

  static async start(): Promise<KafkaBroker> {
    const folder = await mkdtemp(join(tmpdir(), 'kafka-broker-'));
    const broker = new KafkaBroker(folder, await freePort(), await freePort());
    await broker.start();
    return broker;
  }

  start(): Promise<void> {
    return this.#do('start');
  }

  /** As a crash would. Its data stays. */
  kill(): Promise<void> {
    return this.#do('kill');
  }

  /** Connections stay open, nothing answers. */
  freeze(): Promise<void> {
    return this.#do('pause');
  }

  thaw(): Promise<void> {
    return this.#do('resume');
  }

  remove(): Promise<void> {
    return this.#do('remove');
  }

  async #do(what: string): Promise<void> {
    await run(script, [what], { env: this.#environment });
  }
}
