/* Arrays as base64 of little-endian bytes, as Python sends them. */

export function bytesOf(base64: string) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes in base64. */
export function base64Of(bytes: Uint8Array | Uint8ClampedArray) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

export const floatsOf = (base64: string) => new Float32Array(bytesOf(base64).buffer);
export const uint16Of = (base64: string) => new Uint16Array(bytesOf(base64).buffer);
