struct Choice { value: f32, id: u32 }
const LOWEST = -3.4028234663852886e38;
const NO_ID = 0xffffffffu;
var<workgroup> choices: array<Choice, SIZE>;

//# include shared/finite.wgsl

// NaN and -infinity count as the lowest value, so that a row of them still yields an id of the vocabulary: the first.
fn ordered(x: f32) -> f32 {
    if is_nan(x) { return LOWEST; }
    return max(x, LOWEST);
}
fn larger(a: Choice, b: Choice) -> Choice {
    if b.value > a.value || (b.value == a.value && b.id < a.id) { return b; }
    return a;
}
fn reduce_choice(index: u32, mine: Choice) -> Choice {
    choices[index] = mine;
    workgroupBarrier();
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if index < half { choices[index] = larger(choices[index], choices[index + half]); }
        workgroupBarrier();
    }
    return choices[0];
}
