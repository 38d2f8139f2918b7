/* The part of an uploaded image that the model sees. */

export interface Size {
  width: number;
  height: number;
}

/** The part of an image that the model sees in percent of its sides, or null if all of it is seen.
    @param aspect width of the model's input divided by its height
    @param position along the longer side, 0 to 1
    @param central side of the center crop divided by that of the largest one; null if the whole image is resized */
export function cropBox({ width, height }: Size, aspect: number, position: number, central: number | null = 1) {
  const ratio = width / height / aspect;
  if (!(ratio > 0) || central === null) return null;
  const isWhole = Math.abs(ratio - 1) < 0.01;
  if (isWhole && central === 1) return null;
  const isWide = ratio > 1;
  const share = isWhole ? 1 : isWide ? 1 / ratio : ratio;
  const along = 100 * ((1 - share) * position + (share * (1 - central)) / 2);
  const across = 50 * (1 - central);
  const [long, short] = [100 * share * central, 100 * central];
  return isWide
    ? { isWide, left: along, top: across, width: long, height: short }
    : { isWide, left: across, top: along, width: short, height: long };
}

type Box = NonNullable<ReturnType<typeof cropBox>>;

/** Side of the crop along the longer side of the image, divided by that of the image, without a center crop. */
const shareOf = ({ isWide, width, height }: Box) => (isWide ? width / height : height / width);

/** Whether a crop can be moved. */
export const isMovable = (box: Box) => shareOf(box) < 1;

/** The position of a crop centered at a point, given in fractions of the image's sides. */
export function positionAt(box: Box, point: { x: number; y: number }): number {
  const share = shareOf(box);
  const place = box.isWide ? point.x : point.y;
  return Math.min(1, Math.max(0, (place - share / 2) / (1 - share)));
}
