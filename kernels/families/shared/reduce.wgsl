// Sums and maxima over a workgroup of SIZE invocations (a power of two), in a fixed order, so that runs agree bit by bit.
var<workgroup> reduction: array<f32, SIZE>;

fn reduce_sum(index: u32, value: f32) -> f32 {
    reduction[index] = value;
    workgroupBarrier();
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if index < half { reduction[index] += reduction[index + half]; }
        workgroupBarrier();
    }
    let total = reduction[0];
    workgroupBarrier();
    return total;
}

fn reduce_max(index: u32, value: f32) -> f32 {
    reduction[index] = value;
    workgroupBarrier();
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if index < half { reduction[index] = max(reduction[index], reduction[index + half]); }
        workgroupBarrier();
    }
    let largest = reduction[0];
    workgroupBarrier();
    return largest;
}

//# include shared/finite.wgsl
