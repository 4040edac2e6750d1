// Where to write the names of lines so that none covers another: each label tries the places around its anchor in turn.

export interface LabelRequest {
  text: string;
  /** Anchor, the line's last point, in pixels. */
  x: number;
  y: number;
  width: number;
  /** Levels run across the whole chart: theirs stands at the right edge. */
  isAtEdge?: boolean;
}
export interface LabelPlace {
  text: string;
  /** Left end and middle of the text. */
  x: number;
  y: number;
}
export interface LabelBox {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Height of a line of text. */
  height: number;
  gap: number;
}

/** Places labels in order; one that fits nowhere is left out. */
export function placeLabels(requests: readonly LabelRequest[], box: LabelBox): LabelPlace[] {
  const taken: { x: number; y: number; width: number }[] = [];
  const half = box.height / 2;
  const isFree = (x: number, y: number, width: number) =>
    x >= box.left - 1 &&
    x + width <= box.right + 1 &&
    y - half >= box.top - 1 &&
    y + half <= box.bottom + 1 &&
    taken.every((other) => {
      const isBeside = x >= other.x + other.width + box.gap || other.x >= x + width + box.gap;
      return isBeside || Math.abs(y - other.y) >= box.height;
    });

  return requests.flatMap(({ text, x, y, width, isAtEdge }) => {
    const beside = x + box.gap * 1.5;
    const flush = box.right - width;
    const back = Math.max(box.left, Math.min(flush, x - width));
    const step = half + box.gap;
    const places: [number, number][] = isAtEdge
      ? [1, -1].flatMap((side): [number, number][] => [
          [flush, y + side * step],
          [box.left + box.gap, y + side * step],
        ])
      : [
          ...[0, -0.5, 0.5, -1, 1, -1.5, 1.5].map((shift): [number, number] => [beside, y + shift * box.height]),
          [back, y - step],
          [back, y + step],
          [back, y - step - box.height],
          [back, y + step + box.height],
        ];
    const place = places.find(([left, middle]) => isFree(left, middle, width));
    if (!place) return [];
    taken.push({ x: place[0], y: place[1], width });
    return { text, x: place[0], y: place[1] };
  });
}
