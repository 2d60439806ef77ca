import { extname } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xls': 'application/vnd.ms-excel',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.epub': 'application/epub+zip',
  '.mobi': 'application/x-mobipocket-ebook',
};

/** By the extension, in any case. */
export const contentTypeOf = (fileName: string): string =>
  types[extname(fileName).toLowerCase()] ?? 'application/octet-stream';

const percentEncoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Keeps the file's name, whatever letters it has (RFC 6266): in plain ASCII, and beside it in full for clients that
 * read RFC 5987.
 */
export const attachmentNamed = (fileName: string): string => {
  const plain = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncoded(fileName)}`;
};
