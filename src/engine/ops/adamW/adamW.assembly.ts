// The optimiser's kernels: the squared norm of one gradient (summed in float64), and one AdamW update.

/** Returns Σ x², summed in float64. */
export function squaredNorm(x: usize, count: i32): f64 {
  let low = f64x2.splat(0),
    high = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const y = v128.load(x + (i << 2));
    const square = f32x4.mul(y, y);
    low = f64x2.add(low, f64x2.promote_low_f32x4(square));
    high = f64x2.add(high, f64x2.promote_low_f32x4(v128.shuffle<f32>(square, square, 2, 3, 0, 1)));
  }
  const sums = f64x2.add(low, high);
  let total = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; i < count; i++) {
    const y = <f64>load<f32>(x + (i << 2));
    total += y * y;
  }
  return total;
}

/**
 * Updates in place: m ← β1·m + (1 − β1)·g·clip, v ← β2·v + (1 − β2)·(g·clip)², p ← p·keep − step·m / (√v·root + eps).
 */
export function adamW(
  p: usize, g: usize, m: usize, v: usize, count: i32, clip: f32,
  beta1: f32, oneMinusBeta1: f32, beta2: f32, oneMinusBeta2: f32,
  keep: f32, step: f32, root: f32, eps: f32,
): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = i << 2;
    const grad = f32x4.mul(v128.load(g + at), f32x4.splat(clip));
    const first = f32x4.add(
      f32x4.mul(v128.load(m + at), f32x4.splat(beta1)),
      f32x4.mul(grad, f32x4.splat(oneMinusBeta1)),
    );
    const second = f32x4.add(
      f32x4.mul(v128.load(v + at), f32x4.splat(beta2)),
      f32x4.mul(f32x4.mul(grad, grad), f32x4.splat(oneMinusBeta2)),
    );
    const below = f32x4.add(f32x4.mul(f32x4.sqrt(second), f32x4.splat(root)), f32x4.splat(eps));
    const move = f32x4.div(f32x4.mul(first, f32x4.splat(step)), below);
    v128.store(m + at, first);
    v128.store(v + at, second);
    v128.store(p + at, f32x4.sub(f32x4.mul(v128.load(p + at), f32x4.splat(keep)), move));
  }
  for (; i < count; i++) {
    const at = i << 2;
    const grad = load<f32>(g + at) * clip;
    const first = load<f32>(m + at) * beta1 + grad * oneMinusBeta1;
    const second = load<f32>(v + at) * beta2 + grad * grad * oneMinusBeta2;
    const move = (first * step) / (sqrt<f32>(second) * root + eps);
    store<f32>(m + at, first);
    store<f32>(v + at, second);
    store<f32>(p + at, load<f32>(p + at) * keep - move);
  }
}
