// Joins what the parts of a split attention left: sums of values, each relative to its part's own largest score. Four
// invocations share one of 64 values, each with a quarter of the parts, four loads at a time.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { rows: u32, D: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(4) var<storage, read_write> O: array<{{OUTPUT}}>;
@group(0) @binding(5) var<storage, read_write> parts: array<f32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<f32>>;
override PARTS: u32 = 32;  // a multiple of 16, at most 64

var<workgroup> part_sums: array<vec2<f32>, 64>;
var<workgroup> factors: array<f32, 64>;
var<workgroup> shares: array<f32, 256>;

@compute @workgroup_size(256)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = group.x;
    if index < PARTS { part_sums[index] = sums[index * u.rows + row]; }
    workgroupBarrier();
    var largest = -3.4028234663852886e38;
    for (var part = 0u; part < PARTS; part++) {
        largest = max(largest, part_sums[part].x);
    }
    if index < PARTS { factors[index] = exp(part_sums[index].x - largest); }
    workgroupBarrier();
    let d = group.y * 64u + (index & 63u);
    let quarter = index >> 6u;
    var value = 0.0;
    if d < u.D {
        for (var part = quarter; part < PARTS; part += 16u) {
            let v0 = parts[(part * u.rows + row) * u.D + d];
            let v1 = parts[((part + 4u) * u.rows + row) * u.D + d];
            let v2 = parts[((part + 8u) * u.rows + row) * u.D + d];
            let v3 = parts[((part + 12u) * u.rows + row) * u.D + d];
            value += factors[part] * v0 + factors[part + 4u] * v1 + factors[part + 8u] * v2 + factors[part + 12u] * v3;
        }
    }
    shares[index] = value;
    workgroupBarrier();
    if index < 64u && d < u.D {
        var total = 0.0;
        for (var part = 0u; part < PARTS; part++) {
            total += factors[part] * part_sums[part].y;
        }
        value = shares[index] + shares[index + 64u] + shares[index + 128u] + shares[index + 192u];
        O[row * u.D + d] = {{OUTPUT}}(select(value / total, 0.0, total == 0.0));
    }
}
