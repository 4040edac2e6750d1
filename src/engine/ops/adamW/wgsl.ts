// WGSL of the optimiser step. `plan` contains the rates (ops/adamW.ts, `adamWRates`), followed by the clip factor.

/** The number of values of a gradient that each work item squares and sums. */
export const squaresAtOnce = 4096;

const each = (count: number, text: (i: string) => string) =>
  Array.from({ length: count }, (_, i) => text(String(i))).join('');

export const squaresText = (count: number) => `
  var rest = item;
  var sum = 0.0;
  var isFound = false;${each(
    count,
    (i) => `
  if (!isFound) {
    let items${i} = (sizes.size${i} + ${squaresAtOnce - 1}u) / ${squaresAtOnce}u;
    isFound = rest < items${i};
    if (isFound) {
      let end = min(sizes.size${i}, (rest + 1u) * ${squaresAtOnce}u);
      for (var at = rest * ${squaresAtOnce}u + lane; at < end; at += lanes) { sum += g${i}[at] * g${i}[at]; }
    } else {
      rest -= items${i};
    }
  }`,
  )}
  sum = total(sum, lane);
  if (lane == 0u) { squares[sizes.offset + item] = sum; }`;

export const planText = `
  var sum = 0.0;
  for (var i = lane; i < sizes.count; i += lanes) { sum += squares[i]; }
  sum = total(sum, lane);
  if (lane == 0u) {
    let norm = sqrt(sum);
    gradNorm[0] = norm;
    for (var i = 0u; i < 9u; i++) { plan[i] = rates[i]; }
    plan[9] = min(1.0, rates[8] / (norm + 1e-6));
  }`;

// p ← p·(1 − lr·decay) − step·m / (√v·root + ε)
export const stepText = `
struct Step { p: f32, m: f32, v: f32 }
fn step(old: Step, gradient: f32, decay: f32) -> Step {
  let grad = gradient * plan[9];
  let first = old.m * plan[3] + grad * plan[4];
  let second = old.v * plan[5] + grad * grad * plan[6];
  let kept = old.p * (1.0 - plan[0] * decay);
  return Step(kept - first * plan[1] / (sqrt(second) * plan[2] + plan[7]), first, second);
}`;

export const updateText = (count: number) => `
  var at = item;
  var place = 0u;
  var gradient = 0.0;
  var decay = 0.0;
  var isFound = false;${each(
    count,
    (i) => `
  if (!isFound) {
    isFound = at < sizes.size${i};
    if (isFound) {
      place = sizes.from${i} + at;
      gradient = g${i}[at];
      decay = sizes.decay${i};
    } else {
      at -= sizes.size${i};
    }
  }`,
  )}
  let next = step(Step(p[place], m[place], v[place]), gradient, decay);
  p[place] = next.p;
  m[place] = next.m;
  v[place] = next.v;`;
