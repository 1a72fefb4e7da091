// C = alpha * A * transpose(B) in tiles of 64 x 64, 32 values of K at a time: for few columns, where tiles of 128 would
// leave most of a GPU idle. Each of 256 invocations fetches 8 values of A and of B, and keeps 4 x 4 sums.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { M: u32, N: u32, K: u32, ldc: u32, column: u32, alpha: f32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> A: array<{{A_TYPE}}>;
@group(0) @binding(2) var<storage, read> B: array<{{B_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> C: array<{{OUTPUT}}>;

//# include shared/eight.wgsl
//# include shared/rows_{{ACTIVATION}}.wgsl NAME=activations BUFFER=A WIDTH=u.K
//# include shared/rows_{{WEIGHT}}.wgsl NAME=weights BUFFER=B WIDTH=u.K

var<workgroup> tile_a: array<vec4<f32>, 512>;  // [32 of K][64 rows]
var<workgroup> tile_b: array<vec4<f32>, 512>;

fn store_row(m: u32, n: u32, sums: vec4<f32>) {
    if m >= u.M { return; }
    for (var j = 0u; j < 4u; j++) {
        if n + j < u.N { C[m * u.ldc + u.column + n + j] = {{OUTPUT}}(u.alpha * sums[j]); }
    }
}

@compute @workgroup_size(256)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = index & 63u;
    let quarter = index >> 6u;
    let chunks = (u.K + 7u) / 8u;
    let a_row = group.y * 64u + row;
    let b_row = group.x * 64u + row;
    let x = index & 15u;
    let y = index >> 4u;
    var a_next = Eight();
    var b_next = Eight();
    if quarter < chunks {
        if a_row < u.M { a_next = activations8(a_row, quarter); }
        if b_row < u.N { b_next = weights8(b_row, quarter); }
    }
    var c0 = vec4<f32>(); var c1 = vec4<f32>(); var c2 = vec4<f32>(); var c3 = vec4<f32>();
    for (var chunk = 0u; chunk < chunks; chunk += 4u) {
        for (var j = 0u; j < 4u; j++) {
            let low = (quarter * 8u + j) * 16u + (row >> 2u);
            tile_a[low][row & 3u] = a_next.low[j];
            tile_a[low + 64u][row & 3u] = a_next.high[j];
            tile_b[low][row & 3u] = b_next.low[j];
            tile_b[low + 64u][row & 3u] = b_next.high[j];
        }
        workgroupBarrier();
        a_next = Eight();
        b_next = Eight();
        let next = chunk + 4u + quarter;
        if next < chunks {
            if a_row < u.M { a_next = activations8(a_row, next); }
            if b_row < u.N { b_next = weights8(b_row, next); }
        }
        for (var k = 0u; k < 32u; k++) {
            let a = tile_a[k * 16u + y];
            let b = tile_b[k * 16u + x];
            c0 += a.x * b;
            c1 += a.y * b;
            c2 += a.z * b;
            c3 += a.w * b;
        }
        workgroupBarrier();
    }
    let m = group.y * 64u + y * 4u;
    let n = group.x * 64u + x * 4u;
    store_row(m, n, c0);
    store_row(m + 1u, n, c1);
    store_row(m + 2u, n, c2);
    store_row(m + 3u, n, c3);
}
