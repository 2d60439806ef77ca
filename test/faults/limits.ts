import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ShopProcess } from '../support/shop-process.ts';
import { always, closing, open, untilFelt, whileShopping, works, type MachineFault } from './fault.ts';

const prlimit = (shop: ShopProcess, ...limits: readonly string[]): void =>
  void execFileSync('prlimit', ['--pid', String(shop.pid), ...limits]);
const noPrlimit = (): string | null =>
  works('prlimit', '--version') ? null : 'there is no prlimit (util-linux)';

export const filesMayNotGrow: MachineFault = {
  name: 'file limit',
  what: 'no file may grow beyond the size of the log’s (prlimit --fsize)',
  missing: noPrlimit,
  run: async (seconds) =>
    closing(await open(), (shop) =>
      whileShopping(shop, seconds, {
        begin: async () => {
          const { size } = statSync(join(shop.dataDir, 'events.db-wal'));
          prlimit(shop, `--fsize=${size}:unlimited`);
          await untilFelt(shop);
        },
        end: async () => prlimit(shop, '--fsize=unlimited:unlimited'),
      }),
    ),
};

/** What the system allows. */
const mostDescriptors = ({ pid }: ShopProcess): string =>
  /^Max open files +\d+ +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? '1024';

export const fewDescriptors: MachineFault = {
  name: 'descriptor limit',
  what: 'ten more descriptors than are open, and 300 connections that want one (prlimit --nofile)',
  missing: noPrlimit,
  run: async (seconds) => {
    const sockets: Socket[] = [];
    return closing(await open(), (shop) =>
      whileShopping(shop, seconds, {
        begin: async () => {
          const opened = readdirSync(`/proc/${shop.pid}/fd`).length;
          prlimit(shop, `--nofile=${opened + 10}:`);
          for (let at = 0; at < 300; at++) {
            const socket = connect(shop.port, '127.0.0.1');
            socket.on('error', () => undefined);
            socket.write('GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n');
            sockets.push(socket);
          }
        },
        end: async () => {
          for (const socket of sockets) socket.destroy();
          prlimit(shop, `--nofile=${mostDescriptors(shop)}:`);
        },
      }),
    );
  },
};

export const stopped: MachineFault = {
  name: 'stopped process',
  what: 'SIGSTOP, then SIGCONT: leases have ended, timers are late',
  missing: always,
  run: async (seconds) =>
    closing(await open(), (shop) =>
      whileShopping(shop, seconds, {
        begin: async () => void process.kill(shop.pid, 'SIGSTOP'),
        end: async () => void process.kill(shop.pid, 'SIGCONT'),
      }),
    ),
};
