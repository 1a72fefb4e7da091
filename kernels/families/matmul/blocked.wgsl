// C = alpha * A * transpose(B) for devices where a barrier costs more than a load: an invocation keeps eight rows of one
// column in registers, and reads the same values of A as its neighbours do. RESIDUAL adds a row to each row.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { M: u32, N: u32, K: u32, ldc: u32, column: u32, alpha: f32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> A: array<{{A_TYPE}}>;
@group(0) @binding(2) var<storage, read> B: array<{{B_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> C: array<{{OUTPUT}}>;
//# if RESIDUAL == added
@group(0) @binding(6) var<storage, read> residual: array<{{OUTPUT}}>;
//# end

//# include shared/eight.wgsl
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=activations BUFFER=A WIDTH=u.K
//# include shared/rows_{{WEIGHT}}.wgsl NAME=weights BUFFER=B WIDTH=u.K

fn store(m: u32, n: u32, sum: f32) {
    let at = m * u.ldc + u.column + n;
//# if RESIDUAL == added
    C[at] = {{OUTPUT}}(f32(residual[at]) + u.alpha * sum);
//# else
    C[at] = {{OUTPUT}}(u.alpha * sum);
//# end
}

@compute @workgroup_size(64)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let n = group.x * 64u + index;
    if n >= u.N { return; }
    let m = group.y * 8u;
    let last = u.M - 1u;
    let chunks = (u.K + 7u) / 8u;
    if m + 1u == u.M {
        var sum = 0.0;  // a lone token: no work for rows that are not there
        for (var chunk = 0u; chunk < chunks; chunk++) {
            sum += dot8(weights8(n, chunk), activations8(m, chunk));
        }
        store(m, n, sum);
        return;
    }
    var low = vec4(0.0);
    var high = vec4(0.0);
    for (var chunk = 0u; chunk < chunks; chunk++) {
        let w = weights8(n, chunk);
        low.x += dot8(w, activations8(m, chunk));
        low.y += dot8(w, activations8(min(m + 1u, last), chunk));
        low.z += dot8(w, activations8(min(m + 2u, last), chunk));
        low.w += dot8(w, activations8(min(m + 3u, last), chunk));
        high.x += dot8(w, activations8(min(m + 4u, last), chunk));
        high.y += dot8(w, activations8(min(m + 5u, last), chunk));
        high.z += dot8(w, activations8(min(m + 6u, last), chunk));
        high.w += dot8(w, activations8(min(m + 7u, last), chunk));
    }
    for (var r = 0u; r < 4u; r++) {
        if m + r < u.M { store(m + r, n, low[r]); }
        if m + 4u + r < u.M { store(m + 4u + r, n, high[r]); }
    }
}
