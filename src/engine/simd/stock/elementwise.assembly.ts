// Kernels that process element by element. `op` is a constant in each copy of a loop, so the choice of the operation
// takes no time.
import { exp4, exp1 } from '../assembly/exp.assembly';

/** The operations by their numbers: 0 add, 1 subtract, 2 multiply, 3 divide, 4 maximum, 5 minimum. */
@inline
function two4(op: i32, x: v128, y: v128): v128 {
  if (op == 0) return f32x4.add(x, y);
  if (op == 1) return f32x4.sub(x, y);
  if (op == 2) return f32x4.mul(x, y);
  if (op == 3) return f32x4.div(x, y);
  if (op == 4) return f32x4.max(x, y);
  return f32x4.min(x, y);
}

@inline
function two1(op: i32, x: f32, y: f32): f32 {
  if (op == 0) return x + y;
  if (op == 1) return x - y;
  if (op == 2) return x * y;
  if (op == 3) return x / y;
  if (op == 4) return max(x, y);
  return min(x, y);
}

@inline
function twoLoop(op: i32, a: usize, b: usize, out: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = i << 2;
    v128.store(out + at, two4(op, v128.load(a + at), v128.load(b + at)));
  }
  for (; i < count; i++) {
    const at = i << 2;
    store<f32>(out + at, two1(op, load<f32>(a + at), load<f32>(b + at)));
  }
}

@inline
function oneScalarLoop(op: i32, a: usize, b: usize, out: usize, count: i32, isFirst: bool): void {
  const s = load<f32>(isFirst ? a : b);
  const from = isFirst ? b : a;
  const splat = f32x4.splat(s);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = i << 2;
    const x = v128.load(from + at);
    v128.store(out + at, isFirst ? two4(op, splat, x) : two4(op, x, splat));
  }
  for (; i < count; i++) {
    const at = i << 2;
    const x = load<f32>(from + at);
    store<f32>(out + at, isFirst ? two1(op, s, x) : two1(op, x, s));
  }
}

@inline
function broadcast(op: i32, a: usize, b: usize, out: usize, rows: i32, count: i32, aStep: i32, bStep: i32, mode: i32): void {
  for (let row = 0; row < rows; row++) {
    if (mode == 0) twoLoop(op, a, b, out, count);
    else if (mode == 1) oneScalarLoop(op, a, b, out, count, true);
    else oneScalarLoop(op, a, b, out, count, false);
    a += aStep;
    b += bStep;
    out += <usize>count << 2;
  }
}

/**
 * out [rows, count]. `aStep` and `bStep` are the bytes from one row of an operand to the next; with 0, the same row is
 * used for all rows. If `mode` is 0, both operands have `count` numbers per row; if it is 1, the first operand has one
 * number per row; if it is 2, the second has.
 */
export function binary(
  op: i32, a: usize, b: usize, out: usize, rows: i32, count: i32, aStep: i32, bStep: i32, mode: i32,
): void {
  if (op == 0) broadcast(0, a, b, out, rows, count, aStep, bStep, mode);
  else if (op == 1) broadcast(1, a, b, out, rows, count, aStep, bStep, mode);
  else if (op == 2) broadcast(2, a, b, out, rows, count, aStep, bStep, mode);
  else if (op == 3) broadcast(3, a, b, out, rows, count, aStep, bStep, mode);
  else if (op == 4) broadcast(4, a, b, out, rows, count, aStep, bStep, mode);
  else broadcast(5, a, b, out, rows, count, aStep, bStep, mode);
}

/** The operations by their numbers: 0 exp, 1 log, 2 negate, 3 square, 4 square root. */
export function unary(op: i32, x: usize, out: usize, count: i32): void {
  if (op == 1) {
    for (let i = 0; i < count; i++) store<f32>(out + (i << 2), Mathf.log(load<f32>(x + (i << 2))));
    return;
  }
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const y = v128.load(x + (i << 2));
    let z = y;
    if (op == 0) z = exp4(y);
    else if (op == 2) z = f32x4.neg(y);
    else if (op == 3) z = f32x4.mul(y, y);
    else z = f32x4.sqrt(y);
    v128.store(out + (i << 2), z);
  }
  for (; i < count; i++) {
    const y = load<f32>(x + (i << 2));
    let z = y;
    if (op == 0) z = exp1(y);
    else if (op == 2) z = -y;
    else if (op == 3) z = y * y;
    else z = sqrt<f32>(y);
    store<f32>(out + (i << 2), z);
  }
}
