// Joins what the parts of a split attention left: sums of values, each relative to its part's own largest score.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { rows: u32, D: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(4) var<storage, read_write> O: array<{{OUTPUT}}>;
@group(0) @binding(5) var<storage, read_write> parts: array<f32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<f32>>;
override PARTS: u32 = 32;

@compute @workgroup_size(64)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = group.x;
    var largest = -3.4028234663852886e38;
    for (var part = 0u; part < PARTS; part++) {
        largest = max(largest, sums[part * u.rows + row].x);
    }
    let d = group.y * 64u + index;
    if d >= u.D { return; }
    var total = 0.0;
    var value = 0.0;
    for (var part = 0u; part < PARTS; part++) {
        let sum = sums[part * u.rows + row];
        let factor = exp(sum.x - largest);
        total += factor * sum.y;
        value += factor * parts[(part * u.rows + row) * u.D + d];
    }
    O[row * u.D + d] = {{OUTPUT}}(select(value / total, 0.0, total == 0.0));
}
