import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/self/stat';
/** Of the clock of Linux, in a second. */
const TICKS = 100;

/** CPU that this process has had, and, where the system tells, what it has started and has ended. */
export const cpuSeconds = (): number => {
  if (!existsSync(STAT)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const stat = readFileSync(STAT, 'utf8');
  // After the name, which may hold anything: the 14th to the 17th field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS;
};
