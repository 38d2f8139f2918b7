/* The part of an uploaded image that the model sees. */

export interface Size {
  width: number;
  height: number;
}

/** The cropped part of an image in percent of its sides, or null if all of it is seen.
    @param aspect width of the model's input divided by its height
    @param position along the longer side, 0 to 1 */
export function cropBox({ width, height }: Size, aspect: number, position: number) {
  const ratio = width / height / aspect;
  if (!(ratio > 0) || Math.abs(ratio - 1) < 0.01) return null;
  const isWide = ratio > 1;
  const share = 100 * (isWide ? 1 / ratio : ratio);
  const start = (100 - share) * position;
  return isWide
    ? { isWide, left: start, top: 0, width: share, height: 100 }
    : { isWide, left: 0, top: start, width: 100, height: share };
}

/** The position of a crop centered at a point, given in fractions of the image's sides. */
export function positionAt(box: NonNullable<ReturnType<typeof cropBox>>, point: { x: number; y: number }): number {
  const share = (box.isWide ? box.width : box.height) / 100;
  const place = box.isWide ? point.x : point.y;
  return Math.min(1, Math.max(0, (place - share / 2) / (1 - share)));
}
