// Archives of files: POSIX ustar, https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06

const block = 512, encoder = new TextEncoder(), decoder = new TextDecoder();

/** @param {[string, Uint8Array][]} files by their paths, of at most 100 bytes. @returns {Uint8Array} the archive */
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

/** @returns {Object} the files of an archive as a tree: folders are objects, files arrays that share its memory. */
export function unpack(archive) {
  const tree = {};
  for (let at = 0; archive[at] !== 0;) {
    const text = (offset, length) => decoder.decode(archive.subarray(at + offset, at + offset + length)).replace(/\0.*/s, "");
    const path = text(0, 100).split("/"), size = parseInt(text(124, 12), 8);
    let folder = tree;
    for (const name of path.slice(0, -1)) folder = folder[name] ??= {};
    folder[path.at(-1)] = archive.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
  }
  return tree;
}
