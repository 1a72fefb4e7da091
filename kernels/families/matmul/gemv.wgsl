// One row of A against every row of B, by subgroups: LANES lanes share two rows of B, and each lane reads 8 values
// at a time. Rows need no multiple of anything; the accumulator is f32 whatever the storage is.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { M: u32, N: u32, K: u32, ldc: u32, column: u32, alpha: f32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> A: array<{{A_TYPE}}>;
@group(0) @binding(2) var<storage, read> B: array<{{B_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> C: array<{{OUTPUT}}>;
override LANES: u32 = 8;  // a power of two

//# include shared/eight.wgsl
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=activations BUFFER=A WIDTH=u.K
//# include shared/rows_{{WEIGHT}}.wgsl NAME=weights BUFFER=B WIDTH=u.K

@compute @workgroup_size(128)
fn {{ENTRY}}(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
) {
    let lanes = min(LANES, size);
    let lane = invocation % lanes;
    let pairs = 128u / LANES;
    let step = subgroups * (size / lanes);
    let chunks = (u.K + 7u) / 8u;
    let m = group.y;
    for (var pair = subgroup * (size / lanes) + invocation / lanes; pair < pairs; pair += step) {
        let n = (group.x * pairs + pair) * 2u;
        let r0 = min(n, u.N - 1u);
        let r1 = min(n + 1u, u.N - 1u);
        var s0 = 0.0;
        var s1 = 0.0;
        var c = lane;
        for (; c + 3u * lanes < chunks; c += 4u * lanes) {
            let p0 = weights8(r0, c);
            let q0 = weights8(r1, c);
            let p1 = weights8(r0, c + lanes);
            let q1 = weights8(r1, c + lanes);
            let p2 = weights8(r0, c + 2u * lanes);
            let q2 = weights8(r1, c + 2u * lanes);
            let p3 = weights8(r0, c + 3u * lanes);
            let q3 = weights8(r1, c + 3u * lanes);
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
        for (; c < chunks; c += lanes) {
            let a = activations8(m, c);
            s0 += dot8(weights8(r0, c), a);
            s1 += dot8(weights8(r1, c), a);
        }
        for (var d = lanes / 2u; d > 0u; d /= 2u) {
            s0 += subgroupShuffleXor(s0, d);
            s1 += subgroupShuffleXor(s1, d);
        }
        if lane == 0u {
            let at = m * u.ldc + u.column + n;
            if n < u.N { C[at] = {{OUTPUT}}(u.alpha * s0); }
            if n + 1u < u.N { C[at + 1u] = {{OUTPUT}}(u.alpha * s1); }
        }
    }
}
