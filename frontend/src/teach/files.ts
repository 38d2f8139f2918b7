/* Image files that are dropped, pasted or chosen, alone, in folders of classes, or in a zip. */

import { filesOf } from './zip';

/** A file, and the name of the folder that it is in; empty for a file alone. */
export interface FoundFile {
  name: string;
  folder: string;
  read: () => Promise<File>;
}

const TYPES: Record<string, string> = {
  jpg: 'jpeg',
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  bmp: 'bmp',
  tif: 'tiff',
  tiff: 'tiff',
};
const MAX_SIDE = 1024; // px; larger photographs are reduced before they are sent
const MAX_WHOLE = 2 ** 20; // bytes of a file that is sent as it is

const endingOf = (name: string) => name.split('.').at(-1)?.toLowerCase() ?? '';
const isZip = (name: string) => endingOf(name) === 'zip';

/** A file of a folder, by its path. Hidden files and those that are not images, such as lists of labels, are left out. */
function ofPath(path: string, read: () => Promise<Blob>): FoundFile[] {
  const [name = '', folder = ''] = path.split('/').toReversed();
  const type = TYPES[endingOf(name)];
  if (!type || name.startsWith('.') || path.startsWith('__MACOSX')) return [];
  return [{ name, folder, read: async () => new File([await read()], name, { type: `image/${type}` }) }];
}

async function ofFile(file: File): Promise<FoundFile[]> {
  if (isZip(file.name)) return (await filesOf(file)).flatMap(({ path, read }) => ofPath(path, read));
  if (file.webkitRelativePath) return ofPath(file.webkitRelativePath, async () => file);
  return [{ name: file.name, folder: '', read: async () => file }];
}

/** The files of a file field. */
export const ofField = async (files: FileList | readonly File[]) => (await Promise.all([...files].map(ofFile))).flat();

/** The files that are dropped. The entries must be taken at once: afterwards the browser has forgotten them. */
export async function ofDrop(transfer: DataTransfer): Promise<FoundFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const files = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return ofField(files);
  return (await Promise.all(entries.map((entry) => (entry ? ofEntry(entry) : [])))).flat();
}

async function ofEntry(entry: FileSystemEntry): Promise<FoundFile[]> {
  if (!entry.isDirectory) {
    const read = () => new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, '');
    return isZip(path) ? ofFile(await read()) : ofPath(path, read);
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (let part: FileSystemEntry[] = []; ; ) {
    part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // at most a hundred at a time
    if (!part.length) break;
    found.push(...part);
  }
  return (await Promise.all(found.map(ofEntry))).flat();
}

/** A large photograph at a size that models use; the file itself where the browser cannot decode it. */
export async function reduced(file: File): Promise<File> {
  if (file.size <= MAX_WHOLE) return file;
  try {
    const image = await createImageBitmap(file);
    const scale = Math.min(1, MAX_SIDE / Math.min(image.width, image.height));
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: Math.round(scale * image.width), height: Math.round(scale * image.height) });
    const context = canvas.getContext('2d');
    if (context) context.imageSmoothingQuality = 'high';
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close();
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92));
    return blob ? new File([blob], file.name, { type: 'image/jpeg' }) : file;
  } catch {
    return file;
  }
}
