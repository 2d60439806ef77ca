import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Received } from './subscriber.ts';
import { root } from './tillroll-process.ts';

// What docs/webhooks.md shows to those who receive webhooks, taken out of the page and run.

const page = readFileSync(`${root}/docs/webhooks.md`, 'utf8');

/** The only block of the page in a language. */
export const codeOf = (language: 'js' | 'python' | 'php'): string => {
  const blocks = page.split(`\`\`\`${language}\n`).slice(1);
  const [block] = blocks;
  if (block === undefined || blocks.length > 1)
    throw new Error(`docs/webhooks.md has ${blocks.length} blocks of ${language}`);
  return block.slice(0, block.indexOf('```'));
};

/** The receiver of the page, in a process of its own. */
export interface KitReceiver {
  readonly url: string;
  /** A line for each delivery that it has handled. */
  handled(): readonly string[];
  stop(): Promise<void>;
}

const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

const exited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const startKitReceiver = async (secret: string): Promise<KitReceiver> => {
  const port = await freePort();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', codeOf('js')], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}/hooks`;
  while (!(await isListening(url))) {
    if (exited(child)) throw new Error('the receiver of docs/webhooks.md does not start');
    await pause(20);
  }
  return {
    url,
    handled: () => output.split('\n').filter((line) => line !== ''),
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.kill()) await ended;
    },
  };
};

/** What a check of the page says to a request. */
export type Check = (request: Received, secret: string) => boolean;

const programs = {
  python: {
    command: 'python3',
    args: (code: string) => ['-c', code],
    call: `
import json, sys
given = json.load(sys.stdin)
print(is_authentic(base64.b64decode(given["body"]), given["headers"], given["secret"]))
`,
  },
  php: {
    command: 'php',
    args: (code: string) => ['-r', code],
    call: `
$given = json_decode(stream_get_contents(STDIN), true);
echo isAuthentic(base64_decode($given['body']), $given['headers'], $given['secret']) ? 'True' : 'False';
`,
  },
};

/** The check in another language; null where this machine has no interpreter of it. */
export const checkIn = (language: keyof typeof programs): Check | null => {
  const { command, args, call } = programs[language];
  if (spawnSync(command, ['--version']).status !== 0) return null;
  return ({ body, headers }, secret) => {
    const input = JSON.stringify({ body: body.toString('base64'), headers, secret });
    const { stdout, stderr } = spawnSync(command, args(`${codeOf(language)}${call}`), {
      input,
      encoding: 'utf8',
    });
    const answer = stdout.trim();
    if (answer !== 'True' && answer !== 'False') throw new Error(`${language} says ${stdout}${stderr}`);
    return answer === 'True';
  };
};
