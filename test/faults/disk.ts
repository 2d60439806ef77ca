import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShopProcess } from '../support/shop-process.ts';
import {
  closing,
  open,
  untilFelt,
  whileShopping,
  works,
  type FaultFinding,
  type MachineFault,
} from './fault.ts';

const mount = (folder: string): boolean => works('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder);
const noMount = (): string | null => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-disk-'));
  const isMounted = mount(folder);
  if (isMounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return isMounted ? null : 'this user may not mount a small disk';
};

/** Until not another byte fits. */
const fill = (disk: string): void => {
  const file = openSync(join(disk, 'ballast'), 'a');
  for (let size = 1024 * 1024; size >= 1;) {
    try {
      writeSync(file, Buffer.alloc(size, 1));
    } catch {
      size >>= 1;
    }
  }
  closeSync(file);
};

const onSmallDisk = async (work: (disk: string, shop: ShopProcess) => Promise<FaultFinding>) => {
  const disk = mkdtempSync(join(tmpdir(), 'tillroll-disk-'));
  if (!mount(disk)) throw new Error(noMount() ?? 'the disk could not be mounted');
  try {
    return await closing(await open({ within: disk }), (shop) => work(disk, shop));
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
};

const fillUp = (disk: string, shop: ShopProcess): Promise<void> => {
  fill(disk);
  return untilFelt(shop);
};

const makeRoom = async (disk: string): Promise<void> => rmSync(join(disk, 'ballast'));

export const fullDisk: MachineFault = {
  name: 'full disk',
  what: 'the disk has no byte left, then room again',
  missing: noMount,
  run: (seconds) =>
    onSmallDisk((disk, shop) =>
      whileShopping(shop, seconds, {
        begin: () => fillUp(disk, shop),
        end: () => makeRoom(disk),
      }),
    ),
};

export const killedOnFullDisk: MachineFault = {
  name: 'killed on a full disk',
  what: 'kill -9 while the disk is full, a start with room',
  missing: noMount,
  run: (seconds) =>
    onSmallDisk((disk, shop) =>
      whileShopping(shop, seconds, {
        begin: () => fillUp(disk, shop),
        end: async () => {
          await shop.kill();
          await makeRoom(disk);
          await shop.start();
        },
      }),
    ),
};
