// out = act(A * transpose(gate)) * (A * transpose(up)) in tiles of 64 x 64, 16 values of K at a time through workgroup
// memory; each of 256 invocations keeps 4 x 4 sums of both products.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { M: u32, N: u32, K: u32, ldc: u32, column: u32, alpha: f32, eps: f32, offset: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> A: array<{{A_TYPE}}>;
@group(0) @binding(2) var<storage, read> gate: array<{{B_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> out: array<{{OUTPUT}}>;
@group(0) @binding(4) var<storage, read> up: array<{{B_TYPE}}>;
override ACTIVATION: u32 = 0;

//# include shared/eight.wgsl
//# include shared/activation.wgsl
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=activations BUFFER=A WIDTH=u.K
//# include shared/rows_{{WEIGHT}}.wgsl NAME=gates BUFFER=gate WIDTH=u.K
//# include shared/rows_{{WEIGHT}}.wgsl NAME=ups BUFFER=up WIDTH=u.K

var<workgroup> tile_a: array<vec4<f32>, 256>;  // [16 of K][64 rows]
var<workgroup> tile_g: array<vec4<f32>, 256>;
var<workgroup> tile_u: array<vec4<f32>, 256>;

fn activated(x: f32) -> f32 {
    if ACTIVATION == 1u { return gelu(x); }
    return silu(x);
}

fn store_row(m: u32, n: u32, g: vec4<f32>, v: vec4<f32>) {
    if m >= u.M { return; }
    for (var j = 0u; j < 4u; j++) {
        if n + j < u.N { out[m * u.ldc + n + j] = {{OUTPUT}}(activated(g[j]) * v[j]); }
    }
}

@compute @workgroup_size(256)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = index & 63u;
    let half = (index >> 6u) & 1u;
    let chunks = (u.K + 7u) / 8u;
    let a_row = group.y * 64u + row;
    let b_row = group.x * 64u + row;
    let x = index & 15u;
    let y = index >> 4u;
    var g0 = vec4<f32>(); var g1 = vec4<f32>(); var g2 = vec4<f32>(); var g3 = vec4<f32>();
    var v0 = vec4<f32>(); var v1 = vec4<f32>(); var v2 = vec4<f32>(); var v3 = vec4<f32>();
    for (var chunk = 0u; chunk < chunks; chunk += 2u) {
        // The first half of the invocations fetches A and part of the weights, the second half the other part.
        let at = (half * 8u) * 16u + (row >> 2u);
        var e = Eight();
        var f = Eight();
        if chunk + half < chunks {
            if index < 128u {
                if a_row < u.M { e = activations8(a_row, chunk + half); }
            } else if b_row < u.N {
                e = gates8(b_row, chunk + half);
                f = ups8(b_row, chunk + half);
            }
        }
        for (var j = 0u; j < 4u; j++) {
            if index < 128u {
                tile_a[at + j * 16u][row & 3u] = e.low[j];
                tile_a[at + (j + 4u) * 16u][row & 3u] = e.high[j];
            } else {
                tile_g[at + j * 16u][row & 3u] = e.low[j];
                tile_g[at + (j + 4u) * 16u][row & 3u] = e.high[j];
                tile_u[at + j * 16u][row & 3u] = f.low[j];
                tile_u[at + (j + 4u) * 16u][row & 3u] = f.high[j];
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            let a = tile_a[k * 16u + y];
            let g = tile_g[k * 16u + x];
            let v = tile_u[k * 16u + x];
            g0 += a.x * g; v0 += a.x * v;
            g1 += a.y * g; v1 += a.y * v;
            g2 += a.z * g; v2 += a.z * v;
            g3 += a.w * g; v3 += a.w * v;
        }
        workgroupBarrier();
    }
    let m = group.y * 64u + y * 4u;
    let n = group.x * 64u + x * 4u;
    store_row(m, n, g0, v0);
    store_row(m + 1u, n, g1, v1);
    store_row(m + 2u, n, g2, v2);
    store_row(m + 3u, n, g3, v3);
}
