import { pino, type Logger } from 'pino';

/** Structured lines on standard output, one per record, without credentials. */
export const createLogger = (level: string, service: string): Logger =>
  pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', '*.paymentMethodToken'],
  });

/** For tests, and commands that print for themselves. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
