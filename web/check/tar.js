// Archives in the POSIX ustar format: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06

const block = 512, encoder = new TextEncoder(), decoder = new TextDecoder();

/** @param {[string, Uint8Array][]} files [path of at most 100 bytes, contents]. @returns {Uint8Array} the archive */
export function pack(files) {
  const padded = (bytes) => Math.ceil(bytes / block) * block;
  const archive = new Uint8Array(files.reduce((sum, [, bytes]) => sum + block + padded(bytes.length), 2 * block));
  let at = 0;
  for (const [path, bytes] of files) {
    const name = encoder.encode(path), header = archive.subarray(at, at + block);
    if (name.length > 100) throw new Error(`the path ${path} is longer than 100 bytes`);
    const field = (offset, text) => header.set(encoder.encode(text), offset);
    const octal = (value, digits) => value.toString(8).padStart(digits, "0");
    header.set(name);
    field(100, "0000644\0" + "0000000\0" + "0000000\0" + `${octal(bytes.length, 11)}\0` + `${octal(0, 11)}\0` + "        0");
    field(257, "ustar\0" + "00");
    field(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
    archive.set(bytes, at + block);
    at += block + padded(bytes.length);
  }
  return archive;
}

/** The entries of an archive: [path, contents, blocks]. `blocks` holds header and contents. `contents` and `blocks` are views
* of the archive's memory. */
function* entries(archive) {
  const text = (offset, length) => decoder.decode(archive.subarray(offset, offset + length)).replace(/\0.*/s, "");
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8), begin = at + block, next = begin + Math.ceil(size / block) * block;
    yield [text(at, 100), archive.subarray(begin, begin + size), archive.subarray(at, next)];
    at = next;
  }
}

/** @returns {Object} an archive as a tree. A folder is an object. A file is an array that views the archive's memory. */
export function unpack(archive) {
  const tree = {};
  for (const [path, contents] of entries(archive)) {
    const names = path.split("/");
    let folder = tree;
    for (const name of names.slice(0, -1)) folder = folder[name] ??= {};
    if (names.at(-1)) folder[names.at(-1)] = contents;
  }
  return tree;
}

/** @returns {[string, Uint8Array][]} the files of an archive; names come without folders */
export const filesOf = (archive) =>
  [...entries(archive)].map(([path, contents]) => [path.split("/").at(-1), contents]).filter(([name]) => name);

/** @returns {Uint8Array} an archive with the entries for which keep(path) is true */
export function filter(archive, keep) {
  const kept = [...entries(archive)].filter(([path]) => keep(path)).map(([, , blocks]) => blocks);
  const result = new Uint8Array(kept.reduce((sum, blocks) => sum + blocks.length, 2 * block));
  kept.reduce((at, blocks) => (result.set(blocks, at), at + blocks.length), 0);
  return result;
}
