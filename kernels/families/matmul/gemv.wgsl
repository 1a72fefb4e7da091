// Rows of A against rows of B: LANES lanes share two rows of B, and each lane reads 8 values at a time. Rows need no
// multiple of anything; sums are f32 whatever the storage is. Parts that the variants switch on: NORM normalises A on
// the way in, FFN takes the pair of rows from `gate` and `up` and joins them by the activation, RESIDUAL adds a row.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { M: u32, N: u32, K: u32, ldc: u32, column: u32, alpha: f32, eps: f32, offset: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> A: array<{{A_TYPE}}>;
@group(0) @binding(2) var<storage, read> B: array<{{B_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> C: array<{{OUTPUT}}>;
//# if FFN == gated
@group(0) @binding(4) var<storage, read> up: array<{{B_TYPE}}>;
override ACTIVATION: u32 = 0;
//# end
//# if NORM == rms
@group(0) @binding(5) var<storage, read> weight: array<vec4<f32>>;
//# end
//# if RESIDUAL == added
@group(0) @binding(6) var<storage, read> residual: array<{{OUTPUT}}>;
//# end
override LANES: u32 = 8;   // a power of two
override SIZE: u32 = 128;  // of a workgroup

//# include shared/eight.wgsl
//# include shared/rows_{{WEIGHT}}.wgsl NAME=first BUFFER=B WIDTH=u.K
//# if FFN == gated
//# include shared/rows_{{WEIGHT}}.wgsl NAME=second BUFFER=up WIDTH=u.K
//# include shared/activation.wgsl
//# else
fn second8(row: u32, chunk: u32) -> Eight {
    return first8(row, chunk);
}
//# end
//# if NORM == rms
//# include shared/finite.wgsl
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=raw BUFFER=A WIDTH=u.K
//# include shared/rows_f32.wgsl NAME=gain BUFFER=weight WIDTH=u.K
var<private> inverse: f32;
var<private> scale: f32;

fn activations8(row: u32, chunk: u32) -> Eight {
    let x = raw8(row, chunk);
    let g = gain8(0u, chunk);
    return Eight(x.low * scale * inverse * (g.low + u.offset), x.high * scale * inverse * (g.high + u.offset));
}

// Every subgroup finds the row's root mean square by itself: no barrier, and the row is in the cache anyway.
fn normalise(row: u32, chunks: u32, invocation: u32, size: u32) {
    scale = 1.0;
    var total = 0.0;
    for (var c = invocation; c < chunks; c += size) {
        let x = raw8(row, c);
        total += dot8(x, x);
    }
    total = subgroupAdd(total);
    if is_not_finite(total) && !is_nan(total) {
        // Finite values may have squares past f32: scale them first.
        var largest = 0.0;
        for (var c = invocation; c < chunks; c += size) {
            let x = raw8(row, c);
            let both = max(abs(x.low), abs(x.high));
            largest = max(largest, max(max(both.x, both.y), max(both.z, both.w)));
        }
        largest = subgroupMax(largest);
        if !is_not_finite(largest) {
            scale = 1.0 / largest;
            total = 0.0;
            for (var c = invocation; c < chunks; c += size) {
                let x = raw8(row, c);
                total += dot8(Eight(x.low * scale, x.high * scale), Eight(x.low * scale, x.high * scale));
            }
            total = subgroupAdd(total);
        }
    }
    inverse = 1.0 / sqrt(total / f32(u.K) + u.eps * scale * scale);
}
//# else
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=activations BUFFER=A WIDTH=u.K
//# end

fn store(m: u32, n: u32, sum: f32) {
    let at = m * u.ldc + u.column + n;
//# if RESIDUAL == added
    C[at] = {{OUTPUT}}(f32(residual[at]) + u.alpha * sum);
//# else
    C[at] = {{OUTPUT}}(u.alpha * sum);
//# end
}

fn store_pair(m: u32, n: u32, first: f32, second: f32) {
//# if FFN == gated
    var gate = silu(first);
    if ACTIVATION == 1u { gate = gelu(first); }
    if n < u.N { C[m * u.ldc + n] = {{OUTPUT}}(gate * second); }
//# else
    if n < u.N { store(m, n, first); }
    if n + 1u < u.N { store(m, n + 1u, second); }
//# end
}

// The lane's share of both dot products. UNROLL: four steps at a time, so that eight wide loads are on their way at once;
// not for quantised weights, whose steps hold more arithmetic than loads, and whose code would grow fourfold.
fn share(m: u32, r0: u32, r1: u32, lane: u32, lanes: u32, chunks: u32) -> vec2<f32> {
    var s0 = 0.0;
    var s1 = 0.0;
    var c = lane;
//# if UNROLL == four
    for (; c + 3u * lanes < chunks; c += 4u * lanes) {
        let p0 = first8(r0, c);
        let q0 = second8(r1, c);
        let p1 = first8(r0, c + lanes);
        let q1 = second8(r1, c + lanes);
        let p2 = first8(r0, c + 2u * lanes);
        let q2 = second8(r1, c + 2u * lanes);
        let p3 = first8(r0, c + 3u * lanes);
        let q3 = second8(r1, c + 3u * lanes);
        let a0 = activations8(m, c);
        s0 += dot8(p0, a0);
        s1 += dot8(q0, a0);
        let a1 = activations8(m, c + lanes);
        s0 += dot8(p1, a1);
        s1 += dot8(q1, a1);
        let a2 = activations8(m, c + 2u * lanes);
        s0 += dot8(p2, a2);
        s1 += dot8(q2, a2);
        let a3 = activations8(m, c + 3u * lanes);
        s0 += dot8(p3, a3);
        s1 += dot8(q3, a3);
    }
//# end
    for (; c < chunks; c += lanes) {
        let a = activations8(m, c);
        s0 += dot8(first8(r0, c), a);
        s1 += dot8(second8(r1, c), a);
    }
    return vec2(s0, s1);
}

//# if REDUCE == workgroup
var<workgroup> shares: array<vec2<f32>, SIZE>;

@compute @workgroup_size(SIZE)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let lane = index % LANES;
    let pair = group.x * (SIZE / LANES) + index / LANES;
//# if FFN == gated
    let n = pair;
    let r1 = min(n, u.N - 1u);
//# else
    let n = pair * 2u;
    let r1 = min(n + 1u, u.N - 1u);
//# end
    shares[index] = share(group.y, min(n, u.N - 1u), r1, lane, LANES, (u.K + 7u) / 8u);
    workgroupBarrier();
    for (var d = LANES / 2u; d > 0u; d /= 2u) {
        if lane < d { shares[index] += shares[index + d]; }
        workgroupBarrier();
    }
    if lane == 0u { store_pair(group.y, n, shares[index].x, shares[index].y); }
}
//# else
@compute @workgroup_size(SIZE)
fn {{ENTRY}}(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
) {
    let lanes = min(LANES, size);
    let lane = invocation % lanes;
    let pairs = SIZE / LANES;
    let step = subgroups * (size / lanes);
    let chunks = (u.K + 7u) / 8u;
    let m = group.y;
//# if NORM == rms
    normalise(m, chunks, invocation, size);
//# end
    for (var i = subgroup * (size / lanes) + invocation / lanes; i < pairs; i += step) {
        let pair = group.x * pairs + i;
//# if FFN == gated
        let n = pair;
        let r1 = min(n, u.N - 1u);
//# else
        let n = pair * 2u;
        let r1 = min(n + 1u, u.N - 1u);
//# end
        var s = share(m, min(n, u.N - 1u), r1, lane, lanes, chunks);
        for (var d = lanes / 2u; d > 0u; d /= 2u) {
            s += subgroupShuffleXor(s, d);
        }
        if lane == 0u { store_pair(m, n, s.x, s.y); }
    }
}
//# end
