import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backoffice } from './backoffice.ts';
import { median, percent, spread, whole, type Figure } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import { addPath, CookieJar, expectStatus } from './shopper.ts';
import { startFileServer } from './workers.ts';

const READERS = 4;
const BYTES = 2 ** 30;
const SHARE = 0.5;
const MOST_MB = 50;
const RECEIVE_BYTES = 2 ** 20;

/** Where a file is, and as whom it is asked for. */
interface Source {
  readonly port: number;
  readonly path: string;
  readonly cookies?: string;
}

/** Reads a file and forgets it: nothing is cheaper, so that the servers are measured. Errors: not all of it came. */
const readFile = ({ port, path, cookies }: Source, bytes: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let received = 0;
    let head = '';
    const callback = (length: number, buffer: Uint8Array): boolean => {
      if (received === 0) head = Buffer.from(buffer.subarray(0, Math.min(length, 2000))).toString('latin1');
      received += length;
      return true;
    };
    const socket = connect({
      ...{ port, host: '127.0.0.1', onread: { buffer: new Uint8Array(RECEIVE_BYTES), callback } },
    });
    const identity = cookies === undefined ? '' : `cookie: ${cookies}\r\n`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${identity}connection: close\r\n\r\n`);
    socket.on('error', reject);
    socket.on('close', () => {
      const isWhole = head.startsWith('HTTP/1.1 200 ') && received === head.indexOf('\r\n\r\n') + 4 + bytes;
      if (isWhole) resolve();
      else reject(new Error(`${path}: ${received} bytes came, after: ${head.slice(0, 300)}`));
    });
  });

/** MB per second, all readers together. */
const readAtOnce = async (source: Source, bytes: number): Promise<number> => {
  const begun = performance.now();
  await Promise.all(Array.from({ length: READERS }, () => readFile(source, bytes)));
  return (READERS * bytes) / 1000 / (performance.now() - begun);
};

/** Somebody with an account who has got the product for nothing: the address of its file, and who they are. */
const buyFile = async (port: number, productId: string): Promise<Source> => {
  const connection = new HttpConnection(port);
  const jar = new CookieJar();
  const ask = async <Answer>(method: 'GET' | 'POST', path: string, body: object | null): Promise<Answer> => {
    const text = body === null ? null : JSON.stringify(body);
    const answer = await connection.request(method, path, jar.header, text);
    expectStatus(answer, path);
    jar.take(answer.cookies);
    return JSON.parse(answer.body.toString()) as Answer;
  };
  const checkout = '/api/shop/checkout';
  const billingAddress = {
    ...{ name: 'Ada Ashby', addressOne: '1 Main Street', townCity: 'London', postalCode: 'N1 1AA' },
    countryCode: 'GB',
  };
  await ask('POST', addPath, { productId, quantity: 1 });
  await ask('POST', `${checkout}/addresses`, {
    ...{ email: 'ada@bench.example', password: 'correct horse battery', billingAddress },
  });
  await ask('POST', `${checkout}/initialize`, { countryCode: 'GB' });
  const paid = { providerAlias: 'sandbox', methodAlias: 'card', returnUrl: '/thanks', cancelUrl: '/basket' };
  await ask('POST', `${checkout}/pay`, paid);
  const links = await ask<readonly { readonly downloadUrl: string }[]>(
    'GET',
    '/api/shop/downloads/customer',
    null,
  );
  connection.close();
  const path = links[0]?.downloadUrl;
  if (path === undefined) throw new Error('the purchase of a file brought no link');
  return { port, path: path.slice(path.indexOf('/api/')), cookies: jar.header };
};

const openFileShop = async (bench: Bench, dataDir: string) => {
  const loopFile = join(dataDir, 'loop.txt');
  writeFileSync(loopFile, '');
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    ...{ dataDir, storeFile: bench.storeFile, outputFile: join(dataDir, 'shop.log') },
    nodeOptions: ['--import', fileURLToPath(new URL('./watch-loop.ts', import.meta.url))],
    env: { LOOP_FILE: loopFile, Downloads__RequestsPerMinute: '100000' },
  });
  const productId = await backoffice(shop.port).giveAway('FILM', 'film.bin');
  await untilSettled(shop.port);
  /** The resident memory in MB, each quarter of a second. */
  const memory = (): readonly number[] =>
    readFileSync(loopFile, 'utf8')
      .trim()
      .split('\n')
      .map((row) => Number(row.split(' ')[2]));
  return { shop, memory, source: await buyFile(shop.port, productId) };
};

/** A large file read by several at once from the shop, in turn with Express's `sendFile` of the same file. */
export const measureDownloads = async (bench: Bench): Promise<Figure[]> => {
  const bytes = bench.isQuick ? BYTES / 16 : BYTES;
  const dataDir = join(bench.folder, 'downloads');
  const file = join(dataDir, 'downloads', 'film.bin');
  mkdirSync(join(dataDir, 'downloads'), { recursive: true });
  // Holes all through: what a disk takes is the same for both, and would hide what each of them costs.
  writeFileSync(file, '');
  truncateSync(file, bytes);
  const express = await startFileServer(bench.pinning?.server ?? null, file);
  const bare: Source = { port: express.port, path: '/file' };
  const { shop, memory, source } = await openFileShop(bench, dataDir);
  try {
    const idle = Math.max(...memory());
    const shares: number[] = [];
    const speeds: number[] = [];
    for (let turn = 1; turn <= bench.runs; turn++) {
      const before = await readAtOnce(bare, bytes);
      const speed = await readAtOnce(source, bytes);
      const usual = (before + (await readAtOnce(bare, bytes))) / 2;
      shares.push(speed / usual);
      speeds.push(speed);
      bench.say(`downloads: ${turn} of ${bench.runs}: ${whole(speed)} of ${whole(usual)} MB per second`);
    }
    const more = Math.max(...memory()) - idle;
    return [
      {
        work: `a file of ${whole(bytes / 2 ** 20)} MB, ${READERS} readers at once, in turn with Express's sendFile`,
        measured: `${spread(shares, percent)} of Express: ${spread(speeds, whole)} MB/s`,
        reach: `at least ${percent(SHARE)}`,
        isReached: median(shares) >= SHARE,
      },
      {
        work: 'memory of the shop meanwhile',
        measured: `${whole(more)} MB more than before`,
        reach: `at most ${MOST_MB} MB`,
        isReached: more <= MOST_MB,
      },
    ];
  } finally {
    await express.stop();
    await shop.stop();
  }
};
