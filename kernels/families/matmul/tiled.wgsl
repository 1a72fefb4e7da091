// C = alpha * A * transpose(B) in tiles of 128 x 128, 16 values of K at a time through workgroup memory; each of 256
// invocations keeps 8 x 8 sums. The next tiles' values are on their way while this tile is multiplied.
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

var<workgroup> tile_a: array<vec4<f32>, 512>;  // [16 of K][128 rows]
var<workgroup> tile_b: array<vec4<f32>, 512>;

fn store_row(m: u32, n: u32, low: vec4<f32>, high: vec4<f32>) {
    if m >= u.M { return; }
    for (var j = 0u; j < 4u; j++) {
        let at = m * u.ldc + u.column + n + j;
        if n + j < u.N { C[at] = {{OUTPUT}}(u.alpha * low[j]); }
        if n + 64u + j < u.N { C[at + 64u] = {{OUTPUT}}(u.alpha * high[j]); }
    }
}

@compute @workgroup_size(256)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = index & 127u;
    let half = index >> 7u;
    let chunks = (u.K + 7u) / 8u;
    let a_row = group.y * 128u + row;
    let b_row = group.x * 128u + row;
    let x = index & 15u;
    let y = index >> 4u;
    var a_next = Eight();
    var b_next = Eight();
    if half < chunks {
        if a_row < u.M { a_next = activations8(a_row, half); }
        if b_row < u.N { b_next = weights8(b_row, half); }
    }
    var c0l = vec4<f32>(); var c1l = vec4<f32>(); var c2l = vec4<f32>(); var c3l = vec4<f32>();
    var c4l = vec4<f32>(); var c5l = vec4<f32>(); var c6l = vec4<f32>(); var c7l = vec4<f32>();
    var c0h = vec4<f32>(); var c1h = vec4<f32>(); var c2h = vec4<f32>(); var c3h = vec4<f32>();
    var c4h = vec4<f32>(); var c5h = vec4<f32>(); var c6h = vec4<f32>(); var c7h = vec4<f32>();
    for (var chunk = 0u; chunk < chunks; chunk += 2u) {
        for (var j = 0u; j < 4u; j++) {
            let low = (half * 8u + j) * 32u + (row >> 2u);
            tile_a[low][row & 3u] = a_next.low[j];
            tile_a[low + 128u][row & 3u] = a_next.high[j];
            tile_b[low][row & 3u] = b_next.low[j];
            tile_b[low + 128u][row & 3u] = b_next.high[j];
        }
        workgroupBarrier();
        a_next = Eight();
        b_next = Eight();
        if chunk + 2u + half < chunks {
            if a_row < u.M { a_next = activations8(a_row, chunk + 2u + half); }
            if b_row < u.N { b_next = weights8(b_row, chunk + 2u + half); }
        }
        for (var k = 0u; k < 16u; k++) {
            let al = tile_a[k * 32u + y];
            let ah = tile_a[k * 32u + 16u + y];
            let bl = tile_b[k * 32u + x];
            let bh = tile_b[k * 32u + 16u + x];
            c0l += al.x * bl; c0h += al.x * bh;
            c1l += al.y * bl; c1h += al.y * bh;
            c2l += al.z * bl; c2h += al.z * bh;
            c3l += al.w * bl; c3h += al.w * bh;
            c4l += ah.x * bl; c4h += ah.x * bh;
            c5l += ah.y * bl; c5h += ah.y * bh;
            c6l += ah.z * bl; c6h += ah.z * bh;
            c7l += ah.w * bl; c7h += ah.w * bh;
        }
        workgroupBarrier();
    }
    let m = group.y * 128u + y * 4u;
    let n = group.x * 128u + x * 4u;
    store_row(m, n, c0l, c0h);
    store_row(m + 1u, n, c1l, c1h);
    store_row(m + 2u, n, c2l, c2h);
    store_row(m + 3u, n, c3l, c3h);
    store_row(m + 64u, n, c4l, c4h);
    store_row(m + 65u, n, c5l, c5h);
    store_row(m + 66u, n, c6l, c6h);
    store_row(m + 67u, n, c7l, c7h);
}
